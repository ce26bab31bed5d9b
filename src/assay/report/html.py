"""The sign-off as one self-contained page, for the screen and for paper."""

from __future__ import annotations

import os.path
from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from assay.checks.plan import LAYERS, Layer, Requirement
from assay.checks.untested import untested
from assay.cluster.description import Cluster, Host
from assay.foreign import limits
from assay.foreign.text import printable
from assay.judge import causes, coverage
from assay.judge.causes import Cause
from assay.judge.chain import UNIT
from assay.judge.evidence import Evidence, is_bad
from assay.judge.judgement import Judgement
from assay.judge.signoff import SignOff
from assay.judge.verdict import Verdict
from assay.report import charts, grouping, heatmaps, recovery, words
from assay.tools.daos import support
from assay.units import show

_MOST_AT_THE_TOP = 8
"""Maximum number of causes under the headline; of more, the worst are listed."""

_MOST_CAUSES = 50
_MOST_FILES = 24
_MOST_SUBJECTS = 6
_MOST_ROWS = 16
"""Maximum number of subjects of one metric in a table, so that browsers can open large reports."""


@dataclass(frozen=True, slots=True)
class _Link:
    """A raw output of the bundle."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class _Raw:
    """The raw outputs of a metric, or the files of one kind."""

    directory: str
    """The part of the path that they have in common."""
    links: tuple[_Link, ...]
    more: int = 0
    """The number of others, which have no link."""


@dataclass(frozen=True, slots=True)
class _Found:
    """One cause of verdicts that are not `pass`."""

    anchor: str
    verdict: Verdict
    counts: Mapping[Verdict, int]
    title: str
    culprit: str
    names: str
    reason: str
    is_first: bool
    """Whether the reason is that of the first of several metrics."""
    figures: str
    """The anchor of a metric of it in the table of its layer, or of the layer."""


@dataclass(frozen=True, slots=True)
class _Row:
    """One metric as its table shows it; figures are in `unit`."""

    anchor: str
    verdict: Verdict
    rank: int
    """Rank of the verdict, by which the table is sorted; the worst is 0."""
    metric: str
    check: str
    subject: str
    unit: str
    median: str
    interval: str
    confidence: str
    spread: str
    floor: str
    bound: str
    ceiling: str
    remark: str
    derivation: str
    raw: _Raw
    evidence: str
    """The anchor of its evidence; empty if it has none."""


@dataclass(frozen=True, slots=True)
class _Proof:
    """The evidence for the bad figures of one check."""

    anchor: str
    name: str
    files: tuple[tuple[str, _Raw], ...]
    """The files by kind, in words."""
    notes: tuple[str, ...]
    collect: str
    """The command that collects the whole logs of the servers that are named; empty if none is."""


@dataclass(frozen=True, slots=True)
class _Section:
    """One layer."""

    layer: Layer
    meaning: str
    charts: tuple[charts.Chart, ...]
    maps: tuple[heatmaps.Heatmap, ...]
    rows: tuple[_Row, ...]
    total: int
    """Number of metrics."""


@dataclass(frozen=True, slots=True)
class _Machine:
    """One host as the table of hosts shows it."""

    name: str
    roles: str
    cores: int
    memory_gib: str
    interface: str
    scratch: str
    engines: str


def render(signed: SignOff) -> str:
    """The page: outcome, causes, the layers, the hosts, how to verify, and signatures."""
    missing = [j for j in signed.judgements if j.verdict is Verdict.MISSING]
    anchors = _anchors(signed)
    sections = [
        _section(layer, judgements, anchors) for layer, judgements in grouping.by_layer(signed)
    ]
    present = {section.layer for section in sections}
    shown = {row.anchor for section in sections for row in section.rows}
    found = [_found(number, cause, shown) for number, cause in enumerate(signed.causes, 1)]
    blocking = [
        each
        for each, cause in zip(found, signed.causes, strict=True)
        if signed.is_blocked_by(cause)
    ]
    others = found[len(blocking) :]
    return _page(
        signed=signed,
        gate_meaning=words.gate(signed),
        comparisons=words.comparisons(signed),
        units=words.units(signed),
        measured=_between(signed.measured_from, signed.measured_to),
        made_at=_at(signed.made_at),
        unjudged_advice=words.UNJUDGED,
        weakened=words.weakened(signed),
        shares=words.shares(signed),
        undescribed=signed.undescribed,
        causes=found,
        at_the_top=found[:_MOST_AT_THE_TOP],
        kinds=[
            (words.blocks(signed.gate, blocking=blocks), blocks, listed[:_MOST_CAUSES])
            for blocks, listed in ((True, blocking), (False, others))
        ],
        more_causes=sum(max(0, len(each) - _MOST_CAUSES) for each in (blocking, others)),
        advice={
            verdict: words.ADVICE[verdict]
            for verdict in words.ADVICE
            if any(verdict in each.counts for each in found)
        },
        unrated=coverage.causes(signed.judgements).most_common(),
        untested=untested(signed.cluster),
        defects=words.known_defects(signed.cluster),
        chains=signed.chains,
        chain_unit=UNIT,
        engines=words.engines(signed),
        recoveries=recovery.lines(signed),
        evidence=[_proof(each, signed.cluster) for each in signed.evidence or ()],
        heat=heatmaps.CLASSES,
        sections=sections,
        not_required=[layer for layer in LAYERS if layer not in present],
        missing=[
            {"names": cause.named(len(cause.judgements)), "reason": cause.reason.strip()}
            for cause in causes.causes(missing)
        ],
        system=words.system(signed.cluster),
        machines=[
            _machine(signed.cluster, name, host) for name, host in signed.cluster.hosts.items()
        ],
        show=show,
        sign=words.SIGN,
        meaning=words.MEANING,
    )


@cache
def environment() -> Environment:
    """The templates, each compiled once."""
    return Environment(
        loader=PackageLoader("assay.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finished,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _finished(value: object) -> object:
    """What a template prints: texts without control characters, and counts as everywhere."""
    if type(value) is int:
        return f"{value:,}"
    return printable(value) if type(value) is str else value


def _page(**context: Any) -> str:
    templates = environment()
    css, js = (templates.get_template(f"report.{kind}").module for kind in ("css", "js"))
    return templates.get_template("report.html.j2").render(
        context,
        numbered=words.numbered,
        css=css,
        js=js,
        css_hash=_hash(str(css)),
        js_hash=_hash(str(js)),
    )


def _hash(text: str) -> str:
    """The hash that allows a browser to run only this script."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _section(
    layer: Layer, judgements: Sequence[Judgement], anchors: Mapping[Requirement, str]
) -> _Section:
    return _Section(
        layer=layer,
        meaning=words.LAYER[layer],
        charts=tuple(charts.charts(judgements)),
        maps=tuple(heatmaps.heatmaps(judgements)),
        rows=tuple(
            _row(judgement, anchors.get(judgement.requirement, ""))
            for peers in grouping.by_metric(judgements)
            for judgement in grouping.worst(peers, _MOST_ROWS)
        ),
        total=len(judgements),
    )


