"""How often `assay health` is right: nights of a sound cluster, and of one that gets slower.

    python tests/verdicts/nights.py [--hosts N] [--series N] [--seed N] [--within NIGHTS]
        [--only PART ...]

A simulated cluster is measured every night, with a noise of `noises.py`. Its hosts and devices
differ for good, and nights differ too: all of it, each check, or each metric. A confirmation
shares what its night has, and has noise of its own. The weight of the moving average is chosen
with the seed `TUNING` and the noise `CHOSEN_BY`; the tables of docs/health.md are printed with
`REPORTING`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from faults import Which, of_check, one_client, one_nic, one_ssd
from noises import ABOVE, NOISES, ROOM, WHOLE
from sessions import BETWEEN, LEVELS, differing
from simulated import KINDS, Array, Cluster, Flags
from tables import Parts, show

from assay.health.chart import (
    FEWEST,
    LEAST,
    REFERENCE,
    WEIGHT,
    deviations,
    reference,
    scatter,
    signals,
    steps,
)
from assay.health.families import Charted, Families, families
from assay.health.night import ALARMING
from assay.judge.limits import FALSE_ALARMS

TUNING, REPORTING = 31_337, 271_828
CHOSEN_BY = "recorded, 5 %"
NIGHTS, SAMPLES, WITHIN = 90, 5, 5
"""Nights of a series; samples at the scale `quick`; nights in which a loss is to be found, unless
others are asked for."""
LOSS = 0.1
WEIGHTS = (0.2, 0.3, 0.4, 0.6, 1.0)
"""Candidates; 1 is Shewhart's chart, which looks at tonight alone."""
CUSUM = 0.0
"""In the place of a weight: a cumulative sum (Page, Biometrika 41, 1954)."""
DEVICES: Mapping[str, Which] = {
    "SSD": one_ssd,
    "NIC": one_nic,
    "client": one_client,
    "all clients": of_check("Client"),
}
NIGHTLY = tuple(noise for noise in NOISES if noise != ABOVE)
"""That of SSDs above their sheet is none of them: with what lasts, they would do 105 % of it."""
IN_TURN = "nights alike"
"""Each check's nights are an AR(1) series with 0.8, with the same variance."""


@dataclass(frozen=True)
class Setting:
    """What is simulated."""

    hosts: int = 16
    noise: str = "independent, 1 %"
    level: str = LEVELS[0]
    weight: float = WEIGHT
    nights: int = NIGHTS
    loss: Callable[[int], float] = lambda night: 0.0
    """The loss of the device on each night."""
    device: Which = one_ssd
    judged_from: int = 0
    """The nights before are only remembered, which is faster."""
    within: int = WITHIN
    """Nights in which a loss has to be found."""


@dataclass(frozen=True)
class Alarms:
    """The nights of each alarm that names the fault, and of each that names anything else."""

    right: list[int]
    wrong: list[int]


class Site:
    """A cluster whose hosts and devices differ for good, and its nights."""

    def __init__(self, setting: Setting, rng: np.random.Generator) -> None:
        self.setting, self.rng = setting, rng
        self.cluster = cluster = Cluster(setting.hosts)
        subject = np.unique(cluster.subject, return_inverse=True)[1]
        host = rng.normal(0, 0.01, cluster.hosts + 1)
        lasting = np.minimum(host[cluster.host], host[cluster.peer])
        self.lasting = self._within(lasting + rng.normal(0, 0.01, subject.max() + 1)[subject])
        self.hit = setting.device(rng, cluster)
        self.own = differing(cluster, "check" if setting.level == IN_TURN else setting.level)
        self.drift = rng.normal(0, BETWEEN, self.own.max() + 1)

    def _within(self, own: Array) -> Array:
        """What a sheet leaves no room for, no sound SSD does."""
        return np.where(self.cluster.of("Nvme"), np.clip(own, -ROOM, ROOM), own)

    def next_night(self) -> None:
        new = self.rng.normal(0, BETWEEN, len(self.drift))
        self.drift = 0.8 * self.drift + 0.6 * new if self.setting.level == IN_TURN else new

    def measured(self, night: int) -> Array:
        """The samples of one run."""
        setting, cluster = self.setting, self.cluster
        noise = NOISES[setting.noise](self.rng, cluster)
        own = self._within(self.lasting + self.drift[self.own])
        own = (1 + own) * np.where(self.hit, 1 - setting.loss(night), 1.0)
        made = cluster.measured((1 + noise) * own[:, None] - 1, whole=setting.noise == WHOLE)
        return made[:, :SAMPLES]


