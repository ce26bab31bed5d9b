"""What DAOS's own unit tests of its configuration refuse and accept, one row a case.

The places are in src/control/server of DAOS 2.8.0: the test, and its name of the case.
"""

# ruff: noqa: E501 rows are compared with each other, one a line
from __future__ import annotations

from daos_rows import (
    ABSENT,
    DATA,
    DCPM,
    E0,
    ENGINE_0,
    ENGINE_1,
    FILE,
    META,
    METADATA,
    NVME,
    RAM,
    TWO,
    WAL,
    Row,
    file_tier,
    storage,
)

SERVER, ENGINE, STORAGE = "config/server_test.go", "engine/config_test.go", "storage/config_test.go"
MASKS, SRX, DOMAIN = (
    "engine/utils_test.go",
    "server_utils_test.go: getSrxSetting",
    "faultdomain_test.go",
)
TIERS = f"{STORAGE}: TierConfigs_Validate"
SSD = "an SSD"

ENV, E1_ENV = E0 + "env_vars", "engines.1.env_vars"
RAM_1 = ENGINE_1["storage"][0]
ON = {"disable_hugepages": False}


def _nvme(*roles: str, bus: int = 0x80, number: int = 1) -> dict[str, object]:
    addresses = [f"0000:{bus + n:02x}:00.0" for n in range(number)]
    return {
        "class": "nvme",
        "bdev_list": addresses,
        **({"bdev_roles": list(roles)} if roles else {}),
    }


