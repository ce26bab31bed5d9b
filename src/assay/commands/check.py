"""`assay check`: validates the description of a cluster."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from assay.commands.terminal import NO, NOT_DONE, print_problems
from assay.foreign.text import one_line


def check(
    file: Annotated[Path, typer.Argument(help="A cluster.json, or - for standard input.")],
    inventory: Annotated[
        bool,
        typer.Option("--inventory", help="Report inventory variables instead of the file's keys."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    width: Annotated[
        int | None, typer.Option(help="Characters of a line; the terminal's by default.", min=40)
    ] = None,
) -> None:
    """Validate the description of a cluster and print everything that is wrong with it.

    Exit 0 if it is valid, 1 if it is not, 2 if it cannot be read.
    """
    from assay.preflight import examine as preflight
    from assay.preflight import table
    from assay.problems import variable

    status = NO
    try:
        described, problems = preflight.examine(preflight.read(file))
    except preflight.ClusterError as error:
        described, problems, status = None, list(error.problems), NOT_DONE
    if as_json:
        print(json.dumps(table.as_json(problems, variable), indent=2))
        raise typer.Exit(0 if described else status)
    print_problems(problems, variable if inventory else str, width)
    name = "standard input" if file == preflight.STDIN else one_line(str(file))
    if described is None:
        errors = sum(problem.severity == "error" for problem in problems)
        print(f"{name}: {errors} error{'s' * (errors != 1)}", file=sys.stderr)
        raise typer.Exit(status)
    count = len(described.hosts)
    print(f"{name}: {described.name} is valid: {count} host{'s' * (count != 1)}")
