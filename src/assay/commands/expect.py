"""`assay expect`: prints the expected figures of each metric, or of the whole system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from assay.commands.inputs import DEFAULT_CLUSTER, ClusterFile, load, read_campaign
from assay.commands.terminal import print_table
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
    from assay.judge.signoff import judge_campaign
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
    from assay.units import Quantity

    def shown(value: float | None, unit: str) -> str:
        if value is None:
            return "-"
        large = unit == "MiB/s" and value >= LARGE_MIBS
        return str(Quantity(value, unit).to("GiB/s") if large else Quantity(value, unit))

    for what, bound in paths(cluster):
        print(one_line(f"{what}: at most {bound.sentence}"))
    required = requirements(cluster)
    listed = totals(cluster, required)
    table = Table("layer", "metric", "of", "floor", "bound", "limited by", box=None)
    for total in listed:
        first = total.requirement
        subject = first.subject.part if first.subject.backend or total.count == 1 else ""
        count = f"{total.count:,} {'together' if total.is_sum else 'pairs, each'}"
        whose = str(first.subject) if total.count == 1 else f"{count} {subject}".strip()
        floor, most = shown(total.floor, first.unit), shown(total.bound, first.unit)
        cells = (first.layer, first.figure, whose, floor, most, total.limited)
        table.add_row(*(escape(one_line(cell)) for cell in cells))
    print_table(table)
    metrics = sum(total.count for total in listed)
    print(
        f"{metrics} of {len(required)} metrics are in this table; the others are times and counts,"
        " or are limited by measurements of the layers below (assay expect)"
    )
