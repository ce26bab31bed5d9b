"""The plan: what is required of a cluster, from the cluster alone."""

import cProfile
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from assay.checks.backends import library_directory
from assay.checks.expect import Measured, expectation
from assay.checks.plan import CHECKS, LAYERS, features, requirements
from assay.cluster.description import Cluster
from assay.cluster.once import once
from clusters import described, description
from sites import put, site


def with_eadr(layout: str, eadr: bool = True) -> dict[str, Any]:
    document = site(layout, servers=2, engines=2, rails=2)
    for name in document["servers"]:
        document["hosts"][name]["server"]["eadr"] = eadr
    return document


def keys(cluster: Cluster) -> list[str]:
    return [metric.key for metric in requirements(cluster)]


def test_every_host_requires_its_own_figures(cluster: Cluster) -> None:
    assert [k for k in keys(cluster) if k.startswith("SsdFio.read_1m")] == [
        f"SsdFio.read_1m on {host}" for host in ("c1", "c2", "s1", "s2")
    ]
    assert "ScmFio.write_4k on s2/engine0" in keys(cluster)
    assert "FdbHammer.read on c2" in keys(cluster)


def test_no_metric_is_required_twice(cluster: Cluster, one_machine: Cluster) -> None:
    for plan in (requirements(cluster), requirements(one_machine)):
        assert len(set(plan)) == len(plan)
        assert len({(m.partition, m.key) for m in plan}) == len(plan)


def test_the_plan_goes_from_the_lowest_layer_up(cluster: Cluster) -> None:
    order = [LAYERS.index(metric.layer) for metric in requirements(cluster)]
    assert order == sorted(order)


def test_no_two_metrics_have_one_name_where_some_servers_are_clients() -> None:
    document = description(servers=3) | {"clients": ["s1", "s2"], "colocated": True}
    keys = [metric.key for metric in requirements(described(document))]
    assert len(set(keys)) == len(keys)
    assert {"FiPingpong.latency_64b on s1>s2", "FiPingpong.latency_64b on s3>s1"} <= set(keys)


def test_hosts_are_paired_in_a_ring() -> None:
    def pairs(clients: int) -> list[str]:
        plan = requirements(described(description(clients=clients)))
        return [
            str(metric.subject)
            for metric in plan
            if metric.name == "latency_64b" and metric.partition == "clients"
        ]

    assert pairs(1) == ["c1>c1"]
    assert pairs(2) == ["c1>c2"]
    assert pairs(4) == ["c1>c2", "c2>c3", "c3>c4", "c4>c1"]


def test_one_machine_measures_its_network_once(one_machine: Cluster) -> None:
    assert [k for k in keys(one_machine) if "latency" in k] == [
        "FiPingpong.latency_64b on here>here"
    ]


def test_one_machine_measures_its_disk_once(one_machine: Cluster) -> None:
    assert [k for k in keys(one_machine) if "SsdFio.read_1m" in k] == ["SsdFio.read_1m on here"]


def test_a_program_that_is_not_installed_is_not_required() -> None:
    document = description()
    document["benchmarks"] = {"fio": "/usr/bin/fio"}
    checks = {metric.check for metric in requirements(described(document))}
    assert checks == {"ScmFio", "SsdFio", "ClientPlacement", "PosixFio"}


def test_ior_and_mdtest_are_required_where_the_site_has_them() -> None:
    document = description()
    document["benchmarks"] |= {
        "ior": "/opt/ior",
        "mdtest": "/opt/mdtest",
        "shared_directory": "/share",
    }
    plan = requirements(described(document))
    assert {str(m.subject) for m in plan if m.check in {"IorEasy", "MdtestHard"}} == {
        "clients/posix"
    }


