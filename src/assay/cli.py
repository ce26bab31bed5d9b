"""The command `assay`: its commands, its version, and what becomes of a traceback."""

from __future__ import annotations

import errno
import gc
import signal
import sys
import traceback
from types import TracebackType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from assay import __version__
from assay.commands import (
    check,
    compare,
    describe,
    expect,
    health,
    parse,
    plan,
    probe,
    progress,
    signoff,
    soak,
    verify,
)
from assay.commands.terminal import NOT_DONE, complain
from assay.foreign.text import one_line


class _Commands(TyperGroup):
    """The commands; an unknown command is refused with a list of all commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Refuse empty arguments: an empty path would be the current directory."""
        for number, word in enumerate(args, 1):
            if not word or (word.startswith("--") and word.endswith("=")):
                place = f"{one_line(word)} has no value" if word else f"argument {number} is empty"
                ctx.fail(f"{place}: is a variable of the shell not set?")
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command."""
        if args and self.get_command(ctx, args[0]) is None:
            names = ", ".join(self.list_commands(ctx))
            ctx.fail(f"unknown command {one_line(args[0])}; choose from: {names}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what it refuses of a number is said with its value."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as refused:
            # Pydantic says what a number should be, and not what it is.
            for detail in getattr(refused.__cause__, "errors", list)()[:1]:
                if (value := one_line(str(detail["input"]))) not in refused.message:
                    refused.message = f"{value}: {refused.message}"
            raise


app = typer.Typer(
    cls=_Commands,
    help="Validate and accept the performance of a DAOS cluster.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(__version__)
        raise typer.Exit


app.command()(check.check)
app.command()(plan.plan)
app.command()(expect.expect)
app.command()(parse.parse)
app.command("signoff")(signoff.sign_off)
app.command()(verify.verify)
app.command()(compare.compare)
app.command()(progress.progress)
app.command()(progress.overhead)
app.command()(describe.describe)
app.command()(probe.probe)
app.command()(health.health)
app.command()(soak.soak)


def _traceback(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> None:
    complain("".join(traceback.format_exception(kind, error, where)))


def _signal(error: BaseException | None) -> int:
    """The status of a signal that came while modules were loaded, some of which wrap it; or 0."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return 128 + signal.SIGINT
        if isinstance(error, SystemExit) and isinstance(error.code, int) and error.code > 128:
            return error.code
        error = error.__cause__ or error.__context__
    return 0


def collect_rarely() -> None:
    """Let Python look for cycles of garbage rarely, since nearly all objects last to the end.

    At the thresholds of Python, it took a seventh of the time of a large sign-off.
    """
    gc.set_threshold(200_000, 50, 100)


def main() -> None:
    """Run the command. Tracebacks are made printable, since they may quote foreign data."""
    collect_rarely()
    sys.excepthook = _traceback
    if sys.stdout is None:  # as after `>&-`: what is asked for would be printed nowhere
        complain("standard output is closed: redirect it to a file, or to /dev/null")
        sys.exit(NOT_DONE)
    try:
        app()
    except SystemExit as ended:
        # As in `assay verify BUNDLE | head -n1`: typer ends with 1, which is an answer.
        if isinstance(ended.__context__, BrokenPipeError):
            sys.exit(NOT_DONE)
        raise
    except Exception as error:
        if status := _signal(error):
            sys.exit(status)
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            complain(f"{error.filename or 'the output'} cannot be written: {error.strerror}")
            sys.exit(NOT_DONE)
        # As in the home of another user, from which `setpriv` and `runuser` do not go away; pathlib
        # raises these three where it is asked whether there is a file.
        unusable = (errno.EACCES, errno.EPERM, errno.ENAMETOOLONG, errno.ELOOP)
        if isinstance(error, OSError) and error.errno in unusable and error.filename:
            complain(f"{error.filename}: {error.strerror}")
            sys.exit(NOT_DONE)
        if isinstance(error, FileNotFoundError) and error.filename is None:  # of os.getcwd
            complain("the current directory was removed: change to another")
            sys.exit(NOT_DONE)
        # Python would end with 1, which is an answer: a closed gate, an alarm.
        _traceback(type(error), error, error.__traceback__)
        sys.exit(NOT_DONE)
