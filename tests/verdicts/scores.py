"""How often the verdicts are right: every fault of the bench, at spreads of 2 %, 5 % and 10 %.

    python tests/verdicts/scores.py [--campaigns N] [--seed N]

The thresholds were chosen with the seed `TUNING` and are reported with `REPORTING`, and each half
of the recorded noise is for one of the two.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
from campaigns import KIND, KINDS, METRICS, MORE, SUBJECT, Array, Campaign, Cluster, Recording
from faults import FAULTS, Named

from assay.judge.baseline import Changes, changes
from assay.judge.rating import Limits, Rating, rate
from assay.judge.stats import Summaries, summarize_all
from assay.judge.verdict import Verdict

TUNING, REPORTING = 20_250, 7_919
SAMPLES = 7
SPREADS = (0.02, 0.05, 0.10)
OF = np.unique(
    [f"{KINDS[k].check} {s}" for k, s in zip(KIND, SUBJECT, strict=True)], return_inverse=True
)[1]
KEYS = [(KINDS[k].check, KINDS[k].unit) for k in KIND]
ALARMS = (Verdict.BELOW, Verdict.IMPLAUSIBLE, Verdict.MISSING)


@dataclass(frozen=True, slots=True)
class Judged:
    """A campaign, judged by itself and against a baseline."""

    campaign: Campaign
    rating: Rating
    changes: Changes

    @property
    def alarms(self) -> bool:
        """Whether anything is called wrong."""
        suspected = any(change.slip for change in self.changes.kinds.values())
        named = bool(np.isin(self.rating.verdict, ALARMS).any())
        return named or suspected or self.changes.is_regression

    @property
    def undecided(self) -> bool:
        """Whether anything is left open."""
        whole = self.changes.campaign
        open_ = bool((self.rating.verdict == Verdict.UNSTEADY).any())
        return open_ or whole is None or whole.is_undecided

    def recognizes(self, fault: Named) -> bool:
        """Whether the fault is called what it is, where it is."""
        verdicts = self.rating.verdict[self.campaign.affected]
        hit = {KEYS[row] for row in np.flatnonzero(self.campaign.affected)}
        match fault.right:
            case "regression":
                return self.changes.campaign is not None and self.changes.campaign.is_loss
            case "unit":
                return all(self.changes.kinds[key].slip for key in hit)
            case "below":
                return bool((verdicts == Verdict.BELOW).any())
            case "unsteady":
                return bool(self.rating.drifting[self.campaign.affected].mean() > 0.5)
        return bool((verdicts == fault.right).all())


def rated(campaign: Campaign) -> tuple[Summaries, Rating]:
    """Judge by itself, as the sign-off does, on arrays."""
    found = summarize_all([() if np.isnan(row[0]) else row for row in campaign.samples])
    return found, rate(found, _limits(campaign))


def _limits(campaign: Campaign) -> Limits:
    return Limits(campaign.bound, campaign.floor, MORE, KIND, OF, SUBJECT)


def fixed(campaign: Campaign, baseline: Campaign, best: bool) -> Array:
    """Which metrics a reference of ±10 % about the baseline refuses, by the first or best value."""
    reference = np.median(baseline.samples, axis=1)
    extreme = np.where(MORE, campaign.samples.max(axis=1), campaign.samples.min(axis=1))
    value = extreme if best else campaign.samples[:, 0]
    return np.abs(value / reference - 1) > 0.10


@dataclass(slots=True)
class Outcome:
    """How many campaigns of one kind came out how."""

    recognized: int = 0
    """Called what it is, where it is."""
    alarmed: int = 0
    undecided: int = 0
    passed: int = 0
    """Neither."""
    single: int = 0
    """Refused by ±10 % on the single value, in what the fault was put into."""
    best: int = 0
    """The same on the best value."""

    def count(self, judged: Judged, baseline: Campaign, fault: Named | None) -> None:
        """Add a campaign; without a fault it is sound."""
        hit = judged.campaign.affected if fault else np.ones(METRICS, dtype=bool)
        self.recognized += bool(fault and judged.recognizes(fault))
        self.alarmed += judged.alarms
        self.undecided += judged.undecided
        self.passed += not judged.alarms and not judged.undecided
        self.single += bool(fixed(judged.campaign, baseline, best=False)[hit].any())
        self.best += bool(fixed(judged.campaign, baseline, best=True)[hit].any())


SOUND = "sound: false alarms"


def run(seed: int, spread: float, campaigns: int) -> tuple[dict[str, Outcome], int]:
    """Judge so many clusters, sound and with each fault; with the comparisons of a campaign."""
    rng = np.random.default_rng([seed, int(spread * 1000)])
    recording = Recording(first_half=seed == TUNING)
    outcomes = {name: Outcome() for name in (*FAULTS, SOUND)}
    comparisons = 0
    for _ in range(campaigns):
        cluster = Cluster.make(rng)
        baseline = cluster.campaign(rng, recording, spread, SAMPLES)
        before = rated(baseline)
        measured = cluster.campaign(rng, recording, spread, SAMPLES)
        for name, outcome in outcomes.items():
            fault = FAULTS.get(name)
            campaign = measured.copy()
            if fault:
                fault.put(campaign, rng)
            after = rated(campaign)
            judged = Judged(campaign, after[1], changes(before, after, _limits(campaign), KEYS))
            outcome.count(judged, baseline, fault)
            comparisons = max(comparisons, after[1].comparisons + judged.changes.comparisons)
    return outcomes, comparisons


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--campaigns", type=int, default=400, help="of each kind; a quarter at the wider spreads"
    )
    parser.add_argument("--seed", type=int, default=REPORTING)
    told = parser.parse_args()
    started = time.monotonic()
    for spread in SPREADS:
        campaigns = told.campaigns if spread == SPREADS[0] else max(1, told.campaigns // 4)
        outcomes, comparisons = run(told.seed, spread, campaigns)
        print(
            f"\nspread {spread:.0%}: {METRICS} metrics of {SAMPLES} samples, {comparisons}"
            f" comparisons; {campaigns} campaigns of each kind, seed {told.seed}\n\n"
            f"{'':32}{'recognized':>10}{'asked':>7}{'undecided':>11}{'passed':>8}"
            f"{'±10 %: single':>15}{'best':>7}"
        )
        for name, outcome in outcomes.items():
            required = FAULTS[name].required if name in FAULTS else 0.005
            asked = f"{required:.3f}" if required and spread == SPREADS[0] else ""
            figure = outcome.recognized if name in FAULTS else outcome.alarmed
            others = (outcome.undecided, outcome.passed, outcome.single, outcome.best)
            undecided, passed, single, best = (count / campaigns for count in others)
            print(
                f"{name:32}{figure / campaigns:10.4f}{asked:>7}{undecided:11.3f}"
                f"{passed:8.4f}{single:15.3f}{best:7.3f}",
                flush=True,
            )
    print(f"\n{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
