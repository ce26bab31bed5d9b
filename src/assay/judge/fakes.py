"""Samples that nobody measured: all of them equal, or copied from others.

A program prints a limited number of digits, and two real samples agree in all of them only if there
are few. So samples that are printed coarsely may agree, and prove nothing. `too_alike` finds copies
that were multiplied by something, and figures that do not scatter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from statistics import median

from assay.campaign.cases import FIRST
from assay.judge.too_alike import too_alike

FEWEST = 5
"""This many equal samples are no coincidence."""

COARSE = 1e-3
"""Relative to a figure: samples that are printed in coarser steps may agree (own choice)."""

STEPS = 20
"""Samples that differ by fewer of these steps may agree (own choice)."""

TIED = 0.1
"""Above this share of metrics with equal samples, their figure has fewer values than digits, such
as a size over whole milliseconds (own choice)."""

Rows = Sequence[Sequence[float]]


def fakes(
    rows: Rows,
    groups: Sequence[Hashable],
    names: Sequence[str],
    subjects: Sequence[Hashable],
    fewest: int = FEWEST,
    steps: Sequence[float] | None = None,
) -> dict[int, str]:
    """The metrics with such samples, and the reason in words.

    Args:
        rows: the samples of each metric.
        groups: metrics of one group are peers.
        names: the name of each metric.
        subjects: metrics with the same subject were measured by one job.
        fewest: rows of fewer samples are not looked at.
        steps: the step of each metric's figures, where it is known to be larger than that of their
            digits, otherwise 0. Samples may agree if their peers lie within a few of these steps.
    """
    reasons: dict[int, str] = {}
    # Its own scatter distinguishes the rounds of a row, whatever that of its peers.
    scattered = rows
    if steps is not None and any(steps):
        scattered = [
            () if step and row and max(row) - min(row) < STEPS * step else row
            for row, step in zip(rows, steps, strict=True)
        ]
        quiet = _quiet(rows, groups, steps)
        rows = [() if group in quiet else row for row, group in zip(rows, groups, strict=True)]
    for row, samples in enumerate(rows):
        # The digits last: few samples are equal, and checking the digits of all would be slow.
        alike = len(samples) >= fewest and len(set(samples)) == 1
        if alike and _step(samples) <= COARSE * abs(samples[0]):
            reasons[row] = f"all {len(samples)} samples are {samples[0]:.10g}: nothing was measured"
    for row, other, shared in copies(rows, groups, fewest):
        for one, twin in ((row, other), (other, row)):
            count = len(rows[one])
            which = "its samples" if shared == count else f"{shared} of its {count} samples"
            reasons.setdefault(one, f"{which} are identical to those of {names[twin]}")
    for row in _repeats(scattered, groups, subjects):
        reasons.setdefault(
            row,
            f"its last {len(scattered[row]) - FIRST} samples repeat the first {FIRST}: they were"
            " not measured again",
        )
    return too_alike(rows, groups, names, _step) | reasons


def _quiet(rows: Rows, groups: Sequence[Hashable], steps: Sequence[float]) -> frozenset[Hashable]:
    """The groups whose samples usually lie within a few steps."""
    ranges: dict[Hashable, list[float]] = {}
    for row, group, step in zip(rows, groups, steps, strict=True):
        if row and step:
            ranges.setdefault(group, []).append((max(row) - min(row)) / step)
    return frozenset(group for group, widths in ranges.items() if median(widths) < STEPS)


def copies(rows: Rows, groups: Sequence[Hashable], fewest: int) -> Iterator[tuple[int, int, int]]:
    """Each row that shares most of its samples with another of its group; that, and how many.

    Args:
        rows: the samples of each metric.
        groups: only rows of one group are compared.
        fewest: fewer equal samples are a coincidence.
    """
    known: dict[Hashable, tuple[dict[tuple[float, ...], int], dict[float, int]]] = {}
    alike: dict[int, int] = {}
    shared: Counter[tuple[int, int]] = Counter()
    for row, samples in enumerate(rows):
        if len(samples) < fewest:
            continue
        whole, single = known.setdefault(groups[row], ({}, {}))
        if (other := whole.setdefault(tuple(samples), row)) != row:
            alike[row] = other
        elif len(set(samples)) == len(samples):
            for sample in samples:
                if (other := single.setdefault(sample, row)) != row:
                    shared[row, other] += 1
    for row, other in alike.items():
        if _is_fine(rows[row]):
            yield row, other, len(rows[row])
    tied: dict[Hashable, bool] = {}
    for (row, other), count in shared.items():
        if count < max(fewest, len(rows[row]) // 2 + 1) or not _is_fine(rows[row]):
            continue
        group = groups[row]
        if group not in tied:
            tied[group] = _are_tied(
                [rows[n] for n, its_group in enumerate(groups) if its_group == group]
            )
        if not tied[group]:
            yield row, other, count


def _are_tied(peers: Rows) -> bool:
    """Whether many metrics have equal samples, so that other metrics may have them by chance."""
    return sum(len(set(samples)) < len(samples) for samples in peers) > TIED * len(peers)


def _repeats(rows: Rows, groups: Sequence[Hashable], subjects: Sequence[Hashable]) -> list[int]:
    """The rows whose samples after the first round are all among those of the first.

    Two equal samples may be a coincidence. Those of a subject's metrics, or of most peers, together
    are not.
    """
    repeating = [
        row
        for row, samples in enumerate(rows)
        if len(samples) > FIRST
        and all(sample in samples[:FIRST] for sample in samples[FIRST:])
        and _is_fine(samples)
    ]
    if not repeating:
        return []
    of_subject, of_group = Counter[Hashable](), Counter[Hashable]()
    for row in repeating:
        of_subject[subjects[row]] += len(rows[row]) - FIRST
        of_group[groups[row]] += len(rows[row]) - FIRST
    size, repeated = Counter(groups), Counter(groups[row] for row in repeating)
    most = {
        group
        for group, count in repeated.items()
        if of_group[group] >= FEWEST and count >= size[group] / 2
    }
    return [row for row in repeating if of_subject[subjects[row]] >= FEWEST or groups[row] in most]


def _is_fine(samples: Sequence[float]) -> bool:
    """Whether samples differ, and are printed so finely that they do not agree by chance."""
    step = _step(samples)
    fine = step <= COARSE * abs(samples[0])
    return fine and max(samples) - min(samples) >= STEPS * step


def _step(samples: Sequence[float]) -> float:
    """The step in which samples are printed, by the digits that they have."""
    return min(map(_digit, samples))


def _digit(sample: float) -> float:
    text = f"{sample:.10g}"
    if "e" in text:
        return 0.0
    whole, _, decimals = text.partition(".")
    if decimals:
        return 10.0 ** -len(decimals)
    return 10.0 ** (len(whole) - len(whole.rstrip("0")))
