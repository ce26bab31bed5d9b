"""`assay parse`: prints the samples in the output of a tool."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from assay.commands.terminal import NO, misuse, warn
from assay.foreign import files, limits
from assay.foreign.files import ForeignError
from assay.tools import PARSERS


def parse(
    tool: Annotated[str, typer.Argument(help=f"One of {', '.join(sorted(PARSERS))}.")],
    file: Annotated[Path, typer.Argument(help="The saved output of the tool.")],
) -> None:
    """Print the samples in a tool's saved output as JSON.

    Exit 1 if the output shows a failed or partial measurement, 2 if it cannot be read.
    """
    if tool not in PARSERS:
        misuse(f"unknown tool {tool}; choose from: {', '.join(sorted(PARSERS))}")
    warn([file])
    try:
        output = files.read(file, limits.OUTPUT_BYTES).decode("utf-8", "replace")
    except OSError as error:
        misuse(f"{file} cannot be read: {error.strerror}")
    except ForeignError as error:
        misuse(str(error))
    parsed = PARSERS[tool](output)
    print(json.dumps(parsed.as_dict(), indent=2))
    if parsed.problems:
        raise typer.Exit(NO)
