"""What DAOS refuses and what it takes: one row a configuration, with the place in DAOS's source.

A row is a change of `BASE`, a daos_server.yml that DAOS 2.8.0 starts with. Places are in its
src/control/server, and those in `*_test.go` are configurations of DAOS's own unit tests.
`tests/preflight/try_daos_server.py` gives every row to a real daos_server.
"""

# ruff: noqa: E501 rows are compared with each other, one a line
from __future__ import annotations

import copy
from typing import Any, NamedTuple

SERVER, ENGINE, STORAGE = "config/server.go", "engine/config.go", "storage/config.go"
UTILS, TEST = "engine/utils.go", "config/server_test.go"
FAULT, YAML = "faultdomain.go", "yaml.UnmarshalStrict"

ABSENT = object()
"""As a value: the key is left out."""

ENGINE_0: dict[str, Any] = {
    "targets": 1,
    "nr_xs_helpers": 0,
    "fabric_iface": "lo",
    "fabric_iface_port": 31416,
    "log_file": "DIR/engine0.log",
    "storage": [{"class": "ram", "scm_mount": "DIR/scm0", "scm_size": 4}],
}
ENGINE_1: dict[str, Any] = {
    **ENGINE_0,
    "fabric_iface_port": 31516,
    "log_file": "DIR/engine1.log",
    "storage": [{"class": "ram", "scm_mount": "DIR/scm1", "scm_size": 4}],
}
BASE: dict[str, Any] = {
    "name": "daos_server",
    "mgmt_svc_replicas": ["127.0.0.1"],
    "port": 10071,
    "transport_config": {"allow_insecure": True},
    "provider": "ofi+tcp",
    "disable_hugepages": True,
    "system_ram_reserved": 1,
    "socket_dir": "DIR",
    "engines": [ENGINE_0],
}
TWO = {"engines": [ENGINE_0, {**ENGINE_1, "first_core": 8}]}
TWO["engines"][0] = {**ENGINE_0, "first_core": 0}

RAM = ENGINE_0["storage"][0]
DCPM = {"class": "dcpm", "scm_mount": "DIR/scm0", "scm_list": ["/dev/pmem0"]}
FILE = {"class": "file", "bdev_list": ["DIR/bdev0"], "bdev_size": 4}
NVME = {"class": "nvme", "bdev_list": ["0000:d8:00.0"]}
METADATA = {"control_metadata": {"path": "DIR/metadata"}}
WAL, META, DATA = "wal", "meta", "data"


def _file(number: int, *roles: str) -> dict[str, Any]:
    return {**FILE, "bdev_list": [f"DIR/bdev{number}"], "bdev_roles": list(roles)}


class Row(NamedTuple):
    """A configuration: what is changed, and where DAOS says so."""

    name: str
    changes: dict[str, Any]
    place: str
    differs: str = ""
    """Why the preflight judges it otherwise than DAOS does, where it does."""


def _storage(*tiers: Any, **others: Any) -> dict[str, Any]:
    return {"engines.0.storage": list(tiers), **others}


def configuration(row: Row) -> dict[str, Any]:
    """The daos_server.yml of a row; DIR stands for a directory."""
    changed: dict[str, Any] = copy.deepcopy(BASE)
    for path, value in row.changes.items():
        part: Any = changed
        *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        for key in parents:
            part = part[key]
        part[last] = _copied(value)
    done: dict[str, Any] = _without_absent(changed)
    return done


def _copied(value: Any) -> Any:
    """A deep copy, in which `ABSENT` is itself."""
    if isinstance(value, dict):
        return {k: _copied(v) for k, v in value.items()}
    return [_copied(v) for v in value] if isinstance(value, list) else value


def _without_absent(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_absent(v) for k, v in value.items() if v is not ABSENT}
    return [_without_absent(v) for v in value] if isinstance(value, list) else value


E0 = "engines.0."

