"""A rank that is drained, a target that is excluded, a pool that is extended: how each is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.campaign.samples import samples_of
from assay.checks.benchmarks.drain import DRAIN
from assay.checks.benchmarks.extend import EXTEND
from assay.checks.benchmarks.loss_load import the_last_to_spare
from assay.checks.benchmarks.losses import FIGURES, LossCheck
from assay.checks.benchmarks.target_loss import TARGET_LOSS
from assay.checks.entry import Check, Expectation, run_of
from assay.checks.expect import Measured, expectation
from assay.checks.plan import CHECKS, requirements
from assay.checks.unmeasured import failures
from assay.subject import Subject
from assay.tools.daos.losses import LOSSES
from clusters import described
from lost import ENGINE, T, entry, run_left, state, system
from sites import site

DRAINED = "".join(
    (
        entry(time=T + 20, event="lost"),
        state(T + 22, 48, state="busy"),
        state(T + 40, 32, state="busy"),
        state(T + 50, 32, state="done"),
        entry(time=T + 99, event="reintegrated"),
        state(T + 101, 48, state="busy"),
        state(T + 120, 48, state="done"),
    )
)

EXCLUDED = "".join(
    (
        entry(time=T + 20, event="lost"),
        state(T + 21, 47, state="busy", degraded=True),
        state(T + 45, 47, state="busy"),
        entry(time=T + 99, event="reintegrated"),
        state(T + 101, 48, state="busy"),
        state(T + 120, 48, state="done"),
    )
)

EXTENDED = "".join(
    (
        state(T + 5, 32, of=32),
        entry(time=T + 99, event="extended"),
        state(T + 101, 48, state="busy"),
        state(T + 115, 48, state="done"),
    )
)


def read(check: Check, place: Path, line: str, stall: int = 1) -> dict[str, float]:
    run = run_of(system(), check, "clients", "quick", {"window_s": 10})
    samples, problems = samples_of(run, ENGINE, run_left(place, line, stall=stall))
    assert problems == []
    return {name: values[0] for name, values in samples.items()}


def why_not(check: Check, place: Path, line: str, stall: int = 1) -> list[str]:
    run = run_of(system(), check, "clients", "quick", {"window_s": 10})
    samples, problems = samples_of(run, ENGINE, run_left(place, line, stall=stall))
    assert samples == {}
    return problems


def test_a_drain_that_went_the_whole_way(tmp_path: Path) -> None:
    assert read(DRAIN, tmp_path, DRAINED) == {
        "drained": 30.0,
        "reintegration": 21.0,
        "longest_stall": 2.0,
        "bandwidth_before": 800.0,
        "bandwidth_draining": 480.0,
        "bandwidth_drained": 480.0,
        "bandwidth_after": 800.0,
        "clean_processes": 16.0,
        "verified": 256.0,
    }


def test_seconds_of_a_stall_count_in_the_bandwidth_while_data_moves(tmp_path: Path) -> None:
    samples = read(DRAIN, tmp_path, DRAINED, stall=15)
    # Of 28 whole seconds of the drain, 14 had no data.
    assert samples["bandwidth_draining"] == 240.0
    assert samples["longest_stall"] == 16.0


def test_clients_that_wait_for_the_whole_drain_have_no_figure(tmp_path: Path) -> None:
    problems = why_not(DRAIN, tmp_path, DRAINED, stall=30)
    assert problems[0].startswith("bandwidth_draining: the clients moved no data in the 28 s")


def test_an_excluded_target_that_came_back(tmp_path: Path) -> None:
    samples = read(TARGET_LOSS, tmp_path, EXCLUDED)
    assert samples["redundancy"] == 25.0
    assert samples["reintegration"] == 21.0
    assert samples["bandwidth_degraded"] == 480.0
    assert "exclusion" not in samples


def test_a_pool_that_was_extended(tmp_path: Path) -> None:
    assert read(EXTEND, tmp_path, EXTENDED) == {
        "extension": 16.0,
        "longest_stall": 2.0,
        # The whole first load, since nothing is lost in it.
        "bandwidth_before": 480.0,
        "bandwidth_extending": 480.0,
        "bandwidth_after": 800.0,
        "clean_processes": 16.0,
        "verified": 256.0,
    }


def test_an_extension_that_never_was_or_never_ended_has_no_figure(tmp_path: Path) -> None:
    (tmp_path / "never").mkdir()
    assert why_not(EXTEND, tmp_path / "never", EXTENDED.splitlines()[0] + "\n")[0] == (
        "dmg was not asked to extend the pool to the rank: the time line ends before, or is missing"
    )
    (tmp_path / "open").mkdir()
    line = EXTENDED[: EXTENDED.rindex("{")]
    assert why_not(EXTEND, tmp_path / "open", line)[0] == (
        "the data was not spread to the rank while it was observed"
    )


def test_a_pool_that_lacks_an_engine_is_in_two_servers_all_the_same() -> None:
    assert the_last_to_spare(system(), "clients") == (ENGINE,)
    document = site(servers=2, clients=1, engines=2)
    del document["hosts"]["s2"]["engines"][1]
    # Without the engine of s2, both others would be in s1.
    assert the_last_to_spare(described(document), "clients") == (Subject("s1", engine=1),)


@pytest.mark.parametrize(
    ("until", "problem"),
    [
        ("busy", "the rank was not drained while it was observed"),
        ('"done', "the rank was not drained while it was observed"),
        (': 48, "rebuild": {"state": "done', "the rank was not taken back while it was observed"),
    ],
)
def test_a_step_that_was_never_reached_has_no_figure(
    tmp_path: Path, until: str, problem: str
) -> None:
    line = DRAINED[: DRAINED.index(until)].rpartition("\n")[0] + "\n"
    assert why_not(DRAIN, tmp_path, line)[0] == problem


def test_all_such_checks_have_a_kind_and_read_each_of_their_metrics() -> None:
    losing = {check for check in CHECKS.values() if isinstance(check, LossCheck)}
    for check in losing:
        assert {metric.name for metric in check.metrics} <= FIGURES.keys()
    assert {check for check in CHECKS.values() if check.phase == "failure"} == losing
    assert {check.loss.name for check in losing} == LOSSES.keys()


def test_the_plan_says_that_other_pools_are_not_touched() -> None:
    _, _, drain, target, extend, _ = failures(system())
    assert drain.startswith("Drain drains s3/engine0 under load in a pool of its own")
    assert target.startswith("TargetLoss excludes target 0 of s3/engine0 under load from a pool")
    assert extend.startswith("Extend makes a pool of its own (assay-failure) without s3/engine0, ")
    for sentence in (drain, target, extend):
        assert sentence.endswith("no other pool and no engine is touched")


# Limits.


def expected(check: str, name: str, timeout_s: int = 0, **measured: float) -> Expectation:
    engine = "s3: engines/0/env_vars"
    cluster = system({engine: [f"CRT_TIMEOUT={timeout_s}"]} if timeout_s else None)
    plan = [each for each in requirements(cluster) if each.check == check]
    found = {each: [measured[each.name]] for each in plan if each.name in measured}
    (metric,) = (each for each in plan if each.name == name)
    return expectation(cluster, metric, Measured(found, "quick"))


@pytest.mark.parametrize("check", ["Drain", "TargetLoss"])
@pytest.mark.parametrize(("timeout_s", "limit_s"), [(0, 60), (10, 10)])
def test_no_rpc_may_time_out_where_every_engine_answers(
    check: str, timeout_s: int, limit_s: float
) -> None:
    limit = expected(check, "longest_stall", timeout_s)
    assert limit.ceiling == limit_s
    assert "src/cart/crt_rpc.h" in limit.derivation


def test_a_planned_step_must_leave_more_than_a_loss() -> None:
    drained = expected("Drain", "bandwidth_drained", bandwidth_before=900).floor
    degraded = expected("RankLoss", "bandwidth_degraded", bandwidth_before=900).floor
    assert drained == pytest.approx(900 * 0.8 * 2 / 3)
    assert drained > (degraded or 0)
    # One of the 48 targets of three engines.
    of_target = expected("TargetLoss", "bandwidth_degraded", bandwidth_before=960).floor
    assert of_target == pytest.approx(960 * 0.5 * 47 / 48)
    assert expected("Drain", "bandwidth_after", bandwidth_before=900).floor == 720


def test_times_and_the_dip_of_a_drain_have_no_published_yardstick() -> None:
    for name in ("drained", "reintegration", "bandwidth_draining"):
        assert expected("Drain", name, bandwidth_before=900).ground == "nothing"


def test_every_byte_and_every_process_of_a_drain_is_counted() -> None:
    assert expected("Drain", "verified").floor == 256
    assert expected("Drain", "clean_processes").floor == 16
