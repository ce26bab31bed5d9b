"""The directories and files that the benchmark programs need."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.preflight.rules.context import OfSite
from assay.problems import Problem

MPI_PROGRAMS = ("ior", "mdtest", "io500")
"""Benchmarks that are programs of MPI."""

WAITS_AT_END = re.compile(r"4\.0(\.[0-9]+)? ch4:ucx")
"""MPICH that may wait in MPI_Finalize for a peer on another host, which waits in a barrier of PMI
and answers no more. Seen with Debian 12's 4.0.2 on two and three hosts, by gdb, in two of three
runs of IOR: one went on after 127 s, another had not after 602 s. In none of ten with 5.0.2, over
UCX or libfabric."""


@OfSite.rule
def mpi_rules(of: OfSite) -> Iterator[Problem]:
    """Warn of an MPICH that does not end on several hosts."""
    site = of.site
    wanted = [tool for tool in MPI_PROGRAMS if getattr(site.benchmarks, tool) is not None]
    clients = [name for name in site.clients if name in of.hosts]
    if not wanted or len(clients) < 2 or (site.slurm and site.slurm.launcher == "openmpi"):
        return
    for name in clients:
        found = of.hosts[name].setup.mpich
        if found is not None and WAITS_AT_END.fullmatch(found):
            yield Problem(
                name,
                "setup.mpich",
                found,
                f"may wait for minutes at the end of each run on several hosts, and {wanted[0]}"
                " then hits its time limit, if it is linked to this one: link it to a newer MPICH"
                ' (docs/existing.md, "An MPI that does not end")',
                severity="warning",
            )


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
