"""How often the engines' metrics name the right rank or target, and how often a wrong one.

    python tests/verdicts/naming.py [--ranks 4 32 512] [--checks N] [--seed N] [--only PART ...]

A check of four steps is made, in which the operations of one rank or one target take longer, or of
none; every operation that engines count is compared, as a sign-off does. The tables of
docs/telemetry.md are printed with `REPORTING`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from tables import Parts, show

from assay.judge.outliers import IN_WORDS, outliers
from assay.tools.daos.telemetry import Place

REPORTING = 104_729
STEPS, TARGETS, OPERATIONS = 4, 8, 1000.0
RANKS = (4, 32, 512)
RATIOS = (1.2, 2.0, 10.0)

NATURAL = (0.03, 0.05, 0.10)
"""Relative deviations of the targets' latencies by nature; ranks differ by 0.6 times as much."""

NOISE = (0.05, 0.10, 0.20)
"""Relative deviations of the same from step to step."""

OF_RANKS = 0.6

SLOW = {"rank": (1, None), "target": (1, 3)}
"""What is slow: a rank, or a target of it."""

SLOW_IN = "update"
"""The operation in which it is slow; the others are sound."""

Name = tuple[int, int | None]
Step = Mapping[Place, tuple[float, float]]


def steps(
    rng: np.random.Generator, ranks: int, natural: float, noise: float, slow: Name | None, by: float
) -> list[Step]:
    """One operation in the steps of a check."""

    def differences(each: float) -> np.ndarray:
        of_ranks = rng.normal(0, OF_RANKS * each, (ranks, 1))
        return of_ranks + rng.normal(0, each, (ranks, TARGETS))

    level = differences(natural)
    if slow is not None:
        rank, target = slow
        level[rank, slice(None) if target is None else target] += np.log(by)
    return [
        {
            place: (OPERATIONS, float(squares))
            for place, squares in np.ndenumerate(
                OPERATIONS * 1e6 * np.exp(2 * (level + differences(noise) + rng.normal(0, 0.2)))
            )
        }
        for _ in range(STEPS)
    ]


def named(
    rng: np.random.Generator, ranks: int, natural: float, noise: float, slow: Name | None, by: float
) -> set[Name]:
    """Whom a check names."""
    return {
        (each.rank, each.target)
        for operation in IN_WORDS
        for each in outliers(
            operation,
            steps(rng, ranks, natural, noise, slow if operation == SLOW_IN else None, by),
        )
    }


@dataclass(slots=True)
class Counts:
    """Of some checks: how many named what."""

    exactly: int = 0
    """The slow rank or target."""
    its_rank: int = 0
    """Only its rank, or targets of it."""
    another: int = 0
    """A rank that is sound, perhaps beside it."""


def counted(
    ranks: int, checks: int, seed: int, noise: float, kind: str = "", by: float = 1.0
) -> Counts:
    """Count whom checks with a noise name."""
    rng = np.random.default_rng([seed, ranks, round(100 * noise), round(10 * by), len(kind)])
    slow = SLOW.get(kind)
    counts = Counts()
    for number in range(checks):
        found = named(rng, ranks, NATURAL[number % len(NATURAL)], noise, slow, by)
        of_ranks = {rank for rank, _ in found}
        own = {slow[0]} if slow else set()
        counts.exactly += slow in found
        counts.its_rank += slow not in found and bool(of_ranks & own)
        counts.another += bool(of_ranks - own)
    return counts


def _sound(options: argparse.Namespace) -> Iterator[str]:
    yield "| ranks | noise | checks | named anybody |"
    yield "| --: | --: | --: | --: |"
    for ranks in options.ranks:
        for noise in NOISE:
            counts = counted(ranks, options.checks, options.seed, noise)
            yield f"| {ranks} | {noise:.0%} | {options.checks} | {counts.another} |"


def _slow(options: argparse.Namespace) -> Iterator[str]:
    yield "| ranks | slow | times | noise | checks | named it | its rank | named another |"
    yield "| --: | -- | --: | --: | --: | --: | --: | --: |"
    for ranks in options.ranks:
        for kind in SLOW:
            for by in RATIOS:
                for noise in NOISE:
                    checks = max(len(NATURAL), options.checks // 10)
                    counts = counted(ranks, checks, options.seed, noise, kind, by)
                    row = f"| {ranks} | {kind} | {by:g} | {noise:.0%} | {checks}"
                    yield f"{row} | {counts.exactly} | {counts.its_rank} | {counts.another} |"


PARTS: Parts = {"sound": _sound, "slow": _slow}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", nargs="+", type=int, default=RANKS)
    parser.add_argument("--checks", type=int, default=300)
    parser.add_argument("--seed", type=int, default=REPORTING)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    show(f"checks of {STEPS} steps, {TARGETS} targets a rank, seed {options.seed}", PARTS, options)


if __name__ == "__main__":
    main()
