"""A rank that is lost: when that is allowed, how a run is read, and what limits it.

Time lines and figures are made up, but for the moments of `recorded/failure`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.campaign.samples import samples_of
from assay.checks.benchmarks.loss_load import pool_mib, pools_at_risk, unable
from assay.checks.benchmarks.rank_loss import RANK_LOSS
from assay.checks.entry import Expectation, Run, run_of
from assay.checks.expect import Measured, expectation
from assay.checks.plan import features, requirements
from assay.checks.raw import RawOutputs
from assay.checks.unmeasured import failures
from assay.cluster.description import Cluster
from clusters import described
from lost import ENGINE, WHOLE_WAY, T, entry, run_left, system
from sites import site


def required(cluster: Cluster) -> set[str]:
    return {str(each.subject) for each in requirements(cluster) if each.check == "RankLoss"}


# The plan.


def test_one_engine_is_lost_where_the_site_agreed() -> None:
    assert required(system()) == {"s3/engine0"}
    assert "failure" in features(system(), "clients")


@pytest.mark.parametrize(
    ("changes", "servers", "why"),
    [
        ({"daos/failure": False}, 3, ""),
        ({"benchmarks/fio_dfs": None}, 3, "cluster_fio_dfs is not set"),
        ({"daos/version": "2.6"}, 3, "it needs DAOS 2.8"),
        ({}, 2, "it has 2 engines, and 3 are needed"),
        (
            {"s2: engines/0/targets": 1, "s2: engines/0/nr_xs_helpers": 0},
            3,
            "an engine has fewer than 2 targets",
        ),
    ],
)
def test_otherwise_none_is_and_the_plan_says_why(
    changes: dict[str, Any], servers: int, why: str
) -> None:
    cluster = system(changes, servers)
    assert required(cluster) == set()
    sentences = failures(cluster)
    assert [why in sentence for sentence in sentences] == ([True] if why else [])


def test_the_plan_says_what_would_be_done() -> None:
    sentence, *others = failures(system())
    assert len(others) == 5
    assert sentence.startswith("RankLoss kills s3/engine0 under load, waits until daos_server has")
    assert others[0].startswith("ServiceLoss does the same to the engine that leads the service of")


def test_engines_of_one_server_are_one_fault_domain() -> None:
    cluster = described(site(servers=1, engines=2))
    host = cluster.hosts["s1"]
    three = host.model_copy(update={"engines": (*host.engines, host.engines[0])})
    one_server = cluster.model_copy(update={"hosts": {**cluster.hosts, "s1": three}})
    assert "one fault domain" in unable(one_server)


# A run.


def a_run(cluster: Cluster | None = None) -> Run:
    return run_of(cluster or system(), RANK_LOSS, "clients", "quick", {"window_s": 10})


def read(raw: RawOutputs) -> tuple[dict[str, list[float]], list[str]]:
    return samples_of(a_run(), ENGINE, raw)


def test_a_run_that_went_the_whole_way(tmp_path: Path) -> None:
    samples, problems = read(run_left(tmp_path))
    assert problems == []
    assert samples == {
        "exclusion": [24.0],
        "redundancy": [40.0],
        "reintegration": [21.0],
        "longest_stall": [25.0],
        "bandwidth_before": [800.0],
        "bandwidth_degraded": [480.0],
        "bandwidth_after": [800.0],
        "clean_processes": [16.0],
        "verified": [256.0],
    }


def test_errors_and_blocks_that_differ_are_missing_from_what_is_counted(tmp_path: Path) -> None:
    samples, problems = read(run_left(tmp_path, errors=7, differing=3))
    assert problems == []
    # One process of each client saw errors; three blocks of 1 MiB of each differ.
    assert samples["clean_processes"] == [14.0]
    assert samples["verified"] == [250.0]


def until(words: str) -> str:
    return WHOLE_WAY[: WHOLE_WAY.index(words)].rpartition("\n")[0] + "\n"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", "dmg was not asked to stop the rank: the time line ends before, or is missing"),
        (until(": 32"), "the rank was not excluded while it was observed"),
        (until("busy"), "the data did not become redundant again while it was observed"),
        (until("joined"), "the engine did not start again while it was observed"),
        (until(': 48, "rebuild": {"state": "done'), "the rank was not taken back while it was"),
        (until("busy") + entry(time=T + 70, event="failed", why="it broke"), "it broke"),
    ],
)
def test_a_window_that_was_never_reached_has_no_figure(
    tmp_path: Path, line: str, problem: str
) -> None:
    samples, problems = read(run_left(tmp_path, line))
    assert samples == {}
    assert problems[0].startswith(problem)


def test_clients_that_never_move_data_again_have_no_figure(tmp_path: Path) -> None:
    samples, problems = read(run_left(tmp_path, stall=55))
    assert samples == {}
    assert problems[0].startswith("bandwidth_degraded: the clients moved data in 0 s of a window")


def test_the_bandwidth_without_the_part_begins_when_data_moves_again(tmp_path: Path) -> None:
    """Redundancy came first: with the seconds before it, the median would be less, or nothing."""
    samples, problems = read(run_left(tmp_path, stall=48))
    assert problems == []
    assert samples["bandwidth_degraded"] == [480.0]
    assert samples["longest_stall"] == [49.0]


def test_a_client_without_a_report_has_no_figure(tmp_path: Path) -> None:
    raw = run_left(tmp_path)
    (tmp_path / "raw/s3/engine0/verify.1.c2.json").write_text("fio: pid=9, got signal=6")
    samples, problems = read(raw)
    assert samples == {}
    assert problems[0].startswith("verify.1 on c2: no JSON report from fio")


# Limits.


def expected(name: str, cluster: Cluster, **measured: float) -> Expectation:
    plan = [each for each in requirements(cluster) if each.check == "RankLoss"]
    found = {each: [measured[each.name]] for each in plan if each.name in measured}
    (metric,) = (each for each in plan if each.name == name)
    return expectation(cluster, metric, Measured(found, "quick"))


def with_settings(**settings: Any) -> Cluster:
    return system({f"s3: engines/0/{key}": value for key, value in settings.items()})


@pytest.mark.parametrize(
    ("settings", "exclusion_s", "stall_s"),
    [
        ({}, 30, 140),
        ({"env_vars": ["SWIM_SUSPECT_TIMEOUT=5000"]}, 15, 125),
        ({"env_vars": ["SWIM_PROTOCOL_PERIOD_LEN=500"]}, 25, 140),
        ({"env_vars": ["CRT_TIMEOUT=10"]}, 30, 40),
    ],
)
def test_the_limits_of_times_follow_from_the_timeouts_in_force(
    settings: dict[str, Any], exclusion_s: float, stall_s: float
) -> None:
    cluster = with_settings(**settings)
    assert expected("exclusion", cluster).ceiling == exclusion_s
    assert expected("longest_stall", cluster).ceiling == stall_s
    # What was seen with DAOS 2.8 and its defaults, 23.5 and 131 s, is within them.
    if not settings:
        assert exclusion_s > 23.5
        assert stall_s > 131


def test_clients_wait_for_rpcs_as_the_servers_say() -> None:
    settings = {f"s{n}: server/settings": {"crt_timeout": 30} for n in (1, 2, 3)}
    assert expected("longest_stall", system(settings)).ceiling == 80


def test_the_floors_of_bandwidths_are_parts_of_the_one_before() -> None:
    cluster = system()
    assert expected("bandwidth_degraded", cluster, bandwidth_before=900).floor == 300
    assert expected("bandwidth_after", cluster, bandwidth_before=900).floor == 720
    assert expected("bandwidth_after", cluster).ground == "nothing"


def test_every_byte_and_every_process_is_counted() -> None:
    assert expected("verified", system()).floor == 256
    assert expected("clean_processes", system()).floor == 16


def test_the_pool_has_room_for_copies_on_one_rank_fewer() -> None:
    run = a_run()
    assert pool_mib(run) == 12 * 256
    large = run_of(run.cluster, RANK_LOSS, "clients", "acceptance")
    assert pool_mib(large) == 12 * 2 * 8 * 2 * 1024


@pytest.mark.parametrize(
    ("labels", "harmed"),
    [
        (["tank"], None),
        (["tank", "home"], "pools of others (home)"),
        (["tank", "assay-failure"], "a pool assay-failure, which RankLoss would destroy"),
    ],
)
def test_a_system_with_pools_that_would_suffer_is_refused(
    labels: list[str], harmed: str | None
) -> None:
    """A pool of the check's label is destroyed at the end, also if the inventory has it."""
    found = pools_at_risk(labels, {"tank", "assay-failure"}, "RankLoss")
    assert len(found) == (harmed is not None)
    assert all(str(harmed) in each for each in found)
