"""How often `assay soak` is right about variation: sound soaks, and soaks in which one part varies.

    python tests/verdicts/soaks.py [--hosts N] [--soaks N] [--rounds N] [--seed N] [--only PART ...]

The clusters and noises are those of `nights.py`: hosts and devices differ for good, and rounds
differ by 1 % as a whole, by check, or by metric. Drift is judged as `assay health` judges nights,
whose bench is `nights.py`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from faults import Which
from nights import DEVICES, IN_TURN, Setting, Site
from noises import NOISES
from sessions import LEVELS
from tables import Parts, share, show

from assay.soak.variation import Variation, variation

REPORTING = 161_803
VARIES = (0.05, 0.08, 0.1, 0.15)
"""Coefficients of variation of the part that varies, in the figures of each round."""


def soak(setting: Setting, rounds: int, varies: float, rng: np.random.Generator) -> Variation:
    """The variation of a soak in which the figures of one device vary from round to round."""
    site = Site(setting, rng)
    names = {str(row): (f"figure {kind}", str(row)) for row, kind in enumerate(site.cluster.kind)}
    figures = []
    for number in range(rounds):
        site.next_night()
        factor = float(rng.normal(1, varies)) if varies else 1.0
        site.setting = replace(setting, loss=lambda _, factor=factor: 1 - max(factor, 0.1))
        medians = np.nanmedian(site.measured(number), axis=1)
        figures.append({str(row): float(value) for row, value in enumerate(medians)})
    return variation(figures, names)


def accused(setting: Setting, options: argparse.Namespace, varies: float = 0.0) -> tuple[int, int]:
    """In how many soaks something sound is accused, and in how many the device that varies is."""
    wrong = right = 0
    for number in range(options.soaks):
        level = (*LEVELS, IN_TURN)[number % (len(LEVELS) + 1)]
        seeds = [options.seed, list(NOISES).index(setting.noise), int(1000 * varies), number]
        rng = np.random.default_rng(seeds)
        of_level = replace(setting, level=level)
        hit = Site(of_level, np.random.default_rng(seeds)).hit
        found = soak(of_level, options.rounds, varies, rng).varying
        rows = {int(row) for each in found for row in each.subjects}
        right += bool(rows) and any(hit[row] for row in rows)
        wrong += any(not (varies and hit[row]) for row in rows)
    return wrong, right


def _sound(options: argparse.Namespace) -> Iterator[str]:
    yield f"{'sound soaks in which something varies':40}   asked: 0.01 at most"
    for noise in NOISES:
        wrong, _ = accused(Setting(options.hosts, noise), options)
        yield f"{noise:40}{share(wrong, options.soaks):>23}"


def _faults(options: argparse.Namespace) -> Iterator[str]:
    heads = "".join(f"{f'by {varies:.0%}':>23}" for varies in VARIES)
    yield f"{'one part varies: it is named':32}{heads}"
    for name, which in DEVICES.items():
        yield f"{name:32}" + "".join(_named(options, which, varies) for varies in VARIES)


def _named(options: argparse.Namespace, which: Which, varies: float) -> str:
    _, right = accused(Setting(options.hosts, device=which), options, varies)
    return f"{share(right, options.soaks):>23}"


PARTS: Parts = {"sound": _sound, "faults": _faults}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=16)
    parser.add_argument("--soaks", type=int, default=40, help="of each kind")
    parser.add_argument("--rounds", type=int, default=96)
    parser.add_argument("--seed", type=int, default=REPORTING)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    head = (
        f"{options.soaks} soaks of {options.rounds} rounds of each kind, {options.hosts} hosts,"
        f" seed {options.seed}"
    )
    show(head, PARTS, options)


if __name__ == "__main__":
    main()
