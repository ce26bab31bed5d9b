"""A container that a session of ReFrame makes, and that goes away with it."""

import atexit
import json
import subprocess
import sys
from functools import cache

from assay.tools.daos.daos_user import container_destroy, refusal
from assay.tools.daos.pools import container_create
from assay_check import HERE

LIMIT_S = 300
"""How long to wait for the container to be destroyed, in seconds (own choice)."""


@cache
def made(daos: tuple[str, ...], pool: str, label: str, stage: str) -> str:
    """Make a container of files, once in a session; return why it was not made, or nothing.

    Another process destroys it when ReFrame ends, even if ReFrame is killed.

    Args:
        daos: the beginning of the command lines of daos.
        pool: the label of the pool.
        label: the label of the container, which must not exist.
        stage: the directory below which the jobs of this session run.
    """
    make = container_create(pool, label, {"type": "POSIX"}, {})
    # Its UUID is added, so that nothing but this container is ever destroyed.
    destroy = container_destroy(pool, "")[:-1]
    keeper = subprocess.Popen(
        [sys.executable, str(HERE / "own_container.py"), stage, *daos, "--", *make, "--", *destroy],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert keeper.stdout
    line = keeper.stdout.readline()
    error = json.loads(line).get("error") if line else "nothing was answered"
    if not error:
        atexit.register(_destroy, keeper, pool, label)
        return ""
    if "(-1004)" in error:
        return (
            f"the container {label} exists in the pool {pool} ({error}): another campaign uses it,"
            " or one that was killed together with its host left it. If no campaign runs, destroy"
            f" it: daos container destroy {pool} {label}"
        )
    return f"no container was made: {refusal(error, f'the pool {pool}', 'this account')}"


def _destroy(keeper: "subprocess.Popen[str]", pool: str, label: str) -> None:
    """Let the container be destroyed, and say so if it stays."""
    try:
        printed, _ = keeper.communicate(timeout=LIMIT_S)
        error = json.loads(printed).get("error") if printed else "nothing was answered"
    except subprocess.TimeoutExpired:
        error = (
            f"it is still under way after {LIMIT_S} s; `daos container list {pool}` shows its end"
        )
    except ValueError as failure:
        error = str(failure)
    if error:
        print(
            f"the container {label} of the pool {pool} was not destroyed: {error}", file=sys.stderr
        )
