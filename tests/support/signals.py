"""The signal dispositions that tests and what they start begin with."""

from __future__ import annotations

import signal


def own_dispositions() -> None:
    """Let signals end programs again that whoever started the tests ignores.

    A shell without job control starts what it puts into the background with SIGINT and SIGQUIT
    ignored, and nohup ignores SIGHUP. Whatever the tests start would inherit that: bash cannot even
    trap a signal that was ignored when it started.
    """
    own = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGQUIT: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
        signal.SIGTERM: signal.SIG_DFL,
    }
    for number, disposition in own.items():
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, disposition)
