"""Prints saved outputs: a table for people, JSON and CSV for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from assay.foreign.text import one_line
from assay.saved.reading import SavedRun
from assay.tools.output import Sample
from assay.units import show

if TYPE_CHECKING:
    from assay.saved.judging import SavedJudgements

NOT_OURS = "not measured by this project"
COLUMNS = ("file", "run", "program", "metric", "value", "unit", "of", "valid")
"""The columns of the table and of CSV, one row for each sample."""

_NOT_SHOWN = frozenset({"bytes", "job", "max"})
"""Labels that a reader of the table does not need: others name the same thing."""


def rows(run: SavedRun, below: Path | None = None) -> Iterator[tuple[str, ...]]:
    """The rows of a run, one for each sample; one without figures if it has none.

    Args:
        run: the run.
        below: the directory to which the file's path is printed; by default as it is.
    """
    parsed = run.parsed
    valid = "not known" if parsed.unread else "no" if parsed.problems else "yes"
    head = (_shown(run.path, below), str(run.number), parsed.tool)
    for sample in parsed.samples:
        yield (*head, sample.metric, show(sample.value), sample.unit, _labels(sample), valid)
    if not parsed.samples:
        yield (*head, "-", "-", "-", "", valid)


def _shown(path: Path, below: Path | None) -> str:
    return str(path.relative_to(below) if below else path)


def _labels(sample: Sample) -> str:
    return " ".join(
        f"{name}={value}" for name, value in sample.labels.items() if name not in _NOT_SHOWN
    )


def as_json(runs: Iterable[SavedRun], judged: SavedJudgements | None = None) -> str:
    """The runs as a JSON document, with what a sign-off would say of their figures if `judged`."""
    document: dict[str, object] = {
        "runs": [{"file": str(run.path), "run": run.number, **run.parsed.as_dict()} for run in runs]
    }
    if judged is not None:
        document["judged"] = {
            "note": NOT_OURS,
            "judgements": judged.as_dicts(),
            "notes": list(judged.notes),
        }
    return json.dumps(document, indent=2)


def as_csv(runs: Iterable[SavedRun]) -> str:
    """The samples of the runs as CSV, with all digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for run in runs:
        values = [repr(sample.value) for sample in run.parsed.samples] or ["-"]
        for row, value in zip(rows(run), values, strict=True):
            writer.writerow([one_line(cell) for cell in (*row[:4], value, *row[5:])])
    return text.getvalue()


def sentences(runs: Iterable[SavedRun], below: Path | None = None) -> Iterator[str]:
    """Every problem, after the file in which it is."""
    for run in runs:
        where = _shown(run.path, below) + (f" run {run.number}" if run.count > 1 else "")
        for problem in run.parsed.problems:
            yield one_line(f"{where}: {problem}")


JUDGED_COLUMNS = ("file", "metric", "value", "unit", "floor", "bound", "verdict", "reason")


def judged_rows(judged: SavedJudgements, below: Path | None = None) -> Iterator[tuple[str, ...]]:
    """The rows of the judged figures."""
    for each in judged.judgements:
        its = each.judgement
        value = median(its.samples) if its.samples else None
        numbers = (value, its.expectation.floor, its.expectation.bound)
        shown, floor, bound = ("-" if number is None else show(number) for number in numbers)
        where = (_shown(each.path, below), its.requirement.key, shown, its.expectation.unit)
        yield (*where, floor, bound, str(its.verdict), its.reason)
