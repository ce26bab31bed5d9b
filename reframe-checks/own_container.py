"""Make a container, and destroy it when the process that started this one ends, however it ends.

Usage: own_container.py DIRECTORY DAOS... -- MAKE... -- DESTROY...

Jobs that Slurm runs below DIRECTORY are cancelled first: IOR and mdtest would create the container
again. DAOS is the beginning of each command line, MAKE the arguments that make the
container, and DESTROY those that destroy it, to which its UUID is added: nothing but what was made
here is destroyed.

A line says what `daos` answered to MAKE, as JSON. If it made the container, this waits until
standard input ends, as it does with the process that holds its other end, even if that is killed.
Then another line says what `daos` answered to DESTROY.
"""

import contextlib
import json
import os
import shutil
import signal
import sys
import time
import typing

from assay.foreign.programs import run
from assay.foreign.sources import Missing
from assay.tools.json_output import json_objects

LIMIT_S = 120
"""Time limit of each command, in seconds (own choice)."""

TRIES, WAIT_S = 10, 3
"""How often it is destroyed, and the seconds between: the pool of a killed benchmark stays busy
until its agent has seen that it is gone (own choice: some seconds were seen)."""


def end_jobs(directory: str) -> None:
    """Cancel this user's jobs below a directory, and wait until they have ended.

    Only a ReFrame that was killed leaves any.
    """
    end = time.monotonic() + LIMIT_S
    cancelled: set[str] = set()
    while (jobs := jobs_below(directory)) != set() and time.monotonic() < end:
        if more := (jobs or set()) - cancelled:
            printed(["scancel", *sorted(more)])
            cancelled |= more
        time.sleep(1)


def jobs_below(directory: str) -> "set[str] | None":
    """The numbers of this user's jobs whose working directory is below another; None if unknown."""
    listed = printed(["squeue", "--noheader", "--user", str(os.getuid()), "--format=%i|%Z"])
    if listed is None:
        return None
    pairs = (line.partition("|") for line in listed.splitlines())
    return {job for job, _, place in pairs if place.startswith(directory + "/")}


def printed(command: "list[str]") -> "str | None":
    """What a program of Slurm prints: None if it fails, nothing where there is no such program."""
    if shutil.which(command[0]) is None:
        return ""
    done = run(command, LIMIT_S)
    return None if isinstance(done, Missing) or done.status else done.out


def answer(command: "list[str]") -> "dict[str, typing.Any]":
    """The JSON that daos printed, or one with an error that says why it printed none."""
    done = run(command, LIMIT_S)
    if isinstance(done, Missing):
        return {"error": f"daos {done}"}
    objects, _ = json_objects(done.out)
    if objects:
        return dict(objects[0])
    lines = (done.err or done.out).strip().splitlines()
    silence = f"daos printed nothing, and ended with {done.status}"
    return {"error": lines[-1] if lines else silence}


def main(words: "list[str]") -> None:
    """Make the container, wait, and destroy it."""
    # Whoever ends the campaign ends its whole group or session; this comes after it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    directory, *words = words
    first = words.index("--")
    second = words.index("--", first + 1)
    daos, make, destroy = words[:first], words[first + 1 : second], words[second + 1 :]
    made = answer([*daos, *make])
    print(json.dumps(made), flush=True)
    uuid = (made.get("response") or {}).get("container_uuid")
    if made.get("error") or not uuid:
        return
    sys.stdin.read()
    end_jobs(directory)
    for attempt in range(TRIES):
        if attempt:
            time.sleep(WAIT_S)
        destroyed = answer([*daos, *destroy, uuid])
        if not destroyed.get("error"):
            break
    # Where ReFrame was killed, nobody is left who would read it.
    with contextlib.suppress(OSError):
        print(json.dumps(destroyed), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
