"""Labelled campaigns: a synthetic cluster with noise of real runs, sound or with one known fault.

The cluster has 32 clients in a ring, and four servers with two engines and two SSDs each: as large
as it takes for one slow SSD of 8 and one slow NIC of 32. Nothing here knows how verdicts are made.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

CLIENTS = 32
SSDS = 8
ENGINES = 8
RECORDED = Path(__file__).parents[1] / "recorded" / "noise" / "figures.tsv"


@dataclass(frozen=True, slots=True)
class Kind:
    """One metric of a check, owed by some equal subjects."""

    check: str
    metric: str
    unit: str
    subjects: int
    noise: str
    """The series of the recording that it scatters like."""
    floor: float | None
    """As a fraction of its bound; none: it has neither."""
    more: bool = True


def _kinds() -> tuple[Kind, ...]:
    bandwidth, latency = "fi_pingpong bandwidth_1m", "fi_pingpong latency_64b"
    write, read, random = "fio write_1m", "fio read_1m", "fio randread_4k"
    fields_write, fields_read = "fdb_hammer write", "fdb_hammer read"
    return (
        Kind("FiPingpong", "bandwidth_1m", "MiB/s", CLIENTS, bandwidth, 0.4),
        Kind("FiPingpong", "latency_64b", "us", CLIENTS, latency, None, more=False),
        Kind("SelfTest", "get_1m", "MiB/s", ENGINES, bandwidth, 0.6),
        Kind("SelfTest", "put_1m", "MiB/s", ENGINES, bandwidth, 0.6),
        Kind("SelfTest", "empty", "RPC/s", ENGINES, latency, None),
        Kind("SelfTest", "latency_empty", "us", ENGINES, latency, None, more=False),
        Kind("Nvme", "read_1m_alone", "MiB/s", SSDS, read, 0.85),
        Kind("Nvme", "read_1m_together", "MiB/s", SSDS, read, 0.85),
        Kind("Nvme", "write_1m", "MiB/s", SSDS, write, 0.85),
        Kind("Nvme", "randread_4k", "IO/s", SSDS, random, 0.85),
        Kind("Nvme", "latency_4k", "us", SSDS, random, None, more=False),
        Kind("VosPerf", "update_1m", "MiB/s", ENGINES, write, 0.3),
        Kind("VosPerf", "fetch_1m", "MiB/s", ENGINES, read, 0.3),
        Kind("VosPerf", "update_4k", "IO/s", ENGINES, random, None),
        Kind("VosPerf", "fetch_4k", "IO/s", ENGINES, random, None),
        Kind("PosixFio", "write_1m", "MiB/s", CLIENTS, write, 0.3),
        Kind("PosixFio", "read_1m", "MiB/s", CLIENTS, read, 0.3),
        Kind("FdbHammer", "write", "MiB/s", CLIENTS, fields_write, 0.3),
        Kind("FdbHammer", "read", "MiB/s", CLIENTS, fields_read, 0.3),
        *(
            Kind("Ior", name, "MiB/s", 1, fields_write, 0.5)
            for name in ("easy_write", "hard_write")
        ),
        *(Kind("Ior", name, "MiB/s", 1, fields_read, 0.5) for name in ("easy_read", "hard_read")),
        *(
            Kind("Mdtest", name, "op/s", 1, random, None)
            for name in ("create", "stat", "read", "remove")
        ),
    )


KINDS = _kinds()
KIND = np.repeat(np.arange(len(KINDS)), [kind.subjects for kind in KINDS])
"""Of each metric of a campaign, the number of its kind."""
SUBJECT = np.concatenate([np.arange(kind.subjects) for kind in KINDS])
MORE = np.array([KINDS[k].more for k in KIND])
FLOOR = np.array([KINDS[k].floor or np.nan for k in KIND])
METRICS = len(KIND)


def of(check: str, *metrics: str) -> NDArray[np.bool_]:
    """Which metrics belong to a check, or to some metrics of it."""
    chosen = [k.check == check and (not metrics or k.metric in metrics) for k in KINDS]
    return np.array(chosen)[KIND]


def with_unit(*units: str) -> NDArray[np.bool_]:
    return np.array([k.unit in units for k in KINDS])[KIND]


@dataclass(slots=True)
class Campaign:
    """Samples and limits of every metric; a row of NaN was not measured."""

    samples: Array
    bound: Array
    """As fast as is possible; NaN where nobody knows."""
    floor: Array
    affected: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(METRICS, dtype=bool))
    """The label: which metrics a fault was put into."""

    def copy(self) -> Campaign:
        """The same, to put a fault into."""
        return Campaign(self.samples.copy(), self.bound, self.floor)


class Recording:
    """Noise of real runs, in contiguous pieces, so that what follows what is real too.

    Each series is taken relative to its running median of 15, and to its running median absolute
    deviation of 15: the wander and the bursts of a machine that others use too are not the noise
    of a benchmark.
    """

    def __init__(self, *, first_half: bool, path: Path = RECORDED) -> None:
        series: dict[str, list[float]] = {}
        for line in path.read_text(encoding="utf-8").splitlines():
            _, name, figure = line.split("\t")
            series.setdefault(name, []).append(float(figure))
        self.series = {
            name: np.array_split(self._level(np.log(figures)), 2)[0 if first_half else 1]
            for name, figures in series.items()
        }

    @staticmethod
    def _level(figures: Array) -> Array:
        def running(series: Array) -> Array:
            padded = np.pad(series, 7, mode="reflect")
            return np.median(np.lib.stride_tricks.sliding_window_view(padded, 15), axis=1)

        level = figures - running(figures)
        return level / running(np.abs(level))

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        """So many successive samples for each metric, about 0."""
        drawn = np.empty((METRICS, count))
        for number, kind in enumerate(KINDS):
            series = self.series[kind.noise]
            starts = rng.integers(0, len(series) - count + 1, kind.subjects)
            drawn[number == KIND] = series[starts[:, None] + np.arange(count)]
        return drawn


@dataclass(frozen=True, slots=True)
class Cluster:
    """What stays the same from one campaign to the next: how good each metric truly is."""

    true: Array

    @staticmethod
    def make(rng: np.random.Generator) -> Cluster:
        """A sound one: each kind 8 % above its floor or better, its subjects within about 1 %.

        None comes nearer to its bound than 7 %, so that the noise does not do what nothing can.
        """
        floors = np.array([kind.floor or 0.5 for kind in KINDS])
        efficiency = rng.uniform(floors * 1.08, 0.93)
        true = efficiency[KIND] * rng.normal(1, 0.005, METRICS)
        return Cluster(np.where(MORE, true, 1 / true))

    def campaign(
        self, rng: np.random.Generator, recording: Recording, spread: float, samples: int
    ) -> Campaign:
        """Measure it. Two campaigns differ by up to 1 % as a whole, and up to 0.5 % by kind."""
        whole = rng.uniform(-0.005, 0.005) + rng.uniform(-0.0025, 0.0025, len(KINDS))[KIND]
        level = self.true * (1 + np.where(MORE, whole, -whole))
        noise = np.exp(spread * recording.draw(rng, samples))
        known = ~np.isnan(FLOOR)
        return Campaign(level[:, None] * noise, np.where(known, 1.0, np.nan), FLOOR.copy())
