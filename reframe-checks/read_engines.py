"""Read the metrics of DAOS's engines once, and keep the lines that the judgement uses.

Usage: read_engines.py OUTPUT PATTERN HOST=URL...

A job runs this on a host without `assay`, so it uses only the standard library of Python 3.9, and
`assay/foreign/sources.py`, which lies beside it there. All servers are asked at once. The output is
Prometheus's text format, compressed, with a comment before the lines of each server. For a server
that does not answer, or whose answer is beyond its budget, the comment has the reason. Lines with
the value 0 are left out: most of an engine's 3,700 lines have it.
"""

from __future__ import annotations

import gzip
import re
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from assay.foreign.sources import Budget, Missing, fetch, text_of

ANSWER = Budget(seconds=20, bytes=16 * 2**20, lines=400_000)
"""For one server. With 4 targets, 0.2 s were seen under load. 100 engines and targets of 153 kB,
with 3,700 lines each, are 15 MB and 370,000 lines."""

ALL_S = 50
"""Time limit of all servers together, in seconds: the job ends this program after 60 s."""

AT_ONCE = 64
"""Servers that are asked at once. If each of them is hostile, they cost 64 x 2 x 16 MiB, and one
of them costs 32 MiB: its answer, and the same as text."""

REASON = 300
"""Characters of a reason that are kept."""

KEPT_BYTES, KEPT_LINES = 64 * 2**20, 500_000
"""What is kept of all servers together, as much as `assay` reads. Each of them may have an equal
share, so that none takes the room of the others. 512 servers of 16 targets give 4 MB."""


def lines(server: str, pattern: re.Pattern[str], budget: Budget, share: int) -> list[str]:
    """The lines of one server, or the reason why there are none.

    Args:
        server: its name and its address.
        pattern: how lines begin that are kept.
        budget: for its answer.
        share: the number of servers that share what is kept.
    """
    host, _, url = server.partition("=")
    answer = fetch(url, budget) if budget.seconds > 0 else Missing("was not asked in time")
    text = answer if isinstance(answer, Missing) else text_of(answer)
    if isinstance(text, Missing):
        return [f"# no answer of {host}: {' '.join(text.why[:REASON].split())}"]
    kept, size = [f"# server {host}"], 0
    for line in text.split("\n"):
        if pattern.match(line) and not line.endswith(" 0"):
            kept.append(line)
            size += len(line.encode()) + 1
            if size > KEPT_BYTES // share or len(kept) > KEPT_LINES // share:
                return [f"# no answer of {host}: its metrics are more than its share of a reading"]
    return kept


def answers(pattern: str, servers: Sequence[str]) -> str:
    """The answers of all servers."""
    wanted = re.compile(pattern)
    late = time.monotonic() + ALL_S

    def asked(server: str) -> list[str]:
        left_s = min(ANSWER.seconds, late - time.monotonic())
        return lines(server, wanted, Budget(left_s, ANSWER.bytes, ANSWER.lines), len(servers))

    with ThreadPoolExecutor(max_workers=AT_ONCE) as asking:
        return "\n".join(line for answer in asking.map(asked, servers) for line in answer) + "\n"


def main(output: str, pattern: str, *servers: str) -> None:
    """Ask all servers, and write their answers."""
    with open(output, "wb") as file:
        file.write(gzip.compress(answers(pattern, servers).encode(), mtime=0))


if __name__ == "__main__":
    main(*sys.argv[1:])
