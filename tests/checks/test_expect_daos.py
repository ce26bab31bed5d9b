"""Expectations of what goes through DAOS: what bounds the data, and what nothing bounds."""

from __future__ import annotations

from statistics import geometric_mean

import pytest

from assay.checks.expect import expectation
from assay.checks.figures import targets
from assay.checks.plan import CHECKS
from assay.cluster.description import Cluster
from assay.subject import Subject
from clusters import find
from daos_sites import GBIT_IN_MIB, tripped, wired_site, with_servers_as_clients


@pytest.mark.parametrize(
    ("key", "speed", "bound"),
    [
        ("IorEasy.write on clients/dfs", 200.0, 400 * GBIT_IN_MIB),
        ("IorEasy.write on clients/dfs", 50.0, 250 * GBIT_IN_MIB),
        ("FioDfs.read_1m on c2", 200.0, 200 * GBIT_IN_MIB),
        ("DaosPerf.fetch_1m on c1", 200.0, 200 * GBIT_IN_MIB),
        ("DaosPerf.update_4k on c1", 200.0, 200e9 / 8 / 4096),
        ("FdbHammerDaos.write on clients/10-containers", 200.0, 400 * GBIT_IN_MIB),
        ("FdbHammerDaosSeparate.read on clients/1-containers", 50.0, 250 * GBIT_IN_MIB),
        ("Io500.ior_easy_write on clients/dfs", 200.0, 400e9 / 8 / 2**30),
        ("FioDfuse.randread_4k on c1/ioil", 200.0, 200e9 / 8 / 4096),
    ],
)
def test_data_in_daos_crosses_the_wires_of_both_sides(key: str, speed: float, bound: float) -> None:
    cluster = wired_site(**{"s1: interfaces/ib1/speed_gbits": speed})
    figure = expectation(cluster, find(cluster, key), {})
    assert figure.ground == "hardware"
    assert figure.bound == figure.ceiling == pytest.approx(bound)
    assert figure.floor is None


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("IorHard.read on clients/posix", "what serves the shared directory"),
        ("Io500.ior_hard_read on clients/posix", "what serves the shared directory"),
        ("Io500.bandwidth_score on clients/posix", "ior_easy_write has no bound"),
        ("MdtestEasy.create on clients/posix", "what serves the shared directory"),
        ("Io500Program.score on clients/dfuse", "metadata_score has no bound"),
        ("FdbHammerDaos.write_open on clients/1-containers", "no lower layer opens a database"),
    ],
)
def test_what_nothing_bounds_is_unrated_and_says_why(key: str, why: str) -> None:
    cluster = wired_site()
    figure = expectation(cluster, find(cluster, key), tripped(20.0))
    assert (figure.ground, figure.bound) == ("nothing", None)
    assert why in figure.derivation


@pytest.mark.parametrize(
    ("key", "why", "floor"),
    [
        # Two clients with 2 ranks each.
        ("MdtestHard.stat on clients/dfuse", "may answer from their caches", 4 * 0.3 * 294),
        ("MdtestEasy.read on clients/dfuse", "may answer from their caches", 4 * 0.3 * 294),
        ("Io500Program.find on clients/dfuse", "one reply of an engine", 4 * 0.3 * 0.294),
    ],
)
def test_what_nothing_bounds_still_has_the_floor_that_others_measured(
    key: str, why: str, floor: float
) -> None:
    cluster = wired_site()
    figure = expectation(cluster, find(cluster, key), tripped(20.0, "quick"))
    assert (figure.ground, figure.bound, figure.ceiling) == ("reference", None, None)
    assert figure.floor == pytest.approx(floor)
    assert why in figure.derivation


def test_a_score_has_the_mean_of_the_floors_of_its_phases_though_one_has_no_bound() -> None:
    cluster = wired_site()
    measured = tripped(20.0, "quick")
    names = [
        metric.name
        for metric in CHECKS["Io500Program"].metrics
        if metric.name.startswith("mdtest") or metric.name == "find"
    ]
    floors = [
        expectation(cluster, find(cluster, f"Io500Program.{name} on clients/dfuse"), measured).floor
        for name in names
    ]
    metric = find(cluster, "Io500Program.metadata_score on clients/dfuse")
    figure = expectation(cluster, metric, measured)
    assert figure.floor == pytest.approx(geometric_mean([floor or 0 for floor in floors]))
    assert "find has no bound" in figure.derivation


def of_three_servers(object_class: str, gbits: float) -> Cluster:
    """A site whose six engines have so many Gbit/s in all."""
    ports = [f"s{server}: interfaces/{name}" for server in (1, 2, 3) for name in ("ib0", "ib1")]
    speeds = {f"{port}/speed_gbits": gbits / len(ports) for port in ports}
    return wired_site(servers=3, **speeds, **{"daos/file_oclass": object_class})