def charted(cluster: Cluster) -> list[Charted]:
    """The metrics of a simulated cluster, as the chart wants them."""
    return [
        Charted(kind, KINDS[kind].check, subject, tuple({host, peer}))
        for kind, subject, host, peer in zip(
            cluster.kind.tolist(),
            cluster.subject.tolist(),
            cluster.host.tolist(),
            cluster.peer.tolist(),
            strict=True,
        )
    ]


def watched(setting: Setting, rng: np.random.Generator) -> Alarms:
    """Every night of a series, judged as `assay health` does."""
    site = Site(setting, rng)
    groups = families(charted(site.cluster))
    sign = np.where(site.cluster.more, 1.0, -1.0)
    figures = np.empty((0, len(sign)))
    past = np.empty((0, len(groups.members)))
    alarms, none = Alarms([], []), np.zeros(1, dtype=bool)
    for night in range(setting.nights):
        site.next_night()
        levels = reference(figures) if len(figures) else np.zeros(len(sign))
        if len(figures) <= REFERENCE:
            past = deviations(figures, levels, groups)

        def look(night: int, past: Array, levels: Array) -> tuple[Array, Flags, Flags]:
            samples = site.measured(night)
            if night < setting.judged_from:
                return sign * np.log(np.nanmedian(samples, axis=1)), none, none
            summaries, rating = site.cluster.summarized(samples)
            logarithms = sign * np.log(summaries.median)
            own = deviations(logarithms[None], levels, groups)[0]
            if setting.weight == CUSUM:
                return logarithms, summed(past, own, groups), np.isin(rating.verdict, ALARMING)
            shown = signals(past, own, groups, steps(summaries, groups), setting.weight)
            return logarithms, shown.worse | shown.faster, np.isin(rating.verdict, ALARMING)

        logarithms, flagged, accused = look(night, past, levels)
        if flagged.any() or accused.any():
            _, again, still = look(night, past, levels)
            _name(alarms, night, site.hit & (setting.loss(night) > 0), groups, flagged & again)
            _accuse(alarms, night, site.hit & (setting.loss(night) > 0), accused & still)
        figures = np.vstack([figures, logarithms])
        past = np.vstack([past, deviations(logarithms[None], levels, groups)])
    return alarms


def summed(past: Array, tonight: Array, groups: Families) -> Flags:
    """What a cumulative sum would call worse, at the chart's variances and chance of an alarm.

    It is tuned to a loss of `LEAST`; its limit is that of Siegmund, Sequential Analysis (1985),
    for normal and independent nights.
    """
    if len(past) < FEWEST:
        return np.zeros(len(tonight), dtype=bool)
    deviation = np.sqrt(scatter(past, groups)[0])
    slack = LEAST / 2 / deviation
    total = np.zeros(len(tonight))
    for night in (*past, tonight):
        total = np.maximum(0.0, total - night / deviation - slack)
    nights = len(tonight) / FALSE_ALARMS
    limit = np.log(2 * slack**2 * nights) / 2 / slack - 1.166
    return np.asarray((total > np.maximum(limit, 1.0)) & (tonight < -LEAST))


def _name(alarms: Alarms, night: int, hit: Flags, groups: Families, flagged: Flags) -> None:
    """What the chart names is right if at least half of its figures are those of the fault."""
    for number in np.flatnonzero(flagged).tolist():
        share = float(np.mean(hit[list(groups.members[number].rows)]))
        (alarms.right if share >= 0.5 else alarms.wrong).append(night)