def _found(number: int, cause: Cause, shown: Collection[str]) -> _Found:
    first = cause.judgements[0]
    places = (place for each in cause.judgements if (place := _place(each)) in shown)
    alone = cause.verdict is Verdict.MISSING or len(cause.judgements) == 1
    return _Found(
        anchor=f"cause-{number}",
        verdict=cause.verdict,
        counts=cause.counts,
        title=cause.title,
        culprit=first.culprit,
        names=cause.named(_MOST_SUBJECTS),
        reason=words.shorten(cause.reason, limits.SHOWN_REASON),
        is_first=not alone,
        figures=next(places, first.requirement.layer),
    )


def _place(judgement: Judgement) -> str:
    """The anchor of a metric in the table of its layer."""
    return f"figure-{quote(judgement.requirement.key, safe='')}"


def _anchors(signed: SignOff) -> dict[Requirement, str]:
    """The evidence of each figure that has some; waivers do not change that."""
    anchors = {each.case: _anchor(each) for each in signed.evidence or ()}
    without = {each.judgement.requirement: each.judgement.verdict for each in signed.excused}
    return {
        required: anchor
        for judgement in signed.judgements
        for required in [judgement.requirement]
        if is_bad(required, without.get(required, judgement.verdict))
        if (anchor := anchors.get(required.case))
    }


