"""Campaigns that go on while a verdict is open: what that decides, and how long it takes.

    python tests/verdicts/going_on.py [--hosts 4 16] [--campaigns N] [--seed N] [--only PART ...]

Each campaign is judged with the samples of the scale alone, and as one that planned further rounds
of the checks whose verdicts are open. All samples of a campaign are drawn before it is judged.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from faults import FAULTS
from noises import DECLARED, NOISES, WHOLE
from simulated import KINDS, Array, Cluster
from tables import Parts, share, show

from assay.checks.hours import FURTHER
from assay.judge.in_common import settled_rows
from assay.judge.rating import Rating, rate
from assay.judge.verdict import Verdict

LOOKS = 1 + FURTHER
REPORTING = 32_452_843
"""A seed that no rule was chosen with."""
ACCUSING = (Verdict.BELOW, Verdict.IMPLAUSIBLE)
SCATTERS = (
    "independent, 1 %",
    "independent, 2 %",
    "independent, 5 %",
    "Student's t, 3 degrees, 1 %",
    "Student's t, 3 degrees, 2 %",
    "log-normal, 3 %",
    "time of day",
    "AR(1), 0.7",
    "of hosts, 2 %",
    "bimodal samples",
    "the first samples 15 % low",
    "a drift of 3 %",
    "recorded, 2 %",
    "recorded, 5 %",
)
"""The noises of the tables, if none are named; the others of the bench are open for other reasons,
or are not open."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a campaign ended."""

    rating: Rating
    rounds: Array
    """Rounds of each check."""

    @property
    def accused(self) -> bool:
        return bool(np.isin(self.rating.verdict, ACCUSING).any())

    @property
    def is_open(self) -> bool:
        return bool((self.rating.verdict == Verdict.UNSTEADY).any())

    @property
    def extra(self) -> float:
        """Further time, as a share of that of the scale, if each check takes as long as another."""
        return float(np.mean(self.rounds)) - 1


class GoingOn(Cluster):
    """A cluster whose campaigns go on while a verdict is open."""

    def __init__(self, hosts: int, declared: float = 0.0) -> None:
        super().__init__(hosts, rounds=LOOKS, declared=declared)
        self.check = np.unique([kind.check for kind in KINDS], return_inverse=True)[1][self.kind]
        self.place = np.arange(self.columns)

    def with_rounds(self, samples: Array, rounds: Array) -> Array:
        """The samples of so many rounds of each row."""
        return np.where(self.place < (rounds * self.count)[:, None], samples, np.nan)

    def looked_at(self, samples: Array, looks: int) -> Rating:
        """One look, which has its part of every chance of error."""
        _, whole = self.rows(samples)
        rows, summaries, _ = settled_rows(whole, self.limits)
        return rate(summaries, replace(self.limits, looks=looks), self.fakes(whole), rows)

    def once(self, samples: Array) -> Ended:
        """With the samples of the scale alone."""
        first = self.with_rounds(samples, np.ones(len(self.kind)))
        return Ended(self.looked_at(first, 1), np.ones(len(KINDS)))

    def gone_on(self, samples: Array, *, alone: bool = False) -> Ended:
        """In rounds of the checks with open verdicts; or, if `alone`, of these metrics alone."""
        rounds = np.ones(len(self.kind))
        for left in reversed(range(LOOKS)):
            rating = self.looked_at(self.with_rounds(samples, rounds), LOOKS)
            wanted = rating.scattering
            if not left or not wanted.any():
                break
            rounds += wanted if alone else np.bincount(self.check, wanted)[self.check] > 0
        _, one = np.unique(self.check, return_index=True)
        return Ended(rating, rounds[one])


