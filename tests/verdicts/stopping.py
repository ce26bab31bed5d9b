"""Campaigns that stop when decided: what they save, and how often they are right.

    python tests/verdicts/stopping.py [--hosts 4 16] [--campaigns N] [--seed N]

Each campaign is judged twice: with all of its samples, and with those that it takes where a check
whose first three samples decide it takes no more.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from faults import FAULTS
from noises import NOISES, WHOLE
from simulated import KINDS, SAMPLES, Array, Cluster

from assay.campaign.cases import FIRST
from assay.judge.in_common import settled_rows
from assay.judge.limits import Flags
from assay.judge.rating import Rating, rate
from assay.judge.stats import Summaries
from assay.judge.stopping import BETWEEN, LOOKS, decided
from assay.judge.verdict import Verdict

REPORTING = 611_953
"""Not that of `bench.py`: five rows of that one were seen before the rule was what it is."""
ACCUSING = (Verdict.BELOW, Verdict.IMPLAUSIBLE)


class Stopping(Cluster):
    """A cluster whose campaigns stop when decided."""

    def __init__(self, hosts: int) -> None:
        super().__init__(hosts)
        self.check = np.unique([kind.check for kind in KINDS], return_inverse=True)[1][self.kind]

    def judged_in_rounds(self, samples: Array) -> tuple[Rating, float]:
        """As the sign-off judges a campaign in rounds, and the share of samples that it took.

        A check that stopped, and that the sign-off finds undecided, is `unsteady` here: the gate
        refuses it.
        """
        first = np.where(np.arange(SAMPLES) < FIRST, samples, np.nan)
        _, _, sure = self._look(first, LOOKS * BETWEEN)
        # What has no more at its scale is measured as ever.
        goes_on = (np.bincount(self.check, ~sure)[self.check] > 0) | (self.count <= FIRST)
        taken = np.where(goes_on[:, None], samples, first)
        _, rating, sure = self._look(taken, LOOKS)
        open_still = ~goes_on & ~sure
        verdict = np.where(open_still, str(Verdict.UNSTEADY), rating.verdict)
        # By checks, since each takes its own time.
        _, one = np.unique(self.check, return_index=True)
        used = np.where(goes_on, self.count, FIRST)[one] / self.count[one]
        return replace(rating, verdict=verdict), float(np.mean(used))

    def _look(self, samples: Array, looks: int) -> tuple[Summaries, Rating, Flags]:
        _, whole = self.rows(samples)
        rows, summaries, _ = settled_rows(whole, self.limits)
        limits = replace(self.limits, looks=looks)
        fake = self.fakes(whole)
        rating = rate(summaries, limits, fake, rows)
        copies = self.fakes(whole, FIRST)
        sure = decided(summaries, limits, rating, self.check)
        return summaries, rating, (sure & ~copies) | fake


def sound(noise: str, hosts: int, campaigns: int, seed: int) -> tuple[float, ...]:
    """Shares of sound campaigns: accused and left open, with all samples and in rounds; taken."""
    rng = np.random.default_rng([seed, hosts, list(NOISES).index(noise)])
    cluster = Stopping(hosts)
    outcomes = []
    for _ in range(campaigns):
        made = cluster.measured(NOISES[noise](rng, cluster), whole=noise == WHOLE)
        whole, (rounds, taken) = cluster.judged(made), cluster.judged_in_rounds(made)
        outcomes.append(
            (
                *(np.isin(each.verdict, ACCUSING).any() for each in (whole, rounds)),
                *((each.verdict == Verdict.UNSTEADY).any() for each in (whole, rounds)),
                taken,
            )
        )
    return tuple(np.mean(np.array(outcomes, dtype=float), axis=0).tolist())


def faulty(fault: str, hosts: int, campaigns: int, seed: int) -> tuple[float, ...]:
    """Shares of campaigns whose fault is recognized, with all samples and in rounds; taken."""
    rng = np.random.default_rng([seed, hosts, 100 + list(FAULTS).index(fault)])
    cluster, put = Stopping(hosts), FAULTS[fault]
    outcomes = []
    for _ in range(campaigns):
        made, hit = put.put(rng, cluster, cluster.measured(put.noise(rng, cluster)))
        rounds, taken = cluster.judged_in_rounds(made)
        both = (put.is_recognized(each, hit) for each in (cluster.judged(made), rounds))
        outcomes.append((*both, taken))
    return tuple(np.mean(np.array(outcomes, dtype=float), axis=0).tolist())


def tables(options: argparse.Namespace) -> Iterator[str]:
    """The tables, line by line."""
    heads = "".join(f"{f'{hosts} hosts':>32}" for hosts in options.hosts)
    yield f"{'sound: accused, left open (in rounds)':38}{heads}"
    for noise in NOISES:
        cells = (sound(noise, hosts, options.campaigns, options.seed) for hosts in options.hosts)
        yield f"{noise:38}" + "".join(
            f"{a:8.3f} ({b:.3f}) {c:.2f} ({d:.2f}){taken:6.0%}" for a, b, c, d, taken in cells
        )
    yield ""
    yield f"{'faults: recognized (in rounds)':38}{heads}"
    for fault in FAULTS:
        cells = (faulty(fault, hosts, options.campaigns, options.seed) for hosts in options.hosts)
        yield f"{fault:38}" + "".join(
            f"{a:8.3f} ({b:.3f}){taken:6.0%}{'':11}" for a, b, taken in cells
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=200, help="of each kind")
    parser.add_argument("--seed", type=int, default=REPORTING)
    parser.add_argument("--hosts", type=int, nargs="+", default=[4, 16])
    options = parser.parse_args()
    started = time.monotonic()
    print(
        f"{options.campaigns} campaigns of each kind, seed {options.seed}, {FIRST} samples and then"
        f" up to {SAMPLES}; last: the share of samples taken\n"
    )
    for line in tables(options):
        print(line, flush=True)
    print(f"\n{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