@pytest.mark.parametrize(
    ("object_class", "key", "bound"),
    [
        ("SX", "IorEasy.write on clients/dfs", 400),
        ("RP_2GX", "IorEasy.write on clients/dfs", 400 / 2),  # the servers' NICs
        ("RP_3GX", "FioDfs.write_1m on c1", 400 / 3),
        ("EC_4P2GX", "IorEasy.write on clients/dfs", 400 / 1.5),
        ("EC_4P2GX", "FioDfs.write_1m on c1", 200 / 1.5),  # the client's, with its parity
        # Part of a stripe has a replica on each parity.
        ("EC_4P2GX", "IorHard.write on clients/dfs", 400 / 3),
        ("RP_3GX", "IorEasy.read on clients/dfs", 400),
        ("RP_3GX", "DaosPerf.update_1m on c1", 200),  # its objects are of another class
        ("RP_3GX", "FdbHammerDaos.write on clients/1-containers", 400),  # so are FDB's
    ],
)
def test_the_files_of_a_container_have_the_cost_of_its_object_class(
    object_class: str, key: str, bound: float
) -> None:
    cluster = of_three_servers(object_class, 400)
    figure = expectation(cluster, find(cluster, key), {})
    assert figure.bound == pytest.approx(bound * GBIT_IN_MIB)


def test_the_bytes_of_a_file_go_to_scm_or_to_the_ssds() -> None:
    slow = {f"{name}: interfaces/ib0/speed_gbits": 1.0 for name in ("c1", "c2")}
    cluster = wired_site(**slow)
    for check, size in (("MdtestHard", 3901), ("MdtestHard2", 7802)):
        metric = find(cluster, f"{check}.create on clients/dfs")
        figure = expectation(cluster, metric, tripped(1.0, "acceptance"))
        assert figure.bound == pytest.approx(2 * 1e9 / 8 / size)


@pytest.mark.parametrize("key", ["IorEasy.write on clients/dfs", "FioDfs.read_1m on s1"])
def test_a_client_with_engines_of_its_own_has_no_wire_to_them(key: str) -> None:
    cluster = with_servers_as_clients("c1", "s1")
    figure = expectation(cluster, find(cluster, key), {})
    assert figure.ground == "nothing"
    assert "s1 is both client and server: there is no wire between them" in figure.derivation
    apart = expectation(cluster, find(cluster, "FioDfs.read_1m on c1"), {})
    assert apart.bound == pytest.approx(200 * GBIT_IN_MIB)


@pytest.mark.parametrize(
    ("key", "bound"),
    [
        # Less than a stripe: the servers make the parity, and take 1,600 Gbit/s / 3.
        ("IorHard.write on clients/dfs", 400 * GBIT_IN_MIB),
        ("Io500.ior_hard_write on clients/dfs", 400e9 / 8 / 2**30),
        # A full stripe goes out with its parity.
        ("IorEasy.write on clients/dfs", 400 / 1.5 * GBIT_IN_MIB),
        ("Io500.ior_easy_write on clients/dfs", 400e9 / 1.5 / 8 / 2**30),
    ],
)
def test_a_client_sends_the_parity_of_full_stripes_alone(key: str, bound: float) -> None:
    cluster = of_three_servers("EC_4P2GX", 1600)
    assert expectation(cluster, find(cluster, key), {}).bound == pytest.approx(bound)


@pytest.mark.parametrize(
    ("name", "bound", "ceiling"),
    [
        ("bandwidth_score", 400e9 / 8 / 2**30, 400e9 / 8 / 2**30),
        # Five phases of one round trip and two of two, by 4 processes.
        ("metadata_score_without_find", 200 * 0.5 ** (2 / 7), 400 * 0.5 ** (2 / 7)),
        (
            "score_without_find",
            (400e9 / 8 / 2**30 * 200 * 0.5 ** (2 / 7)) ** 0.5,
            (400e9 / 8 / 2**30 * 400 * 0.5 ** (2 / 7)) ** 0.5,
        ),
    ],
)
def test_a_score_is_at_most_the_mean_of_its_bounds(name: str, bound: float, ceiling: float) -> None:
    cluster = wired_site()
    metric = find(cluster, f"Io500.{name} on clients/dfs")
    figure = expectation(cluster, metric, tripped(20.0, "quick"))
    assert figure.bound == pytest.approx(bound)
    assert figure.ceiling == pytest.approx(ceiling)
    # Nobody knows the storage of this site, and so not what its bandwidths should be.
    assert (figure.floor is None) == (name != "metadata_score_without_find")
    assert "geometric mean of the bounds of" in figure.derivation


def test_an_engine_has_its_own_targets_and_a_partition_those_of_all() -> None:
    cluster = wired_site()
    each = cluster.hosts["s1"].engines[0].targets
    assert targets(cluster, Subject.parse("s1/engine0")) == each
    assert targets(cluster, Subject.parse("s1/engine0>s1/engine1")) == each
    assert targets(cluster, Subject.parse("clients/dfs")) == 2 * each
