"""Maps of peers: hosts by device, or one end of a pair by the other; who is odd stands out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import altair as alt
import vl_convert
from markupsafe import Markup

from assay.judge.judgement import Judgement
from assay.report import grouping
from assay.subject import Subject

MOST = 48
"""How many rows and columns a map shows; where there are more, those that are farthest off."""

_MOST_NAMES = 8
_CELL = 14
_VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
_STEPS = (-0.20, -0.10, -0.05, 0.05, 0.10, 0.20)
"""Between the classes of colour: by how much a figure is better than the median of its peers."""

CLASSES = (
    "worse by 20 % and more",
    "worse by 10 to 20 %",
    "worse by 5 to 10 %",
    "like its peers",
    "better by 5 to 10 %",
    "better by 10 to 20 %",
    "better by 20 % and more",
)
"""What the classes of colour mean, from the worst."""


@dataclass(frozen=True, slots=True)
class Heatmap:
    """A map of one metric."""

    metric: str
    rows: str
    columns: str
    svg: Markup
    shown: int
    total: int
    """How many figures there are."""
    outliers: str
    """The subjects that are outliers among their peers, named; empty where none is."""


def heatmaps(judgements: Sequence[Judgement]) -> list[Heatmap]:
    """Draw the metrics of one layer whose subjects are devices of hosts, or pairs.

    Each cell tells how its figure stands among its peers; what has none is not drawn.
    """
    drawn = (_heatmap(metric) for metric in grouping.by_metric(judgements))
    return [heatmap for heatmap in drawn if heatmap]


def _heatmap(metric: Sequence[Judgement]) -> Heatmap | None:
    cells = [
        (*place, judgement.peers.gain)
        for judgement in metric
        if judgement.peers and (place := _place(judgement.requirement.subject))
    ]
    if not cells:
        return None
    rows = _farthest([(row, gain) for row, _, gain in cells])
    columns = _farthest([(column, gain) for row, column, gain in cells if row in rows])
    shown = [cell for cell in cells if cell[0] in rows and cell[1] in columns]
    odd = [judgement for judgement in metric if judgement.peers and judgement.peers.outlier]
    pairs = metric[0].requirement.subject.peer is not None
    return Heatmap(
        metric=grouping.metric(metric[0]),
        rows="one end" if pairs else "host",
        columns="the other" if pairs else "device",
        svg=_draw(shown),
        shown=len(shown),
        total=len(cells),
        outliers=grouping.named(odd, _MOST_NAMES) if odd else "",
    )


def _place(subject: Subject) -> tuple[str, str] | None:
    """Row and column of a subject: both ends of a pair, or host and device."""
    if subject.peer is not None:
        return str(subject.end), str(subject.peer)
    return (subject.host, subject.part) if subject.part else None


def _farthest(gains: Sequence[tuple[str, float]]) -> set[str]:
    """The rows or columns to show: at most `MOST`, those in which a figure is farthest off."""
    far: dict[str, float] = {}
    for name, gain in gains:
        far[name] = max(far.get(name, 0.0), abs(gain))
    return set(sorted(far, key=lambda name: -far[name])[:MOST])


def _draw(cells: Sequence[tuple[str, str, float]]) -> Markup:
    values = [
        {"row": row, "column": column, "class": sum(gain >= step for step in _STEPS)}
        for row, column, gain in cells
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
