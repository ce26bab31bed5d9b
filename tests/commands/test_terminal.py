"""Tables and sentences on a terminal: nothing is cut, and no line is longer than it."""

from __future__ import annotations

import re

import pytest
from _pytest.capture import CaptureIO
from rich.table import Table

from assay.commands.terminal import print_lines, print_table

SUBJECT = "server1/engine0>server100/engine1"


@pytest.fixture(params=[40, 80, 100])
def columns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """The width of the terminal that standard output is."""
    monkeypatch.setattr(CaptureIO, "isatty", lambda _: True)
    monkeypatch.setenv("COLUMNS", str(request.param))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    return int(request.param)


def test_no_cell_of_a_table_is_cut(columns: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The plan said server1/engine0>server1... at 100 columns."""
    names = ("layer", "check", "partition", "metric", "unit", "subject")
    table = Table(*names, box=None)
    table.add_row("network", "SelfTestCrossServer", "clients", "latency_empty", "us", SUBJECT)
    print_table(table)
    printed = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)  # bold
    assert max(map(len, printed.splitlines())) <= columns
    assert "\N{HORIZONTAL ELLIPSIS}" not in printed
    assert sum(map(printed.count, "0123456789")) == sum(map(SUBJECT.count, "0123456789"))


def test_sentences_are_broken_between_words(
    columns: int, capsys: pytest.CaptureFixture[str]
) -> None:
    text = f"OPEN: {'1.00 GB/s of MD-on-SSD; ' * 9}\n\n  {SUBJECT}"
    print_lines(text)
    printed = capsys.readouterr().out
    assert max(map(len, printed.splitlines())) <= columns
    assert printed.split() == text.split()
    assert printed.endswith(f"\n\n  {SUBJECT}\n")


def test_lines_in_a_pipe_stay_whole(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines("a " * 200)
    assert capsys.readouterr().out == f"{'a ' * 200}\n"
