"""Persistent memory: its regions, its namespaces, and their distance from the engines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer
from assay.problems import Problem

_MAKE = (
    "ndctl create-namespace --mode=fsdax --region=REGION, or daos_server scm prepare, creates it"
)


@OfServer.rule
def pmem_rules(of: OfServer) -> Iterator[Problem]:
    """Require for each engine a whole region as an fsdax namespace, on its own NUMA node."""
    name, host = of.name, of.host
    for number, engine in enumerate(host.engines):
        tier = engine.scm_tier
        for device in tier.scm_list if tier and tier.class_ == "dcpm" else ():
            key = f"engines[{number}].storage[0].scm_list"
            real = host.links.get(device, device)
            pmem = host.setup.pmem.get(real)
            if not real.startswith("/dev/pmem") and real in host.block_devices:
                yield Problem(
                    name,
                    key,
                    device,
                    "should be a namespace of persistent memory, such as /dev/pmem0: DAOS would"
                    f" format this device, and then could not map it into memory. {_MAKE}",
                )
            if pmem is None:
                continue  # other rules refuse absent devices
            if pmem.mode != "fsdax":
                yield Problem(
                    name,
                    key,
                    device,
                    f"should be a namespace of mode fsdax, which DAOS maps into memory; this is"
                    f" {pmem.mode}. Remove it with ndctl destroy-namespace, which loses its data;"
                    f" {_MAKE}",
                )
            elif None not in (pmem.numa_node, engine.pinned_numa_node) and (
                pmem.numa_node != engine.pinned_numa_node
            ):
                yield Problem(
                    name,
                    key,
                    device,
                    f"should be on NUMA node {engine.pinned_numa_node}, as the engine is; this is"
                    f" on {pmem.numa_node}. Swap the engines' scm_list or pinned_numa_node",
                    severity="warning",
                )
    yield from _regions(name, host)
    yield from _beside(name, host)


_NAMESPACE = re.compile(r"/dev/pmem(?P<region>[0-9]+)(\.[0-9]+)?")


def _beside(name: str, host: Host) -> Iterator[Problem]:
    """Warn of a namespace that shares its region with one that no engine uses."""
    used = {
        host.links.get(device, device): f"engines[{number}].storage[0].scm_list"
        for number, engine in enumerate(host.engines)
        if engine.scm_tier and engine.scm_tier.class_ == "dcpm"
        for device in engine.scm_tier.scm_list
    }
    for device, key in used.items():
        own = _NAMESPACE.fullmatch(device)
        idle = [
            other
            for other in sorted(host.setup.pmem)
            if other not in used
            and (match := _NAMESPACE.fullmatch(other))
            and own is not None
            and match["region"] == own["region"]
        ]
        if idle:
            yield Problem(
                name,
                key,
                device,
                f"should be the whole region: {', '.join(idle)} is in it, too, and no engine uses"
                " that. Give it to another engine of this socket (daos_server scm prepare"
                " --scm-ns-per-socket), or remove it with ndctl destroy-namespace, which loses its"
                f" data; {_MAKE}",
                severity="warning",
            )


def _regions(name: str, host: Host) -> Iterator[Problem]:
    """Warn of a region that is partly free, or has fewer modules than another."""
    if not any(e.scm_tier and e.scm_tier.class_ == "dcpm" for e in host.engines):
        return
    modules = [region.modules for region in host.setup.regions.values()]
    for region, described in host.setup.regions.items():
        if 0 < described.available_bytes < described.size_bytes:
            yield Problem(
                name,
                f"setup.regions.{region}.available_bytes",
                described.available_bytes,
                "should be 0: a namespace has only a part of the region, but an engine needs all of"
                f" it. {_MAKE}",
                severity="warning",
            )
        if described.modules < max(modules):
            yield Problem(
                name,
                f"setup.regions.{region}.modules",
                described.modules,
                f"should be {max(modules)}, as the largest region of this host has: modules are"
                " missing from the interleave set. Run ipmctl show -dimm",
                severity="warning",
            )
