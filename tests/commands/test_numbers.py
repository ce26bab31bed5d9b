"""Numeric options of all commands: a number, and a finite one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args, get_type_hints

import pytest
from typer.testing import CliRunner

from assay.cli import app


def numbers() -> Iterator[tuple[str, str]]:
    """Each numeric option, with its command."""
    for command in app.registered_commands:
        callback = command.callback
        assert callback
        for name, kind in get_type_hints(callback).items():
            if {kind, *get_args(kind)} & {int, float}:
                yield command.name or callback.__name__, f"--{name.replace('_', '-')}"


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e999", "NaN"])
@pytest.mark.parametrize(("command", "option"), list(numbers()))
def test_what_is_no_number_is_refused(command: str, option: str, value: str) -> None:
    """`health --last --max-age-h=nan` was OK for a night of any age."""
    result = CliRunner().invoke(app, [command, "/none", f"{option}={value}"])
    assert result.exit_code == 2
    assert option in result.output


def test_these_are_the_numeric_options() -> None:
    assert {"--max-age-h", "--minutes", "--share"} <= {option for _, option in numbers()}
