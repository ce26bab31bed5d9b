"""The least that is required of figures through DAOS: over what the layers below gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.checks import references
from assay.checks.expect import Expectation, Measured, expectation
from assay.checks.figures import is_judged
from assay.checks.plan import CHECKS, requirements
from assay.cluster.description import Cluster
from assay.preflight.examine import examine
from clusters import SSD, described, find
from sites import site

LEVELS = {
    "SelfTestClientServer.get_1m": 20_000.0,
    "SelfTestClientServer.put_1m": 20_000.0,
    "SelfTestClientServer.latency_empty": 10.0,
    "SelfTestClientServer.latency_get_1m": 80.0,
    "SelfTestClientServer.latency_put_1m": 80.0,
    "NvmeBandwidth.read_1m_alone": 6500.0,
    "NvmeBandwidth.read_1m_together": 6000.0,
    "NvmeIops.randread_4k_together": 700_000.0,
    "NvmeIops.latency_4k": 80.0,
}


def document(**changes: Any) -> dict[str, Any]:
    """Four clients of one port of 200 Gbit/s, two servers with two engines and eight SSDs each."""
    made = site(servers=2, engines=2, clients=4)
    made["benchmarks"] = {
        **{name: f"/opt/{name}" for name in ("fio", "fio_dfs", "ior", "mdtest", "io500")},
        "fdb_hammer_daos": "/opt/fdb/bin/fdb-hammer",
        "fdb_share": "/opt/fdb/share",
        "ior_apis": ["DFS", "MPIIO", "HDF5"],
    }
    made["daos"] |= {"pool": "tank", "container": "posix", "mount": "/mnt/dfuse"}
    made["daos"]["perf_pool"] = "perf"
    for host in made["servers"]:
        made["hosts"][host]["datasheets"] = {"ssd": SSD}
    return made | changes


def below(cluster: Cluster, changes: Mapping[str, float] | None = None) -> Measured:
    levels = {**LEVELS, **(changes or {})}
    samples = {
        required: [levels[required.figure]] * 5
        for required in requirements(cluster)
        if required.figure in levels
    }
    return Measured(samples, "acceptance")


def of(key: str, changes: Mapping[str, float] | None = None) -> Expectation:
    cluster = described(document())
    return expectation(cluster, find(cluster, key), below(cluster, changes))


def test_every_figure_through_daos_has_a_floor() -> None:
    cluster = described(document())
    measured = below(cluster)
    without = {
        required.figure
        for required in requirements(cluster)
        if required.layer in ("endtoend", "metadata") and is_judged(required.metric)
        if required.check != "PosixFio"  # its disk was not measured here
        for figure in [expectation(cluster, required, measured)]
        if (figure.floor if required.metric.better == "higher" else figure.ceiling) is None
    }
    assert without == set()


def test_an_entry_is_of_a_figure_that_there_is() -> None:
    known = {f"{check.name}.{metric.name}" for check in CHECKS.values() for metric in check.metrics}
    assert set(references.figures()) <= known


def least(phase: str, most: float = 0, processes: int = 4 * 32, copies: float = 1) -> float:
    """What published systems reach on this hardware, of which 72 % is required."""
    law = references.laws()[phase]
    seconds = (law.fraction is not None and 1 / (law.fraction * most)) + sum(
        count / each.value
        for count, each in (
            (1 / processes, law.each_process),
            (1 / 64, law.each_target),
            ((copies - 1) / 64, law.each_copy),
        )
        if each is not None
    )
    return 0.72 / seconds


def test_a_write_is_held_against_the_tightest_of_what_it_crosses() -> None:
    # Of the SSDs, 4 x 4 of 3.5 GB/s.
    figure = of("IorEasy.write on clients/dfs")
    assert figure.floor == pytest.approx(least("ior_easy_write", 16 * 3.5e9 / 2**20))
    assert "16 SSDs × 3.50 GB/s" in figure.derivation
    assert "published runs on" in figure.derivation
    assert "72% of it, this project's own choice" in figure.derivation


def test_tcp_is_asked_for_less_than_rdma() -> None:
    cluster = described(document(provider="ofi+tcp;ofi_rxm"))
    figure = expectation(cluster, find(cluster, "IorEasy.write on clients/dfs"), below(cluster))
    assert figure.floor == pytest.approx(least("ior_easy_write", 16 * 3.5e9 / 2**20) * 0.5 / 0.72)


def test_a_replicated_file_takes_a_target_more_time() -> None:
    made = document()
    made["daos"]["file_oclass"] = "RP_2GX"
    cluster = described(made)
    for key, phase in (("create", "mdtest_easy_write"), ("remove", "mdtest_easy_delete")):
        required = find(cluster, f"MdtestEasy.{key} on clients/dfs")
        figure = expectation(cluster, required, {})
        assert figure.floor == pytest.approx(least(phase, copies=2)), key
    required = find(cluster, "MdtestEasy.stat on clients/dfs")
    assert expectation(cluster, required, {}).floor == pytest.approx(least("mdtest_easy_stat"))


@pytest.mark.parametrize(
    ("files", "directories", "copies"),
    [
        ("SX", "RP_2G1", {"MdtestEasy.create": 2, "MdtestHard.create": 2, "MdtestEasy.remove": 2}),
        ("RP_2GX", "S1", {"MdtestEasy.create": 1, "MdtestHard.create": 2, "MdtestEasy.remove": 2}),
    ],
)
def test_an_empty_file_takes_the_time_of_its_directory(
    files: str, directories: str, copies: dict[str, int]
) -> None:
    made = document()
    made["daos"] |= {"file_oclass": files, "dir_oclass": directories}
    cluster = described(made)
    phases = {
        "MdtestEasy.create": "mdtest_easy_write",
        "MdtestHard.create": "mdtest_hard_write",
        "MdtestEasy.remove": "mdtest_easy_delete",
    }
    for figure, count in copies.items():
        expected = expectation(cluster, find(cluster, f"{figure} on clients/dfs"), {})
        assert expected.floor == pytest.approx(least(phases[figure], copies=count)), figure


def test_a_slow_layer_below_lowers_the_floor_and_not_the_bound() -> None:
    sound = of("IorEasy.read on clients/dfs")
    slow = of("IorEasy.read on clients/dfs", {"NvmeBandwidth.read_1m_together": 3000.0})
    assert slow.bound == sound.bound
    assert slow.floor == pytest.approx(least("ior_easy_read", 16 * 3000))
    assert "the SSDs as measured" in slow.derivation


def test_a_slow_network_lowers_the_floor_too() -> None:
    figure = of("IorEasy.write on clients/dfs", {"SelfTestClientServer.get_1m": 1000.0})
    assert figure.floor == pytest.approx(least("ior_easy_write", 4 * 1000))


def test_without_the_storage_no_floor_is_asked_for() -> None:
    made = document()
    for host in made["servers"]:
        made["hosts"][host]["datasheets"] = {}
    cluster = described(made)
    figure = expectation(cluster, find(cluster, "IorEasy.write on clients/dfs"), below(cluster))
    assert figure.floor is None


def test_few_processes_are_not_asked_for_what_many_would_do() -> None:
    cluster = described(document())
    samples = dict(below(cluster))
    quick = expectation(
        cluster, find(cluster, "IorEasy.read on clients/dfs"), Measured(samples, "quick")
    )
    # Eight transfers of 2 MiB in flight; alone each takes a round trip of 10 us, twice 70 us on
    # the network, 2 MiB at 6500 MiB/s and 80 us.
    seconds = (10 + 140 + 2 / 6500 * 1e6 + 80) / 1e6
    assert quick.floor == pytest.approx(least("ior_easy_read", 8 * 2 / seconds, processes=8))


def test_a_backend_through_the_kernel_is_asked_for_less() -> None:
    direct, mounted = (of(f"IorEasy.write on clients/{by}").floor for by in ("dfs", "dfuse"))
    assert direct is not None
    assert mounted is not None
    assert mounted == pytest.approx(direct * 0.4 / 0.72)


def test_metadata_is_asked_for_what_each_process_and_each_target_does_elsewhere() -> None:
    figure = of("MdtestEasy.create on clients/dfs")
    assert figure.floor == pytest.approx(least("mdtest_easy_write"))
    assert "128 processes × " in figure.derivation
    assert "64 targets × " in figure.derivation


@pytest.mark.parametrize(
    ("provider", "most"), [("ofi+verbs;ofi_rxm", 30.0), ("ofi+tcp", 300.0), ("ucx+dc_x", 30.0)]
)
def test_the_longest_round_trip_is_that_of_the_provider(provider: str, most: float) -> None:
    cluster = described(document(provider=provider))
    key = "SelfTestClientServer.latency_empty on s1/engine0"
    assert expectation(cluster, find(cluster, key), {}).ceiling == most


def test_what_runs_over_tcp_is_not_held_to_what_rdma_does() -> None:
    """Where DAOS used verbs, fi_pingpong's 40 us over TCP were `below` 30 us."""
    changed = document(provider="ofi+verbs;ofi_rxm")
    changed["benchmarks"]["fi_pingpong"] = "/usr/bin/fi_pingpong"
    cluster = described(changed)
    key = "FiPingpong.latency_64b on c1>c2"
    assert expectation(cluster, find(cluster, key), {}).ceiling == 300.0


