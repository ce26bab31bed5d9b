"""Every key of DAOS's files: known, of its kind, and of the release that is deployed."""

from __future__ import annotations

from typing import Any

import pytest

from assay.cluster.daos import UNJUDGED, Engine
from assay.preflight.keys.server import ENGINE
from sites import only, problems, put, site

SERVER, AGENT, ENGINES = "s1: server/settings", "c1: agent/settings", "s1: engines/0"


@pytest.mark.parametrize(
    ("path", "value", "key", "message"),
    [
        (f"{SERVER}/falt_path", "/r1", "server.settings.falt_path", "did you mean fault_path?"),
        (f"{SERVER}/crt_timeout", "30", "server.settings.crt_timeout", "without quotes"),
        (f"{SERVER}/crt_timeout", -1, "server.settings.crt_timeout", "should be at least 0"),
        (f"{SERVER}/core_dump_filter", 256, "server.settings.core_dump_filter", "0 to 255"),
        (f"{SERVER}/fault_path", "r1/h1", "server.settings.fault_path", "one or two levels"),
        (f"{SERVER}/fault_path", "/a/b/c", "server.settings.fault_path", "one or two levels"),
        (f"{SERVER}/control_log_json", "yes", "server.settings.control_log_json", "true or false"),
        (f"{SERVER}/client_env_vars", ["A"], "server.settings.client_env_vars[0]", "NAME=VALUE"),
        (f"{SERVER}/recreate_superblocks", True, "server.settings.recreate_superblocks", "2.4"),
        (f"{SERVER}/nr_hugepages", 4, "server.settings.nr_hugepages", "daos_server_nr_hugepages"),
        (f"{SERVER}/engine_auto_restart_min_delay", -1, None, "at least 0 seconds"),
        (f"{AGENT}/telemetry_enabld", True, "agent.settings.telemetry_enabld", "did you mean"),
        (f"{AGENT}/runtime_dir", "var/run", "agent.settings.runtime_dir", "absolute path"),
        (
            f"{AGENT}/credential_config",
            {"cache_expiration": "5"},
            "agent.settings.credential_config.cache_expiration",
            "with its unit",
        ),
        (
            f"{AGENT}/credential_config",
            {"client_user_map": {"1000": {"group": "staff"}}},
            "agent.settings.credential_config.client_user_map.1000.user",
            "is missing: set a name",
        ),
        (f"{SERVER}/bdev_exclude", ["65:00.0"], "server.settings.bdev_exclude[0]", "a PCI address"),
        (f"{ENGINES}/log_file", "/var/log/daos/", "engines[0].log_file", "path of a file"),
        (
            f"{ENGINES}/acceleration",
            {"engine": None},
            "engines[0].acceleration.engine",
            "should have a value",
        ),
        (
            f"{ENGINES}/env_pass_through",
            ["FI_OFI_RXM_USE_SRX"],
            "engines[0].env_pass_through[0]",
            "disable_srx",
        ),
        (f"{AGENT}/disable_auto_evict", 1, "agent.settings.disable_auto_evict", "true or false"),
        (
            f"{AGENT}/credential_config",
            {"client_user_map": {"root": {"user": "nobody"}}},
            "agent.settings.credential_config.client_user_map.root",
            "a uid of 0",
        ),
        (f"{ENGINES}/tragets", 8, "engines[0].tragets", "did you mean targets?"),
        (f"{ENGINES}/targets", "16", "engines[0].targets", "without quotes"),
        (f"{ENGINES}/targets", 1.5, "engines[0].targets", "should be a whole number"),
        (f"{ENGINES}/fabric_iface_port", 65536, "engines[0].fabric_iface_port", "1 to 65535"),
        (f"{ENGINES}/acceleration", {"engine": "isa"}, "engines[0].acceleration.engine", "spdk"),
        (
            f"{ENGINES}/acceleration",
            {"engine": "spdk", "options": ["crcc"]},
            "engines[0].acceleration.options[0]",
            "did you mean crc?",
        ),
        (
            f"{ENGINES}/bdev_auto_faulty",
            {"enable": True, "max_io_errs": -1},
            "engines[0].bdev_auto_faulty.max_io_errs",
            "at least 0",
        ),
        (f"{ENGINES}/spdk_iobuf", {"small": 1}, "engines[0].spdk_iobuf.small", "small_pool_count"),
        (f"{ENGINES}/bypass_health_chk", "no", "engines[0].bypass_health_chk", "true or false"),
        (f"{ENGINES}/storage", "ram", "engines[0].storage", "should be a list"),
    ],
)
def test_a_bad_key_or_value_is_named_once(
    path: str, value: Any, key: str | None, message: str
) -> None:
    problem = only(put(site(), {path: value}))
    assert problem.host == path[:2]
    assert problem.key == (key or path.partition(": ")[2].replace("/", "."))
    assert message in problem.allowed
    assert problem.severity == "error"


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (f"{SERVER}/crt_timeout", 0),
        (f"{SERVER}/fault_path", "/rack1/host1"),
        (f"{SERVER}/fault_path", "/rack=1/host=1"),
        (f"{SERVER}/core_dump_filter", 0x13),
        (f"{SERVER}/client_env_vars", ["A=b", "C="]),
        (f"{SERVER}/support_config", {"file_transfer_exec": "/usr/bin/scp"}),
        (f"{SERVER}/fabric_auth_key", 7),
        (f"{SERVER}/hyperthreads", None),
        (f"{AGENT}/telemetry_retain", 0),
        (f"{AGENT}/credential_config", {"client_user_map": {"default": {"user": "nobody"}}}),
        (f"{AGENT}/fabric_ifaces", [{"numa_node": 0, "devices": [{"iface": "ib0"}]}]),
        (f"{ENGINES}/targets", 16.0),
        (f"{ENGINES}/acceleration", {"engine": "spdk", "options": ["crc", "move"]}),
        (f"{ENGINES}/bdev_auto_faulty", {"enable": True, "max_io_errs": 10}),
        (f"{ENGINES}/spdk_iobuf", {"small_pool_count": 4096}),
        (f"{ENGINES}/env_pass_through", ["UCX_TLS"]),
        (f"{ENGINES}/log_mask", ""),
        (f"{ENGINES}/storage/1/bdev_busid_range", "0x60-0x6F"),
        (f"{ENGINES}/storage/1/bdev_busid_range", ""),
        (f"{ENGINES}/storage/1/bdev_number", 2),
        (f"{ENGINES}/first_core", 0),
    ],
)
def test_what_daos_takes_passes(path: str, value: Any) -> None:
    assert problems(put(site(), {path: value})) == []


