"""The charts of the report: samples, median and interval of each metric between its limits.

Altair describes a chart and vl-convert draws it as SVG, without a browser and without a network.
Colours are CSS variables of the page, so that one drawing serves light, dark and paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert
from markupsafe import Markup

from assay.report import grouping, words
from assay.units import show
from assay.verdict import Judgement, Verdict

MOST_SUBJECTS = 12
"""How many subjects of one metric a chart shows; where there are more, the worst."""

_WIDTH = 440
_ROW = 44
_VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
_COLOURS = alt.Scale(domain=list(Verdict), range=[f"var(--{verdict})" for verdict in Verdict])


@dataclass(frozen=True, slots=True)
class Chart:
    """One chart, of all metrics of a layer that have one unit."""

    unit: str
    svg: Markup
    shown: int
    of: int
    """How many figures there are; fewer are shown where a metric has many subjects."""


def charts(judgements: Sequence[Judgement]) -> list[Chart]:
    """Draw the judgements of one layer, a chart for each unit."""
    by_unit: dict[str, list[Judgement]] = {}
    for judgement in judgements:
        by_unit.setdefault(judgement.owed.metric.unit, []).append(judgement)
    return [_chart(unit, of) for unit, of in by_unit.items()]


def _chart(unit: str, judgements: Sequence[Judgement]) -> Chart:
    rows = [
        judgement
        for equals in grouping.by_metric(judgements)
        for judgement in grouping.worst(equals, MOST_SUBJECTS)
    ]
    return Chart(unit, _draw(rows), len(rows), len(judgements))


def _draw(rows: Sequence[Judgement]) -> Markup:
    end = max((value for row in rows for value in _values(row)), default=1.0)
    x = alt.X(
        "value:Q",
        title=None,
        scale=alt.Scale(domain=[0, end * 1.02], nice=False, zero=True),
        axis=alt.Axis(tickCount=4, labelExpr="datum.value ? datum.label : '0'"),
    )
    y = alt.Y("row:O", title=None, axis=None, scale=alt.Scale(paddingInner=0, paddingOuter=0))
    colour = alt.Color("verdict:N", scale=_COLOURS, legend=None)
    medians, limits = alt.InlineData(_medians(rows)), alt.InlineData(_limits(rows, end))
    layers = [
        _base(limits, y)
        .mark_bar(height=12, yOffset=10, color="var(--allowed)")
        .encode(x=alt.X("low:Q", title=None), x2="high:Q"),
        _base(alt.InlineData(_bounds(rows)), y)
        .mark_tick(height=20, thickness=1.5, yOffset=10, color="var(--bound)")
        .encode(x=x),
        _base(alt.InlineData(_samples(rows)), y)
        .mark_point(size=34, strokeWidth=1.2, yOffset=10, color="currentColor", opacity=0.7)
        .encode(x=x),
        _base(medians, y)
        .mark_rule(strokeWidth=3, yOffset=10)
        .encode(x=alt.X("low:Q", title=None), x2="high:Q", color=colour),
        _base(medians, y)
        .mark_point(
            shape="diamond", size=90, filled=True, opacity=1, yOffset=10, stroke="var(--paper)"
        )
        .encode(x=x, color=colour),
        _base(alt.InlineData(_names(rows)), y)
        .mark_text(align="left", dy=-8, limit=_WIDTH - 150, color="currentColor")
        .encode(x=alt.value(0), text="name:N"),
        _base(alt.InlineData(_names(rows)), y)
        .mark_text(align="right", dy=-8)
        .encode(x=alt.value(_WIDTH), text="verdict_text:N", color=colour),
    ]
    drawing = (
        alt.layer(*layers)
        .properties(width=_WIDTH, height=_ROW * len(rows))
        .configure(aria=False, background="transparent", padding=2, font="sans-serif")
        .configure_view(stroke=None)
        .configure_text(fontSize=13)
        .configure_axis(
            labelColor="currentColor",
            labelFontSize=12,
            labelOpacity=0.7,
            gridColor="var(--line)",
            tickColor="var(--line)",
            domainColor="var(--line)",
        )
    )
    # Each description is checked against Vega-Lite's schema by the tests, not at every report.
    svg: str = vl_convert.vegalite_to_svg(drawing.to_dict(validate=False), vl_version=_VEGA_LITE)
    return Markup(svg)


def _base(data: alt.InlineData, y: alt.Y) -> alt.Chart:
    return alt.Chart(data).encode(y=y)


def _values(row: Judgement) -> Iterator[float]:
    expected = row.expectation
    limits = (expected.floor, expected.bound, expected.ceiling)
    yield from (limit for limit in limits if limit is not None)
    if row.summary is not None:
        yield from row.samples


def _names(rows: Sequence[Judgement]) -> list[dict[str, Any]]:
    return [
        {
            "row": number,
            "name": f"{row.owed.metric.name} on {row.owed.subject}",
            "verdict": row.verdict,
            "verdict_text": _outcome(row),
        }
        for number, row in enumerate(rows)
    ]


def _outcome(row: Judgement) -> str:
    figure = f"{show(row.summary.median)}  " if row.summary else ""
    return f"{figure}{words.SIGN[row.verdict]} {row.verdict}"


def _limits(rows: Sequence[Judgement], end: float) -> list[dict[str, Any]]:
    """From floor to ceiling; open to the side on which there is nothing to say."""
    return [
        {
            "row": number,
            "low": row.expectation.floor or 0.0,
            "high": end * 1.02 if row.expectation.ceiling is None else row.expectation.ceiling,
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
