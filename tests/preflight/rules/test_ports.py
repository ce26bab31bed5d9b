"""Ports of the server, of metrics and of engines."""

import pytest

from sites import only, problems, put, site


@pytest.mark.parametrize("port", [31316, 31337])
def test_two_engines_with_ports_that_overlap(port: int) -> None:
    document = put(
        site("file", engines=2),
        {
            "s1: interfaces/ib0/numa_node": None,
            "s1: engines/1/fabric_iface": "ib0",
            "s1: engines/1/fabric_iface_port": port,
        },
    )
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", "engines[1].fabric_iface_port")
    assert problem.value == port
    assert (
        problem.allowed == "should be above 31337: engines[0] has the ports 31316 to 31337 of ib0"
    )
    assert problems(put(document, {"s1: engines/1/fabric_iface_port": 31338})) == []


@pytest.mark.parametrize("port", [0, 65536])
def test_a_port_out_of_range(port: int) -> None:
    problem = only(put(site(), {"s1: engines/0/fabric_iface_port": port}))
    assert (problem.host, problem.key, problem.value) == (
        "s1",
        "engines[0].fabric_iface_port",
        port,
    )


@pytest.mark.parametrize("key", ["s1: server/telemetry_port", "c1: agent/telemetry_port"])
def test_a_port_for_metrics_that_does_not_exist_although_daos_takes_it(key: str) -> None:
    problem = only(put(site(), {key: 65536}))
    assert problem.value == 65536
    assert problem.allowed.startswith("should be at most 65535: DAOS accepts it")
    assert problems(put(site(), {key: 65535})) == []


ENGINE = "s1: engines/0/fabric_iface_port"


@pytest.mark.parametrize(
    ("changes", "key", "value", "message"),
    [
        ({"daos/port": 22}, "daos.port", 22, "sshd has this one"),
        ({"daos/port": 6818}, "daos.port", 6818, "slurmd has this one"),
        ({"s1: server/telemetry_port": 6818}, "server.telemetry_port", 6818, "slurmd has this one"),
        ({ENGINE: 6800}, "engines[0].fabric_iface_port", 6800, "should leave 6818 to slurmd"),
        ({ENGINE: 9991}, "engines[0].fabric_iface_port", 9991, "should leave 10001 to daos_server"),
    ],
)
def test_a_port_that_another_service_has(
    changes: dict[str, object], key: str, value: int, message: str
) -> None:
    problem = only(put(site(), changes))
    assert (problem.key, problem.value, problem.severity) == (key, value, "error")
    assert message in problem.allowed


def test_ports_of_slurm_where_there_is_none_of_ours() -> None:
    assert problems(put(site(), {"daos/port": 6818, "servers_scheduler": "ssh"})) == []
    foreign = {"partitions": {"clients": "batch", "servers": "daos"}}
    assert problems(put(site(), {"daos/port": 6818, "slurm": foreign})) == []


@pytest.mark.parametrize(("helper", "severity"), [(True, "error"), (False, "warning")])
def test_a_port_at_which_only_root_may_listen(helper: bool, severity: str) -> None:
    problem = only(put(site(), {ENGINE: 111, "s1: setup/needs_helper": helper}))
    assert (problem.value, problem.severity) == (111, severity)
    assert problem.allowed.startswith("should be at least 1024")
    assert problems(put(site(), {ENGINE: 1024, "s1: setup/needs_helper": helper})) == []


@pytest.mark.parametrize("port", [32747, 40000, 60999])
def test_ports_that_the_kernel_gives_to_connections(port: int) -> None:
    problem = only(put(site(), {ENGINE: port}))
    assert (problem.value, problem.severity) == (port, "warning")
    assert problem.allowed.startswith("should be outside of 32768 to 60999")


@pytest.mark.parametrize("port", [32746, 61000])
def test_ports_beside_those(port: int) -> None:
    assert problems(put(site(), {ENGINE: port})) == []


def test_a_fabric_without_ports() -> None:
    assert problems(put(site(), {ENGINE: 40000, "provider": "ofi+cxi"})) == []
