"""The expectation of each metric: bound, floor and ceiling, and their sources.

An expectation is a pure function of the cluster and of the measured figures of lower layers. It
returns numbers and a sentence. Each metric has a rule for it in the module of its benchmark; the
limits of the hardware are in `assay.checks.bounds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.checks import yardsticks
from assay.checks.accepted import Accepted, at_least
from assay.checks.entry import MEASURED_CEILING, Expectation, Ground, Measured, Requirement
from assay.cluster.description import Cluster, Commitment
from assay.units import parse

__all__ = ["MEASURED_CEILING", "Expectation", "Ground", "Measured", "expectation"]


def expectation(
    cluster: Cluster,
    requirement: Requirement,
    measured: Mapping[Requirement, Sequence[float]],
    accepted: Accepted | None = None,
) -> Expectation:
    """Compute the expectation of a metric.

    Args:
        cluster: the cluster.
        requirement: the metric and its subject.
        measured: the measured figures of lower layers. For many metrics, pass one `Measured`, which
            caches its results and has the scale.
        accepted: an accepted campaign of this cluster; a commitment takes precedence.
    """
    lower = measured if isinstance(measured, Measured) else Measured(measured)
    expected = requirement.metric.rule(cluster, requirement, lower)
    expected = at_least(requirement, expected, accepted)
    if commitment := yardsticks.commitment_of(cluster, requirement):
        expected = _committed(requirement, expected, commitment)
    shipped = yardsticks.without_own(cluster)
    if shipped is None:
        return expected
    reference = requirement.metric.rule(shipped, requirement, lower.apart)
    reference = at_least(requirement, reference, accepted)
    return replace(expected, own=yardsticks.own(cluster, requirement, expected, reference))


_SOFT: tuple[Ground, ...] = ("nothing", "reference", "baseline")
"""The grounds that a commitment replaces; with another ground, it sets only the floor."""


def _committed(
    requirement: Requirement, expected: Expectation, commitment: Commitment
) -> Expectation:
    """Require the figure of a commitment, regardless of other requirements."""
    worst = parse(commitment.figure).to(requirement.unit).value
    return replace(
        expected,
        ground="contract" if expected.ground in _SOFT else expected.ground,
        floor=worst if requirement.metric.better == "higher" else expected.floor,
        ceiling=expected.ceiling if requirement.metric.better == "higher" else worst,
        derivation=f"{expected.derivation}; required: {commitment.figure} ({commitment.clause})",
    )
