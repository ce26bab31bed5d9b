"""Starts the command `assay`, which a signal may end from its first moment."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any, NoReturn


def main() -> None:
    """Run the command; a signal ends it without a traceback, and with what it had begun removed."""
    interrupted = signal.getsignal(signal.SIGINT)
    # Loading modules takes most of a second, and Python would print where it was.
    _set(signal.SIGINT, signal.default_int_handler, signal.SIG_DFL)
    from assay.cli import main as command

    try:
        _set(signal.SIGINT, signal.SIG_DFL, interrupted)
        _set(signal.SIGTERM, signal.SIG_DFL, _end)
        _set(signal.SIGHUP, signal.SIG_DFL, _end)
        command()
    except KeyboardInterrupt:
        raise SystemExit(128 + signal.SIGINT) from None
    finally:
        _set(signal.SIGINT, signal.default_int_handler, signal.SIG_DFL)


def _set(number: signal.Signals, before: object, handler: Any) -> None:
    """Set a handler in the place of another; a signal that is ignored, as by nohup, stays so."""
    if signal.getsignal(number) == before:
        signal.signal(number, handler)


def _end(number: int, _: FrameType | None) -> NoReturn:
    """End as after ^C: what is unfinished is removed on the way."""
    raise SystemExit(128 + number)
