"""Programs of DAOS that are asked something, each within a budget."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from assay.foreign.limits import PROGRAM
from assay.foreign.sources import Missing, Printed, output_of


def run(command: Sequence[str], limit_s: float) -> Printed | Missing:
    """Run a program; DAOS's client writes no log.

    Args:
        command: its command line.
        limit_s: time limit in seconds.
    """
    return output_of(command, replace(PROGRAM, seconds=limit_s), env={"D_LOG_FILE": os.devnull})


def ask(command: Sequence[str], program: str, limit_s: float) -> str:
    """What a program prints, or why it prints nothing, in a sentence.

    Args:
        command: its command line.
        program: its name, for the sentence.
        limit_s: time limit in seconds.
    """
    done = run(command, limit_s)
    return f"{program} {done}" if isinstance(done, Missing) else done.out or done.err
