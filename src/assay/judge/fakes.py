"""Samples that nobody measured: all of them equal, or copied from another subject.

A program prints a limited number of digits, and two real samples agree in all of them only if there
are few. So samples that are printed coarsely may agree, and prove nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

FEWEST = 5
"""This many equal samples are no coincidence."""

COARSE = 1e-3
"""Relative to a figure: samples that are printed in coarser steps may agree (own choice)."""


def fakes(
    rows: Sequence[Sequence[float]],
    groups: Sequence[Hashable],
    names: Sequence[str],
    fewest: int = FEWEST,
) -> dict[int, str]:
    """The metrics with such samples, and the reason in words.

    Args:
        rows: the samples of each metric.
        groups: metrics of one group are peers.
        names: the name of each metric.
        fewest: rows of fewer samples are not looked at.
    """
    found: dict[int, str] = {}
    first: dict[Hashable, int] = {}
    for row, samples in enumerate(rows):
        if len(samples) < fewest:
            continue
        alike = len(set(samples)) == 1
        other = row if alike else first.setdefault((groups[row], tuple(samples)), row)
        if other == row and not alike:
            continue
        # The digits last: few samples are equal, and checking the digits of all would be slow.
        if _step(samples) > COARSE * abs(samples[0]):
            continue
        if alike:
            found[row] = f"all {len(samples)} samples are {samples[0]:.10g}: nothing was measured"
        else:
            found[row] = f"its samples are identical to those of {names[other]}"
            found.setdefault(other, f"its samples are identical to those of {names[row]}")
    return found


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
