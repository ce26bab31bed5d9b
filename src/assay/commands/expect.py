"""`assay expect`: prints the expected figures of each metric, or of the whole system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.commands.inputs import DEFAULT_CLUSTER, ClusterFile, load, read_campaign
from assay.commands.terminal import misuse, print_lines, print_table
from assay.foreign.text import one_line

if TYPE_CHECKING:
    from assay.cluster.description import Cluster

LARGE_MIBS = 10_000
"""Bandwidths from this value on are printed in GiB/s."""


def expect(
    file: ClusterFile = DEFAULT_CLUSTER,
    reports: Annotated[
        str | None,
        typer.Option(help="Run reports with the figures of lower layers, as a glob pattern."),
    ] = None,
    system: Annotated[
        bool, typer.Option("--system", help="Sum up the whole system by layer, before it is built.")
    ] = False,
) -> None:
    """Print bound, floor and ceiling of every metric, and their sources.

    With --system: print the total of each layer, and what limits it.
    """
    from rich.markup import escape
    from rich.table import Table

    from assay.checks.expect import Measured, expectation
    from assay.checks.plan import requirements
    from assay.judge.campaign import judge_campaign
    from assay.units import show

    described = load(file)
    if system:
        _print_system(described)
        return
    measured = Measured({})
    campaign = read_campaign(reports, described) if reports is not None else None
    if campaign is not None:
        plan = requirements(described, campaign.scale)
        _, measured = judge_campaign(described, plan, campaign)
        if not measured:
            misuse(f"{reports}: no metric of these run reports has a valid figure")
    table = Table("metric", "unit", "floor", "bound", "ceiling", "derivation", box=None)
    for metric in requirements(described):
        e = expectation(described, campaign.as_run(metric) if campaign else metric, measured)
        shown = ("-" if x is None else show(x) for x in (e.floor, e.bound, e.ceiling))
        cells = (metric.key, e.unit, *shown, e.derivation)
        table.add_row(*(escape(one_line(cell)) for cell in cells))
    print_table(table)


def _print_system(cluster: Cluster) -> None:
    from rich.markup import escape
    from rich.table import Table

    from assay.checks.plan import requirements
    from assay.checks.whole import paths, totals

    for what, bound in paths(cluster):
        print_lines(one_line(f"{what}: at most {bound.sentence}"))
    required = requirements(cluster)
    listed = totals(cluster, required)
    # Backends whose figures are the same share a row, and what limits many rows is said once.
    rows: dict[tuple[str, ...], list[str]] = {}
    notes: dict[str, int] = {}
    for total in listed:
        first = total.requirement
        note = str(notes.setdefault(total.limited, len(notes) + 1)) if total.limited else ""
        subject = first.subject.part if first.subject.backend or total.count == 1 else ""
        together = "pairs, each" if not total.is_sum else "" if subject else "together"
        where = f"{first.subject.host}/" if total.count == 1 else f"{total.count:,} {together}"
        floor, most, unit = _in_one_unit(total.floor, total.bound, first.unit)
        if total.count == 1 and first.subject.peer is not None:
            where, subject = str(first.subject), ""
        rows.setdefault((first.layer, first.figure, where, floor, most, unit, note), []).append(
            subject
        )
    table = Table("", "of", "floor", "bound", "unit", "by", box=None)
    layer = None
    for (its_layer, figure, where, *shown, note), subjects in rows.items():
        if its_layer != layer:
            table.add_row(escape(f"{its_layer}:"), "", "", "", "", "")
            layer = its_layer
        whose = (where + ",".join(subjects)).rstrip(" /")
        cells = (figure, whose, *shown, note)
        table.add_row(*(escape(one_line(cell)) for cell in cells))
    print_table(table)
    print("limited by")
    for sentence, number in notes.items():
        print_lines(one_line(f"{number:3}: {sentence}"))
    metrics = sum(total.count for total in listed)
    print_lines(
        f"{metrics:,} of {len(required):,} metrics are in this table; the others are times and"
        " counts, or are limited by measurements of the layers below (assay expect)"
    )


def _in_one_unit(floor: float | None, bound: float | None, unit: str) -> tuple[str, str, str]:
    """Floor and bound, and their unit: that in which the larger is easy to read."""
    from assay.units import Quantity, show

    large = unit == "MiB/s" and max(floor or 0, bound or 0) >= LARGE_MIBS
    to = "GiB/s" if large else unit

    def shown(value: float | None) -> str:
        return "-" if value is None else show(Quantity(value, unit).to(to).value)

    return shown(floor), shown(bound), to
