"""Programs of a site that are asked something, each under a time limit."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence


def run(command: Sequence[str], limit_s: float) -> subprocess.CompletedProcess[str]:
    """Run a program; DAOS's client writes no log, and its output may be of any encoding.

    Args:
        command: its command line.
        limit_s: time limit in seconds.

    Raises:
        OSError: it cannot be run.
        subprocess.TimeoutExpired: it did not end in time, and was killed.
    """
    return subprocess.run(
        command,
        env={**os.environ, "D_LOG_FILE": os.devnull},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=limit_s,
        check=False,
    )


def ask(command: Sequence[str], program: str, limit_s: float) -> str:
    """What a program prints, or why it prints nothing, in a sentence.

    Args:
        command: its command line.
        program: its name, for the sentence.
        limit_s: time limit in seconds.
    """
    try:
        done = run(command, limit_s)
    except subprocess.TimeoutExpired:
        return f"{program} did not answer within {limit_s:g} s"
    except OSError as error:
        return str(error)
    return done.stdout or done.stderr
