"""Campaigns held against a baseline: sessions of a sound cluster differ, and some are worse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from noises import independent
from simulated import KINDS, Array, Cluster

from assay.judge.baseline import DECIDING, Changes, Session, changes
from assay.judge.limits import Numbers

BETWEEN = 0.01
"""By how much sessions differ, as a standard deviation."""
LEVELS = ("whole", "check", "metric")
"""What differs from session to session: all figures together, those of a check, or each."""


def differing(cluster: Cluster, level: str) -> Numbers:
    """For each figure, the number of that with which it differs from session to session."""
    check = np.unique([kind.check for kind in KINDS], return_inverse=True)[1][cluster.kind]
    return {
        "whole": np.zeros(len(check), dtype=int),
        "check": check,
        "metric": np.arange(len(check)),
    }[level]


def session(
    cluster: Cluster,
    rng: np.random.Generator,
    level: str,
    loss: float = 0.0,
    between: float = BETWEEN,
    change: Callable[[Array], Array] = lambda samples: samples,
) -> Session:
    """One session; with a loss, or another change to its samples."""
    own = differing(cluster, level)
    drift = rng.normal(0, between, own.max() + 1)[own] - loss
    noise = (1 + drift[:, None]) * (1 + independent(0.01)(rng, cluster)) - 1
    return cluster.summarized(change(cluster.measured(noise)))


def compared(cluster: Cluster, old: list[Session], new: list[Session]) -> Changes:
    """As `assay compare` does."""
    kinds = [f"{KINDS[kind].check}, {KINDS[kind].unit}" for kind in cluster.kind]
    return changes(old, new, cluster.limits, kinds)


def regressions(
    hosts: int,
    level: str,
    sessions: int,
    loss: float,
    times: int,
    seed: int,
    between: float = BETWEEN,
) -> int:
    """How often so many sessions on either side are called a regression."""
    number = [seed, hosts, LEVELS.index(level), sessions, round(1000 * loss), round(1000 * between)]
    rng, cluster, count = np.random.default_rng(number), Cluster(hosts), 0
    for _ in range(times):
        old, new = (
            [session(cluster, rng, level, lost, between) for _ in range(sessions)]
            for lost in (0.0, loss)
        )
        count += compared(cluster, old, new).is_regression
    return count


def slips_named(check: str, factor: float, hosts: int, times: int, seed: int) -> float:
    """How often a wrong unit of a check's bandwidths is named, where nothing else has changed."""
    rng, cluster, count = np.random.default_rng([seed, round(1000 * factor)]), Cluster(hosts), 0
    hit = cluster.of(check) & cluster.of_kinds(lambda kind: kind.unit == "MiB/s")
    for _ in range(times):
        old, new = (
            [
                cluster.summarized(np.where(hit[:, None], samples * times_as_much, samples))
                for samples in (
                    cluster.measured(independent(0.01)(rng, cluster)) for _ in range(DECIDING)
                )
            ]
            for times_as_much in (1.0, factor)
        )
        count += bool(compared(cluster, old, new).kinds[f"{check}, MiB/s"].slip)
    return count / times
