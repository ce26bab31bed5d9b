"""Run commands when the process that started this one ends, however it ends.

Usage: at_end.py, with a command in each line of standard input, as a JSON list of words

Standard input ends with the process that holds its other end, even if that is killed. What each
command printed, and its exit status, is printed.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

LIMIT_S = 120
"""Time limit of each command, in seconds."""

AT_ONCE = 8
"""Number of commands that run at once."""


def run(command: Sequence[str]) -> str:
    """What a command printed, and its exit status or why it has none."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"$ {' '.join(command)}\n{error}\n"
    return f"$ {' '.join(command)}\n{done.stdout}# exit: {done.returncode}\n"


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