REFUSED = [
    Row("port_zero", {"port": 0}, f"{SERVER}: Validate"),
    Row("name_empty", {"name": ""}, f"{SERVER}: Load, SystemNameIsValid"),
    Row("name_of_16", {"name": "a234567890123456"}, f"{SERVER}: Load, SystemNameIsValid"),
    Row("provider_empty", {"provider": ""}, f"{SERVER}: Validate, FaultConfigNoProvider"),
    Row("two_providers", {"provider": "ofi+tcp,ofi+verbs"}, f"{SERVER}: Load"),
    Row("provider_unknown", {"provider": "ofi+nope"}, "server_utils.go: updateFabricEnvars"),
    Row("replicas_even", {"mgmt_svc_replicas": ["127.0.0.1", "127.0.0.2"]}, f"{SERVER}: Validate"),
    Row(
        "replicas_twice_with_port",
        {"mgmt_svc_replicas": ["127.0.0.1", "127.0.0.1:10071", "127.0.0.2"]},
        f"{TEST}: duplicate MS replicas",
    ),
    Row("replica_port_word", {"mgmt_svc_replicas": ["127.0.0.1:daos"]}, f"{SERVER}: GetMSReplicaPort"),
    Row("replica_port_zero", {"mgmt_svc_replicas": ["127.0.0.1:0"]}, f"{SERVER}: GetMSReplicaPort"),
    Row("telemetry_negative", {"telemetry_port": -1}, f"{SERVER}: Validate"),
    Row(
        "telemetry_above",
        {"telemetry_port": 65536},
        "telemetry.go: startPrometheusExporter",
        "there is no such port, so DAOS starts and its metrics are never served",
    ),
    Row("ram_reserved_zero", {"system_ram_reserved": 0}, f"{SERVER}: FaultConfigSysRsvdZero"),
    Row("ram_reserved_negative", {"system_ram_reserved": -1}, f"{SERVER}: FaultConfigSysRsvdZero"),
    Row("ram_reserved_all", {"system_ram_reserved": 4096}, f"{SERVER}: SetRamdiskSize"),
    Row("restart_delay_negative", {"engine_auto_restart_min_delay": -1}, f"{SERVER}: Validate"),
    Row("hugepages_negative", {"nr_hugepages": -1}, f"{TEST}: out of range hugepages, low"),
    Row("hugepages_above", {"nr_hugepages": 2**31}, f"{TEST}: out of range hugepages, high"),
    Row("hugepages_and_none", {"nr_hugepages": 512}, f"{SERVER}: SetNrHugepages"),
    Row("crt_timeout_negative", {"crt_timeout": -1}, f"{YAML}: uint32"),
    Row("crt_timeout_text", {"crt_timeout": "soon"}, f"{YAML}: uint32"),
    Row("core_dump_filter_256", {"core_dump_filter": 256}, f"{YAML}: uint8"),
    Row("disable_srx_text", {"disable_srx": "no"}, f"{YAML}: bool"),
    Row("bdev_exclude_keys", {"bdev_exclude": {"a": "b"}}, f"{YAML}: []string"),
    Row("unknown_key", {"falt_path": "/r1"}, YAML),
    Row("recreate_superblocks", {"recreate_superblocks": True}, f"{YAML}: gone after 2.4"),
    Row("log_mask_of_server", {"control_log_mask": "LOUD"}, "logging/level.go: SetString"),
    Row("fault_path_relative", {"fault_path": "r1/h1"}, f"{FAULT}: newFaultDomainFromConfig"),
    Row("fault_path_of_3", {"fault_path": "/a/b/c"}, f"{FAULT}: newFaultDomainFromConfig"),
    Row("fault_path_half_labelled", {"fault_path": "/r=1/h1"}, "system/faultdomain.go"),
    Row("fault_path_empty_level", {"fault_path": "/r1//"}, "system/faultdomain.go"),
    Row(
        "fault_path_and_cb",
        {"fault_path": "/r1", "fault_cb": "/etc/daos/cb"},
        f"{FAULT}: FaultConfigBothFaultPathAndCb",
    ),
    Row("fault_cb_elsewhere", {"fault_cb": "/bin/true"}, f"{FAULT}: checkFaultDomainCallback"),
    Row("control_iface_absent", {"control_iface": "nosuch0"}, "server.go: initNetwork"),
    Row("metadata_device_alone", {"control_metadata": {"device": "/dev/sdz"}}, f"{SERVER}: Validate"),
    Row("metadata_without_roles", METADATA, f"{STORAGE}: FaultBdevConfigControlMetadataNoRoles"),
    Row("no_tiers", _storage(), f"{STORAGE}: Validate"),
    Row("no_scm", _storage(FILE), f"{STORAGE}: FaultScmConfigTierMissing"),
    Row("scm_last", _storage(FILE, RAM), f"{STORAGE}: validateBdevRoles"),
    Row("two_scm", _storage(RAM, {**RAM, "scm_mount": "DIR/scm9"}), f"{STORAGE}: validateBdevRoles"),
    Row("class_unknown", _storage({**RAM, "class": "optane"}), f"{STORAGE}: Class.UnmarshalYAML"),
    Row("no_scm_mount", _storage({"class": "ram"}), f"{STORAGE}: ScmConfig.Validate"),
    Row("ram_with_list", _storage({**RAM, "scm_list": ["/dev/pmem0"]}), f"{STORAGE}: ScmConfig.Validate"),
    Row("ram_of_3", _storage({**RAM, "scm_size": 3}), f"{STORAGE}: ScmConfig.Validate"),
    Row("ram_of_4096", _storage({**RAM, "scm_size": 4096}), f"{SERVER}: SetRamdiskSize"),
    Row("ram_negative", _storage({**RAM, "scm_size": -4}), f"{YAML}: uint"),
    Row("dcpm_without_list", _storage({**DCPM, "scm_list": []}), f"{STORAGE}: ScmConfig.Validate"),
    Row("dcpm_of_two", _storage({**DCPM, "scm_list": ["/dev/pmem0", "/dev/pmem1"]}), STORAGE),
    Row("dcpm_with_size", _storage({**DCPM, "scm_size": 8}), f"{STORAGE}: ScmConfig.Validate"),
    Row("file_without_size", _storage(RAM, {**FILE, "bdev_size": ABSENT}), f"{STORAGE}: BdevConfig.Validate"),
    Row("file_without_list", _storage(RAM, {**FILE, "bdev_list": []}), f"{STORAGE}: BdevConfig.Validate"),
    Row("file_negative", _storage(RAM, {**FILE, "bdev_size": -1}), f"{STORAGE}: BdevConfig.Validate"),
    Row("file_twice", _storage(RAM, {**FILE, "bdev_list": ["DIR/b", "DIR/b"]}), f"{STORAGE}: fromStrings"),
    Row("nvme_no_pci", _storage(RAM, {**NVME, "bdev_list": ["/dev/nvme0n1"]}), f"{STORAGE}: BdevConfig.Validate"),
    Row("nvme_short_pci", _storage(RAM, {**NVME, "bdev_list": ["d8:00.0"]}), f"{STORAGE}: maybePCI"),
    Row("nvme_twice", _storage(RAM, {**NVME, "bdev_list": ["0000:d8:00.0"] * 2}), f"{STORAGE}: fromStrings"),
    Row("nvme_without_hugepages", _storage(RAM, NVME), f"{SERVER}: SetNrHugepages"),
    Row("nvme_and_file", _storage(RAM, NVME, FILE), f"{STORAGE}: FaultBdevConfigTierTypeMismatch"),
    Row("bus_range_backwards", _storage(RAM, {**FILE, "bdev_busid_range": "0x8f-0x80"}), f"{STORAGE}: parsePCIBusRange"),
    Row("bus_range_above", _storage(RAM, {**FILE, "bdev_busid_range": "0x80-0x100"}), f"{STORAGE}: parsePCIBusRange"),
    Row("bus_range_bare", _storage(RAM, {**FILE, "bdev_busid_range": "8f-90"}), f"{STORAGE}: parsePCIBusRange"),
    Row("two_tiers_no_roles", _storage(RAM, _file(0), _file(1)), f"{STORAGE}: validateBdevRoles"),
    Row("roles_without_path", _storage(RAM, _file(0, WAL, META, DATA)), f"{STORAGE}: Config.Validate"),
    Row("roles_unknown", _storage(RAM, _file(0, WAL, META, "dat"), **METADATA), f"{STORAGE}: OptionBits"),
    Row("roles_wal_data", _storage(RAM, _file(0, WAL, DATA), _file(1, META), **METADATA), f"{STORAGE}: validateBdevRoles"),
    Row("roles_no_wal", _storage(RAM, _file(0, META, DATA), **METADATA), f"{STORAGE}: validateBdevRoles"),
    Row("roles_meta_twice", _storage(RAM, _file(0, WAL, META), _file(1, META, DATA), **METADATA), f"{STORAGE}: validateBdevRoles"),
    Row("roles_of_some", _storage(RAM, _file(0, WAL, META, DATA), _file(1), **METADATA), f"{STORAGE}: validateBdevRoles"),
    Row(
        "roles_on_four",
        _storage(RAM, _file(0, WAL), _file(1, META), _file(2, DATA), _file(3, DATA), **METADATA),
        f"{STORAGE}: validateBdevRoles",
    ),
    Row("roles_with_dcpm", _storage(DCPM, _file(0, WAL, META, DATA), **METADATA), f"{STORAGE}: validateBdevRoles"),
    Row("targets_zero", {E0 + "targets": 0}, f"{ENGINE}: Validate"),
    Row("targets_negative", {E0 + "targets": -1}, f"{ENGINE}: Validate"),
    Row("targets_text", {E0 + "targets": "8"}, f"{YAML}: int"),
    Row("targets_absent", {E0 + "targets": ABSENT}, f"{ENGINE}: Validate"),
    Row("helpers_negative", {E0 + "nr_xs_helpers": -1}, f"{ENGINE}: Validate"),
    Row("first_core_negative", {E0 + "first_core": -1}, f"{ENGINE}: Validate"),
    Row("pin_negative", {E0 + "pinned_numa_node": -1}, f"{YAML}: uint"),
    Row("iface_absent", {E0 + "fabric_iface": ABSENT}, f"{ENGINE}: FabricConfig.Validate"),
    Row("iface_unknown", {E0 + "fabric_iface": "nosuch0"}, "server_utils.go: checkFabricInterface"),
    Row("port_absent", {E0 + "fabric_iface_port": ABSENT}, f"{ENGINE}: FabricConfig.Validate"),
    Row("port_negative", {E0 + "fabric_iface_port": -1}, f"{ENGINE}: FabricConfig.Validate"),
    Row("key_of_engine", {E0 + "tragets": 8}, YAML),
    Row("key_of_tier", _storage({**RAM, "scm_mont": "DIR/x"}), YAML),
    Row("mask_unknown", {E0 + "log_mask": "LOUD"}, f"{UTILS}: ValidateLogMasks"),
    Row("mask_all", {E0 + "log_mask": "ERR,ALL=DEBUG"}, f"{UTILS}: errLogNameAllInMasks"),
    Row("mask_subsystem", {E0 + "log_mask": "ERR,NOPE=DEBUG"}, f"{UTILS}: ValidateLogSubsystems"),
    Row("mask_spaced", {E0 + "log_mask": "ERR, RPC=DEBUG"}, f"{UTILS}: checkStrChars"),
    Row("stream_unknown", {E0 + "env_vars": ["DD_MASK=loud"]}, f"{UTILS}: ValidateLogStreams"),
    Row("stream_all_and", {E0 + "env_vars": ["DD_MASK=all,io"]}, f"{UTILS}: errLogNameAllWithOther"),
    Row("subsys_unknown", {E0 + "env_vars": ["DD_SUBSYS=nope"]}, f"{UTILS}: ValidateLogSubsystems"),
    Row("sds_on_ram", {E0 + "env_vars": ["PMEMOBJ_CONF=sds.at_create=1"]}, f"{ENGINE}: UpdatePMDKEnvars"),
    Row(
        "stack_small",
        _storage(
            RAM, _file(0, WAL, META, DATA), **METADATA, **{E0 + "env_vars": ["ABT_THREAD_STACKSIZE=1"]}
        ),
        f"{ENGINE}: UpdateMdOnSsdStackSize",
    ),
    Row("acceleration_unknown", {E0 + "acceleration": {"engine": "isa"}}, f"{STORAGE}: AccelProps"),
    Row("acceleration_option", {E0 + "acceleration": {"engine": "spdk", "options": ["x"]}}, STORAGE),
    Row("iobuf_key", {E0 + "spdk_iobuf": {"small": 1}}, YAML),
    Row("iobuf_negative", {E0 + "spdk_iobuf": {"small_pool_count": -1}}, f"{YAML}: uint32"),
    Row("faulty_negative", {E0 + "bdev_auto_faulty": {"max_io_errs": -1}}, f"{YAML}: uint32"),
    Row("same_log", {**TWO, "engines.1.log_file": "DIR/engine0.log"}, f"{SERVER}: validateMultiEngineConfig"),
    Row("same_port", {**TWO, "engines.1.fabric_iface_port": 31416}, f"{SERVER}: validateMultiEngineConfig"),
    Row("same_mount", {**TWO, "engines.1.storage.0.scm_mount": "DIR/scm0"}, f"{SERVER}: validateMultiEngineConfig"),
    Row("other_targets", {**TWO, "engines.1.targets": 2}, f"{SERVER}: FaultConfigTargetCountMismatch"),
    Row("other_helpers", {**TWO, "engines.1.nr_xs_helpers": 1}, f"{SERVER}: FaultConfigHelperStreamCountMismatch"),
    Row("other_hugepages", {**TWO, "engines.1.storage.0.scm_hugepages_disabled": True}, f"{SERVER}: FaultConfigScmDiffHugeEnabled"),
    Row("other_class", {**TWO, "engines.1.storage": [{**DCPM, "scm_mount": "DIR/scm1"}]}, f"{SERVER}: FaultConfigScmDiffClass"),
    Row(
        "same_file",
        {**TWO, "engines.0.storage": [RAM, FILE], "engines.1.storage": [ENGINE_1["storage"][0], FILE]},
        f"{SERVER}: FaultConfigOverlappingBdevDeviceList",
    ),
]  # fmt: skip
"""Configurations with which DAOS 2.8.0 does not start."""