def _accuse(alarms: Alarms, night: int, hit: Flags, accused: Flags) -> None:
    alarms.right.extend([night] * int(np.sum(accused & hit)))
    alarms.wrong.extend([night] * int(np.sum(accused & ~hit)))


def _rng(seed: int, *numbers: int) -> np.random.Generator:
    return np.random.default_rng([seed, *numbers])


def false_alarms(setting: Setting, series: int, seed: int) -> float:
    """Nights with an alarm, per series of a sound cluster, the levels of nights in turn."""
    nights = 0
    for number in range(series):
        level = (*LEVELS, IN_TURN)[number % (len(LEVELS) + 1)]
        rng = _rng(seed, list(NOISES).index(setting.noise), number)
        nights += len(set(watched(replace(setting, level=level), rng).wrong))
    return nights / series


def found_within(setting: Setting, series: int, seed: int, *, decay: bool) -> float:
    """How often a lasting loss of 10 % of one device is named within some nights.

    It is lost at once, or in equal parts over 30 nights; then the nights count from the last.
    """
    begins = REFERENCE + 6
    whole = begins + (30 if decay else 1) - 1

    def loss(night: int) -> float:
        return LOSS * float(np.clip((night - begins + 1) / (whole - begins + 1), 0, 1))

    count = 0
    for number in range(series):
        level = (*LEVELS, IN_TURN)[number % (len(LEVELS) + 1)]
        rng = _rng(seed, list(NOISES).index(setting.noise), 1000 + number)
        lossy = replace(
            setting, level=level, nights=whole + setting.within, loss=loss, judged_from=begins
        )
        count += bool(watched(lossy, rng).right)
    return count / series


def _sound(options: argparse.Namespace) -> Iterator[str]:
    yield f"{'nights with a false alarm, of 90':36}{'asked: 1 at most':>20}"
    for noise in NIGHTLY:
        setting = Setting(options.hosts, noise)
        yield f"{noise:36}{false_alarms(setting, options.series, options.seed):20.2f}"


def _losses(options: argparse.Namespace) -> Iterator[str]:
    yield from _found("10 % lost at once", options, decay=False)


def _decays(options: argparse.Namespace) -> Iterator[str]:
    yield from _found("the same, lost over 30 nights", options, decay=True)


def _found(title: str, options: argparse.Namespace, *, decay: bool) -> Iterator[str]:
    head = f"{title:36}" + "".join(f"{name:>14}" for name in DEVICES)
    yield f"{head}   found within {options.within} nights"
    for noise in NIGHTLY:
        sound = Setting(options.hosts, noise, within=options.within)
        settings = (replace(sound, device=which) for which in DEVICES.values())
        shown = (found_within(each, options.series, options.seed, decay=decay) for each in settings)
        yield f"{noise:36}" + "".join(f"{share:14.2f}" for share in shown)


def _weights(options: argparse.Namespace) -> Iterator[str]:
    head = f"weight ({CHOSEN_BY}, seed {TUNING})"
    yield f"{head:36}{'false of 90':>14}{'client found':>14}{'SSD found':>14}"
    for weight in (*WEIGHTS, CUSUM):
        setting = Setting(options.hosts, CHOSEN_BY, weight=weight)
        false = false_alarms(setting, options.series, TUNING)
        shares = [
            found_within(replace(setting, device=each), options.series, TUNING, decay=False)
            for each in (one_client, one_ssd)
        ]
        yield f"{weight or 'cumulative sum':<36}{false:14.2f}{shares[0]:14.2f}{shares[1]:14.2f}"


PARTS: Parts = {
    "sound": _sound,
    "losses": _losses,
    "decays": _decays,
    "weights": _weights,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=16)
    parser.add_argument("--series", type=int, default=4, help="of each kind")
    parser.add_argument("--seed", type=int, default=REPORTING)
    parser.add_argument("--within", type=int, default=WITHIN, help="nights until a loss is found")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=["sound", "losses", "decays"])
    options = parser.parse_args()
    head = f"{options.series} series of each kind, {options.hosts} hosts, seed {options.seed}"
    show(head, PARTS, options)


if __name__ == "__main__":
    main()
