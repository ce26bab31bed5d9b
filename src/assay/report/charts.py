"""The charts of the report: samples, median and interval of each metric between its limits.

Altair describes a chart and vl-convert draws it as SVG, without a browser and without a network.
Colours are CSS variables of the page, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import altair as alt
import vl_convert
from markupsafe import Markup

from assay.judge.judgement import Judgement
from assay.judge.verdict import Verdict
from assay.report import grouping, words
from assay.units import show

MOST_SUBJECTS, WORST = 12, 6
"""Maximum number of subjects of one metric in a chart; of more, so many of the worst are shown.

Names take most of the time of a drawing, and the table of a large cluster has more of them."""

_WIDTH = 440
_ROW = 44
_OUTCOME = 190
"""Space for the longest outcome, to the right of a name."""
_BELOW_NAME, _ABOVE_MARKS = 10, -8
"""Distance from the middle of a row to its marks and to its text."""
_END = "end"
VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
_COLOURS = alt.Scale(domain=list(Verdict), range=[f"var(--{verdict})" for verdict in Verdict])


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart of all metrics of a check with the same unit."""

    check: str
    unit: str
    better: str
    """Whether more or less is better."""
    svg: Markup
    shown: int
    total: int
    """Number of figures; fewer are shown if a metric has many subjects."""


def charts(judgements: Sequence[Judgement]) -> list[Chart]:
    """Draw the judgements of one layer, a chart for each unit and direction of each check.

    There is no chart if no judgement has a sample or a limit.
    """
    alike: dict[tuple[str, str, str], list[Judgement]] = {}
    for judgement in judgements:
        metric = judgement.requirement.metric
        better = "more" if metric.better == "higher" else "less"
        alike.setdefault((judgement.requirement.check, metric.unit, better), []).append(judgement)
    drawn = [(*kind, _shown(judged), len(judged)) for kind, judged in alike.items()]
    return [
        Chart(check, unit, better, _draw(rows), len(rows), total)
        for check, unit, better, rows, total in drawn
        if any(any(_extent(judgement)) for judgement in rows)
    ]


def _shown(judgements: Sequence[Judgement]) -> list[Judgement]:
    return [
        judgement
        for peers in grouping.by_metric(judgements)
        for judgement in grouping.worst(peers, _most(peers))
    ]


def _most(peers: Sequence[Judgement]) -> int:
    return MOST_SUBJECTS if len(peers) <= MOST_SUBJECTS else WORST


def _draw(rows: Sequence[Judgement]) -> Markup:
    end = max(value for row in rows for value in _extent(row))
    drawing = {
        **_drawing(),
        "height": _ROW * len(rows),
        "params": [{"name": _END, "value": end}],
        "datasets": {
            "limits": _limits(rows, end),
            "bounds": _bounds(rows),
            "samples": _samples(rows),
            "medians": _medians(rows),
            "names": _names(rows),
        },
    }
    return Markup(vl_convert.vegalite_to_svg(drawing, vl_version=VEGA_LITE))


@cache
def _drawing() -> dict[str, Any]:
    """The drawing without data, height and end of scale, which are different for each chart."""
    marks = [_line(), _allowed(), _bound(), _sample(), _interval(), _median(), _name(), _verdict()]
    drawing: dict[str, Any] = (
        alt.layer(*marks)
        .properties(width=_WIDTH)
        .configure(
            aria=False,
            background="transparent",
            padding={"left": 6, "right": 8, "top": 2, "bottom": 2},
        )
        .configure_view(stroke=None)
        .configure_text(fontSize=13)
        .configure_axis(
            labelColor="currentColor",
            labelFontSize=12,
            labelOpacity=0.7,
            tickColor="var(--line)",
            domainColor="var(--line)",
        )
        .to_dict()
    )
    return drawing