ACCEPTED = [
    Row("base", {}, f"{SERVER}: Validate"),
    Row("helpers_absent", {E0 + "nr_xs_helpers": ABSENT}, f"{ENGINE}: zero of Go"),
    Row("size_absent", _storage({**RAM, "scm_size": ABSENT}), f"{SERVER}: SetRamdiskSize"),
    Row("core_0_and_pin", {E0 + "first_core": 0, E0 + "pinned_numa_node": 0}, f"{ENGINE}: Validate"),
    Row("mask_empty", {E0 + "log_mask": ""}, f"{UTILS}: ValidateLogMasks"),
    Row("mask_folded", {E0 + "log_mask": "debug"}, f"{UTILS}: StrToLogLevel"),
    Row("mask_of_subsystem", {E0 + "log_mask": "ERR,rpc=DEBUG,MGMT=info"}, f"{UTILS}: ValidateLogMasks"),
    Row("mask_of_subsystem_alone", {E0 + "log_mask": "MGMT=DEBUG"}, f"{UTILS}: ValidateLogMasks"),
    Row("streams", {E0 + "env_vars": ["DD_MASK=mgmt,io", "DD_SUBSYS=all"]}, f"{UTILS}: ValidateLogStreams"),
    Row("sds_off", {E0 + "env_vars": ["PMEMOBJ_CONF=sds.at_create=0"]}, f"{ENGINE}: UpdatePMDKEnvars"),
    Row("fault_path_of_1", {"fault_path": "/r1"}, f"{FAULT}: newFaultDomainFromConfig"),
    Row("fault_path_of_2", {"fault_path": "/r1/h1"}, f"{FAULT}: newFaultDomainFromConfig"),
    Row("fault_path_labels", {"fault_path": "/rack=r1/host=h1"}, "system/faultdomain.go"),
    Row("crt_timeout_zero", {"crt_timeout": 0}, f"{ENGINE}: FabricConfig"),
    Row("crt_timeout", {"crt_timeout": 60}, f"{ENGINE}: FabricConfig"),
    Row("srx", {"disable_srx": True}, f"{ENGINE}: FabricConfig"),
    Row("auth_key", {"fabric_auth_key": "foo:bar"}, f"{ENGINE}: FabricConfig"),
    Row("client_env", {"client_env_vars": ["foo=bar"]}, f"{TEST}: WithClientEnvVars"),
    Row("core_dump_filter", {"core_dump_filter": 0x13}, f"{SERVER}: DefaultServer"),
    Row("json_log", {"control_log_json": True}, SERVER),
    Row("level_folded", {"control_log_mask": "debug"}, "logging/level.go: SetString"),
    Row("control_iface", {"control_iface": "lo"}, "server_utils.go: getControlAddr"),
    Row("imbalance", {"allow_numa_imbalance": True}, f"{SERVER}: GetNumaNodes"),
    Row("no_restart", {"disable_engine_auto_restart": True}, SERVER),
    Row("restart_delay_zero", {"engine_auto_restart_min_delay": 0}, f"{SERVER}: Validate"),
    Row("support", {"support_config": {"file_transfer_exec": "/usr/bin/scp"}}, f"{SERVER}: SupportConfig"),
    Row("telemetry", {"telemetry_port": 19191}, f"{SERVER}: Validate"),
    Row("hyperthreads", {"hyperthreads": True}, f"{SERVER}: unused"),
    Row("exclude_other", {"bdev_exclude": ["0000:81:00.1"]}, f"{TEST}: WithBdevExclude"),
    Row("health", {E0 + "bypass_health_chk": True}, f"{ENGINE}: FabricConfig"),
    Row("pass_through", {E0 + "env_pass_through": ["PATH"]}, f"{ENGINE}: cleanEnvVars"),
    Row("acceleration", {E0 + "acceleration": {"engine": "spdk", "options": ["move", "crc"]}}, STORAGE),
    Row("acceleration_none", {E0 + "acceleration": {"engine": "none"}}, STORAGE),
    Row("rpc_server", {E0 + "spdk_rpc_server": {"enable": True, "sock_addr": "DIR/s"}}, STORAGE),
    Row("auto_faulty", {E0 + "bdev_auto_faulty": {"enable": True, "max_io_errs": 1}}, STORAGE),
    Row("iobuf", {E0 + "spdk_iobuf": {"small_pool_count": 1024}}, STORAGE),
    Row("key_null", {E0 + "log_mask": None, "fault_path": None}, f"{YAML}: zero of Go"),
    Row("targets_float", {E0 + "targets": 1.0}, f"{YAML}: int"),
    Row("auth_key_number", {"fabric_auth_key": 7}, f"{YAML}: string"),
    Row("replica_port", {"mgmt_svc_replicas": ["127.0.0.1:10071"]}, f"{TEST}: replicas with port"),
    Row("file", _storage(RAM, FILE), f"{STORAGE}: BdevConfig.Validate"),
    Row("file_with_range", _storage(RAM, {**FILE, "bdev_busid_range": "0x80-0x8F"}), STORAGE),
    Row("file_with_number", _storage(RAM, {**FILE, "bdev_number": 1}), STORAGE),
    Row("roles_shared", _storage(RAM, _file(0, WAL, META, DATA), **METADATA), f"{STORAGE}: validateBdevRoles"),
    Row("roles_wal", _storage(RAM, _file(0, WAL), _file(1, META, DATA), **METADATA), STORAGE),
    Row("roles_wal_meta", _storage(RAM, _file(0, WAL, META), _file(1, DATA), **METADATA), STORAGE),
    Row("roles_of_three", _storage(RAM, _file(0, WAL), _file(1, META), _file(2, DATA), **METADATA), STORAGE),
    Row("two_engines", TWO, f"{SERVER}: validateMultiEngineConfig"),
    Row(
        "two_with_other_numbers",
        {
            **TWO,
            "engines.0.storage": [RAM, FILE],
            "engines.1.storage": [
                ENGINE_1["storage"][0],
                {**FILE, "bdev_list": ["DIR/bdev1", "DIR/bdev2"]},
            ],
        },
        f"{SERVER}: FaultConfigBdevCountMismatch, a notice",
    ),
]  # fmt: skip
"""Configurations with which DAOS 2.8.0 starts."""
