"""The sign-off as text, for a terminal with 80 columns and for mail."""

from __future__ import annotations

import io
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay.checks.untested import untested
from assay.foreign import limits
from assay.foreign.text import printable
from assay.judge import causes, coverage
from assay.judge.causes import Cause
from assay.judge.judgement import Judgement
from assay.judge.signoff import SignOff
from assay.judge.verdict import Verdict
from assay.judge.waivers import Waiver
from assay.report import grouping, words
from assay.units import show

_WIDTH = 80
_MOST_SUBJECTS = 4
"""Maximum number of subjects of one metric in the table; of more, the worst are listed."""
_MOST_CAUSES = 20


def render(signed: SignOff) -> str:
    """The headline, its causes, the figures, where it is slow, and what the gate requires."""
    parts = [_wrapped(signed.headline)]
    if signed.weakened:
        parts += ["", "Weakened yardsticks of the site, and what each replaces:"]
        parts += (_wrapped(each, indent="  ") for each in words.weakened(signed))
    parts += [
        "",
        _wrapped(f"measured {words.window(signed)}, scale {signed.scale}"),
    ]
    if signed.standing:
        parts.append(_wrapped(str(signed.standing)))
    if system := words.system(signed.cluster):
        parts.append(_wrapped(system))
    if signed.approver:
        parts.append(_wrapped(f"approver: {signed.approver}"))
    others = [*_less(signed), *_changed(signed), *_unjudged(signed)]
    for blocking, more in ((True, others), (False, [])):
        found = [each for each in signed.causes if signed.is_blocked_by(each) is blocking]
        if listed := [*_causes(found), *more]:
            parts += ["", f"{words.blocks(signed.gate, blocking=blocking)}:", *listed]
    if signed.judgements:
        parts += ["", _table(signed)]
    if slow := signed.chains:
        parts += ["", "Where it is slow:"]
        parts += (_wrapped(f"{chain.direction}: {chain.sentence}", indent="  ") for chain in slow)
    if engines := words.engines(signed):
        parts += ["", "What the engines report:"]
        parts += (_wrapped(f"{checks}: {sentence}", indent="  ") for checks, sentence in engines)
    if signed.findings:
        parts += ["", "What holds for the whole campaign:"]
        parts += (_wrapped(each, indent="  ") for each in signed.findings)
    if listed := list(_deviations(signed)):
        parts += ["", "Deviations from the scale:", *listed]
    if signed.host_changes and signed.passed:
        parts += ["", "What changed on hosts:"]
        parts += (_wrapped(str(change), indent="  ") for change in signed.host_changes)
    if listed := list(signed.undescribed):
        parts += ["", "What was found and is not described so:"]
        parts += (_wrapped(each, indent="  ") for each in listed)
    if listed := words.shares(signed):
        parts += ["", "What was judged of some subjects, or of none:"]
        parts += (_wrapped(each, indent="  ") for each in listed)
    if unrated := coverage.causes(signed.judgements).most_common():
        parts += ["", "What is unrated, by cause:"]
        parts += (_wrapped(f"{count:,}: {cause}", indent="  ") for cause, count in unrated)
    if defects := words.known_defects(signed.cluster):
        parts += ["", "What is known against this release:"]
        parts += (_wrapped(defect, indent="  ") for defect in defects)
    if left_out := untested(signed.cluster):
        parts += ["", "What was not tested:"]
        parts += (_wrapped(f"{names}: {why}", indent="  ") for names, why in left_out)
    if signed.excused:
        parts += ["", "What is waived:", *_waived(signed)]
    parts += ["", _wrapped(words.gate(signed))]
    return "\n".join(parts) + "\n"


def _table(signed: SignOff) -> str:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), expand=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("metric, subject", overflow="fold", ratio=1)
    table.add_column("median", justify="right", no_wrap=True)
    table.add_column("floor..ceiling", justify="right", no_wrap=True)
    table.add_column("unit", no_wrap=True)
    for peers in grouping.by_metric(signed.judgements):
        shown = grouping.worst(peers, _MOST_SUBJECTS)
        table.add_row("", Text(causes.metric(peers[0])))
        for judgement in shown:
            table.add_row(*(Text(cell) for cell in _cells(judgement)))
        if len(shown) < len(peers):
            table.add_row("", f"  and {len(peers) - len(shown):,} more, none worse")
    page = io.StringIO()
    Console(file=page, width=_WIDTH, color_system=None, legacy_windows=False).print(table)
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines())


def _cells(judgement: Judgement) -> Iterator[str]:
    expected = judgement.expectation
    yield judgement.verdict
    yield f"  {judgement.requirement.subject}"
    yield show(judgement.summary.median) if judgement.summary else "-"
    floor, ceiling = ("" if x is None else show(x) for x in (expected.floor, expected.ceiling))
    yield f"{floor}..{ceiling}" if floor or ceiling else "-"
    yield expected.unit


def _waived(signed: SignOff) -> Iterator[str]:
    """A line for each waiver, with the metrics that it accepts."""
    by_waiver: dict[Waiver, list[Judgement]] = {}
    for excused in signed.excused:
        by_waiver.setdefault(excused.waiver, []).append(excused.judgement)
    for waiver, judgements in by_waiver.items():
        named = causes.named(judgements, most=3)
        counted = Counter(judgement.verdict for judgement in judgements)
        without = ", ".join(f"{count:,} {verdict}" for verdict, count in counted.items())
        yield _wrapped(
            f"{waiver.metric}, {len(judgements):,} metric{'s' * (len(judgements) != 1)} ({named}):"
            f" {words.shorten(waiver.reason, 100)} ({waiver.owner}, until"
            f" {waiver.expires}; without it {without})",
            indent="  ",
        )


def _causes(found: Sequence[Cause]) -> Iterator[str]:
    for cause in found[:_MOST_CAUSES]:
        reason = words.shorten(cause.reason, limits.SHOWN_REASON)
        first = cause.judgements[0]
        where = f", {first.culprit}" if first.culprit else ""
        alone = first.verdict is Verdict.MISSING or len(cause.judgements) == 1
        which = "" if alone else "; the first"
        yield _wrapped(
            f"{words.counted(cause.counts)}{where}: {cause.named(most=3)}{which}: {reason}",
            indent="  ",
        )
    if len(found) > _MOST_CAUSES:
        yield f"  and {len(found) - _MOST_CAUSES:,} more causes, which report.html lists"


def _less(signed: SignOff) -> Iterator[str]:
    for deviation in signed.stopped_by_less:
        yield _wrapped(f"deviation: {deviation}", indent="  ")


def _changed(signed: SignOff) -> Iterator[str]:
    for change in signed.stopped_by_changes:
        yield _wrapped(f"deviation: {change}", indent="  ")


def _unjudged(signed: SignOff) -> Iterator[str]:
    yield from (_wrapped(gap, indent="  ") for gap in signed.gaps)
    if signed.gaps:
        yield _wrapped(words.UNJUDGED, indent="  ")


def _deviations(signed: SignOff) -> Iterator[str]:
    """The deviations that do not block the gate."""
    for deviation in signed.deviations:
        if not deviation.decided and deviation not in signed.stopped_by_less:
            yield _wrapped(str(deviation), indent="  ")
    if stopped := [each for each in signed.deviations if each.decided]:
        names = ", ".join(dict.fromkeys(each.check for each in stopped))
        yield _wrapped(
            f"{stopped[0].was} samples decided all verdicts, and no more were taken: {names}",
            indent="  ",
        )


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        printable(text),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=indent * 2,
        break_on_hyphens=False,
    )
