"""The output of all commands: messages, tables of problems, and refusals."""

from __future__ import annotations

import math
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from assay.foreign import owners
from assay.foreign.text import one_line, printable, quoted

if TYPE_CHECKING:
    from rich.table import Table

    from assay.problems import Problem

NO = 1
"""Exit status if what was asked is answered with no: an invalid description, a closed gate."""

NOT_DONE = 2
"""Exit status if what was asked could not be done, since an argument or a file is unusable."""

NARROW = 120
"""Width of a terminal, in characters, below which a table of five columns is hard to read (own
choice)."""


def complain(message: str) -> None:
    """Print a message to standard error."""
    print(printable(message), file=sys.stderr)


def warn(paths: Sequence[Path]) -> None:
    """Warn if other users may write files that the command is about to trust."""
    if warning := owners.warning(paths):
        complain(warning)


def misuse(message: str) -> NoReturn:
    """End the command, since it cannot use an argument or a file."""
    complain(message)
    raise typer.Exit(NOT_DONE)


def refuse_no_directory(path: Path) -> None:
    """End the command if something else than a directory is where it would write."""
    try:
        in_the_way = path.exists() and not path.is_dir()
    except OSError as error:  # such as a name that is too long
        misuse(f"{path}: {error.strerror}")
    if in_the_way:
        misuse(f"{path} is not a directory; name one, or a path where there is nothing yet")


def finite(number: float | None) -> float | None:
    """An option that is a number, as a callback: NaN is within each range, and is refused here."""
    if number is not None and not math.isfinite(number):
        raise typer.BadParameter(f"{number} is not a finite number")
    return number


_UNBROKEN = "\N{NO-BREAK SPACE}"


def print_problems(
    problems: list[Problem], named: Callable[[str], str], width: int | None = None
) -> None:
    """Print problems: a table, or a paragraph for each where the table would be hard to read.

    Args:
        problems: those to print.
        named: turns a key into the name that the reader knows.
        width: characters of a line; without it those of the terminal, or any number in a pipe.
    """
    if not problems:
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from assay.preflight.table import rows
    from assay.subject import folded

    listed = [
        (
            row.severity,
            quoted(folded(row.hosts)),
            quoted(named(row.key)),
            "" if row.value is None else quoted(row.value),
            one_line(row.allowed),
        )
        for row in rows(problems)
    ]
    if width is None and sys.stdout.isatty():
        width = Console().width
    if width is not None and width < NARROW:
        for severity, hosts, key, value, allowed in listed:
            # The severity stays beside the hosts, however many these are.
            where = f"{severity}:{_UNBROKEN}" + ": ".join(part for part in (hosts, key) if part)
            for text, indent in ((f"{where}{value and ' = '}{value}", ""), (allowed, "    ")):
                print(
                    textwrap.fill(
                        text,
                        width,
                        initial_indent=indent,
                        subsequent_indent="    ",
                        break_long_words=False,
                        break_on_hyphens=False,
                    ).replace(_UNBROKEN, " ")
                )
        return
    table = Table("", "host", "key", "value", "problem", box=None)
    for cells in listed:
        table.add_row(*map(escape, cells))
    print_table(table)


def print_table(table: Table) -> None:
    """Print a table: fitted to a terminal, or one line per row in a pipe."""
    from rich.console import Console

    # The PCI address 0000:ab:00.0 contains the code of an emoji.
    if sys.stdout.isatty():
        for column in table.columns:
            column.overflow = "fold"  # or the end of a subject would be cut
        Console(highlight=False, emoji=False).print(table)
        return
    print_columns(table)


def print_lines(text: str) -> None:
    """Print lines, each broken between words where it is longer than the terminal."""
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        text = "\n".join(
            textwrap.fill(
                line,
                width,
                subsequent_indent="    ",
                break_long_words=False,
                break_on_hyphens=False,
            )
            for line in text.splitlines()
        )
    print(text, flush=True)


def print_columns(table: Table) -> None:
    """Print a table with each row on one line of any length, so that nothing in it is cut."""
    from rich.markup import render

    # Rich itself needs half a minute for 100,000 rows.
    columns = [
        [render(cell, emoji=False).plain if "\\" in cell else cell for cell in map(str, cells)]
        for cells in ([column.header, *column.cells] for column in table.columns)
    ]
    widths = [max(map(len, column)) for column in columns]
    for row in zip(*columns, strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(f" {'  '.join(cells)}".rstrip())
