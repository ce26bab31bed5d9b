"""Run commands when the process that started this one ends, however it ends.

Usage: at_end.py, with a command in each line of standard input, as a JSON list of words

Standard input ends with the process that holds its other end, even if that is killed. What each
command printed, and its exit status, is printed.
"""

import json
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from assay.foreign import programs
from assay.foreign.sources import Missing
from assay.tools.daos.dmg import POOL_LIMIT_S

AT_ONCE = 8
"""Number of commands that run at once."""


def run(command: Sequence[str]) -> str:
    """What a command printed, and its exit status or why it has none."""
    shown = f"$ {' '.join(command)}\n"
    done = programs.run(command, POOL_LIMIT_S)
    if isinstance(done, Missing):
        return f"{shown}# {done}\n"
    return f"{shown}{done.out}{done.err}# exit: {done.status}\n"


def main() -> None:
    """Wait for the end, and run the commands."""
    # Whoever ends the campaign ends its whole group or session; this comes after it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    commands = [json.loads(line) for line in sys.stdin]
    with ThreadPoolExecutor(AT_ONCE) as running:
        for printed in running.map(run, commands):
            print(printed, end="", flush=True)


if __name__ == "__main__":
    main()
