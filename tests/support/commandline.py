"""The command `assay`, in this process."""

from __future__ import annotations

from typer.testing import CliRunner

from assay.cli import app


def assay(*arguments: object) -> tuple[int, str, str]:
    """The exit status, and what was printed to standard output and to standard error."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr
