"""The time line of a part that is lost, by recordings of DAOS 2.8, and by made-up ones."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from assay.tools.daos.losses import AGENT, DRAIN, KILL
from assay.tools.daos.recovery import pool_state, rank_state
from assay.tools.daos.timeline import REST_S, SETTLED_S, Event, Observed, parse, timeline
from recordings import recorded

SEEN = re.compile(
    r" *([+-]\d+\.\d) (?:\[.*2:(\w+)\] )?(?:noanswer|\w+ v\d+ act(\d) .*? (\{.*\})).*"
)


def recording(name: str, zero: float = 1000.0) -> list[Observed]:
    """What dmg answered, as lose_rank.py would have noted it."""
    entries = []
    for line in recorded("failure", name).splitlines():
        if found := SEEN.fullmatch(line):
            time, rank, active, rebuild = found.groups()
            pool = rebuild and {
                "total_targets": 3,
                "active_targets": int(active),
                "rebuild": json.loads(rebuild),
            }
            seen = {"time": zero + float(time), "rank": rank or "", "pool": pool}
            entries.append(Observed.model_validate(seen))
    assert len(entries) > 20
    return entries


ASKED = re.compile(r" *(\d+\.\d+) pool query: \w+ v\d+ act (\d) dis .*? (\{.*\})")


def drained() -> tuple[list[Observed], float, float]:
    """The answers about a pool that was drained, and when that and its return were asked for."""
    text = recorded("failure", "drain_over_time.txt")
    entries = [
        Observed.model_validate(
            {
                "time": float(found[1]),
                "pool": {
                    "total_targets": 3,
                    "active_targets": int(found[2]),
                    "rebuild": json.loads(found[3]),
                },
            }
        )
        for found in map(ASKED.fullmatch, text.splitlines())
        if found
    ]
    drain, back = (
        float(re.findall(rf"^\$ dmg pool {word} .*# (\d+\.\d+)$", text, re.MULTILINE)[0])
        for word in ("drain", "reintegrate")
    )
    assert len(entries) == 17
    return entries, drain, back


def event(time: float, event: Event, why: str = "") -> Observed:
    return Observed(time=time, event=event, why=why)


def pool(time: float, active: int = 6, **rebuild: Any) -> Observed:
    """Made up: the pool of a system of three engines with two targets each."""
    state = {"total_targets": 6, "active_targets": active, "rebuild": rebuild}
    return Observed.model_validate({"time": time, "pool": state})


def test_the_moments_of_a_recorded_loss() -> None:
    line = timeline([event(1000.0, "lost"), *recording("pool_query_over_time.txt")])
    assert line.lost == 1000.0
    # The first answer after the loss came after 65.1 s; all data had two copies at 91.9 s.
    assert line.excluded == pytest.approx(1065.1)
    assert line.redundant == pytest.approx(1091.9)
    assert line.started is None
    assert line.whole is None
    assert list(KILL.moments(line)) == ["rank lost", "excluded", "redundant again"]


def test_a_recorded_return_ends_when_data_no_longer_moves() -> None:
    asked = [event(1000.0, "started"), event(1018.2, "reintegrated")]
    line = timeline([*asked, *recording("reintegrate_over_time.txt")])
    assert line.joined == pytest.approx(1015.9)
    # `Ready` and all targets active at 20.2 s, while data moves until 66.5 s.
    assert line.whole == pytest.approx(1066.5)


def test_a_recorded_drain_ends_when_the_targets_are_out_and_no_data_moves() -> None:
    entries, drain, back = drained()
    line = timeline([event(drain, "lost"), event(back, "reintegrated"), *entries])
    after = {words: round(time - drain, 1) for words, time in DRAIN.moments(line).items()}
    # All targets count as active for 25.8 s, while the data moves; reclaim ends after 45.7 s.
    assert after == {"drain": 0.0, "drained": 45.7, "reintegration": 46.6, "whole again": 91.5}
    assert line.excluded
    assert round(line.excluded - drain, 1) == 25.8
    assert line.whole
    # The same redundancy all the time.
    assert not any(each.pool and each.pool.rebuild.degraded for each in entries)


def test_a_drain_that_is_queued_again_had_not_ended() -> None:
    entries = [
        event(0.0, "lost"),
        pool(10.0, 4, state="done"),
        pool(11.0, 4, state="busy"),
        pool(20.0, 4, state="done"),
        pool(21.0, 4, state="done"),
    ]
    # It takes a while to tell a rest from the pause before the reclaim.
    for number in range(2, 1 + len(entries)):
        assert timeline(entries[:number]).at_rest is None
    assert timeline([*entries, pool(20.0 + REST_S, 4, state="done")]).at_rest == 20.0
    assert timeline([*entries, event(30.0, "reintegrated"), pool(31.0, 6)]).at_rest == 20.0


def test_a_pool_whose_data_still_moves_or_moves_back_is_not_drained() -> None:
    moving = [event(0.0, "lost"), pool(1.0, 6, state="busy"), pool(9.0, 4, state="busy")]
    assert timeline(moving).at_rest is None
    back = [event(10.0, "reintegrated"), pool(11.0, 4, state="done")]
    assert timeline([*moving, *back]).at_rest is None


def test_without_a_loss_nothing_was_excluded() -> None:
    line = timeline(recording("pool_query_over_time.txt"))
    assert (line.lost, line.excluded, line.redundant) == (None, None, None)


def test_a_pool_that_does_not_rebuild_never_becomes_redundant() -> None:
    away = [pool(30.0 + second, 4, state="idle", degraded=True) for second in range(600)]
    line = timeline([event(0.0, "lost"), pool(1.0), *away])
    assert line.excluded == 30.0
    assert line.redundant is None


def test_redundancy_that_comes_with_the_rank_itself_does_not_count() -> None:
    entries = [
        event(0.0, "lost"),
        pool(30.0, 4, state="idle", degraded=True),
        event(60.0, "started"),
        pool(70.0, 4, state="idle"),
    ]
    assert timeline(entries).redundant is None


@pytest.mark.parametrize(("after_s", "whole"), [(SETTLED_S - 1, False), (SETTLED_S, True)])
def test_a_pool_that_nobody_saw_busy_is_whole_only_after_a_while(
    after_s: float, *, whole: bool
) -> None:
    line = timeline([event(100.0, "reintegrated"), pool(100 + after_s, state="done")])
    assert (line.whole is not None) == whole


def test_what_failed_is_said_in_its_words() -> None:
    lines = [event(1.0, "lost"), event(2.0, "failed", "ReFrame ended")]
    assert parse("".join(each.line() for each in lines)).problems == ("ReFrame ended",)


def test_a_line_that_is_cut_off_ends_the_time_line() -> None:
    text = event(1.0, "lost").line() + pool(2.0, 4).line()
    assert parse(text).excluded == 2.0
    assert parse(text[:-20]).excluded is None
    assert parse(text[:-20]).lost == 1.0
    assert parse("") == parse("no such file")


def test_the_state_of_a_recorded_pool() -> None:
    text = recorded("failure", "pool_query_idle.txt")
    state = pool_state(text)
    assert state
    assert state.is_whole
    assert (state.total_targets, state.active_targets) == (3, 3)
    assert pool_state("no answer in time") is None
    assert pool_state('{\n"response": null, "error": "DER_TIMEDOUT", "status": -1011\n}') is None


def test_the_state_of_a_rank() -> None:
    answer = recorded("dmg", "system_query_rank_excluded.txt")
    assert (rank_state(answer, 0), rank_state(answer, 1)) == ("joined", "adminexcluded")
    assert rank_state(answer, 7) == rank_state("no answer", 0) == ""


def test_a_time_line_that_a_real_run_left() -> None:
    line = parse(recorded("failure", "timeline_killed.json"))
    assert line.lost
    after = {words: round(time - line.lost, 1) for words, time in KILL.moments(line).items()}
    assert after == {
        "rank lost": 0.0,
        "excluded": 24.3,
        "redundant again": 90.9,
        "engine started": 129.8,
        "reintegration": 140.6,
    }
    assert line.problems == ("ReFrame ended before the rank was back",)


def test_a_time_line_of_a_real_run_that_went_the_whole_way() -> None:
    line = parse(recorded("failure", "timeline_whole.json"))
    assert line.lost
    assert line.problems == ()
    after = {words: round(time - line.lost, 1) for words, time in KILL.moments(line).items()}
    assert after == {
        "rank lost": 0.0,
        "excluded": 23.7,
        "redundant again": 93.0,
        "engine started": 134.9,
        "reintegration": 148.7,
        "whole again": 193.8,
    }


def test_a_pool_of_a_real_run_that_was_extended_is_whole_once_data_was_spread() -> None:
    """For 8 s after the command it was at rest, and had all of its old targets."""
    line = parse(recorded("failure", "timeline_extended.json"))
    assert line.lost is None
    assert line.extended
    assert line.whole
    assert round(line.whole - line.extended, 1) == 53.4


def test_another_rank_led_the_service_of_a_real_pool_before_the_lost_one_was_excluded() -> None:
    line = parse(recorded("failure", "timeline_leader.json"))
    assert line.lost
    assert line.served
    assert line.excluded
    assert line.redundant
    assert round(line.served - line.lost, 1) == 11.2
    assert round(line.excluded - line.lost, 1) == 24.3
    assert round(line.redundant - line.lost, 1) == 93.2
    assert line.whole


def test_a_pool_that_is_extended_late_is_not_whole_with_its_old_targets() -> None:
    def pool(total: int, state: str = "idle") -> dict[str, Any]:
        return {"total_targets": total, "active_targets": total, "rebuild": {"state": state}}

    seen = [
        {"time": 0, "pool": pool(6)},  # the last pool of this name
        {"time": 1, "pool": pool(4)},
        {"time": 2, "event": "extended"},
        {"time": 3 + SETTLED_S, "pool": pool(4)},
        {"time": 60, "pool": pool(6, "busy")},
        {"time": 90, "pool": pool(6, "done")},
    ]
    entries = [Observed.model_validate(each) for each in seen]
    assert timeline(entries[:3]).whole is None
    assert timeline(entries).whole == 90


def test_a_time_line_of_a_real_agent_that_was_killed() -> None:
    line = parse(recorded("failure", "timeline_agent.json"))
    assert line.lost
    assert line.problems == ()
    after = {words: round(time - line.lost, 1) for words, time in AGENT.moments(line).items()}
    # What stood in for systemd waits 10 s, too.
    assert after == {"agent ended": 0.0, "connected again": 20.5}
    assert line.excluded is None


@pytest.mark.parametrize("before", [True, False])
def test_only_what_connects_after_the_agent_ended_counts(before: bool) -> None:
    entries = [
        Observed(time=9, connects=before),
        Observed(time=10, event="lost"),
        Observed(time=11, connects=False),
    ]
    assert timeline(entries).connected is None
    assert timeline([*entries, Observed(time=12, connects=True)]).connected == 12
