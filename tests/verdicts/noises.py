"""Noises that real hosts have: relative deviations of all samples of a sound campaign."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from simulated import KINDS, Array, Cluster

Noise = Callable[[np.random.Generator, Cluster], Array]
RECORDED = Path(__file__).parents[1] / "recorded" / "noise" / "figures.tsv"
MOST_LOST, ROOM_ABOVE = 0.99, 0.2
"""No sample of the heaviest noise loses or gains more: sound hardware does not do twice what is
possible, and such a sample is a question to the reader, however rare."""
ROOM = 0.03
"""No sound SSD is farther from its level: its datasheet leaves no more room."""


def independent(spread: float) -> Noise:
    return lambda rng, cluster: rng.normal(0, spread, (len(cluster.kind), cluster.columns))


def student(scale: float) -> Noise:
    """Heavy tails: of many thousand samples, one may lose all, and none gains what cannot be."""

    def noise(rng: np.random.Generator, cluster: Cluster) -> Array:
        drawn = scale * rng.standard_t(3, (len(cluster.kind), cluster.columns))
        return np.clip(drawn, -MOST_LOST, ROOM_ABOVE)

    return noise


def log_normal(rng: np.random.Generator, cluster: Cluster) -> Array:
    return np.exp(rng.normal(0, 0.03, (len(cluster.kind), cluster.columns))) - 1


def bimodal_samples(rng: np.random.Generator, cluster: Cluster) -> Array:
    shape = (len(cluster.kind), cluster.columns)
    return rng.normal(0, 0.01, shape) - 0.15 * (rng.random(shape) < 0.3)


def bimodal_hosts(rng: np.random.Generator, cluster: Cluster) -> Array:
    """Half of the hosts are 8 % slower, but for their SSDs, whose sheet leaves no room for that."""
    slow = np.zeros(cluster.hosts + 1)
    slow[rng.permutation(cluster.hosts)[: cluster.hosts // 2]] = 0.08
    loss = np.where(cluster.of("Nvme"), 0.0, np.maximum(slow[cluster.host], slow[cluster.peer]))
    return independent(0.01)(rng, cluster) - loss[:, None]


def in_turn(rng: np.random.Generator, cluster: Cluster) -> Array:
    """AR(1) with 0.7: each sample is like the last one."""
    noise = rng.normal(0, 0.01, (len(cluster.kind), cluster.columns))
    for number in range(1, cluster.columns):
        noise[:, number] = 0.7 * noise[:, number - 1] + 0.51**0.5 * noise[:, number]
    return noise


def time_of_day(rng: np.random.Generator, cluster: Cluster) -> Array:
    """Each check has an hour of its own, and is slower by up to 3 % for it."""
    hour = rng.uniform(0, 2 * np.pi, len(KINDS))[cluster.kind]
    wave = 0.015 * np.sin(hour[:, None] + np.arange(cluster.columns) / 10)
    return independent(0.01)(rng, cluster) + wave


def by_host(spread: float) -> Noise:
    """All figures of a host move together, of a pair those of its slower end."""

    def noise(rng: np.random.Generator, cluster: Cluster) -> Array:
        host = rng.normal(0, spread, cluster.hosts + 1)
        own = np.minimum(host[cluster.host], host[cluster.peer])
        own = np.where(cluster.of("Nvme"), np.clip(own, -ROOM, ROOM), own)
        return own[:, None] + rng.normal(0, 0.01, (len(cluster.kind), cluster.columns))

    return noise


def heavy_tailed(rng: np.random.Generator, cluster: Cluster) -> Array:
    """Hosts differ by 0.5 %, and some by far more: Student's t with 3 degrees."""
    host = 0.005 * rng.standard_t(3, cluster.hosts + 1)
    own = np.clip(np.minimum(host[cluster.host], host[cluster.peer]), -ROOM, ROOM)
    return own[:, None] + independent(0.01)(rng, cluster)


def by_device(rng: np.random.Generator, cluster: Cluster) -> Array:
    """All figures of a subject move together: 1 % of its own, and 1 % of its host's."""
    subject = np.unique(cluster.subject, return_inverse=True)[1]
    own = np.clip(rng.normal(0, 0.01, subject.max() + 1), -ROOM, ROOM)[subject]
    return own[:, None] + by_host(0.01)(rng, cluster)


def cold(rng: np.random.Generator, cluster: Cluster) -> Array:
    """The first sample of every figure is 15 % low."""
    first = cluster.within % cluster.count[:, None] == 0
    return independent(0.01)(rng, cluster) - 0.15 * first


def drifting(rng: np.random.Generator, cluster: Cluster) -> Array:
    """Everything loses 3 % from the first sample to the last."""
    place = cluster.within % cluster.count[:, None]
    return independent(0.01)(rng, cluster) - 0.03 * place / (cluster.count[:, None] - 1)


