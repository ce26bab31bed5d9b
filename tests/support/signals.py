"""The signal dispositions that tests and what they start begin with."""

from __future__ import annotations

import signal


def own_dispositions() -> None:
    """Let SIGINT interrupt again.

    A shell without job control starts what it puts into the background with SIGINT ignored, and
    whatever the tests start would inherit that: bash cannot even trap a signal that was ignored
    when it started.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