_Y = alt.Y("row:O", title=None, axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
_X = alt.X(
    "value:Q",
    title=None,
    scale=alt.Scale(domainMin=0, domainMax=alt.ExprRef(_END), nice=False),
    axis=alt.Axis(tickCount=4, grid=False, labelFlush=24, labelOverlap=True),
)
_LOW, _HIGH = alt.X("low:Q", title=None), alt.X2("high:Q")
_COLOUR = alt.Color("verdict:N", scale=_COLOURS, legend=None)
_Marks = Any
"""The result of `encode`, which has no type in Altair."""

_LEFT, _RIGHT = alt.value(0), alt.value(_WIDTH)


def _data(name: str) -> alt.Chart:
    """One of the data sets that `_draw` fills in."""
    return alt.Chart(alt.NamedData(name))


def _line() -> _Marks:
    marks = _data("names").mark_rule(strokeWidth=1, yOffset=_BELOW_NAME, color="var(--line)")
    return marks.encode(x=_LEFT, x2=_RIGHT, y=_Y)


def _allowed() -> _Marks:
    marks = _data("limits").mark_bar(height=14, yOffset=_BELOW_NAME, color="var(--allowed)")
    return marks.encode(x=_LOW, x2=_HIGH, y=_Y)


def _bound() -> _Marks:
    marks = _data("bounds").mark_tick(
        height=18, thickness=1.5, yOffset=_BELOW_NAME, color="var(--bound)"
    )
    return marks.encode(x=_X, y=_Y)


def _sample() -> _Marks:
    marks = _data("samples").mark_point(
        size=44, strokeWidth=1.2, opacity=0.65, yOffset=_BELOW_NAME, color="currentColor"
    )
    return marks.encode(x=_X, y=_Y)


def _interval() -> _Marks:
    marks = _data("medians").mark_rule(strokeWidth=3, yOffset=_BELOW_NAME)
    return marks.encode(x=_LOW, x2=_HIGH, y=_Y, color=_COLOUR)


def _median() -> _Marks:
    marks = _data("medians").mark_point(
        shape="diamond",
        size=90,
        filled=True,
        opacity=1,
        yOffset=_BELOW_NAME,
        stroke="var(--paper)",
        strokeWidth=1,
    )
    return marks.encode(x=_X, y=_Y, fill=alt.Fill("verdict:N", scale=_COLOURS, legend=None))


def _name() -> _Marks:
    marks = _data("names").mark_text(
        align="left", dy=_ABOVE_MARKS, limit=_WIDTH - _OUTCOME, color="currentColor"
    )
    return marks.encode(x=_LEFT, y=_Y, text="name:N")


def _verdict() -> _Marks:
    marks = _data("names").mark_text(align="right", dy=_ABOVE_MARKS, fontWeight=600)
    return marks.encode(x=_RIGHT, y=_Y, text="outcome:N", color=_COLOUR)


def _extent(row: Judgement) -> Iterator[float]:
    """The figures that the scale must include, with some space to the right."""
    expected = row.expectation
    limits = (expected.floor, expected.bound, expected.ceiling)
    yield from (1.02 * limit for limit in limits if limit is not None)
    if row.summary is not None:
        yield from (1.15 * sample for sample in row.samples)


def _names(rows: Sequence[Judgement]) -> list[dict[str, Any]]:
    return [
        {
            "row": number,
            "name": f"{row.requirement.name} on {row.requirement.subject}",
            "verdict": row.verdict,
            "outcome": _outcome(row),
        }
        for number, row in enumerate(rows)
    ]


def _outcome(row: Judgement) -> str:
    figure = f"{show(row.summary.median)}  " if row.summary else ""
    return f"{figure}{words.SIGN[row.verdict]} {row.verdict}"


def _limits(rows: Sequence[Judgement], end: float) -> list[dict[str, Any]]:
    """The range from floor to ceiling; without one of them, it is open on that side."""
    return [
        {
            "row": number,
            "low": row.expectation.floor or 0.0,
            "high": end if row.expectation.ceiling is None else row.expectation.ceiling,
        }
        for number, row in enumerate(rows)
        if (row.expectation.floor, row.expectation.ceiling) != (None, None)
    ]


def _bounds(rows: Sequence[Judgement]) -> list[dict[str, Any]]:
    return [
        {"row": number, "value": row.expectation.bound}
        for number, row in enumerate(rows)
        if row.expectation.bound is not None
    ]


def _samples(rows: Sequence[Judgement]) -> list[dict[str, Any]]:
    return [
        {"row": number, "value": value}
        for number, row in enumerate(rows)
        if row.summary is not None
        for value in row.samples
    ]


def _medians(rows: Sequence[Judgement]) -> list[dict[str, Any]]:
    return [
        {
            "row": number,
            "value": row.summary.median,
            "low": row.summary.low,
            "high": row.summary.high,
            "verdict": row.verdict,
        }
        for number, row in enumerate(rows)
        if row.summary is not None
    ]
