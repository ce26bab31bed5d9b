"""The system as a whole."""

import pytest

from assay.cluster import releases
from sites import only, problems, put, site


@pytest.mark.parametrize(
    ("replicas", "value", "message"),
    [
        ([], "none", "should be an odd number of servers, such as 1, 3 or 5"),
        (["s1", "s2"], "s1, s2", "should be an odd number of servers"),
        (["s1", "s2", "s1"], "s1", "should be listed once"),
        (["s1", "192.0.2.1", "s3"], "s1", "should be listed once"),
        (["s1", "s2", "c1"], "c1", "should be a server of the system: s1, s2, s3"),
        (["192.0.2.77"], "192.0.2.77", "should be a server of the system"),
        (["s9:10001"], "s9:10001", "should be a server of the system"),
    ],
)
def test_replicas_that_cannot_be(replicas: list[str], value: str, message: str) -> None:
    problem = only(put(site(servers=3), {"daos/mgmt_svc_replicas": replicas}))
    assert (problem.host, problem.key) == (None, "daos.mgmt_svc_replicas")
    assert problem.value == value
    assert problem.allowed.startswith(message)


@pytest.mark.parametrize("replicas", [["s2"], ["s1", "192.0.2.2:10001", "s3:10001"]])
def test_replicas_by_name_address_and_port(replicas: list[str]) -> None:
    assert problems(put(site(servers=3), {"daos/mgmt_svc_replicas": replicas})) == []


@pytest.mark.parametrize("replica", ["s1-adm", "s1-ib0", "s1_ib0:10001", "s1.example.org"])
def test_replicas_by_another_name_of_their_server(replica: str) -> None:
    assert problems(put(site(servers=3), {"daos/mgmt_svc_replicas": [replica]})) == []


def test_replicas_by_a_name_that_a_host_resolves() -> None:
    document = put(site(servers=3), {"daos/mgmt_svc_replicas": ["mgmt-a"]})
    assert only(document).allowed.startswith("should be a server of the system")
    assert problems(put(document, {"s3: setup/resolved": {"mgmt-a": ["192.0.2.2"]}})) == []
    put(document, {"s3: setup/resolved": {"mgmt-a": ["192.0.2.99"]}})
    assert only(document).allowed.startswith("should be a server of the system")


@pytest.mark.parametrize("replica", ["localhost", "localhost:10001", "127.0.0.1"])
def test_loopback_is_a_replica_where_nobody_else_asks(replica: str) -> None:
    document = put(site(), {"daos/mgmt_svc_replicas": [replica], "daos/agents": []})
    assert problems(document) == []
    problem = only(put(document, {"daos/agents": ["c1", "login"]}))
    assert problem.allowed.startswith("should be a name or an address that other hosts reach")


def test_replicas_of_which_one_place_has_most() -> None:
    places = {f"s{n}: server/settings": {"fault_path": f"/r{n // 3}"} for n in range(1, 6)}
    document = put(site(servers=5), {**places, "daos/mgmt_svc_replicas": ["s1", "s2", "s5"]})
    problem = only(document)
    assert (problem.key, problem.value) == ("daos.mgmt_svc_replicas", "2 of 3 in /r0")
    assert problem.severity == "warning"
    spread = {f"s{n}: server/settings": {"fault_path": f"/r{n}"} for n in range(1, 6)}
    assert problems(put(document, spread)) == []
    one = {f"s{n}: server/settings": {"fault_path": "/r1"} for n in range(1, 6)}
    assert problems(put(document, one)) == []


@pytest.mark.parametrize("key", ["servers", "agents"])
def test_a_member_that_is_not_described(key: str) -> None:
    document = site()
    document["daos"][key].append("x9")
    problem = only(document)
    assert (problem.host, problem.key, problem.value) == ("x9", f"daos.{key}", "x9")
    assert problem.allowed == "should be one of the hosts described: c1, login, s1"


@pytest.mark.parametrize("admin", ["", "c1, login", "x9"])
def test_an_administration_host_that_is_not_one_host(admin: str) -> None:
    problem = only(put(site(), {"daos/admin": admin}))
    assert (problem.host, problem.key, problem.value) == (None, "daos.admin", admin)
    assert problem.allowed == "should be one of the hosts described: c1, login, s1"


@pytest.mark.parametrize("provider", ["ofi+tpc", "ofi+psm2", "ucx+", "ofi+verbs;ofi_rxd"])
def test_a_provider_that_daos_does_not_have(provider: str) -> None:
    problem = only(put(site(), {"provider": provider}))
    assert (problem.host, problem.key, problem.value) == (None, "provider", provider)
    if provider != "ucx+":
        assert problem.allowed.startswith("should be ")


