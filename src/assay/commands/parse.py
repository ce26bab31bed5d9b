"""`assay parse`: prints the figures in the saved outputs of benchmarks, and judges them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.commands.inputs import load
from assay.commands.terminal import NO, NOT_DONE, complain, misuse, print_columns, warn
from assay.foreign.text import one_line
from assay.tools import PARSERS

if TYPE_CHECKING:
    from assay.cluster.description import Cluster
    from assay.saved.judging import SavedJudgements
    from assay.saved.reading import SavedOutputs


def parse(
    paths: Annotated[
        list[Path],
        typer.Argument(help="Saved outputs, and directories of them.", metavar="PATH..."),
    ],
    tool: Annotated[
        str | None,
        typer.Option(
            "--tool",
            help=f"The program that wrote them, one of {', '.join(sorted(PARSERS))};"
            " by default found out for each file.",
        ),
    ] = None,
    run: Annotated[
        int | None, typer.Option("--run", min=1, help="The run to read of a file with several.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    cluster: Annotated[
        Path | None,
        typer.Option(help="A description: judge the figures as a sign-off of it would."),
    ] = None,
    backend: Annotated[
        str | None,
        typer.Option(help="With --cluster: the backend of runs that print POSIX, such as dfuse."),
    ] = None,
) -> None:
    """Print the figures in saved outputs of benchmarks: a table, JSON or CSV.

    Exit 1 if an output shows a failed or partial measurement, or a figure would stop an acceptance
    by --cluster; 2 if one cannot be read, since nothing known wrote it, say.
    """
    from assay.saved import printing, reading, results

    if tool is not None and tool not in PARSERS:
        misuse(f"unknown tool {one_line(tool)}; choose from: {', '.join(sorted(PARSERS))}")
    if as_json and as_csv:
        misuse("--json and --csv: choose one of them")
    if cluster is None and backend is not None:
        misuse("--backend says how figures are judged; pass --cluster, too")
    if cluster is not None and as_csv:
        misuse("--csv has no judgements; pass --json with --cluster")
    warn(paths)
    described = load(cluster) if cluster else None
    found = reading.read(paths, tool, run, _stonewall_s(described))
    differences = [
        difference
        for directory in results.result_directories(found.runs)
        for difference in directory.differences()
    ]
    judged = None
    if described is not None:
        from assay.saved import judging

        try:
            judged = judging.judged(described, found.runs, backend)
        except judging.NotJudgedError as error:
            misuse(str(error))
    if as_json:
        print(printing.as_json(found.runs, judged))
    elif as_csv:
        print(printing.as_csv(found.runs), end="")
    else:
        _print(
            found, judged, differences, paths[0] if len(paths) == 1 and paths[0].is_dir() else None
        )
    if as_json or as_csv:
        for difference in differences:
            complain(one_line(difference))
    for each in found.not_read:
        complain(one_line(f"{each.path}: {each.why}"))
    raise typer.Exit(_status(found, judged, differences))


def _stonewall_s(described: Cluster | None) -> int:
    """The stonewall that a run of IO500 must have had: that of the rules, or of a sign-off."""
    if described is None:
        from assay.tools.io500 import RULED_S

        return RULED_S
    from assay.saved.judging import STONEWALL_S

    return STONEWALL_S


def _print(
    found: SavedOutputs,
    judged: SavedJudgements | None,
    differences: Iterable[str],
    below: Path | None,
) -> None:
    from rich.markup import escape
    from rich.table import Table

    from assay.saved import printing

    def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
        printed = Table(*columns, box=None)
        for cells in rows:
            printed.add_row(*(escape(one_line(cell)) for cell in cells))
        print_columns(printed)

    if found.runs:
        table(printing.COLUMNS, (row for run in found.runs for row in printing.rows(run, below)))
    for sentence in (*printing.sentences(found.runs, below), *map(one_line, differences)):
        print(sentence)
    if found.passed_over:
        print(f"{found.passed_over} other files: no known program wrote them")
    if judged is not None:
        print(f"judged by the description alone, {printing.NOT_OURS}:")
        table(printing.JUDGED_COLUMNS, printing.judged_rows(judged, below))
        for note in judged.notes:
            print(one_line(note))


def _status(found: SavedOutputs, judged: SavedJudgements | None, differences: Sequence[str]) -> int:
    if not found.runs and not found.not_read:
        complain("no file there is an output of a known program")
    if found.not_read or not found.runs or any(run.parsed.unread for run in found.runs):
        return NOT_DONE
    bad = any(run.parsed.problems for run in found.runs) or differences
    return NO if bad or (judged is not None and not judged.good) else 0
