"""Which end, or which crossing, makes pairs slow: a two-way model of source and destination.

A pair's figure has four effects: of its source, of its destination, of the path between two sets of
ends (a switch), and of the pair itself (a cable). Each end is in few pairs, in a ring only in two.
So the effects can be found only by assuming as few faults as possible: the least sum of absolute
residuals and of absolute effects. That is a median polish (Tukey, Exploratory Data Analysis, 1977,
chapter 11) in which each end also has its own vote for no effect.

Alternatives that are not used: statsmodels' QuantReg and scipy's linprog give the same sum exactly,
but take seconds for the thousands of pairs of a large cluster. Mixed models are not robust, so that
one slow end makes the other ends of its pairs suspect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judge.limits import Flags, Numbers
from assay.judge.stats import Array, middle

SOUND_UNTIL_SHOWN = 1.5
"""Weight of an end's own vote for no effect: two pairs that agree outvote it, one pair does not."""

SWEEPS = 4
"""Number of passes of the polish over all ends; effects settle in two or three."""


@dataclass(frozen=True, slots=True)
class Polished:
    """The two-way model of some pairs."""

    ends: Numbers
    """The numbers of the ends, each once, in order."""
    positions: Numbers
    """For each pair, the positions of its two ends in `ends`."""
    effect: Array
    """The gain that each end gives its pairs; negative if it makes them worse."""
    pairs: Numbers
    """Number of pairs of each end."""
    gain: Array
    """The gain of each pair over the median of all."""
    residual: Array
    """The gain of each pair minus the effects of its ends."""
    level: Array
    """The median of each end's pairs without the effects of their other ends, which is the effect
    without the end's own vote."""


def polish(gain: Array, ends: Numbers) -> Polished:
    """Separate the effects of ends from those of pairs.

    Args:
        gain: the gain of each pair over the median of all.
        ends: the numbers of each pair's two ends.
    """
    names, flat = np.unique(ends, return_inverse=True)
    positions = flat.reshape(ends.shape)
    effect, residual = np.zeros(len(names)), gain.astype(float)
    order = np.argsort(positions.ravel(), kind="stable")
    counts = np.bincount(positions.ravel(), minlength=len(names))
    of_end = np.split(order // 2, np.cumsum(counts)[:-1])
    for _ in range(SWEEPS):
        moved = 0.0
        # The worst end first, so that its effect is not attributed to the other ends of its pairs.
        means = [-abs(float(residual[rows].mean())) for rows in of_end]
        for end in np.argsort(means, kind="stable").tolist():
            rows = of_end[end]
            step = _voted(residual[rows] + effect[end]) - effect[end]
            if step:
                residual[rows] -= step
                effect[end] += step
                moved = max(moved, abs(step))
        if moved < 1e-4:  # a hundredth of a percent
            break
    level = [middle(residual[rows] + effect[end]) for end, rows in enumerate(of_end)]
    return Polished(names, positions, effect, counts, gain, residual, np.array(level))


def _voted(figures: Array) -> float:
    """The weighted median of the figures and of a vote for zero."""
    votes = np.append(figures, 0.0)
    weights = np.append(np.ones(len(figures)), SOUND_UNTIL_SHOWN)
    order = np.argsort(votes, kind="stable")
    reached = np.cumsum(weights[order]) >= weights.sum() / 2
    return float(votes[order][int(np.argmax(reached))])


def islands(ends: Numbers, sound: Flags) -> list[frozenset[int]]:
    """Sets of ends that sound pairs connect, the largest first.

    If a switch is slow, the sound pairs do not leave either side of it; if an end is slow, no
    sound pair has it.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    names, flat = np.unique(ends, return_inverse=True)
    links = flat.reshape(ends.shape)[sound]
    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(len(names),) * 2)
    count, label = connected_components(graph)
    connected = [frozenset(names[label == number].tolist()) for number in range(count)]
    return sorted(connected, key=len, reverse=True)
