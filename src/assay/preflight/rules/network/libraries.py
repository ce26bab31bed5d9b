"""The libraries of the fabric, and their limits: Mercury's plugins, peers, releases of agents."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.releases import Version, names, release_of
from assay.preflight.rules.context import OfSystem
from assay.problems import Problem

PLUGINS = {"ofi+": ("ofi", "mercury-libfabric"), "ucx+": ("ucx", "mercury-ucx")}
"""Mercury's plugin for each kind of provider, and the package that brings it."""

UNIVERSE = 2048
"""What DAOS sets where FI_UNIVERSE_SIZE is unset (`crt_init_opt` in src/cart/crt_init.c)."""


@OfSystem.rule
def plugin_rules(of: OfSystem) -> Iterator[Problem]:
    """Require Mercury's plugin for the provider; no package of DAOS depends on it.

    Source: docs/admin/fabrics.md, Mercury installation.
    """
    plugin, package = PLUGINS.get(of.provider[:4], (None, ""))
    for name, host in of.members:
        found = host.setup.na_plugins
        if plugin is not None and found is not None and plugin not in found:
            yield Problem(
                name,
                "setup.na_plugins",
                ", ".join(found) or "none",
                f"should have {plugin} for {of.provider}, or neither engines nor clients start"
                f" (Could not open plugin libna_plugin_{plugin}.so): install {package}",
            )


@OfSystem.rule
def universe_rules(of: OfSystem) -> Iterator[Problem]:
    """Warn of an FI_UNIVERSE_SIZE below the processes of the clients, one on each core."""
    site = of.site
    processes = sum(
        of.hosts[n].cores for n in site.clients if n in of.system.agents and n in of.hosts
    )
    rxm = ("ofi+tcp", "ofi+verbs")
    for name, host in of.servers if of.provider.startswith(rxm) else ():
        for number, engine in enumerate(host.engines):
            given = engine.env("FI_UNIVERSE_SIZE")
            size = int(given) if given and given.isdecimal() else UNIVERSE
            if size < processes:
                yield Problem(
                    name,
                    f"engines[{number}].env_vars",
                    f"FI_UNIVERSE_SIZE={size}" + " (DAOS's default)" * (given is None),
                    f"should be at least {processes}, the processes of all clients with one on each"
                    " core: libfabric sizes its queues by it, and clients beyond fail. Set it in"
                    " env_vars, such as 16383",
                    severity="warning",
                )


@OfSystem.rule
def agent_release_rules(of: OfSystem) -> Iterator[Problem]:
    """Require agents of the servers' release; DAOS takes them up to two minor versions away.

    Source: `defaultRules` in src/control/build/interop.go.
    """
    for name in of.system.agents:
        host = of.hosts.get(name)
        printed = host.setup.agent_version if host else None
        if printed is None:
            continue
        release = release_of(printed)
        if release == of.system.version:
            continue
        if release is not None and _minor(release) > _minor(of.system.version):
            yield Problem(
                name,
                "setup.agent_version",
                printed,
                f"should be of {of.system.version}, as the description says of the servers: is"
                " daos_version that of another system? The checks refuse to measure another"
                " release",
                severity="warning",
            )
            continue
        is_refused = release is None or _minor(of.system.version) - _minor(release) > MOST_MINOR
        yield Problem(
            name,
            "setup.agent_version",
            printed,
            f"should be of {of.system.version}, as the servers are: "
            + (
                f"they refuse an agent that is more than {MOST_MINOR} minor versions older"
                if is_refused
                else "clients would speak an older protocol to them, and what is new is missing"
            )
            + ". Update DAOS on this client",
            severity="error" if is_refused else "warning",
        )


MOST_MINOR = 2
"""`MaxMinorDelta` in src/control/build/interop.go."""


def _minor(version: Version) -> int:
    return int(version.partition(".")[2]) if version in names() else 0