def test_helpers_may_be_left_out() -> None:
    document = site()
    del document["hosts"]["s1"]["engines"][0]["nr_xs_helpers"]
    assert problems(document) == []


def test_a_key_of_another_release_says_which() -> None:
    document = put(site(), {"daos/version": "2.6", f"{ENGINES}/spdk_iobuf": {}})
    problem = only(document)
    assert problem.key == "engines[0].spdk_iobuf"
    assert problem.allowed.startswith("is a key of DAOS 2.8 or later, but 2.6 is deployed")


def test_the_description_and_the_table_have_the_same_keys() -> None:
    assert UNJUDGED | set(Engine.model_fields) == set(ENGINE.keys) - {"tags"}


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (["DD_MASK=loud"], "should be ALL, or some of ANY"),
        (["DD_MASK=all,io"], "should be ALL, or some of ANY"),
        (["DD_SUBSYS=nope"], "should be ALL, or some of ARRAY"),
        (["D_LOG_MASK=LOUD"], "should be one of DEBUG"),
        (["ABT_THREAD_STACKSIZE=20479"], "at least 20480, for class dcpm"),
        (["ABT_THREAD_STACKSIZE=big"], "at least 20480, for class dcpm"),
        (["PMEMOBJ_CONF=sds.at_create=0"], "should not have sds.at_create"),
        (["CRT_TIMEOUT=soon"], "should be a whole number of 0 to 3600"),
        (["DAOS_DTX_AGG_THD_AGE=10"], "should be a whole number of 210 to 1830"),
        (["D_LOG_MSAK=DEBUG"], "did you mean D_LOG_MASK?"),
        (["DAOS_SCHED_RELAX_MODE=slow"], "should be one of sleep, net, disabled"),
        (["DAOS_SCHED_RELAX_INTVL=0"], "should be a whole number of 1 to 100"),
        (["DAOS_SPDK_IO_TIMEOUT=10"], "should be a whole number of 30 to 300"),
        (["D_LOG_SIZE=lots"], "should be a number of bytes"),
        (["FI_UNIVERSE_SIZE=-1"], "should be a whole number of 0"),
        (["OFI_INTERFACE=ib1"], "DAOS sets OFI_INTERFACE from the engine's fabric_iface"),
        (["D_INTERFACE=ib1"], "DAOS sets D_INTERFACE from the engine's fabric_iface"),
    ],
)
def test_a_variable_with_a_bad_name_or_value(variables: list[str], message: str) -> None:
    problem = only(put(site("pmem"), {f"{ENGINES}/env_vars": variables}))
    assert (problem.key, problem.value) == ("engines[0].env_vars", variables[0])
    assert message in problem.allowed