def _anchor(evidence: Evidence) -> str:
    return f"evidence-{evidence.check}-{evidence.partition}"


def _proof(evidence: Evidence, cluster: Cluster) -> _Proof:
    kinds = (
        ("Engines' metrics", evidence.telemetry),
        ("Engines' logs", evidence.logs),
        ("SSDs", evidence.devices),
        ("System", evidence.system),
        ("Job", evidence.job),
        ("Whole logs", evidence.support),
    )
    return _Proof(
        anchor=_anchor(evidence),
        name=str(evidence.case),
        files=tuple((kind, _raw(paths, _MOST_FILES)) for kind, paths in kinds if paths),
        notes=evidence.notes,
        collect="" if evidence.support else support.collect(evidence.servers, cluster),
    )


def _row(judgement: Judgement, evidence: str) -> _Row:
    expected, summary = judgement.expectation, judgement.summary
    # One sample has neither an interval nor a spread.
    several = summary is not None and summary.count > 1
    says_itself = judgement.verdict in (Verdict.PASS, Verdict.UNRATED)
    return _Row(
        anchor=_place(judgement),
        verdict=judgement.verdict,
        rank=list(Verdict).index(judgement.verdict),
        metric=judgement.requirement.name,
        check=judgement.requirement.check,
        subject=str(judgement.requirement.subject),
        unit=expected.unit,
        median=show(summary.median) if summary else "–",
        interval=f"{show(summary.low)} – {show(summary.high)}" if summary and several else "–",
        confidence=f"{summary.confidence:.1%}" if summary and several else "one sample",
        spread=f"{summary.spread:.1%}" if summary and several else "–",
        floor=_figure(expected.floor),
        bound=_figure(expected.bound),
        ceiling=_figure(expected.ceiling),
        remark=""
        if says_itself
        else words.shorten(judgement.reason, limits.SHOWN_REASON).rstrip("."),
        derivation=expected.derivation.rstrip("."),
        raw=_raw(judgement.raw, len(judgement.raw)),
        evidence=evidence,
    )


def _figure(value: float | None) -> str:
    return "–" if value is None else show(value)


def _raw(paths: Sequence[str], most: int) -> _Raw:
    """Links to files, each named by the part of its path that distinguishes it."""
    common = os.path.commonpath([os.path.dirname(path) for path in paths]) if paths else ""
    links = (
        _Link(os.path.relpath(path, common) if common else path, f"./{quote(path)}")
        for path in paths[:most]
    )
    return _Raw(common, tuple(links), max(0, len(paths) - most))


def _machine(cluster: Cluster, name: str, host: Host) -> _Machine:
    groups = {
        "controller": (cluster.controller,),
        "client": cluster.clients,
        "server": cluster.servers,
    }
    speed = host.interfaces[host.interface].speed_gbits
    scratch = host.scratch
    targets = sum(engine.targets for engine in host.engines)
    return _Machine(
        name=name,
        roles=", ".join(role for role, members in groups.items() if name in members),
        cores=host.cores,
        memory_gib=f"{host.memory.total_mib / 1024:.1f}",
        interface=f"{host.interface}, {'no known speed' if speed is None else f'{speed:g} Gbit/s'}",
        scratch=(
            "–"
            if scratch is None
            else f"{scratch.ssd or scratch.device}, {scratch.filesystem} at {scratch.directory}"
        ),
        engines=f"{len(host.engines)} with {targets:,} targets" if host.engines else "–",
    )


def _at(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y, %H:%M} UTC"


def _between(start: datetime, end: datetime) -> str:
    if start.date() == end.date():
        return f"{start.day} {start:%B %Y, %H:%M} – {end:%H:%M} UTC"
    return f"{_at(start)} – {_at(end)}"
