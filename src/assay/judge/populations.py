"""Peers as they are: how much they differ by nature, and whether they are two populations.

How much sound hosts differ is estimated from the hosts and not assumed. A few of them know little
of it, so the estimate is moderated by what is natural, as in Smyth, Linear Models and Empirical
Bayes Methods, SAGMB 3 (2004).

Passed over: scikit-learn's MinCovDet and ruptures, which would take a second to import and need
many more subjects than a small cluster has; statsmodels' mixed models, which are not robust.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judge.limits import Flags, Numbers
from assay.judge.pairs import islands
from assay.judge.stats import MAD_EFFICIENCY, NORMAL, Array, middle

NATURAL = 0.01
"""By how much sound peers differ, before anything is known of them (this project's own choice)."""

NATURAL_FREEDOM = 8.0
"""Degrees of freedom that this counts for (own choice)."""

LEAST_SPLIT = 0.05
"""Populations that are less apart, relative to the better, are none (own choice)."""

CLEAR = 4.0
"""So many times as far apart as usual within them must two populations be (own choice).

The halves of one normal population are 2.7 times as far apart as they are wide.
"""

ISOLATED = 8
"""Up to one host in so many may be odd by itself; more are a population (own choice)."""


def deviation(gain: Array) -> float:
    """How far figures usually lie from their median, as a standard deviation."""
    return NORMAL * middle(np.abs(gain - middle(gain)))


def scale(
    between: float, error: float, known: float, freedom: float, natural: float = NATURAL
) -> tuple[float, float]:
    """How far from the others one of some peers usually lies, and its degrees of freedom.

    Its variance is that of its own median and that between peers; what is known of the sum follows
    from what is known of each (Satterthwaite, Biometrics Bulletin 2, 1946).

    Args:
        between: how far they usually lie from each other.
        error: the standard error of each.
        known: degrees of freedom of that.
        freedom: how many peers, or hosts, can differ: what are parts of one host move together.
        natural: by how much they differ, before anything is known of them.
    """
    freedom *= MAD_EFFICIENCY
    seen = max(between**2 - error**2, 0.0)
    own = NATURAL_FREEDOM * natural**2 + freedom * seen
    freedom += NATURAL_FREEDOM
    own /= freedom
    variance = error**2 + own
    return float(np.sqrt(variance)), variance**2 / (error**4 / known + own**2 / freedom)


@dataclass(frozen=True, slots=True)
class Split:
    """Two populations."""

    worse: Flags
    """Which of the peers are in the worse one."""
    apart: float
    """By how much that is worse, relative to the better."""
    sides: tuple[frozenset[int], ...] = ()
    """Of pairs: the sets of ends between which the worse ones run; none where they are of ends."""


def split(gain: Array, host: Numbers, error: float) -> Split | None:
    """The two populations that peers are; None where they are one, but for single ones."""
    found = _border(gain, error)
    if found is None:
        return None
    found = _by_host(found, host)
    few = max(2, -(-len(np.unique(host)) // ISOLATED))
    rows = max(2, -(-len(gain) // ISOLATED))
    sides = found.worse, ~found.worse
    if min(len(np.unique(host[side])) for side in sides) < few:
        return None
    return None if min(side.sum() for side in sides) < rows else found


def _by_host(found: Split, host: Numbers) -> Split:
    """The same with all of a host on one side, where hosts are what differs but for single ones.

    A slow device of a fast host is no member of the slow hosts' population.
    """
    names, of = np.unique(host, return_inverse=True)
    worse = np.bincount(of, found.worse, minlength=len(names)) > np.bincount(of) / 2
    strayed = worse[of] != found.worse
    if strayed.sum() > max(1, len(host) // ISOLATED) or not 0 < worse.sum() < len(names):
        return found
    return Split(worse[of], found.apart)


def split_pairs(gain: Array, ends: Numbers, error: float) -> Split | None:
    """The same of pairs: those that cross from one set of ends to another, or of slow ends."""
    found = _border(gain, error)
    if found is None:
        return None
    apart = islands(ends, ~found.worse)
    sets = tuple(island for island in apart if len(island) > 1)
    if len(sets) > 1:
        place = {end: number for number, island in enumerate(sets) for end in island}
        sides = np.array([[place.get(end, -1) for end in pair] for pair in ends.tolist()])
        crossing = (sides >= 0).all(axis=1) & (sides[:, 0] != sides[:, 1])
        # One pair that is slow by itself may be all that connects two sets.
        if crossing.sum() > 1:
            return Split(crossing, found.apart, sets)
    slow = [end for island in apart if len(island) == 1 for end in island]
    if len(slow) < max(2, -(-len(np.unique(ends)) // ISOLATED)):
        return None
    return Split(np.asarray(np.isin(ends, slow).any(axis=1)), found.apart)


def _border(gain: Array, error: float) -> Split | None:
    """Two sides that are clearly apart.

    The border is where the variance between both sides is greatest (Otsu, IEEE Transactions on
    Systems, Man, and Cybernetics 9, 1979).
    """
    order = np.argsort(gain)
    ordered, count = gain[order], len(gain)
    below = np.arange(1, count)
    total = np.cumsum(ordered)
    means = total[:-1] / below, (total[-1] - total[:-1]) / (count - below)
    border = int(np.argmax(below * (count - below) * (means[1] - means[0]) ** 2)) + 1
    worse = np.zeros(count, dtype=bool)
    worse[order[:border]] = True
    sides = ordered[:border], ordered[border:]
    low, high = (middle(side) for side in sides)
    within = np.concatenate([np.abs(sides[0] - low), np.abs(sides[1] - high)])
    width = max(NORMAL * middle(within), error)
    apart = (high - low) / (1 + high)
    if apart < LEAST_SPLIT or high - low < CLEAR * width:
        return None
    return Split(worse, apart)