def sound(noise: str, hosts: int, campaigns: int, seed: int) -> Iterator[tuple[Ended, Ended]]:
    """Sound campaigns, each with the samples of the scale and in further rounds."""
    rng = np.random.default_rng([seed, hosts, list(NOISES).index(noise)])
    cluster = GoingOn(hosts, DECLARED.get(noise, 0.0))
    for _ in range(campaigns):
        made = cluster.measured(NOISES[noise](rng, cluster), whole=noise == WHOLE)
        yield cluster.once(made), cluster.gone_on(made)


def accepted_alone(noise: str, hosts: int, campaigns: int, seed: int) -> int:
    """Sound campaigns that are accepted where the open metrics alone are measured again."""
    rng = np.random.default_rng([seed, hosts, list(NOISES).index(noise)])
    cluster = GoingOn(hosts)
    drawn = (cluster.measured(NOISES[noise](rng, cluster)) for _ in range(campaigns))
    ended = (cluster.gone_on(made, alone=True) for made in drawn)
    return sum(not (each.accused or each.is_open) for each in ended)


def faulty(fault: str, hosts: int, campaigns: int, seed: int) -> tuple[int, int, float]:
    """Campaigns whose fault is recognized, at once and in further rounds; the extra time."""
    rng = np.random.default_rng([seed, hosts, 100 + list(FAULTS).index(fault)])
    cluster, put = GoingOn(hosts), FAULTS[fault]
    once = later = 0
    extra = 0.0
    for _ in range(campaigns):
        made, hit = put.put(rng, cluster, cluster.measured(put.noise(rng, cluster)))
        ended = cluster.gone_on(made)
        once += put.is_recognized(cluster.once(made).rating, hit)
        later += put.is_recognized(ended.rating, hit)
        extra += ended.extra / campaigns
    return once, later, extra


def _sound(options: argparse.Namespace) -> Iterator[str]:
    of = options.campaigns
    heads = "".join(f"{f'{hosts} hosts':>80}" for hosts in options.hosts)
    yield f"{'sound: accepted at once, accepted, accused; extra time':34}{heads}"
    for noise in options.noises:
        cells = ""
        for hosts in options.hosts:
            both = list(sound(noise, hosts, of, options.seed))
            at_once, accepted = (
                sum(not (each.accused or each.is_open) for each in ended)
                for ended in zip(*both, strict=True)
            )
            accused = sum(ended.accused for _, ended in both)
            extra = float(np.mean([ended.extra for _, ended in both]))
            counts = (share(count, of) for count in (at_once, accepted, accused))
            cells += "".join(f"{each:>22}" for each in counts) + f"{extra:+8.0%}"
        yield f"{noise:34}{cells}"


def _alone(options: argparse.Namespace) -> Iterator[str]:
    of = options.campaigns
    yield "the open metrics alone are measured again: accepted"
    for noise in ("independent, 5 %", "recorded, 5 %"):
        cells = (
            share(accepted_alone(noise, hosts, of, options.seed), of) for hosts in options.hosts
        )
        yield f"{noise:34}" + "".join(f"{cell:>22}" for cell in cells)


def _faults(options: argparse.Namespace) -> Iterator[str]:
    of = options.campaigns
    yield "faults, 1 %: recognized at once, recognized; extra time"
    for fault in FAULTS:
        cells = ""
        for hosts in options.hosts:
            once, later, extra = faulty(fault, hosts, of, options.seed)
            cells += f"{share(once, of):>22}{share(later, of):>22}{extra:+8.0%}"
        yield f"{fault:34}{cells}"


PARTS: Parts = {"sound": _sound, "alone": _alone, "faults": _faults}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=100, help="of each kind")
    parser.add_argument("--seed", type=int, default=REPORTING)
    parser.add_argument("--hosts", type=int, nargs="+", default=[4, 16])
    parser.add_argument("--noises", nargs="+", choices=NOISES, default=SCATTERS)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    head = (
        f"{options.campaigns} campaigns of each kind, seed {options.seed}; up to {FURTHER} further"
        " rounds"
    )
    show(head, PARTS, options)


if __name__ == "__main__":
    main()