def older(share: float, loss: float) -> Noise:
    """The last hosts are of another generation, which is slower in all but its SSDs."""

    def noise(rng: np.random.Generator, cluster: Cluster) -> Array:
        first = cluster.hosts - round(share * cluster.hosts)
        old = [(first <= end) & (end < cluster.hosts) for end in (cluster.host, cluster.peer)]
        slower = (old[0] | old[1]) & ~cluster.of("Nvme")
        return independent(0.01)(rng, cluster) - loss * slower[:, None]

    return noise


def above_the_sheet(rng: np.random.Generator, cluster: Cluster) -> Array:
    """SSDs do 101 % of their sheet, and differ by 1 %."""
    own = np.where(cluster.of("Nvme"), 1.01 / 0.965 - 1 + rng.normal(0, 0.01, len(cluster.kind)), 0)
    rate = cluster.of_kinds(lambda kind: kind.name == "rate")
    return np.where(rate, 0, own)[:, None] + independent(0.01)(rng, cluster)


def wild(rng: np.random.Generator, cluster: Cluster) -> Array:
    """One sample of 15 % of the rows is up to half as good."""
    noise = independent(0.01)(rng, cluster)
    rows = np.flatnonzero(rng.random(len(noise)) < 0.15)
    noise[rows, rng.integers(cluster.count[rows])] -= rng.uniform(0.1, 0.5, len(rows))
    return noise


class Recording:
    """Noise of real runs, in contiguous pieces, so that what follows what is real too.

    Each series is taken relative to its running median of 15, and to its running median absolute
    deviation of 15: the wander and the bursts of a machine that others use too are not the noise
    of a benchmark.
    """

    def __init__(self, path: Path = RECORDED) -> None:
        series: dict[str, list[float]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            _, name, figure = line.split("\t")
            series.setdefault(name, []).append(float(figure))
        self.series = {name: self._level(np.log(figures)) for name, figures in series.items()}

    @staticmethod
    def _level(figures: Array) -> Array:
        def running(series: Array) -> Array:
            padded = np.pad(series, 7, mode="reflect")
            return np.median(np.lib.stride_tricks.sliding_window_view(padded, 15), axis=1)

        level = figures - running(figures)
        return np.asarray(level / running(np.abs(level)))

    def __call__(self, spread: float) -> Noise:
        def noise(rng: np.random.Generator, cluster: Cluster) -> Array:
            drawn = np.empty((len(cluster.kind), cluster.columns))
            for number, kind in enumerate(KINDS):
                rows, series = np.flatnonzero(cluster.kind == number), self.series[kind.noise]
                starts = rng.integers(0, len(series) - cluster.columns + 1, len(rows))
                drawn[rows] = series[starts[:, None] + np.arange(cluster.columns)]
            # Two pieces may overlap, but no two figures that were measured follow each other so
            # closely: those would be copies.
            own = rng.normal(0, 0.005, (len(drawn), 1)) + rng.normal(0, spread / 10, drawn.shape)
            return np.asarray(np.exp(spread * drawn + own) - 1)

        return noise


recorded = Recording()

OLDER, NEWER = "a quarter older by 8 %, declared", "two generations 4 % apart, declared"
ABOVE = "SSDs at 101 % of their sheet"

NOISES: Mapping[str, Noise] = {
    "independent, 0.01 %": independent(0.0001),
    "independent, 0.1 %": independent(0.001),
    "independent, 0.3 %": independent(0.003),
    "independent, 1 %": independent(0.01),
    "independent, 2 %": independent(0.02),
    "independent, 5 %": independent(0.05),
    "Student's t, 3 degrees, 1 %": student(0.01),
    "Student's t, 3 degrees, 2 %": student(0.02),
    "log-normal, 3 %": log_normal,
    "bimodal samples": bimodal_samples,
    "bimodal hosts": bimodal_hosts,
    "AR(1), 0.7": in_turn,
    "time of day": time_of_day,
    "of hosts, 1 %": by_host(0.01),
    "of hosts, 2 %": by_host(0.02),
    "of hosts, 3 %": by_host(0.03),
    "of hosts and devices, 1 %": by_device,
    "heavy-tailed hosts": heavy_tailed,
    "a wild sample in 15 % of rows": wild,
    "whole microseconds": independent(0.01),
    ABOVE: above_the_sheet,
    "the first samples 15 % low": cold,
    "a drift of 3 %": drifting,
    OLDER: older(0.25, 0.08),
    NEWER: older(0.5, 0.04),
    "recorded, 2 %": recorded(0.02),
    "recorded, 5 %": recorded(0.05),
    "recorded, 10 %": recorded(0.10),
}
WHOLE = "whole microseconds"
"""The noise whose times are printed so."""

DECLARED = {OLDER: 0.25, NEWER: 0.5}
"""The share of the hosts that are declared as a population of their own."""
