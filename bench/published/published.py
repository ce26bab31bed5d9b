"""Judges every published system as this product does: `make bench-published`.

With `--page` it writes docs/published.md as well, and a test holds that page against the code.

Each run is described as a planned cluster, and each of its figures is judged by the floors that are
derived from the runs of all other owners. A published figure is one number: its seven samples
differ by a thousandth, which is made up, so that a verdict can be given. As a test of sharpness,
half of each figure is judged, too.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import quantiles
from textwrap import fill
from unittest.mock import patch

from derive import DERIVED, law
from rich.console import Console
from rich.table import Table
from systems import Run, cluster_of, published, requirement

from assay.checks import figures, load, references
from assay.checks.entry import Expectation
from assay.checks.expect import Measured, expectation
from assay.checks.references import Law, Reference
from assay.judge.judgement import Measurement, judge
from assay.judge.verdict import Verdict
from assay.units import show

ASKED_MEDIAN, ASKED_MOST, ASKED_HALVES = 2.5, 6.0, 0.6
"""Of figure over floor, the median and the 90 % quantile; the share of halves that are `below`."""

PAGE = Path(__file__).parents[2] / "docs/published.md"

HEAD = (
    "# Published systems",
    "DAOS systems whose figures are published, judged as this product does: by the bounds of their"
    " hardware, and by floors that are derived from the runs of all other owners"
    " ([derivations](derivations.md#floors-from-published-systems)). The data and their sources are"
    " in `bench/published/published.yml`. This is printed by `make bench-published`; `make floors`"
    " writes it here.",
    "Half of each figure is judged, too, as a test of sharpness. It is `below` in 45 to 59 % of"
    " the metadata of a phase. Floors at 80 % of the law instead of 72 % would make it 59 % of all"
    " metadata, and seven more published figures `below`: neither the CPUs of clients nor their"
    " other load are published.",
    "Times 1,000, as with a wrong unit, every figure is `implausible`, also where no round trip was"
    " measured ([derivations](derivations.md#round-trips-to-an-engine)).",
    "The last row of the table is a claim that contradicts its own hardware. Below the table stands"
    " of each exception what is not known of that run or system.",
)
"""The paragraphs above what is printed."""

SCATTER = (0.0, 0.001, -0.001, 0.0005, -0.0005, 0.0015, -0.0015)
"""Relative, made up."""


@dataclass(frozen=True, slots=True)
class Row:
    """One published figure, judged."""

    run: Run
    phase: str
    figure: float
    expected: Expectation
    verdict: Verdict
    of_half: Verdict

    @property
    def over_floor(self) -> float | None:
        """Figure over floor; None without a floor."""
        return self.figure / self.expected.floor if self.expected.floor else None


@cache
def _laws(owner: str) -> dict[str, Law]:
    """The laws of all phases, from the runs of all other owners."""
    systems = published().systems
    others = [run for run in published().known() if systems[run.system].owner != owner]
    return {
        phase.name: Law.model_validate(law(published().rating(phase.name, others), phase.name))
        for phase in DERIVED
    }


@contextmanager
def without(owner: str, processes_per_client: int) -> Iterator[None]:
    """Floors from all other owners, and so many processes on each client."""
    laws = _laws(owner)

    def left_out(figure: str, *where: str | None) -> Reference | None:
        shipped = references.reference(figure, *where)
        phase = figure.partition(".")[2]
        return shipped and shipped.model_copy(update={"derived": laws[phase]})

    with (
        patch.object(figures, "reference", left_out),
        patch.object(load, "RANKS", {"acceptance": processes_per_client}),
    ):
        yield


def judged(run: Run, phase: str) -> Row:
    """Judge a figure of a run."""
    cluster = cluster_of(run, phase)
    required = requirement(cluster, phase)
    owner = published().systems[run.system].owner
    with without(owner, run.processes_per_client):
        expected = expectation(cluster, required, Measured({}, "acceptance"))
    figure = run.figure(phase)

    def verdict_of(level: float) -> Verdict:
        samples = [level * (1 + part) for part in SCATTER]
        return judge([Measurement(required, samples, expected)]).judgements[0].verdict

    return Row(run, phase, figure, expected, verdict_of(figure), verdict_of(figure / 2))


def rows() -> list[Row]:
    """Every figure of every run whose hardware is published."""
    return [judged(run, phase.name) for run in published().known() for phase in DERIVED]


def refused() -> list[Row]:
    """The claims that contradict their own hardware."""
    return [judged(claim, phase) for claim in published().claims for phase in claim.gib_per_s]


@dataclass(frozen=True, slots=True)
class Sharpness:
    """How near floors are to figures."""

    median: float
    most: float
    """The 90 % quantile of figure over floor."""
    halves: float
    """The share of half figures that are `below`."""

    def __str__(self) -> str:
        return (
            f"figure over floor: median {self.median:.2f}, 90 % {self.most:.2f};"
            f" half of it is below in {self.halves:.0%}"
        )


def sharpness(judgements: Sequence[Row]) -> Sharpness:
    """Of all figures that have a floor."""
    rated = [row for row in judgements if row.over_floor is not None]
    tenths = quantiles((row.over_floor or 0.0 for row in rated), n=10, method="inclusive")
    halves = sum(row.of_half is Verdict.BELOW for row in rated) / len(rated)
    return Sharpness(tenths[4], tenths[8], halves)


def summary(judgements: Sequence[Row]) -> Iterator[str]:
    """How sharp floors are, and the exceptions with what is not known of them."""
    rated = [row for row in judgements if row.over_floor is not None]
    runs = {row.run.run for row in judgements}
    yield f"{len(judgements)} figures of {len(runs)} runs, {len(rated)} with a floor"
    yield str(sharpness(judgements))
    yield (
        f"  asked: {ASKED_MEDIAN} and {ASKED_MOST:g} at most, half of it below in"
        f" {ASKED_HALVES:.0%} at least"
    )
    for phase in DERIVED:
        yield f"  {phase.name:18} {sharpness([row for row in rated if row.phase == phase.name])}"
    for verdict in (Verdict.IMPLAUSIBLE, Verdict.BELOW, Verdict.UNSTEADY):
        odd = [row for row in judgements if row.verdict is verdict]
        yield f"{verdict}: {len(odd)}"
        for row in odd:
            why = row.run.exceptions.get(row.phase, "nothing explains it")
            where = f"{row.run.run} ({row.run.system}) {row.phase}"
            yield f"  {where}, {row.over_floor or 0:.2f} of its floor: {why}"
    for name, system in published().systems.items():
        for unknown in system.unknown:
            yield f"not known of {name}: {unknown}"


def table(judgements: Sequence[Row]) -> Table:
    """All figures."""
    made = Table(
        "run", "phase", "bound", "floor", "figure", "/ bound", "/ floor", "verdict", box=None
    )
    for row in judgements:
        bound, floor = row.expected.bound, row.expected.floor
        cells = (
            f"{row.run.run} {row.run.system}",
            row.phase,
            show(bound) if bound else "-",
            show(floor) if floor else "-",
            f"{show(row.figure)} {row.expected.unit}",
            f"{row.figure / bound:.2f}" if bound else "-",
            f"{row.over_floor:.2f}" if row.over_floor else "-",
            str(row.verdict),
        )
        made.add_row(*cells)
    return made


def printed(judgements: Sequence[Row], claims: Sequence[Row]) -> str:
    """The table of all figures, how sharp floors are, and the exceptions."""
    console = Console(width=200, file=io.StringIO(), color_system=None)
    console.print(table([*judgements, *claims]))
    assert isinstance(console.file, io.StringIO)
    lines = [*console.file.getvalue().splitlines(), *summary(judgements)]
    return "\n".join(line.rstrip() for line in lines)


def page(judgements: Sequence[Row], claims: Sequence[Row]) -> str:
    """The page of the documentation with all that is printed."""
    paragraphs = (fill(each, 120, break_long_words=False, break_on_hyphens=False) for each in HEAD)
    text = printed(judgements, claims)
    return "\n\n".join([*paragraphs, f"```\n{text}\n```\n"])


def main(arguments: list[str]) -> int:
    """Print everything; 1 if it is not as sharp as asked, or an exception is not explained."""
    judgements, claims = rows(), refused()
    print(printed(judgements, claims))
    if "--page" in arguments:
        PAGE.write_text(page(judgements, claims), "utf-8")
    sharp = sharpness(judgements)
    is_sharp = sharp.median <= ASKED_MEDIAN and sharp.most <= ASKED_MOST
    unexplained = [
        row
        for row in judgements
        if row.verdict in (Verdict.IMPLAUSIBLE, Verdict.BELOW)
        and row.phase not in row.run.exceptions
    ]
    return int(not is_sharp or sharp.halves < ASKED_HALVES or bool(unexplained))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