UNIT_REFUSED = [
    # config/server_test.go
    Row("unit_nil_engine", {"engines": [None]}, f"{SERVER}: nil engine entry"),
    Row("unit_replicas_2", {"mgmt_svc_replicas": ["1.2.3.4:10071", "5.6.7.8:10071"]}, f"{SERVER}: multiple MS replicas (even)"),
    Row("unit_replicas_dupes", {"mgmt_svc_replicas": ["1.2.3.4", "5.6.7.8", "1.2.3.4"]}, f"{SERVER}: multiple MS replicas (dupes)"),
    Row("unit_replicas_dupes_ports", {"mgmt_svc_replicas": ["1.2.3.4:1234", "5.6.7.8:5678", "1.2.3.4:1234"]}, f"{SERVER}: dupes with ports"),
    Row("unit_replicas_dupes_mixed", {"mgmt_svc_replicas": ["1.2.3.4:10071", "5.6.7.8:5678", "1.2.3.4"]}, f"{SERVER}: dupes with and without ports"),
    Row("unit_replica_port_alnum", {"mgmt_svc_replicas": ["1.2.3.4:0a0"]}, f"{SERVER}: invalid port (alphanumeric)"),
    Row("unit_replica_port_0", {"mgmt_svc_replicas": ["1.2.3.4:0"]}, f"{SERVER}: invalid port (zero)"),
    Row("unit_replica_port_negative", {"mgmt_svc_replicas": ["1.2.3.4:-10002"]}, f"{SERVER}: negative port"),
    Row("unit_replica_host_negative", {"mgmt_svc_replicas": ["hostX:-10002"]}, f"{SERVER}: hostname including negative port"),
    Row("unit_port_0", {"port": 0}, f"{SERVER}: bad control port (zero)"),
    Row("unit_telemetry_negative", {"telemetry_port": -123}, f"{SERVER}: bad telemetry port (negative)"),
    Row("unit_other_targets", {**TWO, E0 + "targets": 3}, f"{SERVER}: different number of targets"),
    Row("unit_other_helpers", {**TWO, E0 + "nr_xs_helpers": 2}, f"{SERVER}: different number of helper streams"),
    Row("unit_hugepages_low", {"nr_hugepages": -2048}, f"{SERVER}: out of range hugepages; low"),
    Row("unit_hugepages_high", {"nr_hugepages": 2**31}, f"{SERVER}: out of range hugepages; high"),
    Row("unit_scm_3", storage({**RAM, "scm_size": 3}), f"{SERVER}: out of range scm_size; low"),
    Row("unit_reserved_0", {"system_ram_reserved": 0}, f"{SERVER}: zero system ram reserved"),
    Row(
        "unit_roles_on_one_engine",
        {
            **TWO, **METADATA,
            "engines.0.storage": [RAM, file_tier(0, WAL, META, DATA)],
            "engines.1.storage": [RAM_1, file_tier(1)],
        },
        f"{SERVER}: md-on-ssd enabled with role assignment on one engine only",
    ),
    Row("unit_metadata_device_only", {"control_metadata": {"device": "/dev/sdb0"}}, f"{SERVER}: control metadata has device only"),
    Row("unit_metadata_no_roles", storage(RAM, FILE, **METADATA), f"{SERVER}: control metadata with no roles specified"),
    Row("unit_roles_no_path", storage(RAM, file_tier(0, WAL, META, DATA)), f"{SERVER}: roles specified with no control metadata path"),
    Row("unit_exclude_clash", storage(RAM, NVME, **ON, bdev_exclude=NVME["bdev_list"]), f"{SERVER}: bdev_exclude addresses clash with bdev_list", needs=SSD),
    Row("unit_no_hugepages_but_number", {"nr_hugepages": 16896}, f"{SERVER}: disabled hugepages; nr_hugepages requested"),
    Row("unit_no_hugepages_nvme", storage(RAM, NVME), f"{SERVER}: disabled hugepages; bdevs configured"),
    Row("unit_scm_beyond_memory", storage({**RAM, "scm_size": 5000}), f"{SERVER}: out of range scm_size; high"),
    Row("unit_low_memory", {"system_ram_reserved": 5000}, f"{SERVER}: low mem"),
    Row("unit_no_scm_on_second", {**TWO, "engines.1.storage": [FILE]}, f"{SERVER}: no scm configured on second engine"),
    Row("unit_engine_section", {"engine": []}, f"{SERVER}: bad engine section"),
    Row("unit_bus_range", storage(RAM, {**FILE, "bdev_busid_range": "0x80-0x8g"}), f"{SERVER}: bad busid range"),
    Row("unit_no_bdev_list", storage(RAM, {**NVME, "bdev_list": ABSENT}, **ON), f"{SERVER}: no bdev_list"),
    Row("unit_no_bdev_class", storage(RAM, {**NVME, "class": ABSENT}, **ON), f"{SERVER}: no bdev_class"),
    Row("unit_replicas_twice_named", {"access_points": ["127.0.0.1"]}, f"{SERVER}: access_points and mgmt_svc_replicas both defined"),
    Row("unit_hotplug_both", {"enable_hotplug": True, "disable_hotplug": True}, f"{SERVER}: enable_hotplug and disable_hotplug both set"),
    Row("unit_same_fabric", {**TWO, "engines.1.fabric_iface_port": 31416}, f"{SERVER}: duplicate fabric config"),
    Row("unit_same_log", {**TWO, "engines.1.log_file": "DIR/engine0.log"}, f"{SERVER}: duplicate log_file"),
    Row("unit_same_mount", {**TWO, "engines.1.storage": [{**RAM_1, "scm_mount": "DIR/scm0"}]}, f"{SERVER}: duplicate scm_mount"),
    Row("unit_same_pmem", {**TWO, "engines.0.storage": [DCPM], "engines.1.storage": [{**DCPM, "scm_mount": "DIR/scm1"}]}, f"{SERVER}: duplicate scm_list"),
    Row(
        "unit_overlapping_ssds",
        {**TWO, **ON, "engines.0.storage": [RAM, _nvme()], "engines.1.storage": [RAM_1, _nvme(number=2)]},
        f"{SERVER}: overlapping bdev_list",
    ),
    Row("unit_scm_hugepages_unset", {**TWO, "engines.1.storage": [{**RAM_1, "scm_hugepages_disabled": False}]}, "config/server.go: validateMultiEngineConfig, a nil switch is not false"),
    Row("unit_other_scm_class", {**TWO, "engines.1.storage": [{**DCPM, "scm_mount": "DIR/scm1"}]}, f"{SERVER}: mismatched scm_class"),
    Row("unit_other_scm_hugepages", {**TWO, "engines.1.storage": [{**RAM_1, "scm_hugepages_disabled": True}]}, f"{SERVER}: mismatched scm_hugepages_disabled"),
    # storage/config_test.go
    Row("unit_pci_letter", storage(RAM, {**NVME, "bdev_list": ["0000:8g:00.0"]}, **ON), f"{STORAGE}: invalid pci device"),
    Row("unit_pci_and_path", storage(RAM, {**NVME, "bdev_list": ["/dev/block0", "0000:81:00.0"]}, **ON), f"{STORAGE}: mixed pci and non-pci devices"),
    Row("unit_pci_twice", storage(RAM, {**NVME, "bdev_list": ["0000:81:00.0"] * 2}, **ON), f"{STORAGE}: duplicate pci device"),
    Row("unit_path_twice", storage(RAM, {"class": "kdev", "bdev_list": ["/dev/block0"] * 2}), f"{STORAGE}: duplicate non-pci device"),
    *(
        Row(f"unit_bus_range_{name}", storage(RAM, {**FILE, "bdev_busid_range": text}), f"{STORAGE}: parsePCIBusRange, {text}")
        for name, text in {
            "three": "128-143-0", "reverse": "143-0", "colon": "143:0", "bare_hex": "00-5d", "above": "0x000-0x5dd",
        }.items()
    ),
    Row("unit_tiers_missing", {E0 + "storage": ABSENT}, f"{TIERS}, section missing"),
    Row("unit_class_missing", storage({**RAM, "class": ABSENT}), f"{TIERS}, tier class missing"),
    Row("unit_scm_missing", storage(_nvme(), **ON), f"{TIERS}, scm tier missing"),
    Row("unit_mixed_tiers", storage(RAM, _nvme(), FILE, **ON), f"{TIERS}, mixed bdev tier types"),
    Row("unit_tier_1_fails", storage(RAM, {**NVME, "bdev_list": ["0000:80a:00.0"]}, **ON), f"{TIERS}, tier 1 fails validation"),
    Row("unit_second_without_roles", storage(RAM, file_tier(0, WAL), file_tier(1), **METADATA), f"{TIERS}, second bdev tier with unassigned roles"),
    Row("unit_first_without_roles", storage(RAM, file_tier(0), file_tier(1, WAL, META, DATA), **METADATA), f"{TIERS}, first bdev tier with unassigned roles"),
    Row("unit_two_tiers", storage(RAM, file_tier(0), file_tier(1)), f"{TIERS}, roles unspecified; two bdev tiers"),
    Row("unit_dcpm_three_tiers", storage(DCPM, file_tier(0), file_tier(1), file_tier(2)), f"{TIERS}, dcpm scm tier; three bdev tiers"),
    Row("unit_dcpm_three_roles", storage(DCPM, file_tier(0, WAL), file_tier(1, META), file_tier(2, DATA), **METADATA), f"{TIERS}, dcpm; roles on three bdev tiers"),
    Row("unit_dcpm_roles", storage(DCPM, file_tier(0, META, WAL, DATA), **METADATA), f"{TIERS}, dcpm scm class; illegal roles"),
    Row("unit_four_tiers", storage(RAM, file_tier(0, WAL), file_tier(1, META), file_tier(2, DATA), file_tier(3, DATA), **METADATA), f"{TIERS}, four bdev tiers"),
    Row("unit_role_unknown", storage(RAM, file_tier(0, "foobar"), **METADATA), f"{TIERS}, unrecognized role"),
    Row("unit_role_capital", storage(RAM, file_tier(0, "WAL", "META", "DATA"), **METADATA), "storage/config.go: OptionBits.fromStrings"),
    Row("unit_wal_data", storage(RAM, file_tier(0, META), file_tier(1, WAL, DATA), **METADATA), f"{TIERS}, illegal wal+data combination"),
    Row("unit_wal_twice", storage(RAM, file_tier(0, META, WAL, DATA), file_tier(1, WAL), **METADATA), f"{TIERS}, duplicate wal roles"),
    Row("unit_meta_twice", storage(RAM, file_tier(0, META, WAL, DATA), file_tier(1, META), **METADATA), f"{TIERS}, duplicate meta roles"),
    Row("unit_data_twice", storage(RAM, file_tier(0, META, WAL, DATA), file_tier(1, DATA), **METADATA), f"{TIERS}, duplicate data roles"),
    Row("unit_no_data", storage(RAM, file_tier(0, META, WAL), **METADATA), f"{TIERS}, missing data role"),
    Row("unit_only_data", storage(RAM, file_tier(0, DATA), **METADATA), f"{TIERS}, only data role assigned"),
    Row("unit_engine_unset", {E0 + "acceleration": {"engine": None}}, f"{STORAGE}: AccelProps_FromYAML, engine unset"),
    Row("unit_engine_empty", {E0 + "acceleration": {"engine": ""}}, f"{STORAGE}: AccelProps_FromYAML, engine set empty"),
    Row("unit_engine_native", {E0 + "acceleration": {"engine": "native"}}, f"{STORAGE}: AccelProps_FromYAML, unrecognized engine"),
    Row("unit_option_bar", {E0 + "acceleration": {"engine": "dml", "options": ["bar"]}}, f"{STORAGE}: AccelProps_FromYAML, unrecognized option"),
    Row("unit_tier_dcpm_last", storage(RAM, None, {"class": "dcpm"}), f"{STORAGE}: TierConfigs_FromYAML, empty tier middle"),
    # engine/config_test.go
    Row("unit_scm_class_missing", storage({"scm_mount": "DIR/scm0"}), f"{ENGINE}: missing storage class"),
    Row("unit_scm_mount_missing", storage({"class": "ram"}), f"{ENGINE}: missing scm_mount"),
    Row("unit_ram_list", storage({**RAM, "scm_list": ["foo", "bar"]}), f"{ENGINE}: ramdisk with scm_list"),
    Row("unit_dcpm_list_long", storage({**DCPM, "scm_list": ["/dev/pmem0", "/dev/pmem1"]}), f"{ENGINE}: dcpm scm_list too long"),
    Row("unit_dcpm_list_empty", storage({**DCPM, "scm_list": ABSENT}), f"{ENGINE}: dcpm scm_list empty"),
    Row("unit_dcpm_size", storage({**DCPM, "scm_size": 1}), f"{ENGINE}: dcpm with scm_size"),
    Row("unit_class_nvmed", storage(RAM, {"class": "nvmed"}), f"{ENGINE}: unknown class"),
    Row("unit_nvme_bad_pci", storage(RAM, {**NVME, "bdev_list": ["0000:01:00.0", "0000:00:00"]}, **ON), f"{ENGINE}: nvme class; bad pci address"),
    Row("unit_kdev_empty", storage(RAM, {"class": "kdev"}), f"{ENGINE}: kdev class; no devices"),
    Row("unit_file_no_size", storage(RAM, {**FILE, "bdev_size": ABSENT}), f"{ENGINE}: file class; no size"),
    Row("unit_file_negative", storage(RAM, {**FILE, "bdev_size": -1}), f"{ENGINE}: file class; negative size"),
    Row("unit_file_empty", storage(RAM, {"class": "file", "bdev_size": 10}), f"{ENGINE}: file class; no devices"),
    Row("unit_no_targets", {E0 + "targets": ABSENT}, f"{ENGINE}: empty config should fail"),
    Row(
        "unit_pin_and_core",
        {E0 + "pinned_numa_node": 1, E0 + "first_core": 1},
        f"{ENGINE}: pinned_numa_node and nonzero first_core",
        "Validate refuses both, and a server that starts has dropped the pin before (SetEngineAffinities)",
    ),
    Row("unit_targets_negative", {E0 + "targets": -10}, f"{ENGINE}: negative target count"),
    Row("unit_helpers_negative", {E0 + "nr_xs_helpers": -10}, f"{ENGINE}: negative helper stream count"),
    Row("unit_core_negative", {E0 + "first_core": -10}, f"{ENGINE}: negative service core index"),
    Row("unit_mask_dbgg", {E0 + "log_mask": "DBGG"}, f"{ENGINE}: invalid log mask"),
    Row("unit_dd_mask", {ENV: ["DD_MASK=mgmt,grogu"]}, f"{ENGINE}: invalid DD_MASK"),
    Row("unit_dd_subsys", {ENV: ["DD_SUBSYS=mgmt,mando"]}, f"{ENGINE}: invalid DD_SUBSYS"),
    Row("unit_dd_mask_all", {ENV: ["DD_MASK=all,PL"]}, f"{ENGINE}: invalid 'all' with another debug stream"),
    Row("unit_dd_subsys_all", {ENV: ["DD_SUBSYS=all,MEM"]}, f"{ENGINE}: invalid 'all' with another subsystem"),
    Row("unit_iface_two", {E0 + "fabric_iface": "lo,eth0"}, f"{ENGINE}: mismatched num providers"),
    Row("unit_port_negative", {E0 + "fabric_iface_port": -42}, f"{ENGINE}: negative port number"),
    Row("unit_stack_md", storage(RAM, file_tier(0, WAL, META, DATA), **METADATA, **{ENV: ["ABT_THREAD_STACKSIZE=24575"]}), f"{ENGINE}: md_on_ssd with stack size too small"),
    Row("unit_stack_word", storage(RAM, file_tier(0, WAL, META, DATA), **METADATA, **{ENV: ["ABT_THREAD_STACKSIZE=foo_bar"]}), f"{ENGINE}: md_on_ssd with invalid ABT_THREAD_STACKSIZE"),
    Row("unit_stack_dcpm", storage(DCPM, **{ENV: ["ABT_THREAD_STACKSIZE=20479"]}), f"{ENGINE}: DCPM with stack size too small"),
    Row("unit_sds_1", {ENV: ["PMEMOBJ_CONF=sds.at_create=1"]}, f"{ENGINE}: ram with sds.at_create set to 1"),
    Row("unit_sds_1_first", {ENV: ["PMEMOBJ_CONF=sds.at_create=1;foo-bar"]}, f"{ENGINE}: ram w/ PMEMOBJ_CONF w/ sds.at_create=1"),
    Row("unit_sds_dcpm_1", storage(DCPM, **{ENV: ["PMEMOBJ_CONF=sds.at_create=1"]}), f"{ENGINE}: DCPM with forced sds.at_create (1)"),
    Row("unit_sds_dcpm_0", storage(DCPM, **{ENV: ["PMEMOBJ_CONF=sds.at_create=0"]}), f"{ENGINE}: DCPM with forced sds.at_create (0)"),
    # engine/utils_test.go
    *(
        Row(f"unit_mask_{name}", {E0 + "log_mask": mask}, f"{MASKS}: ValidateLogMasks, {name}")
        for name, mask in {
            "level": "WARNING", "space": "ERR, mgmt=DEBUG", "subsystem": "ERR,zzz=DBUG", "all": "ERR,all=DBUG",
            "assigned_level": "ERR,mgmt=DEG", "level_last": "mgmt=DEBUG,ERR", "format": "mgmt=DEBUG,bio=ERR=",
            "characters": "mgmt=DEBUG,bio!=ERR", "two_levels": "debug,err,bio=Err", "long": "a" * 1024,
        }.items()
    ),
    *(
        Row(f"unit_streams_{name}", {ENV: [f"DD_MASK={streams}"]}, f"{MASKS}: ValidateLogStreams, {name}")
        for name, streams in {"unknown": "NET,WARNING", "space": "MD PL", "characters": "mgmt,DF,!=", "long": "a" * 1024}.items()
    ),
    # server_utils_test.go
    Row("unit_srx_other", {**TWO, ENV: ["FI_OFI_RXM_USE_SRX=0"], E1_ENV: ["FI_OFI_RXM_USE_SRX=1"]}, f"{SRX}, set in both; different values"),
    Row("unit_srx_first", {**TWO, ENV: ["FI_OFI_RXM_USE_SRX=0"]}, f"{SRX}, set in first; no vars in second"),
    Row("unit_srx_second", {**TWO, ENV: ["FOO=bar"], E1_ENV: ["FI_OFI_RXM_USE_SRX=0"]}, f"{SRX}, unset in first; set in second"),
    Row("unit_srx_word", {ENV: ["FI_OFI_RXM_USE_SRX=on"]}, f"{SRX}, wonky value"),
    Row("unit_srx_passed", {E0 + "env_pass_through": ["FI_OFI_RXM_USE_SRX"]}, f"{SRX}, set in env_pass_through"),
    # faultdomain_test.go
    Row("unit_fault_path_junk", {"fault_path": "junk"}, f"{DOMAIN}: cfg fault path is not valid"),
    Row("unit_fault_path_root", {"fault_path": "/"}, f"{DOMAIN}: root-only path is not valid"),
    Row("unit_fault_path_3", {"fault_path": "/rack1/grp1/host0"}, f"{DOMAIN}: too many layers"),
    Row("unit_fault_path_empty", {"fault_path": "/dc0//host"}, "system/faultdomain_test.go: fault domain with empty levels"),
    Row("unit_fault_path_end", {"fault_path": "/junk/"}, "system/faultdomain_test.go: fault domain ends with separator"),
    Row("unit_fault_both", {"fault_path": "/host0", "fault_cb": "/etc/daos/cb.sh"}, f"{DOMAIN}: cfg both fault path and fault CB"),
    Row("unit_fault_cb_command", {"fault_cb": 'echo "my dog has fleas"'}, f"{DOMAIN}: no arbitrary shell commands allowed"),
    Row("unit_fault_cb_relative", {"fault_cb": "good.sh"}, f"{DOMAIN}: relative path"),
]  # fmt: skip
"""Configurations that DAOS's own unit tests want refused."""