def with_container(**changes: Any) -> dict[str, Any]:
    """A site with DAOS, a container in a pool, and the benchmarks that speak to DAOS."""
    document = site(servers=2, clients=2)
    document["benchmarks"] = {
        **{name: f"/opt/{name}" for name in ("fio", "fio_dfs", "ior", "mdtest", "io500")},
        "ior_apis": ["DFS", "MPIIO", "HDF5"],
        "fdb_hammer_daos": "/opt/fdb/bin/fdb-hammer",
        "fdb_share": "/opt/fdb/share",
    }
    document["daos"] |= {"pool": "tank", "container": "posix", "mount": "/mnt/dfuse"}
    document["daos"] |= {"perf_pool": "perf", "rank_pool_size": "1TiB"}
    return put(document, changes)


def ways(document: dict[str, Any], check: str) -> list[str]:
    subjects = (str(m.subject) for m in requirements(described(document)) if m.check == check)
    return list(dict.fromkeys(subjects))


def test_every_backend_requires_its_own_figures() -> None:
    document = with_container()
    names = ("dfs", "dfuse", "ioil", "pil4dfs", "mpiio", "hdf5")
    assert ways(document, "IorEasy") == [f"clients/{name}" for name in names]
    assert ways(document, "IorHard") == ways(document, "IorEasy")
    assert ways(document, "MdtestHard2") == ["clients/dfs", "clients/dfuse"]
    assert ways(document, "FioDfs") == ways(document, "DaosPerf") == ["c1", "c2"]
    assert ways(document, "Io500") == ["clients/dfs"]
    assert ways(document, "Io500Program") == ["clients/dfuse"]
    assert ways(document, "FdbHammerDaos") == ["clients/1-containers", "clients/10-containers"]
    assert ways(document, "FdbHammerDaosSeparate") == ways(document, "FdbHammerDaos")
    mounted = ("dfuse", "ioil", "pil4dfs")
    assert ways(document, "FioDfuse") == [f"{c}/{way}" for c in ("c1", "c2") for way in mounted]
    document["daos"]["prefix"] = "/opt/daos"
    assert library_directory(described(document)) == Path("/opt/daos/lib64")


def test_a_page_cache_is_only_on_the_way_through_the_kernel() -> None:
    document = with_container(**{"benchmarks/shared_directory": "/share"})
    assert ways(document, "PageCacheHonesty") == ["clients/posix", "clients/dfuse"]


@pytest.mark.parametrize("exclusive", [True, False])
def test_no_check_fills_the_memory_of_nodes_that_jobs_of_others_share(exclusive: bool) -> None:
    document = with_container(**{"benchmarks/shared_directory": "/share"})
    partitions = {"clients": "batch", "servers": "storage"}
    document["slurm"] = {"partitions": partitions, "exclusive": exclusive}
    required = ["clients/posix", "clients/dfuse"] if exclusive else []
    assert ways(document, "PageCacheHonesty") == required


@pytest.mark.parametrize(
    ("changes", "backends"),
    [
        ({"benchmarks/ior_apis": []}, ["dfuse", "ioil", "pil4dfs"]),
        ({"daos/mount": None}, ["dfs", "mpiio"]),
        ({"daos/container": None, "benchmarks/shared_directory": "/share"}, ["posix"]),
        ({"benchmarks/ior": None}, []),
    ],
)
def test_a_way_that_is_not_there_is_not_required(
    changes: dict[str, Any], backends: list[str]
) -> None:
    document = with_container(**changes)
    assert ways(document, "IorEasy") == [f"clients/{name}" for name in backends]


@pytest.mark.parametrize(
    ("change", "check"),
    [
        ({"daos/perf_pool": None}, "DaosPerf"),
        ({"benchmarks/io500": None}, "Io500Program"),
        ({"benchmarks/mdtest": None}, "Io500"),
        ({"benchmarks/ior_apis": []}, "Io500"),
        ({"benchmarks/fdb_hammer_daos": None}, "FdbHammerDaos"),
        (
            {
                "daos/pool": None,
                "daos/container": None,
                "daos/mount": None,
                "benchmarks/shared_directory": "/share",
            },
            "FdbHammerDaos",
        ),
        ({"benchmarks/fdb_containers": [300]}, "FdbHammerDaosSeparate"),
    ],
)
def test_a_check_without_its_pool_program_or_way_is_not_required(
    change: dict[str, Any], check: str
) -> None:
    assert ways(with_container(**change), check) == []


