"""Which ranks and targets are slower than their peers, by the times of their operations.

A rank or a target is an outlier if its operations take longer than those of its peers, over all
steps of a check, by more than the natural differences between peers and between steps. For each
check, the chance of naming an outlier in a sound system is at most `FALSE_NAMES`.

Latency here is the root mean square, since pauses, which affect few operations, then count more
than in the mean. (An engine that was stopped for 0.3 s of each second was 1.2 to 1.8 times as slow
as the other by the mean, and 1.5 to 2.4 times by the root mean square; two sound engines 0.7 to
1.25 and 0.8 to 1.3 times.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.judge.populations import deviation, scale
from assay.judge.stats import OF_MEDIAN, Array, middle, threshold
from assay.tools.daos.telemetry import OPERATIONS, SCHEDULER, Place

FALSE_NAMES = 0.005
"""Chance that a check of a sound system names an outlier, half of the allowed one (own choice)."""

SLOWER = 0.15
"""Minimum relative deviation of a latency from that of its peers (this project's own choice)."""

NATURAL = 0.10
"""Prior relative deviation between the latencies of sound peers (own choice).

Two engines of one busy machine were seen 2 to 25 % apart in single steps (DAOS 2.8, DRAM).
"""

NATURAL_FREEDOM = 8.0
"""Degrees of freedom of that (own choice)."""

UNSURE = 0.20
"""Assumed relative deviation between the mean latencies of steps, if a check has only one step (own
choice)."""

UNSURE_FREEDOM = 8.0
"""Degrees of freedom of that assumption (own choice)."""

FEWEST_PEERS = 4
"""Minimum number of peers to estimate their deviation; with fewer, only `NATURAL` is used."""

MOST_NAMED = 5
"""Maximum number of outliers that one sentence names."""

IN_WORDS = {
    **{name: f"{name} latency" for name in OPERATIONS},
    SCHEDULER: "duration of scheduler cycles (paused, or short of CPU)",
}
"""The compared figures of the engines: the report's name of each operation of telemetry."""


@dataclass(frozen=True, slots=True)
class Outlier:
    """A rank, or one of its targets, whose operations take longer than those of its peers."""

    operation: str
    rank: int
    target: int | None
    """None if the whole rank is the outlier."""
    ratio: float
    """Ratio of its latency to that of its peers."""
    peers: int


def in_words(
    found: Iterable[Outlier],
    hosts: Mapping[int, str],
    ssds: Mapping[Place, Sequence[str]],
) -> list[str]:
    """A sentence for each rank or target that is an outlier, the worst first.

    It names the rank, host, target and SSD, and how many times each operation takes as long.

    Args:
        found: the outliers.
        hosts: the host of each rank.
        ssds: the SSDs with the data of each target, as far as they are known.
    """
    by_place: dict[tuple[int, int | None, int], list[Outlier]] = defaultdict(list)
    for each in sorted(found, key=lambda each: -each.ratio):
        by_place[each.rank, each.target, each.peers].append(each)
    sentences = []
    for (rank, target, peers), own in by_place.items():
        named = "" if target is None else f", target {target}"
        named += _ssds(
            ssd
            for place, its in sorted(ssds.items())
            if place[0] == rank and target in (None, place[1])
            for ssd in its
        )
        times = [f"{IN_WORDS[each.operation]} {each.ratio:.2g} times" for each in own]
        slower = " and ".join(filter(None, (", ".join(times[:-1]), times[-1])))
        of = "its peer" if peers == 1 else f"its {peers} peers"
        sentences.append(f"rank {rank} on {hosts[rank]}{named}: {slower} that of {of}")
    return sentences


def outliers(
    operation: str, steps: Sequence[Mapping[Place, tuple[float, float]]]
) -> Iterator[Outlier]:
    """The ranks and targets whose operations take longer than those of their peers.

    A rank is judged by all of its operations, a target by its own. If only one target of a rank is
    slow, the target is reported and not the rank.

    Args:
        operation: the name of the operation.
        steps: for each step, the operations and the sum of their squared times, by target.
    """
    ranks = _effects([_of_ranks(step) for step in steps])
    targets = _effects(
        [{place: squares / n for place, (n, squares) in step.items()} for step in steps]
    )
    slow_ranks = {rank for (rank, _) in ranks.slow()}
    slow_targets = set(targets.slow())
    for rank in sorted(slow_ranks):
        own = [place for place in targets.gain if place[0] == rank]
        if _is_one_target(own, targets, slow_targets):
            continue
        slow_targets -= set(own)
        ratio = float(np.exp(ranks.gain[rank, -1]))
        yield Outlier(operation, rank, None, ratio, len(ranks.gain) - 1)
    for place in sorted(slow_targets):
        ratio = float(np.exp(targets.gain[place]))
        yield Outlier(operation, *place, ratio, len(targets.gain) - 1)


def named_from(steps: Sequence[Mapping[Place, tuple[float, float]]]) -> float:
    """How many times as long the operations of a rank have to take for it to be an outlier.

    Infinite if ranks cannot be compared. With few peers and noisy steps much remains unseen.
    """
    return float(np.exp(_effects([_of_ranks(step) for step in steps]).least))


def _is_one_target(own: Sequence[Place], targets: _Effects, slow: set[Place]) -> bool:
    """Whether a rank is slow only because of its slowest target."""
    if len(own) < 2:
        return False
    *others, slowest = sorted(own, key=lambda place: targets.gain[place])
    usual = middle(np.array([targets.gain[place] for place in others]))
    return slowest in slow and usual < SLOWER


def _of_ranks(step: Mapping[Place, tuple[float, float]]) -> dict[Place, float]:
    """The mean square latency of each rank."""
    sums: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for (rank, _), (count, squares) in step.items():
        sums[rank][0] += count
        sums[rank][1] += squares
    return {(rank, -1): squares / count for rank, (count, squares) in sums.items()}


@dataclass(frozen=True, slots=True)
class _Effects:
    """The logarithm of the ratio by which each peer is slower than the others."""

    gain: Mapping[Place, float]
    error: float
    """Standard deviation of one peer from the others."""
    freedom: float

    @property
    def least(self) -> float:
        """The gain above which a peer is slower with statistical confidence; infinite without."""
        if len(self.gain) < 2 or not self.error:
            return float("inf")
        # Each operation, by rank and by target.
        chance = FALSE_NAMES / (2 * len(IN_WORDS) * len(self.gain))
        return max(float(threshold(chance, self.freedom)) * self.error, float(np.log1p(SLOWER)))

    def slow(self) -> list[Place]:
        """The peers that are slower with statistical confidence."""
        least = self.least
        return [place for place, gain in self.gain.items() if gain > least]


def _effects(steps: Sequence[Mapping[Place, float]]) -> _Effects:
    """Compare the mean squares of peers over all steps in which all of them were busy."""
    places = sorted(set[Place]().union(*steps))
    # A target that the benchmark did not use in a step cannot be compared in it.
    whole = [step for step in steps if len(step) == len(places)]
    if len(places) < 2 or not whole:
        return _Effects({}, 0.0, 1.0)
    logs: Array = np.log(np.array([[step[place] for place in places] for step in whole])) / 2
    count, peers = logs.shape
    # With few peers, each is compared with the others only; it would be a large part of the median.
    enough = peers >= FEWEST_PEERS
    if count == 1 and not enough:
        # Nothing shows how far sound peers differ: on a busy host, by 4 times in single steps.
        return _Effects({}, 0.0, 1.0)
    centred = logs - np.median(logs, axis=1, keepdims=True)
    each = np.median(centred, axis=0)
    if count > 1:
        rest = centred - each
        known = float((count - 1) * (peers - 1))
        unsure = float(np.sqrt((rest**2).sum() / known)) * OF_MEDIAN / np.sqrt(count)
    else:
        unsure, known = UNSURE, UNSURE_FREEDOM
    if enough:
        gain = each - middle(each)
    else:
        gain = each - [middle(np.delete(each, number)) for number in range(peers)]
    error, freedom = scale(
        deviation(each) if enough else 0.0,
        max(unsure, 1e-6),
        known,
        float(peers - 1) if enough else 0.0,
        natural=NATURAL,
        trust=NATURAL_FREEDOM,
    )
    error *= np.sqrt(1 + min(1.0, OF_MEDIAN**2 / (peers - 1)))
    return _Effects(dict(zip(places, gain.tolist(), strict=True)), float(error), freedom)


def _ssds(ssds: Iterable[str]) -> str:
    named = list(dict.fromkeys(ssds))
    if not named:
        return ""
    if len(named) == 1:
        return f", SSD {named[0]}"
    return f", one of {len(named)} SSDs ({', '.join(named[:MOST_NAMED])})"
