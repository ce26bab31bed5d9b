"""How jobs of the checks enter Slurm, that of the roles or the site's own."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Partition
from assay.preflight.rules.context import OfSite
from assay.problems import Problem


@OfSite.rule
def slurm_rules(of: OfSite) -> Iterator[Problem]:
    """Each group has hosts and a partition; a guest may have no servers to run jobs on."""
    site = of.site
    groups: dict[Partition, tuple[str, ...]] = {"clients": site.clients}
    if site.servers_scheduler == "slurm":
        groups["servers"] = site.servers
    if site.slurm is None:
        if not site.servers:
            yield Problem(None, "servers", None, "should have at least one entry")
        return
    for group, members in groups.items():
        if members and group not in site.slurm.partitions:
            yield Problem(
                None,
                f"slurm.partitions.{group}",
                None,
                f"should be the partition of the site's Slurm that has the {group}: see sinfo",
            )
