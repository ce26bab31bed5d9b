"""The leader of a pool's service that is lost: how it is read, and what limits it.

Time lines and figures are made up; the states of pools are recorded.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.campaign.samples import samples_of
from assay.checks.benchmarks.rank_loss import RANK_LOSS
from assay.checks.benchmarks.service_loss import SERVICE_LOSS
from assay.checks.entry import Expectation, run_of
from assay.checks.expect import Measured, expectation
from assay.checks.plan import requirements
from assay.subject import Subject
from assay.tools.daos.recovery import service
from lost import WHOLE_WAY, T, entry, run_left, system

RECORDED = Path(__file__).parents[1] / "recorded"

SERVERS = Subject("servers")


def leader(time: float, rank: int) -> str:
    return entry(time=time, service={"svc_ldr": rank, "svc_reps": [0, 1, 2]})


BEFORE = leader(T + 19, 2)


def read(place: Path, line: str) -> tuple[dict[str, list[float]], list[str]]:
    run = run_of(system(), SERVICE_LOSS, "clients", "quick", {"window_s": 10})
    return samples_of(run, SERVERS, run_left(place, line, subject=SERVERS))


def test_the_service_answers_when_another_rank_leads(tmp_path: Path) -> None:
    # An answer to what was asked before the loss still has the lost leader.
    line = BEFORE + WHOLE_WAY + leader(T + 20.5, 2) + leader(T + 29, 0) + leader(T + 35, 1)
    samples, problems = read(tmp_path, line)
    assert problems == []
    assert samples == {
        "service": [9.0],
        "longest_stall": [25.0],
        "bandwidth_before": [800.0],
        "bandwidth_degraded": [480.0],
        "bandwidth_after": [800.0],
        "clean_processes": [16.0],
        "verified": [256.0],
    }


@pytest.mark.parametrize(
    "leaders",
    [
        BEFORE,
        BEFORE + leader(T + 30, 2),
        # Whether it is another one is unknown.
        leader(T + 29, 0),
    ],
)
def test_where_no_other_rank_led_there_is_no_figure(tmp_path: Path, leaders: str) -> None:
    samples, problems = read(tmp_path, leaders + WHOLE_WAY)
    assert samples == {}
    assert problems[0] == "no other rank led the service of the pool while it was observed"


@pytest.mark.parametrize(
    ("recorded", "leads", "unable"),
    [
        ("failure/pool_query_idle.txt", 2, ""),
        ("dmg/pool_create_rank.txt", 0, "the service of the pool has 1 of the 3 replicas that it"),
    ],
)
def test_a_service_with_too_few_replicas_would_not_survive(
    recorded: str, leads: int, unable: str
) -> None:
    found = service((RECORDED / recorded).read_text())
    assert found
    assert found.svc_ldr == leads
    assert found.unable.startswith(unable)
    assert bool(found.unable) == bool(unable)


def test_without_an_answer_nothing_is_known_of_a_service() -> None:
    assert service("") is None
    assert service('{"response": null, "error": "no leader", "status": -1}') is None


# Limits.


def expected(name: str, changes: dict[str, Any]) -> Expectation:
    cluster = system(changes)
    plan = [each for each in requirements(cluster) if each.check == "ServiceLoss"]
    assert {each.subject for each in plan} == {SERVERS}
    (metric,) = (each for each in plan if each.name == name)
    return expectation(cluster, metric, Measured({}, "quick"))


@pytest.mark.parametrize(
    ("settings", "service_s", "stall_s"),
    [
        ({}, 24, 140),
        ({"env_vars": ["RDB_ELECTION_TIMEOUT=9000"]}, 28, 140),
        # Another engine, with the defaults, may be the leader.
        ({"env_vars": ["RDB_ELECTION_TIMEOUT=2000"]}, 24, 140),
        ({"env_vars": ["CRT_TIMEOUT=90", "SWIM_SUSPECT_TIMEOUT=30000"]}, 24, 210),
    ],
)
def test_the_engine_with_the_longest_timeouts_may_be_the_one(
    settings: dict[str, Any], service_s: float, stall_s: float
) -> None:
    changes = {f"s2: engines/0/{key}": value for key, value in settings.items()}
    limit = expected("service", changes)
    assert limit.ceiling == service_s
    assert "src/rdb/rdb_raft.c" in limit.derivation
    assert expected("longest_stall", changes).ceiling == stall_s


def test_all_but_the_service_is_judged_as_where_a_known_rank_is_lost() -> None:
    shared = {*SERVICE_LOSS.metrics} & {*RANK_LOSS.metrics}
    assert {*SERVICE_LOSS.metrics} - shared == {SERVICE_LOSS.metric("service")}
