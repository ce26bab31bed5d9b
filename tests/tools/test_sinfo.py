"""Which nodes take no jobs, by what sinfo prints."""

import pytest

from assay.tools.slurm.sinfo import Nodes, is_exclusive, is_shared_by_force, limit_min

NODES = Nodes("servers", mark="m")


def test_each_node_is_asked_for_with_state_and_reason() -> None:
    asked = NODES.command
    assert asked[0] == "sinfo"
    assert {"--Node", "--partition=servers", "--format=m|%N|%T|%E"} <= set(asked)


@pytest.mark.parametrize("state", ["down", "down*", "drained", "draining", "drained*", "failing"])
def test_a_node_that_takes_no_jobs_is_lost(state: str) -> None:
    output = f"m|s1|{state}|a DIMM | fails\nm|s2|idle|none\n"
    plain = state.rstrip("*")
    assert NODES.lost(output) == {"s1": f"s1 is {plain} in Slurm (a DIMM | fails)"}


@pytest.mark.parametrize("state", ["idle", "idle*", "mixed", "allocated*", "completing"])
def test_a_node_that_works_or_is_silent_for_a_moment_is_not(state: str) -> None:
    assert NODES.lost(f"m|s1|{state}|none\n") == {}


def test_each_node_has_a_state() -> None:
    printed = "m|s1|idle*|none\nm|s2|mixed|a | b\nsinfo: error: x\n"
    assert NODES.states(printed) == {"s1": "idle", "s2": "mixed"}


@pytest.mark.parametrize("end", ["\n", "\r", "\u2028", "\x0b", "\x85"])
def test_a_reason_cannot_speak_of_another_node(end: str) -> None:
    """One with a line feed made another node a lost one."""
    forged = f"m|s1|down|x{end}s2|down|y{end}|s2|down|y\nm|s2|idle|none\n"
    assert list(NODES.lost(forged)) == ["s1"]
    assert NODES.states(forged) == {"s1": "down", "s2": "idle"}


def test_nobody_knows_the_mark_before() -> None:
    assert Nodes("servers").mark != Nodes("servers").mark
    assert len(Nodes("servers").mark) == 16


def test_a_reason_is_made_printable() -> None:
    assert "\x1b" not in NODES.lost("m|s1|down|\x1b[2Jgone\n")["s1"]


@pytest.mark.parametrize("message", ["", "\n", "sinfo: error\n", "s1\n", "m|s1\n", "m|s1|down\n"])
def test_what_is_not_an_answer_names_no_node(message: str) -> None:
    assert NODES.lost(message) == {}


@pytest.mark.parametrize(
    ("printed", "minutes"),
    [
        ("30:00\n", 30),
        ("4:00:00\n", 240),
        ("1-00:00:00\n", 1440),
        ("2-03:04:00\n", 3064),
        ("CLUSTER: cm4\n2-00:00:00\n", 2880),
        ("infinite\n", None),
        ("n/a\n", None),
        ("", None),
    ],
)
def test_how_long_a_job_may_run(printed: str, minutes: int | None) -> None:
    assert limit_min(printed) == minutes


@pytest.mark.parametrize("mark", "*~#%!@^")
def test_a_node_that_is_off_is_idle_in_name_alone(mark: str) -> None:
    printed = f"m|s1|idle{mark}|none\nm|s2|idle|none\nm|s3|mixed-|none\nm|s4|idle$|none\n"
    assert list(NODES.off(printed)) == ["s1"]
    assert NODES.off(printed)["s1"].startswith("s1 is idle, but ")


@pytest.mark.parametrize(
    ("printed", "by_force", "alone"),
    [
        *(("NO\n", False, False), ("YES:4\n", False, False), ("EXCLUSIVE\n", False, True)),
        *(("FORCE:4\n", True, False), ("FORCE:1\n", False, False), ("", False, False)),
        ("CLUSTER: cm4\nEXCLUSIVE\n", False, True),
    ],
)
def test_whether_jobs_share_nodes(printed: str, by_force: bool, alone: bool) -> None:
    assert (is_shared_by_force(printed), is_exclusive(printed)) == (by_force, alone)