@pytest.mark.parametrize(
    "provider",
    ["ofi+tcp", "ofi+verbs;ofi_rxm", "ofi+cxi", "ucx+dc_x", "ucx+ud_x", "ucx+rc_x,ud_x"],
)
def test_a_provider_that_daos_has(provider: str) -> None:
    assert problems(put(site(), {"provider": provider})) == []


def test_a_server_without_engines() -> None:
    problem = only(put(site(servers=2), {"s2: engines": []}))
    assert (problem.host, problem.key, problem.value) == ("s2", "engines", None)
    assert problem.allowed.startswith("should have at least one engine")


def test_engines_on_a_host_that_is_not_a_server() -> None:
    document = site(servers=2)
    document["daos"]["servers"] = ["s1"]
    problem = only(document)
    assert (problem.host, problem.key, problem.value) == ("s2", "engines", 1)
    assert problem.allowed.startswith("should be on a server of DAOS")


@pytest.mark.parametrize(("key", "odd"), [("targets", 15), ("nr_xs_helpers", 3)])
def test_engines_that_are_not_alike(key: str, odd: int) -> None:
    usual = site()["hosts"]["s1"]["engines"][0][key]
    problem = only(put(site(servers=3, engines=2), {f"s2: engines/1/{key}": odd}))
    assert (problem.host, problem.key, problem.value) == ("s2", f"engines[1].{key}", odd)
    assert problem.allowed.startswith(f"should be {usual}, as engines[0] has")


def test_metadata_on_ssds_is_a_preview_in_2_4() -> None:
    document = put(site("md-on-ssd-wal", servers=3), {"daos/version": "2.4"})
    problem = only(document)
    assert (problem.host, problem.key, problem.value) == (None, "daos.version", "2.4")
    assert problem.allowed.startswith("should be 2.6 or later")
    assert problem.severity == "warning"
    assert problems(put(document, {"daos/version": "2.6"})) == []
    assert problems(put(site("pmem"), {"daos/version": "2.4"})) == []


def test_a_version_that_nobody_deploys() -> None:
    problem = only(put(site("md-on-ssd-wal"), {"daos/version": "2.2"}))
    assert (problem.key, problem.value) == ("daos.version", "2.2")
    supported = ", ".join(releases.names())
    assert problem.allowed == f"should be a release of DAOS that is supported: {supported}"


def test_a_preview_is_named_as_one() -> None:
    problem = only(put(site(), {"daos/version": releases.names()[-1]}))
    assert (problem.key, problem.severity) == ("daos.version", "warning")
    assert problem.allowed.startswith("should be a release: upstream may still change")


def test_a_bad_system_hides_no_bad_engine() -> None:
    refused = problems(put(site(), {"daos/port": 0, "s1: engines/0/pinned_numa_node": 2}))
    assert {problem.key for problem in refused} == {"daos.port", "engines[0].pinned_numa_node"}


def test_a_bad_host_hides_no_bad_replica_and_makes_none() -> None:
    document = put(site(servers=3), {"s2: engines/0/targets": 0})
    assert only(document).key == "engines[0].targets"
    put(document, {"daos/mgmt_svc_replicas": ["s1", "s1"]})
    assert {problem.key for problem in problems(document)} == {
        "engines[0].targets",
        "daos.mgmt_svc_replicas",
    }


@pytest.mark.parametrize(
    ("key", "message"),
    [("ssd", "Intel D7-P5500 3.84TB"), ("pmem", "Intel Optane PMem 100 256GB, Intel Optane")],
)
def test_a_device_without_a_datasheet(key: str, message: str) -> None:
    problem = only(put(site(), {f"s1: datasheets/{key}": "Floppy 1.44MB"}))
    assert (problem.host, problem.key) == ("s1", f"datasheets.{key}")
    assert problem.value == "Floppy 1.44MB"
    assert problem.allowed.startswith(f"should be a data sheet: {message}")


def test_daos_perf_and_the_other_checks_in_one_pool() -> None:
    pools = {"daos/pool": "tank", "daos/perf_pool": "tank"}
    problem = only(put(site(), pools))
    assert (problem.key, problem.value) == ("daos.perf_pool", "tank")
    assert problem.allowed.startswith("should be another pool than daos.pool")
    assert problems(put(site(), pools | {"daos/perf_pool": "perf"})) == []
