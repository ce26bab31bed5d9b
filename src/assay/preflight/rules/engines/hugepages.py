"""Huge pages on each NUMA node.

`SetHugeNodes` in src/control/server/server_utils.go of DAOS 2.8 divides `nr_hugepages` equally
among the NUMA nodes of the engines, and never asks for fewer than a node already has.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer
from assay.preflight.rules.engines.memory import GIB, gib, hugepages_mib
from assay.problems import Problem


@OfServer.rule
def hugepage_rules(of: OfServer) -> Iterator[Problem]:
    """Require enough memory on each node of an engine, and warn if others use its huge pages."""
    name, host = of.name, of.host
    engines = [engine for engine in host.engines if engine.bdev_tiers]
    if host.server.disable_hugepages or not engines:
        return
    numbers = {_node(host, engine.pinned_numa_node, engine.fabric_iface) for engine in engines}
    shares = sorted(number for number in numbers if number is not None)
    if len(shares) < len(numbers):
        return  # DAOS chooses
    share_mib = hugepages_mib(host) // len(shares)
    for number in shares:
        node = host.setup.nodes.get(number)
        if node is None:
            continue
        tmpfs_mib = sum(
            (engine.ram_tier.scm_size or 0) * GIB
            for engine in engines
            if engine.ram_tier and engine.pinned_numa_node == number
        )
        if share_mib + tmpfs_mib >= node.total_mib:
            beside = f" beside {gib(tmpfs_mib)} of tmpfs" * bool(tmpfs_mib)
            yield Problem(
                name,
                "server.nr_hugepages",
                f"{gib(share_mib)} on NUMA node {number}",
                f"should fit into the memory of that node, {gib(node.total_mib)}{beside}: DAOS"
                f" divides huge pages among the nodes of its engines, {shares}. Fewer targets"
                " take less; memory modules may be missing on this node",
            )
        used = node.hugepages - node.hugepages_free
        if used and not host.superblocks:
            pages = share_mib * 1024 // host.memory.hugepage_kib
            if pages > node.hugepages_free and _left_mib(host, number) < share_mib:
                yield Problem(
                    name,
                    f"setup.nodes.{number}.hugepages_free",
                    node.hugepages_free,
                    f"should be {pages} for the engines: {used} of {node.hugepages} huge pages of"
                    f" NUMA node {number} are in use. Stop the programs that use them (grep -l huge"
                    " /proc/*/numa_maps), or remove what it left in /dev/hugepages",
                    severity="warning",
                )


def _left_mib(host: Host, number: int) -> int:
    node = host.setup.nodes[number]
    return (
        node.total_mib - (node.hugepages - node.hugepages_free) * host.memory.hugepage_kib // 1024
    )


def _node(host: Host, pinned: int | None, iface: str) -> int | None:
    if pinned is not None or host.numa_nodes == 1:
        return pinned or 0
    interface = host.interfaces.get(iface)
    return None if interface is None else interface.numa_node
