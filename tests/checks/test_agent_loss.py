"""The agent of a client that is killed: how it is read, what limits it, and what the plan says.

Time lines and figures are made up.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.campaign.samples import samples_of
from assay.checks.benchmarks.agent_loss import AGENT_LOSS
from assay.checks.entry import Expectation, run_of
from assay.checks.expect import Measured, expectation
from assay.checks.plan import requirements
from assay.checks.unmeasured import failures
from assay.subject import Subject
from lost import T, entry, run_left, system

CLIENT = Subject("c2")

ENDED = entry(time=T + 19.5, connects=True) + entry(time=T + 20, event="lost")
REFUSED = entry(time=T + 20.4, connects=False) + entry(time=T + 29, connects=False)
AGAIN = entry(time=T + 33.5, connects=True)


def read(
    place: Path, line: str, stall: int = 1, errors: int = 0
) -> tuple[dict[str, list[float]], list[str]]:
    run = run_of(system(), AGENT_LOSS, "clients", "quick", {"window_s": 10})
    left = run_left(place, line, stall=stall, errors=errors, subject=CLIENT)
    return samples_of(run, CLIENT, left)


def test_new_processes_connect_again_and_running_ones_notice_nothing(tmp_path: Path) -> None:
    samples, problems = read(tmp_path, ENDED + REFUSED + AGAIN)
    assert problems == []
    assert samples == {
        # What connected before the agent ended does not count.
        "reconnection": [13.5],
        "longest_stall": [2.0],
        "bandwidth_before": [800.0],
        "bandwidth_without_agent": [480.0],
        "bandwidth_reconnected": [480.0],
        "clean_processes": [16.0],
        "verified": [256.0],
    }


def test_processes_that_lost_their_handles_are_not_clean(tmp_path: Path) -> None:
    samples, problems = read(tmp_path, ENDED + REFUSED + AGAIN, errors=3)
    assert problems == []
    assert samples["clean_processes"] == [14.0]


def test_clients_that_moved_nothing_without_the_agent_have_no_figure(tmp_path: Path) -> None:
    samples, problems = read(tmp_path, ENDED + REFUSED + AGAIN, stall=20)
    assert samples == {}
    assert problems[0].startswith("bandwidth_without_agent: the clients moved no data in the 12 s")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            "",
            "the job was not asked to end the agent of the client: the time line ends before, or"
            " is missing",
        ),
        (ENDED + REFUSED, "no new process of the client connected while it was observed"),
        (
            ENDED + REFUSED + entry(time=T + 320, event="failed", why="systemd gave it up"),
            "systemd gave it up",
        ),
    ],
)
def test_an_agent_that_did_not_end_or_return_has_no_figure(
    tmp_path: Path, line: str, problem: str
) -> None:
    samples, problems = read(tmp_path, line)
    assert samples == {}
    assert problems[0] == problem


# The plan, and limits.


def test_one_client_loses_its_agent_where_the_site_agreed() -> None:
    plan = [each for each in requirements(system()) if each.check == "AgentLoss"]
    assert {each.subject for each in plan} == {CLIENT}
    disagreed = requirements(system({"daos/failure": False}))
    assert "AgentLoss" not in {each.check for each in disagreed}


def test_the_plan_says_what_it_does_to_the_client_and_when_it_does_nothing() -> None:
    sentence = failures(system())[-1]
    assert sentence.startswith("AgentLoss kills daos_agent of c2 under load in a pool of its own ")
    assert "where systemd would not, it kills nothing, and has no figure" in sentence


def expected(name: str, **measured: float) -> Expectation:
    cluster = system()
    plan = [each for each in requirements(cluster) if each.check == "AgentLoss"]
    found = {each: [measured[each.name]] for each in plan if each.name in measured}
    (metric,) = (each for each in plan if each.name == name)
    return expectation(cluster, metric, Measured(found, "quick"))


def test_the_return_is_limited_by_what_systemd_waits() -> None:
    limit = expected("reconnection")
    assert limit.ceiling == 30
    assert "utils/systemd/daos_agent.service" in limit.derivation


def test_running_processes_must_go_on_as_before() -> None:
    assert expected("longest_stall").ceiling == 60
    for name in ("bandwidth_without_agent", "bandwidth_reconnected"):
        assert expected(name, bandwidth_before=900).floor == 720
    assert expected("clean_processes").floor == 16
    assert expected("verified").floor == 256
