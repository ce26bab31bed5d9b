"""The directories and files that the benchmark programs need."""

from __future__ import annotations

from collections.abc import Iterator

from assay.preflight.rules.context import OfSite
from assay.problems import Problem


@OfSite.rule
def benchmark_rules(of: OfSite) -> Iterator[Problem]:
    """Require the directories and the files that each program uses."""
    site, hosts = of.site, of.hosts
    wanted = [tool for tool in ("ior", "mdtest") if getattr(site.benchmarks, tool) is not None]
    daos = site.daos is not None and site.daos.container is not None
    if wanted and site.benchmarks.shared_directory is None and not daos:
        yield Problem(
            None,
            "benchmarks.shared_directory",
            None,
            f"should be a directory that all clients share, for the files of {' and '.join(wanted)}"
            "; or give them a container of DAOS",
        )
    hammers = (site.benchmarks.fdb_hammer, site.benchmarks.fdb_hammer_daos)
    if any(hammers) and site.benchmarks.fdb_share is None:
        yield Problem(
            None, "benchmarks.fdb_share", None, "should be where FDB's schema and field are"
        )
    for name, host in hosts.items():
        # On a cluster of others the checks of a disk are left out where no directory is named.
        if site.slurm is None and host.scratch is None and name in {*site.clients, *site.servers}:
            yield Problem(
                name, "scratch", None, "should be a directory for the files of the checks"
            )
