"""Which nodes take no jobs, by what sinfo prints."""

import pytest

from assay.tools.slurm.sinfo import command, limit_min, lost, states


def test_each_node_is_asked_for_with_state_and_reason() -> None:
    asked = command("servers")
    assert asked[0] == "sinfo"
    assert {"--Node", "--partition=servers", "--format=%N|%T|%E"} <= set(asked)


@pytest.mark.parametrize("state", ["down", "down*", "drained", "draining", "drained*", "failing"])
def test_a_node_that_takes_no_jobs_is_lost(state: str) -> None:
    output = f"s1|{state}|a DIMM | fails\ns2|idle|none\n"
    plain = state.rstrip("*")
    assert lost(output) == {"s1": f"s1 is {plain} in Slurm (a DIMM | fails)"}


@pytest.mark.parametrize("state", ["idle", "idle*", "mixed", "allocated*", "completing"])
def test_a_node_that_works_or_is_silent_for_a_moment_is_not(state: str) -> None:
    assert lost(f"s1|{state}|none\n") == {}


def test_each_node_has_a_state() -> None:
    printed = "s1|idle*|none\ns2|mixed|a | b\nsinfo: error: x\n"
    assert states(printed) == {"s1": "idle", "s2": "mixed"}


def test_a_reason_is_made_printable() -> None:
    assert "\x1b" not in lost("s1|down|\x1b[2Jgone\n")["s1"]


@pytest.mark.parametrize("message", ["", "\n", "sinfo: error\n", "s1\n"])
def test_what_is_not_an_answer_names_no_node(message: str) -> None:
    assert lost(message) == {}


@pytest.mark.parametrize(
    ("printed", "minutes"),
    [
        ("30:00\n", 30),
        ("4:00:00\n", 240),
        ("1-00:00:00\n", 1440),
        ("2-03:04:00\n", 3064),
        ("infinite\n", None),
        ("n/a\n", None),
        ("", None),
    ],
)
def test_how_long_a_job_may_run(printed: str, minutes: int | None) -> None:
    assert limit_min(printed) == minutes