def test_an_engine_without_dram_requires_no_tmpfs() -> None:
    document = description(servers=1)
    document["hosts"]["s1"]["engines"][0]["storage"] = [
        {"class": "dcpm", "scm_mount": "/mnt/pmem0", "scm_list": ["/dev/pmem0"]}
    ]
    cluster = described(document)
    assert "ram_tier" not in features(cluster, "servers")
    assert "ScmFio" not in {metric.check for metric in requirements(cluster)}


def test_what_a_check_needs_is_a_feature_that_some_partition_can_have() -> None:
    document = description()
    document["benchmarks"] |= {"ior": "/i", "mdtest": "/m", "shared_directory": "/s"}
    without_daos = described(document)
    possible = features(without_daos, "clients") | features(without_daos, "servers")
    with_daos = described(with_eadr("pmem"))
    possible |= features(with_daos, "clients") | features(with_daos, "servers")
    possible |= features(described(with_container()), "clients")
    possible |= features(described(with_everything()), "clients")
    assert {need for check in CHECKS.values() for need in check.needs} <= possible


def test_every_engine_of_a_system_requires_its_own_figures() -> None:
    plan = keys(described(site("ephemeral", servers=2, engines=2)))
    engines = [f"s{host}/engine{number}" for host in (1, 2) for number in (0, 1)]
    assert [k for k in plan if k.startswith("SelfTestClientServer.get_1m")] == [
        f"SelfTestClientServer.get_1m on {engine}" for engine in engines
    ]
    assert [k for k in plan if k.startswith("VosPerfRate.update_4k")] == [
        f"VosPerfRate.update_4k on {engine}" for engine in engines
    ]
    pairs = [f"{a}>{b}" for a, b in combinations(engines, 2)]
    assert [k for k in plan if k.startswith("SelfTestCrossServer.empty")] == [
        f"SelfTestCrossServer.empty on {pair}" for pair in pairs
    ]
    assert "NvmeIops.latency_4k on s2/0000:e3:00.0" in plan


def test_the_tmpfs_of_an_engine_is_measured_by_one_tool() -> None:
    checks = {
        metric.check for metric in requirements(described(site("ephemeral", servers=2, engines=2)))
    }
    assert "VosPerfRate" in checks
    assert "ScmFio" not in checks


@pytest.mark.parametrize(
    ("layout", "eadr", "required"),
    [("pmem", True, True), ("pmem", False, False), ("ephemeral", True, False)],
)
def test_pmem_is_measured_without_flush_where_caches_survive(
    layout: str, eadr: bool, required: bool
) -> None:
    checks = {metric.check for metric in requirements(described(with_eadr(layout, eadr)))}
    assert ({"VosPerfRateNoFlush", "VosPerfBandwidthNoFlush"} <= checks) is required


@pytest.mark.parametrize("version", ["2.4", "2.6"])
def test_a_release_without_net_test_does_not_require_it(version: str) -> None:
    document = site()
    document["daos"]["version"] = version
    assert "NetTest" not in {metric.check for metric in requirements(described(document))}


def test_one_engine_has_no_pairs_and_emulated_devices_are_not_ssds() -> None:
    checks = {metric.check for metric in requirements(described(site("file")))}
    assert not checks & {"SelfTestCrossServer", "NvmeBandwidth", "NvmeIops"}


def test_what_is_measured_on_a_mounted_scm_has_one_tag() -> None:
    for check in CHECKS.values():
        assert (check.layer == "scm") == (check.phase == "scm"), check.name


def test_the_plan_depends_on_nothing_but_the_description() -> None:
    text = json.dumps(description())
    assert requirements(described(json.loads(text))) == requirements(described(json.loads(text)))


