"""The sign-off as JUnit XML: one test case for every required metric, for CI servers.

It is written as text, since building a tree of elements took most of the time of a large sign-off.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from assay.campaign.cases import Deviation
from assay.cluster.fingerprint import HostChange
from assay.foreign.text import printable
from assay.judge.judgement import Judgement
from assay.judge.signoff import FAILING, Gate, SignOff
from assay.judge.verdict import Verdict
from assay.report import grouping

_COUNTED = {"failures": "failure", "errors": "error", "skipped": "skipped"}
"""The attributes of a suite that count, and the element of a test case that each counts."""


class _Suite:
    """A suite and its test cases."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.cases: list[str] = []
        self.outcomes: Counter[str] = Counter()

    def add(
        self, classname: str, name: str, inner: Iterable[str] = (), outcomes: Iterable[str] = ()
    ) -> None:
        """Add a test case with its properties and outcomes."""
        lines = [*inner]
        for outcome in outcomes:
            self.outcomes[outcome[1:].partition(" ")[0]] += 1
            lines.append(f"      {outcome}")
        case = f"    <testcase{_attributes(classname=classname, name=name)}"
        if lines:
            self.cases.append("\n".join([f"{case}>", *lines, "    </testcase>"]))
        else:
            self.cases.append(f"{case} />")

    def counts(self) -> dict[str, int]:
        """The attributes that count."""
        return {
            "tests": len(self.cases),
            **{name: self.outcomes[tag] for name, tag in _COUNTED.items()},
        }


def render(signed: SignOff) -> str:
    """A suite for each layer; its failures are the metrics that the gate does not accept.

    A metric that was not measured is an error, and a waived one is skipped. An empty plan is also
    an error, because a file without test cases passes everywhere. If the gate requires coverage, a
    layer without any judged metric is a failure.
    """
    suites = []
    for layer, judgements in grouping.by_layer(signed):
        suites.append(suite := _Suite(layer))
        for judgement in judgements:
            _case(suite, judgement, signed.gate)
    if signed.deviations:
        suites.append(suite := _Suite("deviations"))
        for deviation in signed.deviations:
            _deviation(suite, deviation, signed)
    if signed.host_changes:
        suites.append(suite := _Suite("hosts"))
        for change in signed.host_changes:
            _host_change(suite, change, signed)
    if not signed.judgements:
        suites.append(suite := _Suite("plan"))
        suite.add("plan", "requires a metric", (), [_outcome("error", "plan", signed.headline)])
    if signed.gaps:
        suites.append(suite := _Suite("coverage"))
        for gap in signed.gaps:
            suite.add("coverage", gap, (), [_outcome("failure", "coverage", gap)])
    total: Counter[str] = Counter()
    for suite in suites:
        total.update(suite.counts())
    counts = {name: str(total[name]) for name in ("tests", *_COUNTED)}
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f"<testsuites{_attributes(name=f'daos-assay {signed.cluster.name}', **counts)}>",
            *(line for suite in suites for line in _lines(suite, signed)),
            "</testsuites>\n",
        ]
    )


def _lines(suite: _Suite, signed: SignOff) -> Iterator[str]:
    started = signed.measured_from.isoformat(timespec="seconds")
    counts = {name: str(count) for name, count in suite.counts().items()}
    yield f"  <testsuite{_attributes(name=suite.name, timestamp=started, **counts)}>"
    yield "    <properties>"
    for key, value in (
        ("cluster", signed.cluster.name),
        ("gate", signed.gate),
        ("scale", signed.scale),
    ):
        yield f"      <property{_attributes(name=key, value=value)} />"
    yield "    </properties>"
    yield from suite.cases
    yield "  </testsuite>"


def _case(suite: _Suite, judgement: Judgement, gate: Gate) -> None:
    required, reason = judgement.requirement, printable(judgement.reason)
    outcomes = []
    if judgement.verdict is Verdict.WAIVED:
        outcomes.append(f"<skipped{_attributes(message=reason)} />")
    if judgement.verdict in FAILING[gate]:
        tag = "error" if judgement.verdict is Verdict.MISSING else "failure"
        text = f"{required.key}: {reason}"
        outcomes.append(_outcome(tag, judgement.verdict, reason, text))
    properties = [
        f"        <property name={name} value={value} />" for name, value in _properties(judgement)
    ]
    suite.add(
        f"{required.layer}.{required.check}",
        f"{required.name} on {required.subject}",
        ["      <properties>", *properties, "      </properties>"],
        outcomes,
    )


def _deviation(suite: _Suite, deviation: Deviation, signed: SignOff) -> None:
    outcomes = []
    if deviation in signed.stopped_by_less:
        outcomes.append(_outcome("failure", "deviation", printable(str(deviation))))
    name = f"{printable(deviation.variable)} on {deviation.partition}"
    suite.add(f"deviations.{deviation.check}", name, (), outcomes)


def _host_change(suite: _Suite, change: HostChange, signed: SignOff) -> None:
    outcomes = []
    if change in signed.stopped_by_changes:
        outcomes.append(_outcome("failure", "deviation", printable(str(change))))
    suite.add(f"hosts.{change.host}", printable(change.what), (), outcomes)


def _outcome(tag: str, kind: str, message: str, text: str = "") -> str:
    start = f"<{tag}{_attributes(type=kind, message=message)}"
    return f"{start}>{escape(text)}</{tag}>" if text else f"{start} />"


def _attributes(**values: str) -> str:
    return "".join([f" {name}={_quoted(value)}" for name, value in values.items()])


_SPECIAL = re.compile(r"[&<>\"\n\r\t]")


def _quoted(value: str) -> str:
    """A value of an attribute; a large campaign has a million, and nearly none needs escapes."""
    return quoteattr(value) if _SPECIAL.search(value) else f'"{value}"'


def _properties(judgement: Judgement) -> Iterator[tuple[str, str]]:
    """Names and values in quotes; only texts can need escapes, and most values are numbers."""
    expected, summary = judgement.expectation, judgement.summary
    yield '"verdict"', _quoted(judgement.verdict)
    yield '"partition"', _quoted(judgement.requirement.partition)
    yield '"unit"', _quoted(printable(expected.unit))
    if summary is not None:
        samples = " ".join([f"{sample:.6g}" for sample in judgement.samples])
        yield '"samples"', f'"{samples}"'
        yield '"median"', f'"{summary.median:.6g}"'
        yield '"low"', f'"{summary.low:.6g}"'
        yield '"high"', f'"{summary.high:.6g}"'
        yield '"confidence"', f'"{summary.confidence:.6g}"'
        yield '"spread"', f'"{summary.spread:.6g}"'
    if expected.floor is not None:
        yield '"floor"', f'"{expected.floor:.6g}"'
    if expected.bound is not None:
        yield '"bound"', f'"{expected.bound:.6g}"'
    if expected.ceiling is not None:
        yield '"ceiling"', f'"{expected.ceiling:.6g}"'
    yield '"derivation"', _quoted(printable(expected.derivation))
    for path in judgement.raw:
        yield '"raw"', _quoted(printable(path))
