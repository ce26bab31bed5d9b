"""Derives the floors of figures through DAOS from published systems: `src/assay/checks/floors.yml`.

An operation takes its share of the time of a process, of a target, of a target once more for each
further copy, and of what bounds it, so that the times add up (`assay.checks.references.Law`). Time
over published time is linear in these four, and a regression of its 80 % quantile finds the
least times that four fifths of the published runs keep. All runs of one owner together weigh as
much as those of any other. A part that no data need becomes zero, and is left out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.optimize import linprog
from systems import PHASES, Run, cluster_of, published, requirement

from assay.checks.benchmarks.mdtest import Operations
from assay.checks.bounds import tightest
from assay.checks.bounds.path import of_files, stored_of
from assay.checks.daos_path import crossed_by
from assay.checks.figures import targets
from assay.checks.references import Law
from assay.units import Quantity

FLOORS = Path(__file__).parents[2] / "src/assay/checks/floors.yml"

HEAD = """\
# What published systems reach of each phase of IO500, by `make floors`. Do not edit: a test
# derives it again. docs/derivations.md explains it, and `Law` in references.py its fields.
"""

QUANTILE = 0.8
"""The part of the runs, weighted by owner, that take no longer (own choice). A slower run was on an
unlike system or was disturbed; one owner of seven has a seventh of the weight, less than that."""

DERIVED = tuple(phase for phase in PHASES if phase.name != "find")
"""The phases with a floor. `find` by DFS is none of this product's figures."""

PARTS = ("each_process", "each_target", "each_copy", "fraction")

Array = NDArray[np.float64]


@cache
def times(run: Run, phase: str) -> tuple[float, float, float, float]:
    """What a run's time would be of each part alone, over its own time, for a unit of each part.

    Bandwidths are in MiB/s and rates in op/s. A part that does not take part is zero.
    """
    metric = next(each for each in PHASES if each.name == phase)
    unit = "MiB/s" if metric.unit == "GiB/s" else "op/s"
    figure = Quantity(run.figure(phase), metric.unit).to(unit).value
    cluster = cluster_of(run, phase)
    count = targets(cluster, requirement(cluster, phase).subject)
    copies = copies_of(run, phase)
    if unit == "op/s":
        return figure / run.processes, figure / count, figure * (copies - 1) / count, 0.0
    crossed, why = crossed_by(
        cluster, requirement(cluster, phase), unit, processes=run.processes_per_client
    )
    tight = tightest(crossed, unit)
    assert tight, why
    bound = tight.value.value
    # Each copy of a large transfer is a transfer.
    return figure / run.processes, figure * copies / count, 0.0, figure / bound


def copies_of(run: Run, phase: str) -> float:
    """How often targets store what a phase writes."""
    metric, cluster = next(each for each in PHASES if each.name == phase), cluster_of(run, phase)
    operations = getattr(metric.rule, "__self__", None)
    if isinstance(operations, Operations):
        return operations.copies(cluster)
    assert metric.transfer
    if metric.direction == "read":
        return 1.0
    return stored_of(cluster, of_files(cluster), metric.transfer)


def least_times(runs: Sequence[Run], phase: str) -> Array:
    """The times of the parts that four fifths of the runs keep, each owner with one weight."""
    owners = [published().systems[run.system].owner for run in runs]
    weights = np.array([1 / owners.count(owner) for owner in owners])
    rows = np.array([times(run, phase) for run in runs])
    count, parts = rows.shape
    # The smallest sum of QUANTILE × (time not predicted) + (1 - QUANTILE) × (time too much).
    cost = np.concatenate([np.zeros(parts), QUANTILE * weights, (1 - QUANTILE) * weights])
    equations = np.hstack([rows, np.eye(count), -np.eye(count)])
    # Nothing is faster than its bound.
    ranges = [(0, None)] * (parts - 1) + [(1, None)] + [(0, None)] * (2 * count)
    found = linprog(cost, A_eq=equations, b_eq=np.ones(count), bounds=ranges)
    if not found.success:
        raise ValueError(f"{phase}: {found.message}")
    least: Array = np.array(found.x[:parts])
    least[rows.sum(axis=0) == 0] = 0.0
    return least


def law(runs: Sequence[Run], phase: str) -> dict[str, Any]:
    """The law of a phase, as `Law` reads it."""
    least = least_times(runs, phase)
    unit = "MiB/s" if phase.startswith("ior") else "op/s"
    made: dict[str, Any] = {}
    for name, time in zip(PARTS, least.tolist(), strict=True):
        if time > 1e-12:
            rate = float(f"{1 / time:.4g}")
            made[name] = rate if name == "fraction" else f"{rate:.6g} {unit}"
    if unit == "MiB/s" and "each_target" in made:
        made["each_copy"] = made["each_target"]
    low, high = interval(runs, phase, least)
    made["interval"] = [round(low, 2), round(high, 2)]
    made["runs"] = len(runs)
    made["systems"] = len({run.system for run in runs})
    return made


def interval(runs: Sequence[Run], phase: str, least: Array) -> tuple[float, float]:
    """The floor without one owner's runs, over that of all: the least and the most of all owners.

    The typical run counts, the median of all.
    """
    rows = np.array([times(run, phase) for run in runs])
    without = [
        median(((rows @ least) / (rows @ least_times(others, phase))).tolist())
        for others in each_owner_left_out(runs)
    ]
    return min(without), max(without)


def each_owner_left_out(runs: Sequence[Run]) -> Iterator[list[Run]]:
    """The runs of all owners but one, for each owner."""
    owner = {run.run: published().systems[run.system].owner for run in runs}
    for left_out in dict.fromkeys(owner.values()):
        yield [run for run in runs if owner[run.run] != left_out]


def derived(runs: Sequence[Run] | None = None) -> dict[str, Any]:
    """The laws of all phases, from these runs or from all that are known."""
    runs = published().known() if runs is None else runs
    return {phase.name: law(published().rating(phase.name, runs), phase.name) for phase in DERIVED}


def main(arguments: list[str]) -> int:
    """Write the derived floors; with `--check`, say whether the file has others."""
    made = derived()
    for each in made.values():
        Law.model_validate(each)
    text = HEAD + yaml.safe_dump(made, sort_keys=False, default_flow_style=None, width=120)
    there = FLOORS.read_text("utf-8") if FLOORS.exists() else ""
    if "--check" in arguments:
        if text != there:
            print(f"{FLOORS.name} is not what published.yml gives: run make floors")
        return int(text != there)
    FLOORS.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
