"""The kernel settings of a host and the limits of its sessions."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Host
from assay.cluster.setup import Setup
from assay.preflight.rules.context import OfHost, OfSystem
from assay.problems import Problem

MIN_NOFILE = 65536
"""Minimum number of files and sockets that a client may open (own choice: a socket for each target
of 512 servers with 2 engines of 16 targets, times four)."""


@OfHost.rule
def tuning_rules(of: OfHost) -> Iterator[Problem]:
    """Report settings that slow a host down or stop DAOS, unless the roles change them."""
    name, host = of.name, of.host
    setup = host.setup
    slow = [governor for governor in setup.governors if governor != "performance"]
    if slow and "governor" not in setup.deploys:
        yield _warning(
            name,
            "setup.governors",
            ", ".join(setup.governors),
            "should be performance: a CPU that saves power responds late, and figures scatter. Set"
            " daos_host_governor to performance, or cpupower frequency-set --governor performance",
        )
    if setup.numa_balancing and host.numa_nodes > 1 and "numa_balancing" not in setup.deploys:
        yield _warning(
            name,
            "setup.numa_balancing",
            setup.numa_balancing,
            "should be 0: engines are bound to their NUMA node, and the kernel's sampling of their"
            " pages costs page faults. Set daos_host_numa_balancing to false, or sysctl"
            " kernel.numa_balancing=0",
        )
    yield from _confinement(name, setup)


@OfSystem.rule
def limit_rules(of: OfSystem) -> Iterator[Problem]:
    """Warn if programs of clients and servers may not lock memory or open enough files.

    These are the limits of sessions, which the role daos_host writes for the next session. DAOS's
    daemons get their limits from their units.
    """
    for name, host in of.members:
        yield from _limits(name, host)


def _limits(name: str, host: Host) -> Iterator[Problem]:
    limits = host.setup.limits
    if limits.capable:
        return
    if limits.memlock_bytes is not None:
        yield _warning(
            name,
            "setup.limits.memlock_bytes",
            limits.memlock_bytes,
            "should be unlimited: the fabric and SPDK lock memory (docs/admin/"
            "predeployment_check.md of DAOS), and root may not raise it here. Start the machine or"
            " container with ulimit -l unlimited",
        )
    if limits.nofile is not None and limits.nofile < MIN_NOFILE:
        yield _warning(
            name,
            "setup.limits.nofile",
            limits.nofile,
            f"should be at least {MIN_NOFILE}: each connection is a file, and root may not raise it"
            f" here. Start the machine or container with ulimit -n {MIN_NOFILE}",
        )


def _confinement(name: str, setup: Setup) -> Iterator[Problem]:
    if setup.selinux == "enforcing":
        yield _warning(
            name,
            "setup.selinux",
            setup.selinux,
            "should be permissive, or have a policy for DAOS, which ships none: a denial shows as"
            " an unexplained Permission denied. See ausearch -m avc, or setenforce 0",
        )
    if setup.apparmor:
        yield _warning(
            name,
            "setup.apparmor",
            ", ".join(setup.apparmor),
            "should not be enforced, or let DAOS have its devices and huge pages: aa-complain turns"
            " a profile into a log",
        )
    if setup.needs_helper and (setup.nosuid or setup.read_only):
        how = "nosuid" if setup.nosuid else "read-only"
        yield Problem(
            name,
            "daos.prefix",
            None,
            f"is on a file system that is mounted {how}: daos_server_helper needs root's rights"
            " there to give SSDs and huge pages to the engines, and the role daos_server gives it"
            f" these. Mount it without {how}, or install DAOS elsewhere (daos_prefix), or set"
            " daos_server_user to root",
        )


def _warning(host: str, key: str, value: object, allowed: str) -> Problem:
    return Problem(host, key, value, allowed, severity="warning")
