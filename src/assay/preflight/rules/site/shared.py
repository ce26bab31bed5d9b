"""The directory of campaigns: all hosts with jobs must see the same one, with enough space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from assay.cluster.description import Host
from assay.cluster.storage import SharedDirectory, is_network
from assay.preflight.rules.context import OfSite
from assay.problems import Problem

KEY = "reframe_prefix"

NEEDED_MIB = 1024
"""Space for a campaign and its bundle (own choice: raw outputs of some 100 hosts need less)."""


@OfSite.rule
def shared_rules(of: OfSite) -> Iterator[Problem]:
    """Require that all hosts see the jobs that the controller writes, under the same path."""
    site, hosts = of.site, of.hosts
    members = [site.controller, *site.clients]
    if site.servers_scheduler == "slurm":
        members += site.servers
    seen = {name: hosts[name] for name in dict.fromkeys(members) if name in hosts}
    for name, host in seen.items():
        if host.shared is not None:
            yield from _alone(name, host, host.shared)
            if len(seen) > 1 and site.controller in seen:
                yield from _with_the_controller(name, host, site.controller, hosts)


def _alone(name: str, host: Host, shared: SharedDirectory) -> Iterator[Problem]:
    if not shared.locks or "nolock" in shared.options:
        yield Problem(
            name,
            KEY,
            str(shared.path),
            f"is on {shared.filesystem} without locks, which ReFrame needs for its sessions. Mount"
            " it with them: flock for Lustre, and no nolock for NFS",
            severity="error" if not shared.locks else "warning",
        )
    if "ro" in shared.options:
        yield Problem(
            name,
            KEY,
            str(shared.path),
            f"is mounted read-only here, from {shared.source}, and jobs write their output there."
            " Mount it with rw, and let the server export it so",
        )
    if shared.available_mib is not None and shared.available_mib < NEEDED_MIB:
        yield Problem(
            name,
            KEY,
            str(shared.path),
            f"should have {NEEDED_MIB} MiB for a campaign and its bundle, and has"
            f" {shared.available_mib} MiB. Make room, or name another directory",
        )


def _with_the_controller(
    name: str, host: Host, controller: str, hosts: Mapping[str, Host]
) -> Iterator[Problem]:
    mine, its = host.shared, hosts[controller].shared
    if mine is None or its is None or name == controller:
        return
    if mine.meets_locks is False:
        yield Problem(
            name,
            KEY,
            f"{mine.path} on {mine.source} ({mine.filesystem})",
            f"should have locks between hosts: a lock that {controller} holds there does not count"
            " here, and two sessions of ReFrame on two hosts would spoil their records. Mount it"
            " with flock instead of localflock (Lustre), or without nolock and local_lock (NFS)",
            severity="warning",
        )
    if mine.sees_controller:
        return
    is_tried = mine.sees_controller is not None
    if not is_tried and _is_one(host, hosts[controller]):
        return
    if not is_tried and is_network(mine.filesystem) and is_network(its.filesystem):
        yield Problem(
            name,
            KEY,
            f"{mine.source} ({mine.filesystem})",
            f"should be the same file system as on {controller}, {its.source} ({its.filesystem}):"
            " a file written by one host is read by the others",
            severity="warning",
        )
        return
    tried = f"a file that {controller} wrote there is not here. Jobs" if is_tried else "jobs"
    yield Problem(
        name,
        KEY,
        f"{mine.path} on {mine.source} ({mine.filesystem})",
        f"should be shared with {controller}, where it is on {its.source} ({its.filesystem}):"
        f" {tried} are written there and run here. Mount a file system that all hosts see (NFS"
        " will do), and set reframe_prefix to it",
    )


def _is_one(host: Host, controller: Host) -> bool:
    """Whether two hosts have mounted the same file system, judged by its names."""
    mine, its = host.shared, controller.shared
    if (
        mine is None
        or its is None
        or (mine.filesystem, mine.source) != (its.filesystem, its.source)
    ):
        return False
    same_kernel = host.setup.boot is not None and host.setup.boot == controller.setup.boot
    # Each container has an overlay of its own, and all overlays have the same name.
    return is_network(mine.filesystem) or (same_kernel and mine.filesystem != "overlay")