EVERYWHERE = frozenset(("clients", "servers"))
SERVERS = frozenset(("servers",))
CLIENTS = frozenset(("clients",))
REQUIRED_BY = {
    **dict.fromkeys(CHECKS.keys() - {"ScmFio"}, CLIENTS),  # a tmpfs that no DAOS has to itself
    **dict.fromkeys(("FiPingpong", "SsdFio"), EVERYWHERE),
    **dict.fromkeys(("VosPerfRate", "VosPerfBandwidth", "NvmeBandwidth", "NvmeIops"), SERVERS),
    **dict.fromkeys(("VosPerfRateNoFlush", "VosPerfBandwidthNoFlush"), SERVERS),
}
"""The partitions of which a check is required, where a site has all that there is."""


def with_everything() -> dict[str, Any]:
    document = with_eadr("pmem")
    full = with_container()
    document["benchmarks"] = {
        **full["benchmarks"],
        "fi_pingpong": "/usr/bin/fi_pingpong",
        "fdb_hammer": "/opt/fdb/bin/fdb-hammer",
        "shared_directory": "/share",
    }
    document["daos"] |= {
        key: full["daos"][key]
        for key in ("pool", "container", "mount", "perf_pool", "rank_pool_size")
    }
    document["daos"]["failure"] = True
    return document


def partitions(document: dict[str, Any]) -> dict[str, set[str]]:
    partitions: dict[str, set[str]] = {}
    for metric in requirements(described(document)):
        if metric.check in REQUIRED_BY:
            partitions.setdefault(metric.check, set()).add(metric.partition)
    return partitions


def test_each_check_is_required_by_these_partitions_alone() -> None:
    assert partitions(with_everything()) == REQUIRED_BY


@pytest.mark.parametrize(
    ("absent", "checks"),
    [
        ("benchmarks/fio", {"SsdFio", "PosixFio", "FioDfuse"}),
        ("benchmarks/fi_pingpong", {"FiPingpong"}),
        ("benchmarks/fdb_hammer", {"FdbHammer", "FdbHammerSeparate"}),
        (
            "benchmarks/fio_dfs",
            {
                *("FioDfs", "RankLoss", "ServiceLoss", "Drain", "TargetLoss", "Extend"),
                "AgentLoss",
            },
        ),
        (
            "benchmarks/ior",
            {"IorByRank", "IorEasy", "IorHard", "Io500", "Interference", "PageCacheHonesty"},
        ),
        ("benchmarks/mdtest", {"MdtestEasy", "MdtestHard", "MdtestHard2", "Io500", "Interference"}),
        ("benchmarks/io500", {"Io500Program"}),
        ("daos/perf_pool", {"DaosPerf"}),
        ("daos/rank_pool_size", {"IorByRank"}),
        ("daos/mount", {"FioDfuse"}),
    ],
)
def test_without_one_thing_only_the_checks_that_need_it_are_not_required(
    absent: str, checks: set[str]
) -> None:
    there = partitions(put(with_everything(), {absent: None}))
    assert REQUIRED_BY.keys() - there.keys() == checks
    assert there == {check: REQUIRED_BY[check] for check in there}


def test_what_follows_from_a_cluster_is_worked_out_once_for_each() -> None:
    asked: list[str] = []

    @once
    def name(cluster: Cluster, suffix: str) -> str:
        asked.append(cluster.name)
        return cluster.name + suffix

    first, second = described(site(servers=1)), described(site(servers=1))
    assert [name(first, "!"), name(first, "!"), name(second, "!"), name(first, "?")]
    assert len(asked) == 3


def test_expectations_grow_with_hosts_and_not_with_their_square() -> None:
    def calls(hosts: int) -> int:
        document = site(servers=hosts, engines=2, clients=hosts)
        document["benchmarks"] = {"fio_dfs": "/opt/fio", "ior": "/opt/ior", "ior_apis": ["DFS"]}
        document["daos"] |= {"pool": "tank", "container": "posix"}
        cluster = described(document)
        profile = cProfile.Profile()
        profile.enable()
        plan = requirements(cluster)
        measured = Measured({required: [10.0] for required in plan})
        for required in plan:
            expectation(cluster, required, measured)
        profile.disable()
        return sum(entry.callcount for entry in profile.getstats())

    # The square would be four times as many; a few more pairs of engines are of different strides.
    assert calls(64) < 2.6 * calls(32)
