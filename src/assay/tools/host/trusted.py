"""Programs that root runs only while nobody else could have changed them.

The modules `cluster_scan` and `daos_programs` run this on the hosts, so it may use only the
standard library of Python 3.9.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping

from .writable import writable  # relative, since Ansible ships both to other packages


class NotRunError(Exception):
    """A program was not run, or did not end in time; the message names it and says why."""


def require_trusted(program: str) -> None:
    """Require a program that only root can change.

    Raises:
        NotRunError: it is absent, or others may write it, or a directory on its path.
    """
    if not os.access(program, os.X_OK):
        raise NotRunError(f"{program} is absent or not executable")
    if others := writable([program]):
        paths = " ".join(each["path"] for each in others)
        raise NotRunError(f"{program} was not run as root, since others may write {paths}")


def run_trusted(
    program: str, *arguments: str, limit_s: int, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program that only root can change, with nothing to read.

    Args:
        program: its path.
        arguments: its arguments.
        limit_s: time limit, in seconds.
        environment: its environment, by default that of this process.

    Raises:
        NotRunError: as `require_trusted`, or it cannot be run, or does not end in time.
    """
    require_trusted(program)
    try:
        return subprocess.run(
            [program, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=limit_s,
            env=environment,
            check=False,
        )
    except OSError as error:
        raise NotRunError(f"{program} cannot be run: {error.strerror}") from error
    except subprocess.TimeoutExpired:
        raise NotRunError(f"{program} did not end within {limit_s} s") from None
