"""Which end, or which crossing, makes pairs slow: a two-way model of source and destination.

What a pair shows is the effect of its source, that of its destination, that of what lies between
two sets of them (a switch), and its own (a cable). Each end is in few pairs, two where they are a
ring, so that effects follow from the figures only where as few as possible are at fault: the least
sum of absolute residuals and of absolute effects. That is a median polish (Tukey, Exploratory Data
Analysis, 1977, chapter 11) in which each end also has a vote of its own for no effect.

Passed over: statsmodels' QuantReg and scipy's linprog, which give the same sum exactly, in seconds
for the thousands of pairs of a large cluster; mixed models, which are not robust, so that one slow
end makes the others of its pairs suspect.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judge.limits import Flags, Numbers
from assay.judge.stats import Array, middle

SOUND_UNTIL_SHOWN = 1.5
"""An end's own vote for no effect, in pairs: two that agree outvote it, and one does not."""

SWEEPS = 4
"""As often the polish goes over all ends; effects settle in two or three."""


@dataclass(frozen=True, slots=True)
class Polished:
    """The two-way model of some pairs."""

    ends: Numbers
    """The ends by number, each once, in order."""
    of: Numbers
    """Of each pair, the places of its two ends in `ends`."""
    effect: Array
    """By how much each end makes its pairs better (worse, if below zero)."""
    pairs: Numbers
    """In how many pairs each end is."""
    gain: Array
    """How much better each pair is than the median of all."""
    residual: Array
    """What the effects of both ends leave of each pair."""
    level: Array
    """The median of each end's pairs without the effects of their other ends: the effect, unmoved
    by its own vote."""


def polish(gain: Array, ends: Numbers) -> Polished:
    """Tell the effects of ends from those of pairs.

    Args:
        gain: how much better each pair is than the median of all.
        ends: the numbers of the two ends of each.
    """
    names, flat = np.unique(ends, return_inverse=True)
    of = flat.reshape(ends.shape)
    effect, residual = np.zeros(len(names)), gain.astype(float)
    order = np.argsort(of.ravel(), kind="stable")
    counts = np.bincount(of.ravel(), minlength=len(names))
    of_end = np.split(order // 2, np.cumsum(counts)[:-1])
    for _ in range(SWEEPS):
        moved = 0.0
        # The worst first: what it explains is not put down to those at its other ends.
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
    return Polished(names, of, effect, counts, gain, residual, np.array(level))


def _voted(figures: Array) -> float:
    """The median of some figures and of a vote for zero."""
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
    count, label = connected_components(graph, directed=False)
    found = [frozenset(names[label == number].tolist()) for number in range(count)]
    return sorted(found, key=len, reverse=True)
