"""Runs a campaign of some checks within a time, and ends it with its jobs where it must end."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType

from assay.foreign import limits
from assay.health.choice import SCALE

GRACE_S = 60.0
"""Time for ReFrame to cancel its job and to write its report, as `stop.sh` has it."""

POLL_S = 0.5
"""Interval between two looks for a signal."""

BUSY = 75
"""Exit status of campaign.sh where another campaign is running."""

LASTING = frozenset({64, 66, 69, 73, 77, 126, 127})
"""Exit statuses of campaign.sh that waiting does not change: wrong arguments, a host that is not
deployed, no check, no place or no room, a directory of another user; and of bash without it."""


class MeasureError(Exception):
    """No campaign ran; the message says why."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Interruption(Exception):  # noqa: N818 # it is no error
    """A signal that ends the command."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


def run(
    script: Path, directory: Path, checks: Sequence[str], cluster: Path, limit_s: float
) -> bool:
    """Measure some checks, as campaign.sh does.

    Args:
        script: campaign.sh.
        directory: the campaign's directory.
        checks: names of checks.
        cluster: the description of the cluster.
        limit_s: the time after which the campaign is ended, in seconds.

    Returns:
        Whether it ended by itself.

    Raises:
        MeasureError: it did not begin.
        Interruption: a signal came; the campaign was ended.
    """
    words = ["bash", "-p", str(script), f"--checks={','.join(checks)}", str(directory), SCALE]
    environment: Mapping[str, str] = {**os.environ, "ASSAY_CLUSTER": str(cluster)}
    # Its own session: a ^C of the terminal reaches only this process, which ends the campaign once.
    with _interruptions() as received, tempfile.TemporaryFile("w+", errors="replace") as errors:
        process = subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )
        late = time.monotonic() + limit_s
        status = None
        while status is None and not received and time.monotonic() < late:
            with contextlib.suppress(subprocess.TimeoutExpired):
                status = process.wait(POLL_S)
        if status is None:
            _end(process, script.with_name("stop.sh"), directory.parent)
        errors.seek(0)
        printed = errors.read(limits.SHOWN_REASON).strip().splitlines()
    if received:
        raise Interruption(received[0])
    if status is None:
        return False
    # ReFrame ends with 1 if a check failed, which its report says better.
    if status not in (0, 1):
        why = (
            printed[-1]
            if printed
            else f"it ended with status {status}; see {directory}/reframe.out"
        )
        raise MeasureError(f"no campaign: {why}", status)
    return True


def _end(process: subprocess.Popen[bytes], stop: Path, campaigns: Path) -> None:
    """End ReFrame, which cancels its job and writes its report, and whatever does not end then."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        words = ["bash", "-p", str(stop), str(campaigns)]
        subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def _interruptions() -> Iterator[list[int]]:
    """Collect the signals that would end this process.

    They raise nothing, since an exception could come before the process to be ended is known.
    """
    received: list[int] = []

    def interrupt(number: int, _: FrameType | None) -> None:
        received.append(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
