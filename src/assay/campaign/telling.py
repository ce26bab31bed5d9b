"""Tells how far a campaign is: its state in words, and how long it still takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from datetime import datetime

from assay.campaign.progress import Progress, Standing, State
from assay.checks.hours import spelled
from assay.checks.plan import CaseKey
from assay.subject import folded

_WORDS: Mapping[State, str] = {
    "measured": "measured",
    "beyond": "measured, beyond its limits",
    "failed": "failed",
    "runs": "running",
    "interrupted": "interrupted",
    "waits": "waiting",
}

SLOWEST, QUICKEST = 10.0, 1 / 3
"""Limits of the ratio between actual and expected time of the ended checks, by which the rest is
scaled (this project's own choice)."""

OVERDUE = 0.1
"""Share of its time so far that a check still takes which should have ended (this project's own
choice)."""

TRUST = 0.1
"""Share of a campaign's expected time by which the expectation itself counts in that ratio. Without
it the first check, of some seconds, would decide (this project's own choice)."""


def seconds_left(progress: Progress, expected: Mapping[CaseKey, float], now: float) -> float:
    """Remaining seconds of the campaign, from the expected times and its pace so far.

    Args:
        progress: the progress of the campaign.
        expected: check and partition to expected seconds.
        now: the current time, in seconds since the epoch.
    """
    left = since = overdue = 0.0
    ended = sum(expected.get(each.case, 0.0) for each in progress.ended_since)
    for check in progress.checks:
        takes = expected.get(check.case, 0.0)
        if check.state == "runs":
            since = 0.0 if check.since is None else max(0.0, now - check.since)
            if since > takes:
                # It ends soon, but not at once, and the rest is as slow as it is.
                overdue, ended, since = since * OVERDUE, ended + takes, 0.0
            else:
                left += max(takes - since, takes * OVERDUE)
        elif check.state in ("waits", "interrupted"):
            left += takes
    if progress.began is None or not ended or progress.ended:
        return left + overdue
    trusted = TRUST * sum(expected.values())
    pace = (now - progress.began - since + trusted) / (ended + trusted)
    return left * min(max(pace, QUICKEST), SLOWEST) + overdue


def lines(progress: Progress, now: float | None = None) -> list[str]:
    """The whole state in words.

    Args:
        progress: the progress of the campaign.
        now: the current time, in seconds since the epoch. Without it, the text changes only if
            something happens.
    """
    count = len(progress.checks)
    states = Counter(check.state for check in progress.checks)
    counts = ", ".join(
        f"{number} {words}" for state, words in _WORDS.items() if (number := states[state])
    )
    left_out = f"; {progress.left_out} left out" if progress.left_out else ""
    shown = [f"{progress.done} of {count} checks have ended: {counts}{left_out}"]
    return shown + [sentence(check, now) for check in progress.checks if check.state != "waits"]


def sentence(check: Standing, now: float | None = None) -> str:
    """The state of one check, in words."""
    what = f"{check.name} on {check.partition} {_WORDS[check.state]}"
    if check.state != "runs":
        said = check.reason or ", ".join(check.figures)
        return f"{what}: {said}" if said else what
    if check.since is not None:
        what += f" since {_clock(check.since)}"
        if now is not None:
            what += f" ({max(0, now - check.since):.0f} s)"
    steps = (f"{subject} {number}" for subject, number in check.steps.items())
    return f"{what}; steps finished: {', '.join(steps)}{_waiting(check)}"


def _waiting(check: Standing) -> str:
    awaited = ", ".join(dict.fromkeys(check.waiting.values()))
    return f"; waiting for {awaited}" if awaited else ""


def started(progress: Progress, left_s: float, now: float) -> list[str]:
    """The checks that started in the latest session, each with its number, and those that failed.

    What can change of a line is behind its semicolon. Of a check that takes long, another line says
    so after 2 minutes, and each time that this has doubled.

    Args:
        progress: the progress of the campaign.
        left_s: the remaining seconds of the campaign.
        now: the current time, in seconds since the epoch.
    """
    before = progress.done - len(progress.ended_since)
    lines = []
    for number, check in enumerate([*progress.ended_since, *progress.running], before + 1):
        hosts = folded(host for subject in check.steps for host in subject.hosts)
        left = f"; about {spelled(left_s)} left{_waiting(check)}" if check.state == "runs" else ""
        lines.append(f"{number} of {len(progress.checks)}: {check.name} on {hosts}{left}")
        if check.state in ("beyond", "failed"):
            why = f": {check.reason}" if check.reason else ""
            lines.append(f"{check.name} on {check.partition} {_WORDS[check.state]}{why}")
        minutes = 0 if check.since is None else int((now - check.since) // 60)
        if check.state == "runs" and minutes >= 2:
            doubled = 1 << (minutes.bit_length() - 1)
            lines.append(f"{check.name} has run for more than {doubled} min{left}")
    return lines


def _clock(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds).astimezone():%H:%M:%S}"
