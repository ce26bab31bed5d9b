"""Figures that are worse at the end of a soak than at its beginning, and stay so.

The chart of `assay health` has its reference in the first 14 nights. Of a soak these are hours: a
loss that begins among them moves the reference, and widens the limits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from assay.judge.baseline import CHANGED
from assay.judge.limits import FALSE_ALARMS
from assay.judge.stats import OF_MEDIAN, threshold
from assay.soak.variation import FEWEST, named

LAST = 3
"""The last third of the rounds is the end of a soak (own choice)."""


def declined(
    rounds: Sequence[Mapping[str, float]],
    names: Mapping[str, tuple[str, str]],
    lower: Collection[str] = (),
) -> Iterator[str]:
    """The metrics that are significantly worse in the last third of the rounds, in words.

    Args:
        rounds: the figures of each round, by key.
        names: check with metric, and subject, of each key that counts.
        lower: keys of figures that are better where they are lower.
    """
    series = {
        key: (-1 if key in lower else 1)
        * np.log([figures[key] for figures in rounds if figures.get(key, 0) > 0])
        for key in names
    }
    judged = {key: values for key, values in series.items() if len(values) >= 2 * FEWEST}
    found: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for key, values in judged.items():
        first, last = values[:FEWEST], values[-max(FEWEST, len(values) // LAST) :]
        loss = float(np.median(first) - np.median(last))
        freedom = len(first) + len(last) - 2
        squares = sum(float(np.sum((part - part.mean()) ** 2)) for part in (first, last))
        error = OF_MEDIAN * np.sqrt(squares / freedom * (1 / len(first) + 1 / len(last)))
        far = float(threshold(FALSE_ALARMS / len(judged), np.array([float(freedom)]))[0])
        # All but one of each: figures in two modes come back to the better one.
        apart = np.sort(first)[1] > np.sort(last)[-2]
        if apart and loss > max(-np.log1p(-CHANGED), far * error):
            figure, subject = names[key]
            found[figure].append((float(-np.expm1(-loss)), subject))
    for figure, subjects in sorted(found.items(), key=lambda each: -max(each[1])[0]):
        yield (
            f"{figure} of {named(subjects)} is up to {max(subjects)[0]:.1%} worse in the last third"
            " of the rounds than in the first five"
        )
