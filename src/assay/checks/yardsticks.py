"""The site's own yardsticks, each beside the reference that it replaces.

A site may require less than this project does, by its floors, its commitments, and its sheets of
devices that `hardware.yml` has, too. Without the reference beside it, nobody sees how much less.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.checks.entry import Expectation, Own, Requirement
from assay.cluster.description import Cluster, Commitment
from assay.cluster.hardware import Hardware, shipped
from assay.cluster.once import once


@once
def without_own(cluster: Cluster) -> Cluster | None:
    """The cluster with the shipped yardsticks alone; None if it has no others.

    Sheets of devices that `hardware.yml` does not have stay, since nothing is there in their place.
    """
    sheets = tuple(_replaced(cluster))
    if not (sheets or cluster.floors or cluster.commitments):
        return None
    kept: dict[str, Any] = {
        kind: {
            name: sheet
            for name, sheet in getattr(cluster.hardware, kind).items()
            if name not in ours
        }
        for kind in Hardware.model_fields
        for ours in [getattr(shipped(), kind)]
    }
    # Not a copy of the cluster, which would have its cached sheets.
    described: dict[str, Any] = {name: getattr(cluster, name) for name in Cluster.model_fields}
    hardware = Hardware.model_construct(None, **kept)
    own: dict[str, Any] = {"floors": {}, "commitments": (), "hardware": hardware}
    return Cluster.model_construct(None, **described | own)


def _replaced(cluster: Cluster) -> Iterator[str]:
    """The names of the site's sheets of devices that `hardware.yml` has, too."""
    for kind in Hardware.model_fields:
        ours = getattr(shipped(), kind)
        yield from (name for name in getattr(cluster.hardware, kind) if name in ours)


def commitment_of(cluster: Cluster, requirement: Requirement) -> Commitment | None:
    """The commitment to a metric; the last one counts."""
    its = (requirement.figure, requirement.key)
    return next((each for each in reversed(cluster.commitments) if each.metric in its), None)


def own(
    cluster: Cluster, requirement: Requirement, expected: Expectation, reference: Expectation
) -> Own | None:
    """The site's yardstick that sets the limit of a metric; None if the reference does.

    Args:
        cluster: the cluster.
        requirement: the metric.
        expected: what the site's yardsticks give.
        reference: what the shipped ones give.
    """
    limit, instead_of = (requirement.slowest(each) for each in (expected, reference))
    if limit == instead_of:
        return None
    if commitment := commitment_of(cluster, requirement):
        by = f"the commitment to {commitment.figure} ({commitment.clause})"
    elif requirement.figure in cluster.floors:
        by = f"cluster_floors, {cluster.floors[requirement.figure]:.3g}"
    elif names := list(_replaced(cluster)):
        by = f"the site's sheet of {', '.join(names)}"
    else:
        return None
    return Own(by, instead_of)
