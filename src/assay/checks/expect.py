"""What each metric should be: bound, floor and ceiling, and where they come from.

An expectation is a pure function from the cluster (and from what its lower layers were measured
to do) to numbers and a sentence. Each metric names the rule that bounds it, in the module of its
benchmark; what the hardware can do is in `assay.checks.bounds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assay.checks.accepted import Accepted, at_least
from assay.checks.entry import Requirement
from assay.checks.figures import MEASURED_CEILING, Expectation, Ground, Measured
from assay.cluster.description import Cluster, Commitment
from assay.units import parse

__all__ = ["MEASURED_CEILING", "Expectation", "Ground", "Measured", "expectation"]


def expectation(
    cluster: Cluster,
    requirement: Requirement,
    measured: Mapping[Requirement, Sequence[float]],
    accepted: Accepted | None = None,
) -> Expectation:
    """Work out what a metric should be.

    Args:
        cluster: whose metric it is.
        requirement: the metric, and of which subject.
        measured: what lower layers were measured to do. For many metrics make that a `Measured`
            once, which remembers what it has worked out, and knows the scale.
        accepted: an accepted campaign of this cluster; a commitment counts before it.
    """
    lower = measured if isinstance(measured, Measured) else Measured(measured)
    expected = requirement.metric.rule(cluster, requirement, lower)
    expected = at_least(requirement, expected, accepted)
    for commitment in cluster.commitments:
        if commitment.metric in (requirement.figure, requirement.key):
            expected = _committed(requirement, expected, commitment)
    return expected


_SOFT: tuple[Ground, ...] = ("nothing", "reference", "baseline")
"""What a commitment replaces; beside a bound it is only the floor."""


def _committed(
    requirement: Requirement, expected: Expectation, commitment: Commitment
) -> Expectation:
    """Require what somebody has committed to, whatever else would be required."""
    worst = parse(commitment.figure).to(requirement.unit).value
    return replace(
        expected,
        ground="contract" if expected.ground in _SOFT else expected.ground,
        floor=worst if requirement.metric.better == "higher" else expected.floor,
        ceiling=expected.ceiling if requirement.metric.better == "higher" else worst,
        derivation=f"{expected.derivation}; required: {commitment.figure} ({commitment.clause})",
    )
