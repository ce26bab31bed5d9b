"""`assay compare`: compares campaigns with accepted ones."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Annotated

import typer

from assay.commands.inputs import verified
from assay.commands.terminal import NO, misuse, print_lines, warn
from assay.foreign.text import one_line

_STATUS = {"NO REGRESSION": 0, "REGRESSION": NO, "UNDECIDED": 3}
"""The exit status of each result; 3 is what `assay health` gives where it cannot tell."""


def compare(
    old: Annotated[Path, typer.Argument(help="The bundle of the accepted campaign.")],
    new: Annotated[Path, typer.Argument(help="The bundle of the campaign to compare with it.")],
    more_old: Annotated[
        list[Path] | None, typer.Option("--old", help="A further session of the accepted campaign.")
    ] = None,
    more_new: Annotated[
        list[Path] | None, typer.Option("--new", help="A further session of the other campaign.")
    ] = None,
    other_hardware: Annotated[
        bool, typer.Option("--other-hardware", help="Compare even if the hardware differs.")
    ] = False,
    unaccepted: Annotated[
        bool, typer.Option("--unaccepted", help="Compare even if OLD was not accepted.")
    ] = False,
) -> None:
    """Compare campaigns metric by metric, regressions first.

    Exit 1 if anything is worse with statistical confidence or no longer measured; 3 if too little
    was measured to tell; 2 if they cannot be compared.
    """
    from assay.bundle import compare as comparison
    from assay.bundle import difference
    from assay.judge.signoff import Gate

    sides = [old, *(more_old or [])], [new, *(more_new or [])]
    warn([bundle / "report.json" for side in sides for bundle in side])
    before, after = (
        [verified(bundle, earlier=side is sides[0])[0] for bundle in side] for side in sides
    )
    try:
        compared = comparison.compare(before, after)
    except ValueError as error:
        misuse(str(error))
    for bundle, record in zip(sides[0], before, strict=True):
        if not (record.passed and record.gate is Gate.ACCEPTANCE) and not unaccepted:
            misuse(
                f"{bundle} was not accepted (pass --unaccepted to compare with it anyway):"
                f" {record.headline}"
            )
    for bundle, record in (
        [] if other_hardware else zip(itertools.chain(*sides), (*before, *after), strict=True)
    ):
        if differ := comparison.hardware_differences(before[0].cluster, record.cluster):
            listed = "\n  ".join(map(one_line, differ[:20]))
            misuse(
                f"{old} and {bundle} differ in hardware in {len(differ):,} places (pass"
                f" --other-hardware to compare them anyway):\n  {listed}"
            )
    if copied := comparison.shared(before, after):
        misuse(f"{copied}: compare sessions that were measured by themselves")
    print_lines(difference.render(before, after, compared).rstrip("\n"))
    if status := _STATUS[compared.result]:
        raise typer.Exit(status)
