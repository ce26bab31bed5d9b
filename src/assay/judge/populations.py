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
from numpy.typing import NDArray

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


def scale(gain: Array, error: float, known: float, hosts: int) -> tuple[float, float]:
    """How far from the others one of some peers usually lies, and its degrees of freedom.

    Its variance is that of its own median and that between hosts; what is known of the sum follows
    from what is known of each (Satterthwaite, Biometrics Bulletin 2, 1946).

    Args:
        gain: how much better each is than all of them, relative to that.
        error: the standard error of each.
        known: degrees of freedom of that.
        hosts: on how many hosts they are: what are parts of one host move together.
    """
    between = NORMAL * middle(np.abs(gain - middle(gain)))
    freedom = MAD_EFFICIENCY * max(hosts - 1, 0)
    seen = max(between**2 - error**2, 0.0)
    natural = NATURAL_FREEDOM * NATURAL**2 + freedom * seen
    freedom += NATURAL_FREEDOM
    natural /= freedom
    variance = error**2 + natural
    return float(np.sqrt(variance)), variance**2 / (error**4 / known + natural**2 / freedom)


@dataclass(frozen=True, slots=True)
class Split:
    """Two populations."""

    worse: NDArray[np.bool_]
    """Which of the peers are in the worse one."""
    apart: float
    """By how much that is worse, relative to the better."""


def split(gain: Array, host: NDArray[np.int_], error: float) -> Split | None:
    """The two populations that peers are; None where they are one, but for single hosts.

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
    few = max(2, -(-len(np.unique(host)) // ISOLATED))
    sides = ordered[:border], ordered[border:]
    if min(len(np.unique(host[worse])), len(np.unique(host[~worse]))) < few:
        return None
    low, high = (middle(side) for side in sides)
    within = np.concatenate([np.abs(sides[0] - low), np.abs(sides[1] - high)])
    width = max(NORMAL * middle(within), error)
    apart = (high - low) / (1 + high)
    if apart < LEAST_SPLIT or high - low < CLEAR * width:
        return None
    return Split(worse, apart)