@pytest.mark.parametrize(
    "variables",
    [
        ["D_LOG_SIZE=100M"],
        ["DAOS_SCHED_RELAX_MODE=NET"],
        ["DD_MASK=all"],
        ["DD_MASK=mgmt,io"],
        ["DD_SUBSYS=ALL"],
        ["ABT_THREAD_STACKSIZE=20480"],
    ],
)
def test_variables_that_daos_takes(variables: list[str]) -> None:
    assert problems(put(site("pmem"), {f"{ENGINES}/env_vars": variables})) == []


def test_stacks_are_larger_for_metadata_on_ssds_and_sds_is_off_without_pmem() -> None:
    document = put(site("md-on-ssd-wal"), {f"{ENGINES}/env_vars": ["ABT_THREAD_STACKSIZE=24575"]})
    assert "at least 24576, for metadata on SSDs" in only(document).allowed
    put(document, {f"{ENGINES}/env_vars": ["PMEMOBJ_CONF=sds.at_create=1"]})
    assert "should have sds.at_create=0" in only(document).allowed


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("enable_vmd", "today disable_vmd, with the opposite value"),
        ("bdev_include", "today bdev_list"),
    ],
)
def test_an_old_key_is_called_by_its_name_of_today(key, message):
    document = site()
    put(document, {f"{SERVER}/{key}": True})
    allowed = only(document).allowed
    assert message in allowed
    assert "did you mean" not in allowed


