"""What the controller asks DAOS before and after a job."""

import time
from functools import cache

from assay.foreign import programs
from assay.tools.daos import telemetry
from read_engines import answers

ANSWER_LIMIT_S = 60
"""Time limit of dmg and daos, in seconds; with a dead rank, they wait for minutes."""


def ask(command: tuple[str, ...], program: str, limit_s: float = ANSWER_LIMIT_S) -> str:
    """What a program of DAOS prints, or why it prints nothing, in a sentence.

    Args:
        command: its command line.
        program: its name, for the sentence.
        limit_s: time limit in seconds.
    """
    return programs.ask(command, program, limit_s)


once = cache(ask)
"""The same, asked only once in a session of ReFrame."""


@cache
def unrest(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """What the engines do before the first check of a session, in sentences.

    Nothing if they have no telemetry port, or this host does not reach it: then only the jobs read
    their metrics.
    """
    if not addresses:
        return ()
    before, start = _reading(addresses), time.monotonic()
    time.sleep(telemetry.REST_S)
    after = _reading(addresses)
    return tuple(telemetry.unrest(before, after, time.monotonic() - start))


def _reading(addresses: tuple[str, ...]) -> telemetry.Snapshot:
    return telemetry.parse(answers(telemetry.PATTERN, addresses))
