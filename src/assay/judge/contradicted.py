"""Where the running system contradicts its description, so that bounds rest on another one.

A description may have been written so that bounds are low: with fewer targets or SSDs than engines
have, or an older release.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.campaign.results import Results
from assay.checks.figures import all_targets
from assay.cluster.description import Cluster
from assay.judge.answers import answers
from assay.tools.daos import container, daos_user, device_health, printed_releases


def contradicted(cluster: Cluster, results: Results) -> tuple[str, ...]:
    """What DAOS answered otherwise than described, each in a sentence."""
    if cluster.daos is None:
        return ()
    return tuple(
        dict.fromkeys(
            sentence
            for each in (_releases, _targets, _ssds, _layouts)
            for sentence in each(cluster, results)
        )
    )


def _releases(cluster: Cluster, results: Results) -> Iterator[str]:
    assert cluster.daos
    for name in ("health.before", "version.before"):
        for answer in answers(results, name):
            yield from printed_releases.others(answer, cluster.daos.version)


def _targets(cluster: Cluster, results: Results) -> Iterator[str]:
    """More targets in the pool than all described engines have."""
    described = all_targets(cluster)
    found = max(map(_of_pool, answers(results, "pool.before")), default=0)
    if found > described > 0:
        yield (
            f"the pool has {found} targets, and the engines of the description {described}: bounds"
            " would be those of fewer"
        )


def _of_pool(answer: str) -> int:
    try:
        return daos_user.read(daos_user.Pool, answer, "the pool").targets
    except daos_user.UnansweredError:
        return 0


def _ssds(cluster: Cluster, results: Results) -> Iterator[str]:
    """More SSDs with data than `bdev_list` of all engines has."""
    hosts = [cluster.hosts[name] for name in (cluster.daos.servers if cluster.daos else ())]
    tiers = [
        tier
        for host in hosts
        for engine in host.engines
        for tier in engine.bdev_tiers
        if not tier.bdev_roles or "data" in tier.bdev_roles
    ]
    # How many SSDs are behind a controller is not known.
    if not tiers or any(d in host.vmd for host in hosts for d in host.engine_devices):
        return
    described = sum(len(set(tier.devices)) for tier in tiers)
    found = max((_with_data(each) for each in answers(results, "devices.before")), default=0)
    if found > described:
        yield (
            f"dmg storage query: {found} SSDs have data, and bdev_list has {described}: bounds"
            " would be those of fewer"
        )


def _with_data(answer: str) -> int:
    of_targets = device_health.of_targets(answer).items()
    return len({(rank, ssd) for (rank, _), ssds in of_targets for ssd in ssds})


def _layouts(cluster: Cluster, results: Results) -> Iterator[str]:
    """Another object class of the container, by which bounds count copies and targets."""
    daos = cluster.daos
    assert daos
    for answer in answers(results, "container.before"):
        yield from container.other_layout(answer, daos.file_oclass, daos.dir_oclass)