UNIT_ACCEPTED = [
    Row("unit_replica_1", {"mgmt_svc_replicas": ["127.0.0.1:10071"]}, f"{SERVER}: single MS replica"),
    Row("unit_replica_no_port", {"mgmt_svc_replicas": ["127.0.0.1"]}, f"{SERVER}: single MS replica no port"),
    Row("unit_port_good", {"port": 1234}, f"{SERVER}: good control port"),
    Row("unit_telemetry_good", {"telemetry_port": 1234}, f"{SERVER}: good telemetry port"),
    Row("unit_telemetry_0", {"telemetry_port": 0}, f"{SERVER}: good telemetry port (zero)"),
    Row("unit_files", storage(RAM, {**FILE, "bdev_list": ["DIR/b0", "DIR/b1"], "bdev_size": 10}), f"{ENGINE}: file class; valid"),
    Row("unit_emulated", storage(RAM, FILE), f"{SERVER}: disabled hugepages; emulated bdevs configured"),
    Row("unit_scm_only", storage({"class": "ram", "scm_mount": "DIR/scm0"}), f"{SERVER}: disabled hugepages; no bdevs in scm-only config"),
    Row("unit_roles_all", storage({**RAM, "scm_hugepages_disabled": True}, file_tier(0, WAL, META, DATA), **METADATA), f"{SERVER}: control metadata has path only"),
    Row("unit_empty_tier", storage(RAM, None, FILE, None), f"{SERVER}: additional empty storage tier"),
    Row("unit_empty_tier_first", storage(None, RAM), f"{STORAGE}: TierConfigs_FromYAML, empty tier first"),
    Row("unit_hotplug_off", {"enable_hotplug": False}, f"{SERVER}: enable_hotplug false setting allowed"),
    Row("unit_hotplug_on", {"enable_hotplug": True}, f"{SERVER}: enable_hotplug true setting allowed"),
    Row("unit_scm_hugepages_off", storage({**RAM, "scm_hugepages_disabled": True}), f"{SERVER}: explicitly set scm_hugepages_disabled true"),
    Row("unit_two", TWO, f"{SERVER}: successful validation"),
    Row(
        "unit_other_numbers",
        {**TWO, "engines.0.storage": [RAM, file_tier(0)], "engines.1.storage": [RAM_1, {**FILE, "bdev_list": ["DIR/b1", "DIR/b2"]}]},
        f"{SERVER}: mismatched nr bdev_list, a notice",
    ),
    *(
        Row(f"unit_bus_{name}", storage(RAM, {**FILE, "bdev_busid_range": text}), f"{STORAGE}: parsePCIBusRange, {name}")
        for name, text in {"hex": "0x80-0x8f", "hex_upper": "0x80-0x8F", "decimal": "128-143"}.items()
    ),
    Row("unit_meta_wal_data", storage(RAM, file_tier(0, META, WAL), {**file_tier(1, DATA), "bdev_list": ["DIR/b1", "DIR/b2"]}, **METADATA), f"{TIERS}, roles specified; ram scm class"),
    Row("unit_one_tier_nvme", storage(RAM, _nvme(bus=0xD8), **ON), f"{TIERS}, roles unspecified; ram scm tier; one bdev tier", needs=SSD),
    Row("unit_pci_upper", storage(RAM, {**NVME, "bdev_list": ["0000:D8:00.0"]}, **ON), "lib/hardware/pci.go: parsePCIAddress", needs=SSD),
    Row("unit_accel_unset", {E0 + "acceleration": None}, f"{STORAGE}: AccelProps_FromYAML, section empty"),
    Row("unit_accel_defaults", {E0 + "acceleration": {"engine": "spdk"}}, f"{STORAGE}: AccelProps_FromYAML, default opts"),
    Row("unit_accel_options", {E0 + "acceleration": {"options": ["move", "crc"]}}, f"{STORAGE}: AccelProps_FromYAML, engine unset; opts set"),
    Row("unit_accel_dml", {E0 + "acceleration": {"engine": "dml", "options": ["crc"]}}, f"{STORAGE}: AccelProps_FromYAML, engine set; opts set"),
    Row("unit_iobuf_empty", {E0 + "spdk_iobuf": None}, f"{STORAGE}: SpdkIobuf_FromYAML, section empty"),
    Row("unit_iobuf_small", {E0 + "spdk_iobuf": {"small_pool_count": 1024}}, f"{STORAGE}: SpdkIobuf_FromYAML, small_pool_count only"),
    Row("unit_iobuf_large", {E0 + "spdk_iobuf": {"large_pool_count": 512}}, f"{STORAGE}: SpdkIobuf_FromYAML, large_pool_count only"),
    Row("unit_iobuf_zero", {E0 + "spdk_iobuf": {"small_pool_count": 0, "large_pool_count": 0}}, f"{STORAGE}: SpdkIobuf_FromYAML, zero values"),
    Row("unit_kdev", storage(RAM, {"class": "kdev", "bdev_list": ["/dev/sdz"]}), f"{ENGINE}: kdev class; valid", needs="a disk /dev/sdz"),
    Row("unit_dcpm", storage(DCPM), f"{ENGINE}: dcpm valid", needs="PMem"),
    Row("unit_minimum", {E0 + "pinned_numa_node": 0}, f"{ENGINE}: minimally-valid config should pass"),
    *(
        Row(f"unit_env_{name}", {ENV: [variable]}, f"{ENGINE}: {variable}")
        for name, variable in {
            "mask_empty": "DD_MASK=", "subsys_empty": "DD_SUBSYS=", "mask": "DD_MASK=REBUILD,PL,mgmt,epc",
            "subsys": "DD_SUBSYS=COMMON,misc,rpc", "mask_all": "DD_MASK=all", "subsys_all": "DD_SUBSYS=all",
            "own": "FOO=BAR", "own_prefix": "FOO_BAR=BAZ", "stack_of_ram": "ABT_THREAD_STACKSIZE=20479",
            "pmemobj": "PMEMOBJ_CONF=foo_bar", "sds_0": "PMEMOBJ_CONF=sds.at_create=0",
        }.items()
    ),
    Row("unit_stack_enough", storage(RAM, file_tier(0, WAL, META, DATA), **METADATA, **{ENV: ["ABT_THREAD_STACKSIZE=24577"]}), f"{ENGINE}: md_on_ssd with stack size big enough"),
    *(
        Row(f"unit_mask_ok_{name}", {E0 + "log_mask": mask}, f"{MASKS}: ValidateLogMasks, {name}")
        for name, mask in {
            "level": "DEBUG", "assignment": "mgmt=DEBUG", "both": "ERR,mgmt=DEBUG", "mixed_case": "err,mgmt=debuG",
            "several": "mgmt=DEBUG,bio=ERR", "long": "info,dtx=debug,vos=debug,object=debug",
        }.items()
    ),
    *(
        Row(f"unit_streams_ok_{name}", {ENV: [f"DD_MASK={streams}"]}, f"{MASKS}: ValidateLogStreams, {name}")
        for name, streams in {"one": "NET", "several": "ANY,TRACE,GROUP_METADATA", "mixed_case": "NET,io,rebuild"}.items()
    ),
    Row("unit_srx_0", {**TWO, ENV: ["FI_OFI_RXM_USE_SRX=0"], E1_ENV: ["FI_OFI_RXM_USE_SRX=0"]}, f"{SRX}, set to 0 in both"),
    Row("unit_srx_1", {**TWO, ENV: ["FOO=BAR", "FI_OFI_RXM_USE_SRX=1"], E1_ENV: ["FOO=BAR", "FI_OFI_RXM_USE_SRX=1"]}, f"{SRX}, set to 1 in both (multi)"),
    Row("unit_fault_path_1", {"fault_path": "/host0"}, f"{DOMAIN}: single-layer fault path"),
    Row("unit_fault_path_2", {"fault_path": "/grp1/host0"}, f"{DOMAIN}: two-layer fault path"),
    Row("unit_fault_path_spaces", {"fault_path": " / rack 1/pdu 0 "}, "system/faultdomain_test.go: fix whitespace errors"),
    Row("unit_fault_path_symbols", {"fault_path": "/$$$/!?"}, "system/faultdomain_test.go: symbols ok"),
    Row("unit_fault_path_case", {"fault_path": "/Rack1/PDU2"}, "system/faultdomain_test.go: case insensitive"),
    Row("unit_base", {"engines": [ENGINE_0]}, f"{SERVER}: example config"),
]  # fmt: skip
"""Configurations that DAOS's own unit tests want accepted."""
