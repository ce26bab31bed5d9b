"""The sign-off as JUnit XML: one test case for every required metric, for CI servers."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from assay.campaign.results import Deviation
from assay.cluster.fingerprint import HostChange
from assay.foreign.text import printable
from assay.judge.judgement import Judgement
from assay.judge.signoff import FAILING, Gate, SignOff
from assay.judge.verdict import Verdict
from assay.report import grouping


def render(signed: SignOff) -> str:
    """A suite for each layer; failures are what the gate does not let through.

    A metric that was not measured is an error, and a waived one is skipped. A plan that requires
    nothing is an error too, because a file without a test case passes everywhere. A layer of which
    nothing is judged is a failure, where the gate asks for that.
    """
    root = ElementTree.Element("testsuites", name=f"daos-assay {signed.cluster.name}")
    for layer, judgements in grouping.by_layer(signed):
        suite = _suite(root, layer, signed)
        for judgement in judgements:
            _case(suite, judgement, signed.gate)
    for deviation in signed.deviations:
        _deviation(root, deviation, signed)
    for change in signed.host_changes:
        _host_change(root, change, signed)
    if not signed.judgements:
        case = ElementTree.SubElement(
            _suite(root, "plan", signed), "testcase", classname="plan", name="requires a metric"
        )
        ElementTree.SubElement(case, "error", type="plan", message=signed.headline)
    if signed.unjudged:
        suite = _suite(root, "coverage", signed)
        for each in signed.unjudged:
            case = ElementTree.SubElement(suite, "testcase", classname="coverage", name=str(each))
            message = f"none of {each.required} metrics was judged"
            ElementTree.SubElement(case, "failure", type="coverage", message=message)
    for element in (*root, root):
        for count, tag in (
            ("tests", "testcase"),
            ("failures", "failure"),
            ("errors", "error"),
            ("skipped", "skipped"),
        ):
            element.set(count, str(sum(1 for _ in element.iter(tag))))
    ElementTree.indent(root)
    body = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{body}\n'


def _suite(root: ElementTree.Element, name: str, signed: SignOff) -> ElementTree.Element:
    started = signed.measured_from.isoformat(timespec="seconds")
    suite = ElementTree.SubElement(root, "testsuite", name=name, timestamp=started)
    properties = ElementTree.SubElement(suite, "properties")
    for key, value in (
        ("cluster", signed.cluster.name),
        ("gate", signed.gate),
        ("scale", signed.scale),
    ):
        ElementTree.SubElement(properties, "property", name=key, value=value)
    return suite


def _case(suite: ElementTree.Element, judgement: Judgement, gate: Gate) -> None:
    required = judgement.requirement
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=f"{required.layer}.{required.check}",
        name=f"{required.name} on {required.subject}",
    )
    properties = ElementTree.SubElement(case, "properties")
    for name, value in _properties(judgement):
        ElementTree.SubElement(properties, "property", name=name, value=printable(value))
    if judgement.verdict is Verdict.WAIVED:
        ElementTree.SubElement(case, "skipped", message=printable(judgement.reason))
    if judgement.verdict in FAILING[gate]:
        tag = "error" if judgement.verdict is Verdict.MISSING else "failure"
        reason = printable(judgement.reason)
        outcome = ElementTree.SubElement(case, tag, type=judgement.verdict, message=reason)
        outcome.text = f"{required.key}: {reason}"


def _host_change(root: ElementTree.Element, change: HostChange, signed: SignOff) -> None:
    suite = root.find("testsuite[@name='hosts']")
    if suite is None:
        suite = _suite(root, "hosts", signed)
    case = ElementTree.SubElement(
        suite, "testcase", classname=f"hosts.{change.host}", name=printable(change.what)
    )
    if change in signed.stopped_by_changes:
        message = printable(str(change))
        ElementTree.SubElement(case, "failure", type="deviation", message=message)


def _deviation(root: ElementTree.Element, deviation: Deviation, signed: SignOff) -> None:
    suite = root.find("testsuite[@name='deviations']")
    if suite is None:
        suite = _suite(root, "deviations", signed)
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=f"deviations.{deviation.check}",
        name=f"{printable(deviation.variable)} on {deviation.partition}",
    )
    if deviation in signed.stopped_by_less:
        message = printable(str(deviation))
        ElementTree.SubElement(case, "failure", type="deviation", message=message)


def _properties(judgement: Judgement) -> Iterator[tuple[str, str]]:
    expected = judgement.expectation
    yield "verdict", judgement.verdict
    yield "partition", judgement.requirement.partition
    yield "unit", expected.unit
    if judgement.summary is not None:
        yield "samples", " ".join(f"{sample:.6g}" for sample in judgement.samples)
        for name in ("median", "low", "high", "confidence", "spread"):
            yield name, f"{getattr(judgement.summary, name):.6g}"
    for name in ("floor", "bound", "ceiling"):
        limit = getattr(expected, name)
        if limit is not None:
            yield name, f"{limit:.6g}"
    yield "derivation", expected.derivation
    for path in judgement.raw:
        yield "raw", path
