"""The site's own yardsticks, each beside the reference that it replaces.

A site may require less than this project does, by its floors, its commitments, and its sheets of
devices that `hardware.yml` has, too. Without the reference beside it, nobody sees how much less.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.checks.entry import Expectation, Own, Requirement
from assay.checks.undescribed import sheet_of
from assay.cluster.description import Cluster, Commitment, Host
from assay.cluster.hardware import Hardware, shipped
from assay.cluster.once import once


@once
def without_own(cluster: Cluster) -> Cluster | None:
    """The cluster with the shipped yardsticks alone; None if it has no others.

    Sheets of devices that `hardware.yml` does not have stay, since nothing is there in their place.
    """
    hosts = {name: _with_own_model(host) for name, host in cluster.hosts.items()}
    sheets = tuple(_replaced(cluster))
    if not (sheets or cluster.floors or cluster.commitments) and hosts == cluster.hosts:
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
    own: dict[str, Any] = {"floors": {}, "commitments": (), "hardware": hardware, "hosts": hosts}
    return Cluster.model_construct(None, **described | own)


def _with_own_model(host: Host) -> Host:
    """The host with our sheet of the SSDs of its engines, if all report one model that has one.

    So it is if the site names no sheet: nothing would then require more than its commitments.
    """
    listed = host.engine_devices
    models = {host.nvme[each].model if each in host.nvme else None for each in listed}
    ours = sheet_of(models.pop()) if len(models) == 1 else None
    if ours is None or ours == host.datasheets.ssd:
        return host
    sheets = host.datasheets.model_copy(update={"ssd": ours})
    return host.model_copy(update={"datasheets": sheets})


def _replaced(cluster: Cluster) -> Iterator[str]:
    """The names of the site's sheets of devices that `hardware.yml` has, too."""
    for kind in Hardware.model_fields:
        ours = getattr(shipped(), kind)
        yield from (name for name in getattr(cluster.hardware, kind) if name in ours)


@once
def _sheets(cluster: Cluster) -> tuple[str, ...]:
    """The names of the site's sheets that ours replace."""
    return (*_replaced(cluster), *_misnamed(cluster))


def _misnamed(cluster: Cluster) -> Iterator[str]:
    """The sheets that hosts name for SSDs that report a model of another sheet of ours."""
    names = (
        host.datasheets.ssd
        for host in cluster.hosts.values()
        if _with_own_model(host) is not host and host.datasheets.ssd
    )
    yield from dict.fromkeys(names)


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
    elif names := _sheets(cluster):
        by = f"the site's sheet of {', '.join(names)}"
    else:
        return None
    return Own(by, instead_of)
