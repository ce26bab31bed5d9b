"""The time lines of the report: what clients got before, during and after a loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import vl_convert
from markupsafe import Markup

from assay.checks.benchmarks.losses import LossCheck
from assay.judge.judgement import Judgement
from assay.judge.recovery import Recovery
from assay.judge.signoff import SignOff
from assay.judge.verdict import Verdict
from assay.report.charts import VEGA_LITE
from assay.units import show

_WIDTH, _HEIGHT = 720, 200

_ROWS = {
    "exclusion": "seconds from the loss until the system excluded the engine",
    "service": "seconds from the loss until another engine led the service of the pool",
    "reconnection": "seconds from the end of the agent until a new process had connected",
    "longest_stall": "seconds for which a process got nothing",
    "drained": "seconds from the command until the engine had no data of the pool",
    "redundancy": "seconds from the loss until all data was redundant again",
    "reintegration": "seconds from the command until the engine was back in the pool",
    "extension": "seconds from the command until the data was spread to the engine",
    "bandwidth_draining": "of the bandwidth before, while data moved off the engine",
    "bandwidth_drained": "of the bandwidth before, without the engine's data",
    "bandwidth_degraded": "of the bandwidth before, without the engine",
    "bandwidth_extending": "of the bandwidth before, while data moved to the engine",
    "bandwidth_without_agent": "of the bandwidth before, without the agent",
    "bandwidth_reconnected": "of the bandwidth before, with the agent again",
    "bandwidth_after": "of the bandwidth before, with it",
    "clean_processes": "of the processes saw no error",
    "verified": "of the data is as it was written",
}
"""The rows of the table, by metric; those that begin with `of` are shown as a share."""

_SHARE_OF = {name: "bandwidth_before" for name in _ROWS if name.startswith("bandwidth_")}
"""What a figure is a share of; of the other shares it is the count that is expected."""


@dataclass(frozen=True, slots=True)
class LostEngine:
    """One engine that was lost, or a part of it: a chart for each loss, and a table."""

    subject: str
    happened: str
    """What happened to it."""
    svgs: tuple[Markup, ...]
    rows: tuple[tuple[str, str, str, Verdict], ...]
    """What it is, its figure, its limit, its verdict."""
    problems: tuple[str, ...]


def lines(signed: SignOff) -> list[LostEngine]:
    """The time line and the recovery times of each part that was lost."""
    by_part: dict[tuple[LossCheck, str], list[Recovery]] = {}
    for each in signed.recoveries:
        by_part.setdefault((each.check, str(each.subject)), []).append(each)
    return [
        LostEngine(
            subject,
            check.loss.happened,
            tuple(draw(each) for each in recoveries),
            tuple(_rows(_judged(signed, check, subject))),
            tuple(dict.fromkeys(why for each in recoveries for why in each.problems)),
        )
        for (check, subject), recoveries in by_part.items()
    ]


def _judged(signed: SignOff, check: LossCheck, subject: str) -> list[Judgement]:
    return [
        each
        for each in signed.judgements
        if each.requirement.check == check.name and str(each.requirement.subject) == subject
    ]


def _rows(judgements: Sequence[Judgement]) -> list[tuple[str, str, str, Verdict]]:
    by_name = {each.requirement.name: each for each in judgements}
    return [
        (words, *_cells(by_name, name, words), by_name[name].verdict)
        for name, words in _ROWS.items()
        if name in by_name
    ]


def _cells(by_name: dict[str, Judgement], name: str, words: str) -> tuple[str, str]:
    """The figure and its limit, as the words of the row say."""
    judged = by_name[name]
    expected, higher = judged.expectation, judged.requirement.metric.better == "higher"
    figure = judged.summary.median if judged.summary else None
    limit = expected.floor if higher else expected.ceiling
    if not words.startswith("of "):
        return _shown(figure), _shown(limit)
    whole = limit
    if name in _SHARE_OF:
        before = by_name[_SHARE_OF[name]].summary
        whole = before.median if before else None
    return _share(figure, whole), _share(limit, whole)


def _share(figure: float | None, whole: float | None) -> str:
    return "–" if figure is None or not whole else f"{figure / whole:.0%}"


def _shown(figure: float | None) -> str:
    return "–" if figure is None else show(figure)


def draw(recovery: Recovery) -> Markup:
    """The bandwidth of all clients by seconds since the loss, and when what happened."""
    zero = min(recovery.moments.values())
    rates = [
        {"time": second - zero, "rate": rate, "load": load}
        for load, seconds in enumerate(_loads(recovery))
        for second, rate in seconds
    ]
    moments = [
        {"time": time - zero, "what": f"{what}, {time - zero:.0f} s", "row": number}
        for number, (what, time) in enumerate(recovery.moments.items())
    ]
    most = max((each["rate"] for each in rates), default=1.0) or 1.0
    drawing = _drawing(most, recovery.check.loss.since)
    drawing["datasets"] = {"rates": rates, "moments": moments}
    return Markup(vl_convert.vegalite_to_svg(drawing, vl_version=VEGA_LITE))


def _loads(recovery: Recovery) -> list[list[tuple[int, float]]]:
    """The seconds of each load; between two there was none, and that is no stall."""
    loads: list[list[tuple[int, float]]] = []
    last = None
    for second, rate in sorted(recovery.rates.items()):
        if last is None or second > last + 1:
            loads.append([])
        loads[-1].append((second, rate))
        last = second
    return loads


def _drawing(most: float, since: str) -> dict[str, Any]:
    """The drawing without data: an area of bandwidth, and a rule with words for each moment."""
    seconds = alt.Axis(title=f"seconds since {since}", grid=False, tickCount=10)
    time = alt.X("time:Q", axis=seconds, scale=alt.Scale(nice=False))
    no_axis = alt.X("time:Q", axis=None, scale=alt.Scale(nice=False))
    rate = alt.Y(
        "rate:Q",
        title="MiB/s, all clients",
        stack=None,
        axis=alt.Axis(grid=False, tickCount=4),
        scale=alt.Scale(domain=[0, most * 1.05]),
    )
    area = (
        alt.Chart(alt.NamedData("rates"))
        .mark_area(
            color="var(--pass)",
            opacity=0.35,
            line={"color": "var(--pass)", "strokeWidth": 1.5},
            interpolate="step-after",
        )
        .encode(x=time, y=rate, detail="load:N")
    )
    rules = (
        alt.Chart(alt.NamedData("moments"))
        .mark_rule(color="currentColor", strokeDash=[3, 3], opacity=0.7)
        .encode(x=time)
    )
    moments = alt.Chart(alt.NamedData("moments")).encode(x=no_axis)
    # Each on a line of its own, above the chart: several may happen within seconds.
    names = moments.mark_text(
        align="left", baseline="bottom", dx=3, color="currentColor", fontSize=12
    ).encode(text="what:N", y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingOuter=0.3)))
    ticks = moments.mark_tick(color="currentColor", thickness=1, opacity=0.7).encode(
        y=alt.Y("row:O", axis=None)
    )
    above = alt.layer(ticks, names).properties(width=_WIDTH, height=alt.Step(17))
    below = alt.layer(area, rules).properties(width=_WIDTH, height=_HEIGHT)
    drawing: dict[str, Any] = (
        alt.vconcat(above, below, spacing=0)
        .resolve_scale(x="shared")
        .configure(
            aria=False,
            background="transparent",
            padding={"left": 6, "right": 90, "top": 2, "bottom": 2},
        )
        .configure_view(stroke=None)
        .configure_axis(
            labelColor="currentColor",
            titleColor="currentColor",
            titleFontWeight="normal",
            labelFontSize=12,
            titleFontSize=12,
            labelOpacity=0.7,
            tickColor="var(--line)",
            domainColor="var(--line)",
        )
        .to_dict()
    )
    return drawing