def test_empty_text_is_absent_as_it_is_for_daos():
    document = site()
    put(document, {f"{SERVER}/fault_path": "", f"{SERVER}/fault_cb": ""})
    put(document, {f"{SERVER}/firmware_helper_log_file": ""})
    assert problems(document) == []


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        (
            {f"{SERVER}/fault_path": "/r1", f"{SERVER}/fault_cb": "/etc/daos/cb"},
            "server.settings.fault_cb",
            "should not be combined with fault_path",
        ),
        ({f"{SERVER}/fault_cb": "/tmp/cb"}, "server.settings.fault_cb", "below /etc/daos"),
        (
            {f"{SERVER}/control_iface": "eth7"},
            "server.settings.control_iface",
            "should be an interface of this host: ib0, ib1",
        ),
        (
            {f"{SERVER}/bdev_exclude": ["0000:65:00.0"]},
            "server.settings.bdev_exclude",
            "should not list what engines[0].storage[1].bdev_list has",
        ),
        (
            {f"{AGENT}/telemetry_enabled": True},
            "agent.settings.telemetry_enabled",
            "should be set with daos_agent_telemetry_port",
        ),
        (
            {f"{AGENT}/telemetry_retain": "5m"},
            "agent.settings.telemetry_retain",
            "should be set with telemetry_enabled: true",
        ),
        (
            {f"{ENGINES}/provider": "ofi+tcp"},
            "engines[0].provider",
            "should be ofi+verbs;ofi_rxm, as for the whole system",
        ),
        ({"s1: interfaces/ib0/has_address": False}, "engines[0].fabric_iface", "an IP address"),
        ({"s1: interfaces/ib0/rdma": False}, "engines[0].fabric_iface", "an RDMA device"),
        ({f"{ENGINES}/fabric_iface_port": 65530}, "engines[0].fabric_iface_port", "65514"),
        ({f"{ENGINES}/fabric_iface_port": 9990}, "engines[0].fabric_iface_port", "leave 10001"),
        ({"s1: server/telemetry_port": 10001}, "server.telemetry_port", "of its own"),
        ({"s1: server/telemetry_port": 31320}, "engines[0].fabric_iface_port", "leave 31320"),
        ({"c1: agent/exclude_fabric_ifaces": ["ib0"]}, "agent.exclude_fabric_ifaces", "ib0"),
        ({"c1: address": "192.0.2.1"}, "address", "s1 has this one"),
        (
            {f"{AGENT}/fabric_ifaces": [{"numa_node": 0, "devices": [{"iface": "ib9"}]}]},
            "agent.settings.fabric_ifaces[0].devices[0].iface",
            "should be an interface of this host: ib0, ib1",
        ),
        (
            {f"{AGENT}/fabric_ifaces": [{"numa_node": 2, "devices": [{"iface": "ib0"}]}]},
            "agent.settings.fabric_ifaces[0].numa_node",
            "should be a NUMA node of this host: 0 to 1",
        ),
        (
            {"c1: agent/disable_caching": True, "c1: agent/cache_expiration": 30},
            "agent.cache_expiration",
            "nothing is cached",
        ),
        ({f"{AGENT}/runtime_dir": "/tmp/agent"}, "agent.settings.runtime_dir", "DRPC_DIR"),
        ({f"{SERVER}/socket_dir": "/tmp/daos"}, "server.settings.socket_dir", "RuntimeDirectory"),
        ({f"{SERVER}/hyperthreads": True}, "server.settings.hyperthreads", "not support it"),
        (
            {f"{SERVER}/client_env_vars": ["A=1", "A=2"]},
            "server.settings.client_env_vars",
            "should not set A again",
        ),
        (
            {f"{SERVER}/client_env_vars": ["D_LOG_MSK=ERR"]},
            "server.settings.client_env_vars",
            "did you mean D_LOG_MASK?",
        ),
        (
            {f"{ENGINES}/log_file": "/var/log/daos/daos_server/daos_server.log"},
            "engines[0].log_file",
            "daos_server writes to this one",
        ),
        ({"daos/mgmt_svc_replicas": ["s1:10002"]}, "daos.mgmt_svc_replicas", "the port 10001"),
    ],
)
def test_what_speaks_against_each_other(changes: dict[str, object], key: str, message: str) -> None:
    problem = only(put(site(rails=2), changes))
    assert problem.key == key
    assert message in problem.allowed


def test_an_engine_without_a_port_is_refused() -> None:
    document = site()
    del document["hosts"]["s1"]["engines"][0]["fabric_iface_port"]
    problem = only(document)
    assert problem.key == "engines[0].fabric_iface_port"
    assert problem.allowed.startswith("is missing")


@pytest.mark.parametrize("replica", ["s1.example.com", "node17", "198.51.100.9", "[192.0.2.1]"])
def test_replicas_by_any_name_and_address_of_a_server(replica: str) -> None:
    document = put(site(), {"daos/mgmt_svc_replicas": [replica], "s1: names": ["node17"]})
    assert problems(put(document, {"s1: interfaces/ib1/address": "198.51.100.9"})) == []


def test_hosts_may_differ_in_targets() -> None:
    assert problems(put(site(servers=3), {"s2: engines/0/targets": 12})) == []


def test_a_regular_expression_that_python_cannot_hold_is_a_problem() -> None:
    telemetry = {"settings/telemetry_enabled": True, "telemetry_port": 9192}
    telemetry["settings/telemetry_enabled_procs"] = "a{99999999999}"
    problem = only(put(site(), {f"c1: agent/{key}": value for key, value in telemetry.items()}))
    assert problem.key == "agent.settings.telemetry_enabled_procs"
    assert "regular expression: the repetition number is too large" in problem.allowed
