"""fio's log of bandwidth, one line for each second in which a process moved data.

With `log_avg_msec=1000` a line has the milliseconds since the epoch (`log_unix_epoch=1`), KiB/s,
the direction (0: read, 1: write), and more. A second in which nothing completed has no line (seen
with fio 3.42 and its dfs engine), so a gap is a stall.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise

_LINE = re.compile(r"(\d{10,14}), (\d{1,15}), ([01]), .*")

Log = tuple[tuple[float, float], ...]
"""Seconds since the epoch and MiB/s, in the order of time."""


def parse(text: str) -> Log:
    """Read the log of one process; a line that is not one of the log is left out."""
    found = filter(None, map(_LINE.fullmatch, text.splitlines()))
    return tuple(sorted((int(line[1]) / 1000, int(line[2]) / 1024) for line in found))


def together(logs: Iterable[Log]) -> Mapping[int, float]:
    """MiB/s of all processes in each whole second since the epoch; seconds without data are 0."""
    total: dict[int, float] = defaultdict(float)
    for log in logs:
        for time, rate in log:
            total[int(time)] += rate
    if not total:
        return {}
    return {second: total.get(second, 0.0) for second in range(min(total), max(total) + 1)}


def longest_gap(logs: Iterable[Log], ended: float) -> float:
    """The longest time in seconds in which one process completed nothing; 0 without a log.

    Args:
        logs: the logs of the processes.
        ended: when the load ended, in seconds since the epoch.
    """
    longest = 0.0
    for log in logs:
        times = [time for time, _ in log]
        times += [ended] if times and ended > times[-1] else []
        longest = max([longest, *(later - earlier for earlier, later in pairwise(times))])
    return longest
