"""Two or three peers: nothing shows which of them is right, but it shows that they differ.

Among so few, no median is of sound peers only. So the worse ones are `unsteady`, and named. Their
natural deviation cannot be estimated from themselves; it is the prior of `populations`, and the
error is that of all figures of their check.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.judge.limits import Limits, Numbers
from assay.judge.populations import NATURAL, NATURAL_FREEDOM
from assay.judge.stats import Array, Summaries, middle, threshold

FEWEST_PEERS = 4
"""Minimum number of peers to find an outlier among them; of fewer, half may be slow."""

SLOWER = 0.06
"""Minimum relative deviation from its peers, few or many, that matters (own choice)."""


def differences(
    summaries: Summaries, limits: Limits, groups: Sequence[Numbers], error: Array, freedom: Array
) -> Array:
    """How much worse than its best peer each metric of such groups is; NaN if not surely so.

    Args:
        summaries: all metrics.
        limits: their limits.
        groups: the rows of the groups with two or three peers.
        error: the relative error of each median.
        freedom: the degrees of freedom of that error.
    """
    apart = np.full(len(summaries.median), np.nan)
    asked = sum(len(rows) for rows in groups)
    for rows in groups:
        best = (np.max if limits.more[rows[0]] else np.min)(summaries.median[rows])
        gain = limits.gain(summaries.median[rows], float(best), rows)
        own, known = float(np.sqrt(np.mean(error[rows] ** 2))), middle(freedom[rows])
        variance = own**2 + NATURAL**2
        loose = variance**2 / (own**4 / known + NATURAL**4 / NATURAL_FREEDOM)
        far = float(threshold(limits.share(asked), loose)) * (2 * variance) ** 0.5
        worse = gain < -max(SLOWER, far)
        apart[rows[worse]] = -gain[worse]
    return apart