def test_no_reference_asks_for_more_than_half_of_what_this_hardware_can_do() -> None:
    # 128 processes do 128,000 round trips of 1 ms; elsewhere they did more than half of that.
    figure = of("MdtestEasy.create on clients/dfs", {"SelfTestClientServer.latency_empty": 1000.0})
    assert figure.bound == pytest.approx(128_000)
    assert figure.floor == pytest.approx(64_000)


# What the site's contract requires.


def committed(**changes: str) -> dict[str, Any]:
    commitment = {"metric": "IorEasy.write", "figure": "40 GiB/s", "clause": "contract, 4.2"}
    return document(commitments=[commitment | changes])


def test_a_commitment_counts_before_any_other_floor() -> None:
    cluster = described(committed())
    figure = expectation(cluster, find(cluster, "IorEasy.write on clients/dfs"), below(cluster))
    assert figure.floor == pytest.approx(40 * 1024)
    assert figure.derivation.endswith("; required: 40 GiB/s (contract, 4.2)")


def test_a_commitment_of_one_subject_is_of_that_alone() -> None:
    cluster = described(committed(metric="IorEasy.write on clients/mpiio"))
    one, other = (
        expectation(cluster, find(cluster, f"IorEasy.write on clients/{by}"), below(cluster)).floor
        for by in ("mpiio", "dfs")
    )
    assert one == pytest.approx(40 * 1024)
    assert other != one


def test_a_commitment_of_a_time_is_the_longest() -> None:
    cluster = described(committed(metric="FioDfs.latency_4k", figure="0.2 ms"))
    figure = expectation(cluster, find(cluster, "FioDfs.latency_4k on c1"), below(cluster))
    assert figure.ceiling == pytest.approx(200)


def test_a_commitment_judges_what_nothing_else_does() -> None:
    made = committed(metric="IorEasy.write on clients/posix", figure="1 GiB/s")
    made["benchmarks"]["shared_directory"] = "/share"
    cluster = described(made)
    figure = expectation(cluster, find(cluster, "IorEasy.write on clients/posix"), {})
    assert (figure.ground, figure.floor) == ("contract", 1024)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metric": "IorEasy.wrote"}, "did you mean IorEasy.write?"),
        ({"figure": "40"}, "should be a figure above zero with a unit, such as 20 MiB/s"),
        ({"figure": "40 us"}, "such as 20 MiB/s"),
        ({"figure": "0 GiB/s"}, "above zero"),
    ],
)
def test_a_commitment_that_nobody_can_keep_is_refused(
    changes: dict[str, str], message: str
) -> None:
    _, problems = examine(committed(**changes))
    assert any(message in str(problem) for problem in problems)
