"""Servers whose engines are configured otherwise than those of most servers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping

from assay.cluster.daos import System
from assay.cluster.description import Host
from assay.problems import Problem

MOST = 2 / 3
"""Minimum share of the servers that makes the others odd (own choice). Below it, a site is mixed on
purpose, as one of two generations of servers is."""

SPREAD = "pools are spread over all engines, and the odd one limits them"
REACH = "engines have to reach each other, which between networks takes a route"


def unlike_engines(system: System, hosts: Mapping[str, Host]) -> Iterator[Problem]:
    """Warn of each server that differs from most in cores, engines, targets, SSDs or networks.

    DAOS starts with it, and spreads its pools over all ranks, so that the weakest limits them.
    """
    settings: dict[str, dict[str, Hashable]] = defaultdict(dict)
    for name in system.servers:
        for key, value in _settings(hosts[name]) if name in hosts else ():
            settings[key][name] = value
    for key, values in settings.items():
        usual, having = Counter(values.values()).most_common(1)[0]
        if having < MOST * len(values):
            continue
        for name, value in values.items():
            if value != usual:
                yield Problem(
                    name,
                    key,
                    value,
                    f"should be {usual}, as on {having} of {len(values)} servers:"
                    f" {REACH if key.endswith('fabric_iface') else SPREAD}. Correct it, or go on if"
                    " it is intended",
                    severity="warning",
                )


def _settings(host: Host) -> Iterator[tuple[str, Hashable]]:
    """What the engines of peers have in common, each with the key of the description."""
    yield "cores", host.cores
    engines = len(host.engines)
    yield "engines", f"{engines} engine{'s' * (engines != 1)}"
    for number, engine in enumerate(host.engines):
        streams = f"{engine.targets}, with nr_xs_helpers = {engine.nr_xs_helpers}"
        yield f"engines[{number}].targets", streams
        ssds = sum(len(tier.devices) for tier in engine.bdev_tiers)
        yield f"engines[{number}].storage", f"{ssds} SSDs"
        if engine.scm_tier is not None:
            yield f"engines[{number}].storage[0].class", engine.scm_tier.class_
        interface = host.interfaces.get(engine.fabric_iface)
        if interface is not None and interface.network is not None:
            yield (
                f"engines[{number}].fabric_iface",
                f"in {interface.network}",
            )
