"""The NUMA nodes of engines, their interfaces and their SSDs."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.daos import Engine
from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer
from assay.problems import Problem


@OfServer.rule
def numa_rules(of: OfServer) -> Iterator[Problem]:
    """Require for each engine a NUMA node of its own, with its interface and its SSDs.

    Only the first problem of each engine is reported, since a pin to the wrong node is far from
    everything.
    """
    name, host = of.name, of.host
    occupants: dict[int, int] = {}
    for number, engine in enumerate(host.engines):
        problem = (
            _pin(name, host, number, engine)
            or _shared(name, host, number, engine, occupants)
            or _interface_afar(name, host, number, engine)
            or _ssds_afar(name, host, number, engine)
        )
        if problem is not None:
            yield problem


def _pin(name: str, host: Host, number: int, engine: Engine) -> Problem | None:
    pin = engine.pinned_numa_node
    if pin is None:
        return None
    if engine.first_core:
        return Problem(
            name,
            f"engines[{number}].first_core",
            engine.first_core,
            "should not be combined with pinned_numa_node: DAOS ignores one of the two",
        )
    key = f"engines[{number}].pinned_numa_node"
    if _is_legacy(host):
        return Problem(
            name,
            key,
            pin,
            "should not be combined with the first_core of another engine: DAOS then ignores it",
            severity="warning",
        )
    if pin >= host.numa_nodes:
        nodes = "0" if host.numa_nodes == 1 else f"0 to {host.numa_nodes - 1}"
        return Problem(name, key, pin, f"should be a NUMA node of this host: {nodes}")
    return None


def _is_legacy(host: Host) -> bool:
    """Whether DAOS places all engines by `first_core` (`SetEngineAffinities`).

    A `first_core` of 0 beside a pin does not count, since 0 is DAOS's default.
    """
    return any(
        e.first_core is not None and not (e.first_core == 0 and e.pinned_numa_node is not None)
        for e in host.engines
    )


def _shared(
    name: str, host: Host, number: int, engine: Engine, occupants: dict[int, int]
) -> Problem | None:
    """Require a separate node, since engines without `first_core` start at its first core."""
    node = _node(host, engine)
    if node is None or occupants.setdefault(node, number) == number:
        return None
    pinned = engine.pinned_numa_node is not None
    alone = host.numa_nodes == 1
    return Problem(
        name,
        f"engines[{number}].{'pinned_numa_node' if pinned else 'fabric_iface'}",
        node if pinned else engine.fabric_iface,
        f"should be on a NUMA node of its own: DAOS puts it on node {node}, on the cores of"
        f" engines[{occupants[node]}]" + ("; the only node, acceptable for trials" * alone),
        severity="warning" if alone else "error",
    )


def _node(host: Host, engine: Engine) -> int | None:
    """The node of one of several engines; without a pin, DAOS chooses that of the interface."""
    if engine.first_core is not None:
        return None
    if engine.pinned_numa_node is not None:
        return engine.pinned_numa_node
    if host.numa_nodes == 1:
        return 0
    interface = host.interfaces.get(engine.fabric_iface)
    return None if interface is None else interface.numa_node


def _interface_afar(name: str, host: Host, number: int, engine: Engine) -> Problem | None:
    interface = host.interfaces.get(engine.fabric_iface)
    pin = engine.pinned_numa_node
    if pin is None or interface is None or interface.numa_node in (None, pin):
        return None
    return Problem(
        name,
        f"engines[{number}].fabric_iface",
        f"{engine.fabric_iface} (node {interface.numa_node})",
        f"should be an interface of NUMA node {pin}, where the engine is pinned",
        severity="warning",
    )


def _ssds_afar(name: str, host: Host, number: int, engine: Engine) -> Problem | None:
    pin = engine.pinned_numa_node
    nodes = {
        address: host.nvme[address].numa_node
        for tier in engine.bdev_tiers
        for address in tier.devices
        if address in host.nvme
    }
    afar = [f"{address} (node {n})" for address, n in nodes.items() if n not in (None, pin)]
    if pin is None or not afar:
        return None
    return Problem(
        name,
        f"engines[{number}].storage",
        ", ".join(afar),
        f"should have SSDs of NUMA node {pin}, where the engine is pinned",
        severity="warning",
    )
