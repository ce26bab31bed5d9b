"""Heat maps of peers, in which outliers stand out: hosts by device, or both ends of pairs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import altair as alt
import vl_convert
from markupsafe import Markup

from assay.judge import causes
from assay.judge.judgement import Judgement
from assay.report import grouping
from assay.subject import Subject

MOST = 48
"""Maximum number of rows and columns; of more, those farthest from their peers are shown."""

_MOST_NAMES = 8
_CELL = 14
_NARROW = 12
"""Number of columns that have room on a screen of 400 pixels, beside the names of the rows."""
_VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
_STEPS = (-0.20, -0.10, -0.05, 0.05, 0.10, 0.20)
"""Boundaries of the colour classes: relative gain of a figure over the median of its peers."""

CLASSES = (
    "worse by 20 % and more",
    "worse by 10 to 20 %",
    "worse by 5 to 10 %",
    "like its peers",
    "better by 5 to 10 %",
    "better by 10 to 20 %",
    "better by 20 % and more",
)
"""Meaning of the colour classes, from the worst."""


@dataclass(frozen=True, slots=True)
class Heatmap:
    """A map of one metric."""

    metric: str
    rows: str
    columns: str
    svg: Markup
    shown: int
    total: int
    """Number of figures."""
    is_wide: bool
    """Whether a narrow screen cuts it."""
    outliers: str
    """The names of the outliers among the subjects; empty if there are none."""


def heatmaps(judgements: Sequence[Judgement]) -> list[Heatmap]:
    """Draw the metrics of one layer whose subjects are devices of hosts, or pairs.

    Each cell compares a figure with its peers; a figure without peers is not drawn.
    """
    drawn = (_heatmap(metric) for metric in grouping.by_metric(judgements))
    return [heatmap for heatmap in drawn if heatmap]


@dataclass(frozen=True, slots=True)
class _Cell:
    """One figure of a map, and its relative gain over the median of its peers."""

    row: str
    column: str
    gain: float


def _heatmap(metric: Sequence[Judgement]) -> Heatmap | None:
    cells = list(_cells(metric))
    if not cells:
        return None
    shown = _farthest(cells)
    rows, columns = _axes(metric[0].requirement.subject)
    return Heatmap(
        metric=causes.metric(metric[0]),
        rows=rows,
        columns=columns,
        svg=_draw(shown),
        shown=len(shown),
        total=len(cells),
        is_wide=len({cell.column for cell in shown}) > _NARROW,
        outliers=_outliers(metric),
    )


def _cells(metric: Sequence[Judgement]) -> Iterator[_Cell]:
    """The figures with peers and a place on the map."""
    for judgement in metric:
        place = _place(judgement.requirement.subject)
        if judgement.peers and place:
            yield _Cell(*place, judgement.peers.gain)


def _place(subject: Subject) -> tuple[str, str] | None:
    """Row and column of a subject: both ends of a pair, or host and device."""
    if subject.peer is not None:
        return str(subject.end), str(subject.peer)
    return (subject.host, subject.part) if subject.part else None


def _axes(subject: Subject) -> tuple[str, str]:
    """The labels of rows and columns."""
    return ("host", "device") if subject.peer is None else ("one end", "the other")


def _outliers(metric: Sequence[Judgement]) -> str:
    outliers = [judgement for judgement in metric if judgement.peers and judgement.peers.outlier]
    return causes.named(outliers, _MOST_NAMES) if outliers else ""


def _farthest(cells: Sequence[_Cell]) -> list[_Cell]:
    """The cells of at most `MOST` rows and columns, namely those with the most distant figures."""
    rows = _most_distant((cell.row, cell.gain) for cell in cells)
    in_rows = [cell for cell in cells if cell.row in rows]
    columns = _most_distant((cell.column, cell.gain) for cell in in_rows)
    return [cell for cell in in_rows if cell.column in columns]


def _most_distant(gains: Iterable[tuple[str, float]]) -> set[str]:
    distance: dict[str, float] = {}
    for name, gain in gains:
        distance[name] = max(distance.get(name, 0.0), abs(gain))
    return set(sorted(distance, key=lambda name: -distance[name])[:MOST])


def _draw(cells: Sequence[_Cell]) -> Markup:
    values = [
        {
            "row": cell.row,
            "column": cell.column,
            "class": sum(cell.gain >= step for step in _STEPS),
        }
        for cell in cells
    ]
    drawing = {**_drawing(), "datasets": {"cells": values}}
    return Markup(vl_convert.vegalite_to_svg(drawing, vl_version=_VEGA_LITE))


@cache
def _drawing() -> dict[str, Any]:
    classes = list(range(len(CLASSES)))
    colours = alt.Scale(domain=classes, range=[f"var(--heat-{number})" for number in classes])
    axis = alt.Axis(labelLimit=140, ticks=False, domain=False, labelOverlap=False)
    drawing: dict[str, Any] = (
        alt.Chart(alt.NamedData("cells"))
        .mark_rect(stroke="var(--paper)", strokeWidth=1)
        .encode(
            x=alt.X("column:N", title=None, sort=None, axis=axis),
            y=alt.Y("row:N", title=None, sort=None, axis=axis),
            color=alt.Color("class:O", scale=colours, legend=None),
        )
        .properties(width=alt.Step(_CELL), height=alt.Step(_CELL))
        .configure(aria=False, background="transparent")
        .configure_view(stroke=None)
        .configure_axis(labelColor="currentColor", labelFontSize=10)
        .to_dict()
    )
    return drawing
