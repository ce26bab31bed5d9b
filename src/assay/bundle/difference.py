"""The comparison of two campaigns as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from assay.bundle.compare import MEANING, Comparison, Outcome, Result, Row, differences
from assay.foreign.text import one_line
from assay.judge.baseline import DECIDING, Change
from assay.report.record import MetricRecord, Record
from assay.units import show


def render(old: Sequence[Record], new: Sequence[Record], compared: Comparison) -> str:
    """The outcome, the campaigns with their deviations, all figures together, then each metric."""
    return "\n".join(map(one_line, _lines(old, new, compared))) + "\n"


def _lines(old: Sequence[Record], new: Sequence[Record], compared: Comparison) -> Iterator[str]:
    counted = Counter(row.outcome for row in compared.rows)
    counts = [f"{counted[outcome]:,} {outcome}" for outcome in Outcome if counted[outcome]]
    if compared.unmeasured:
        counts.append(f"{compared.unmeasured:,} measured in neither")
    yield f"{compared.result}: {', '.join(counts)}"
    if compared.result is Result.UNDECIDED:
        yield from _deciding(compared)
    for name, records in (("old", old), ("new", new)):
        for record in records:
            yield (
                f"{name}: {record.measured_from:%Y-%m-%d %H:%M} UTC, scale {record.scale}:"
                f" {record.headline}"
            )
            for deviation in record.deviations:
                yield f"  {deviation}"
    for difference in differences(old, new):
        yield f"warning: {difference}; figures may differ for this reason"
    yield from _limit(compared)
    yield ""
    yield "Together (+ is better; confidence intervals in parentheses, if they say something):"
    if compared.changes.campaign:
        both = sum(bool(row.old and row.new) for row in compared.rows)
        yield f"  {_together(compared.changes.campaign)}  all {both} figures of both"
    for kind, change in compared.kinds.items():
        slip = f"; possible unit mix-up: {change.slip}" if change.slip else ""
        yield f"  {_together(change)}  {kind}{slip}"
    yield ""
    yield "One by one:"
    for row in compared.rows:
        yield f"  {_row(row)}"
    yield ""
    for outcome in Outcome:
        if counted[outcome]:
            yield f"{outcome}: {MEANING[outcome]}"


def _deciding(compared: Comparison) -> Iterator[str]:
    """What would decide, and where to look meanwhile."""
    if compared.changes.campaign is None:
        yield (
            "no figure was measured in both, so no further session would decide: compare campaigns"
            " of the same checks"
        )
    elif min(compared.changes.sessions) < DECIDING:
        yield (
            f"{DECIDING} sessions on either side would decide: measure again, and name the further"
            " bundles with --old and --new"
        )
    else:
        yield "more samples of what is open would decide: the scale acceptance, or more sessions"
    lost = [row for row in compared.rows if row.outcome is Outcome.OPEN and row.change]
    worst = min(lost, key=_gain, default=None)
    if worst and _gain(worst) < 0:
        yield f"largest apparent loss: {worst.key}: {_figures(worst)}"


def _gain(row: Row) -> float:
    return row.change.gain if row.change else 0.0


def _limit(compared: Comparison) -> Iterator[str]:
    """The smallest change that stands out from the normal differences between sessions."""
    whole, sessions = compared.changes.campaign, compared.changes.sessions
    if whole is None:
        return
    counts = " and ".join(f"{count} session{'s' * (count > 1)}" for count in sessions)
    advice = ""
    if min(sessions) < DECIDING:
        advice = f"; with {DECIDING} on either side (--old, --new) one of 5 % can"
    if not whole.is_known:
        yield f"{counts}: samples and sessions scatter too much to tell a change{advice}"
        return
    yield (
        f"{counts}: a change of all figures by less than {whole.gain - whole.low:.1%} cannot be"
        f" told from the differences between sessions{advice}"
    )


def _together(change: Change) -> str:
    word = "worse" if change.is_loss else "better" if change.is_gain else "same"
    if change.is_undecided:
        word = "open"
    return f"{word:<6}  {_percent(change)}"


def _percent(change: Change | None) -> str:
    if change is None:
        return f"{'':>8} {'':<20}"
    # Symmetric, it may begin where nothing is left to lose.
    interval = f"({max(change.low, -1):+.1%} to {change.high:+.1%})" if change.is_known else ""
    return f"{change.gain:>+8.1%} {interval:<20}"


def _row(row: Row) -> str:
    verdicts = f"{row.old.verdict if row.old else '-'} -> {row.new.verdict if row.new else '-'}"
    return f"{row.outcome:<6}  {_percent(row.change)}  {row.key}: {_figures(row)}, {verdicts}"


def _figures(row: Row) -> str:
    return f"{_figure(row.old)} -> {_figure(row.new)} {row.unit}"


def _figure(metric: MetricRecord | None) -> str:
    return show(metric.summary.median) if metric and metric.summary else "-"
