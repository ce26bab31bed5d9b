"""`assay plan`: lists the metrics that are required of a cluster."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from assay.commands.inputs import DEFAULT_CLUSTER, ClusterFile, load
from assay.commands.terminal import finite, print_lines, print_table
from assay.foreign.text import one_line


def plan(
    file: ClusterFile = DEFAULT_CLUSTER,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    more_hours: Annotated[
        float,
        typer.Option(
            min=0, help="The budget for further rounds of what stays open.", callback=finite
        ),
    ] = 0.0,
) -> None:
    """List every metric required of the cluster, before anything runs."""
    from rich.markup import escape
    from rich.table import Table

    from assay.checks.hours import sentences
    from assay.checks.plan import requirements
    from assay.checks.unmeasured import by_rank, failures, left_out
    from assay.checks.untested import not_tested
    from assay.checks.writes import writes
    from assay.judge.narrowed import narrowed

    described = load(file)
    metrics = requirements(described)
    if as_json:
        rows = [
            {
                "layer": metric.layer,
                "check": metric.check,
                "partition": metric.partition,
                "metric": metric.name,
                "unit": metric.unit,
                "subject": str(metric.subject),
            }
            for metric in metrics
        ]
        print(json.dumps(rows, indent=2))
        return
    table = Table("layer", "check", "partition", "metric", "unit", "subject", box=None)
    for metric in metrics:
        name, unit = metric.name, metric.unit
        cells = (metric.layer, metric.check, metric.partition, name, unit, str(metric.subject))
        table.add_row(*(escape(one_line(cell)) for cell in cells))
    print_table(table)
    print(f"{len(metrics):,} metrics required")
    for sentence in (
        *left_out(described),
        *by_rank(described),
        *failures(described),
        *not_tested(described),
        *writes(described),
        *sentences(described, more_hours),
        *(
            f"the gate acceptance refuses this plan: {gap}"
            for gap in narrowed(described, metrics, None)
        ),
    ):
        print_lines(sentence)
