"""The natural deviation of peers, and whether they are two populations.

The deviation of sound hosts is estimated from the hosts themselves. Few hosts give a poor estimate,
so it is moderated by a natural deviation, as in Smyth, Linear Models and Empirical Bayes Methods,
SAGMB 3 (2004).

Alternatives that are not used: scikit-learn's MinCovDet and ruptures take a second to import and
need many more subjects than a small cluster has; statsmodels' mixed models are not robust.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.judge.limits import Flags, Numbers
from assay.judge.pairs import islands
from assay.judge.stats import CONFIDENCE, MAD_EFFICIENCY, NORMAL, Array, middle

NATURAL = 0.01
"""Prior relative deviation between sound peers (this project's own choice)."""

NATURAL_FREEDOM = 7.0
"""Degrees of freedom of that prior (own choice): with eight, 8 of 300 sound campaigns of four hosts
that differ by 3 % were accused, with seven 4 of 400; with six a client that is 10 % slow was missed
in 7 of 20 campaigns that planned further rounds."""

MANY = 16
"""Minimum number of peers whose deviation says how large their errors are: a few may agree by
chance (own choice)."""

LEAST_SPLIT = 0.05
"""Minimum distance between two populations, relative to the better one (own choice)."""

CLEAR = 4.0
"""Minimum distance between two populations, relative to the deviation within them (own choice).

The halves of one normal population are 2.7 times as far apart as they are wide. Of few hosts they
are so by chance: of 16, 1 in 100 by 7.5 times (simulation of 6,000 populations).
"""

FEW_HOSTS = 10.0
"""By this over their number, few hosts have to be further apart (own choice)."""

LEAST_HOSTS = 16
"""Fewer hosts do not have to be further apart than these: they could never be."""

ISOLATED = 8
"""Up to one host in this many may be a single outlier; more are a population (own choice)."""


def deviation(gain: Array) -> float:
    """The deviation of figures from their median, as a standard deviation."""
    return NORMAL * middle(np.abs(gain - middle(gain)))


def most_error(gain: Array) -> float:
    """The most that the error of each figure may be, since its peers deviate by it and by nature.

    It is the upper end of an interval of `CONFIDENCE` of their deviation; infinite if they are few.
    """
    from scipy.special import chdtri

    seen = deviation(gain)
    if len(gain) < MANY or not seen:
        return np.inf
    freedom = MAD_EFFICIENCY * (len(gain) - 1)
    return seen * float(np.sqrt(freedom / chdtri(freedom, CONFIDENCE)))


def scale(
    between: float,
    error: float,
    known: float,
    freedom: float,
    natural: float = NATURAL,
    trust: float = NATURAL_FREEDOM,
) -> tuple[float, float]:
    """The standard deviation of one peer from the others, and its degrees of freedom.

    Its variance is the sum of the variance of its own median and of that between peers. The degrees
    of freedom of the sum follow from those of both (Satterthwaite, Biometrics Bulletin 2, 1946).

    Args:
        between: the observed deviation between peers.
        error: the standard error of each peer.
        known: degrees of freedom of that error.
        freedom: number of peers, or of hosts, that can differ; parts of one host change together.
        natural: the prior deviation between peers.
        trust: degrees of freedom of that prior.
    """
    freedom *= MAD_EFFICIENCY
    seen = max(between**2 - error**2, 0.0)
    own = trust * natural**2 + freedom * seen
    freedom += trust
    own /= freedom
    variance = error**2 + own
    return float(np.sqrt(variance)), variance**2 / (error**4 / known + own**2 / freedom)


@dataclass(frozen=True, slots=True)
class Split:
    """Two populations."""

    worse: Flags
    """Which of the peers are in the worse population."""
    apart: float
    """Distance of the worse population, relative to the better."""
    sides: tuple[frozenset[int], ...] = ()
    """For pairs: the sets of ends between which the worse pairs run; empty if ends are slow."""


def split(gain: Array, host: Numbers, error: float) -> Split | None:
    """The two populations of peers; None if they are one, apart from single outliers."""
    two = border(gain, error, len(np.unique(host)))
    if two is None:
        return None
    two = _by_host(two, host)
    few = max(2, -(-len(np.unique(host)) // ISOLATED))
    rows = max(2, -(-len(gain) // ISOLATED))
    sides = two.worse, ~two.worse
    if min(len(np.unique(host[side])) for side in sides) < few:
        return None
    return None if min(side.sum() for side in sides) < rows else two


def _by_host(two: Split, host: Numbers) -> Split:
    """The split with whole hosts on each side, if hosts are what differs, except for outliers.

    A slow device of a fast host does not belong to the population of slow hosts.
    """
    names, host_of = np.unique(host, return_inverse=True)
    worse = np.bincount(host_of, two.worse, minlength=len(names)) > np.bincount(host_of) / 2
    strayed = worse[host_of] != two.worse
    if strayed.sum() > max(1, len(host) // ISOLATED) or not 0 < worse.sum() < len(names):
        return two
    return Split(worse[host_of], two.apart)


def split_pairs(gain: Array, ends: Numbers, error: float) -> Split | None:
    """The two populations of pairs: worse ones cross between sets of ends, or have slow ends."""
    two = border(gain, error, len(np.unique(ends)))
    if two is None:
        return None
    apart = islands(ends, ~two.worse)
    sets = tuple(island for island in apart if len(island) > 1)
    place = {end: number for number, island in enumerate(sets) for end in island}
    sides = np.array([[place.get(end, -1) for end in pair] for pair in ends.tolist()])
    crossing = (sides >= 0).all(axis=1) & (sides[:, 0] != sides[:, 1])
    # A single slow pair may be the only connection between two sets.
    if crossing.sum() > 1:
        return Split(crossing, two.apart, sets)
    slow = [end for island in apart if len(island) == 1 for end in island]
    if len(slow) < max(2, -(-len(np.unique(ends)) // ISOLATED)):
        return None
    return Split(np.asarray(np.isin(ends, slow).any(axis=1)), two.apart)


def border(gain: Array, error: float, hosts: int) -> Split | None:
    """Two sides that are clearly apart, of whatever number.

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
    clear = CLEAR * (1 + FEW_HOSTS / max(hosts, LEAST_HOSTS))
    if apart < LEAST_SPLIT or high - low < clear * width:
        return None
    return Split(worse, apart)
