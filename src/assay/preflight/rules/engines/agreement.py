"""The settings that must be equal on all engines, since clients get one value for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer, OfSystem
from assay.problems import Problem

SHARED: dict[str, object] = {"crt_timeout": 0, "disable_srx": False}
"""Keys that are "shared with client" (utils/config/daos_server.yml), and DAOS's defaults. Only an
engine itself uses its own value: clients get the server's (`GetAttachInfo`)."""

SRX = "FI_OFI_RXM_USE_SRX"
"""A variable of libfabric's rxm. It must be equal on all engines (`getSrxSetting` in
src/control/server/server_utils.go)."""


_OF_CLIENTS: dict[str, object] = {**SHARED, "client_env_vars": None}
"""The settings of servers that clients get, and DAOS's defaults."""

_KEY = "fabric_auth_key"


@OfServer.rule
def agreement_of_host(of: OfServer) -> Iterator[Problem]:
    """Require that the engines of a host use the values that the server gives to clients."""
    name, host = of.name, of.host
    for number, engine in enumerate(host.engines):
        for key in SHARED:
            own, announced = getattr(engine, key), _announced(host, key)
            if own is not None and own != announced:
                yield Problem(
                    name,
                    f"engines[{number}].{key}",
                    _spelt(own),
                    f"should be {_spelt(announced)}, as server.settings.{key} has it, or left out:"
                    " clients get that value. Set it in daos_server_settings",
                )
    values = [engine.env(SRX) for engine in host.engines]
    for number, value in enumerate(values):
        if value != values[0]:
            yield Problem(
                name,
                f"engines[{number}].env_vars",
                SRX if value is None else f"{SRX}={value}",
                f"should be {values[0] or 'left out'}, as in engines[0]: DAOS requires the same"
                " value on all engines. Set disable_srx in daos_server_settings instead",
            )


@OfSystem.rule
def agreement_rules(of: OfSystem) -> Iterator[Problem]:
    """Require the same values on all servers, since a client asks only one of them."""
    system, provider, hosts = of.system, of.provider, of.hosts
    servers = {name: hosts[name] for name in system.servers if name in hosts}
    yield from _keys_of_engines(provider, servers)
    yield from _metadata(servers)
    for key in _OF_CLIENTS:
        announced = {name: _announced(host, key) for name, host in servers.items()}
        counts = Counter(announced.values())
        usual = max(counts, key=lambda value: counts[value], default=None)
        for name, value in announced.items():
            if value != usual:
                yield Problem(
                    name,
                    f"server.settings.{key}",
                    _spelt(value),
                    f"should be {_spelt(usual)}, as on most servers: a client gets the value of the"
                    " server that it asks. Set the same value for all servers",
                )


def _announced(host: Host, key: str) -> object:
    value = host.server.settings.get(key)
    if isinstance(value, list):
        return ", ".join(sorted(map(str, value))) or None
    return _OF_CLIENTS[key] if value is None else value


def _keys_of_engines(provider: str, servers: Mapping[str, Host]) -> Iterator[Problem]:
    """Require one key of the fabric for all engines: with Slingshot, it is their network."""
    keys = {
        (name, number): engine.fabric_auth_key or host.server.settings.get(_KEY)
        for name, host in servers.items()
        for number, engine in enumerate(host.engines)
    }
    counts = Counter(map(str, keys.values()))
    usual = max(counts, key=lambda value: counts[value], default=None)
    for (name, number), value in keys.items():
        if str(value) != usual:
            yield Problem(
                name,
                f"engines[{number}].{_KEY}",
                None if value is None else "another key",
                "should be that of most engines: with different keys they do not reach each other."
                f" Set {_KEY} in daos_server_settings of all servers",
                severity="error" if "cxi" in provider else "warning",
            )


def _metadata(servers: Mapping[str, Host]) -> Iterator[Problem]:
    """Require that all servers have metadata on SSDs, or none: a pool has one mode on all ranks."""
    modes = {
        name: any(engine.has_md_on_ssd for engine in host.engines)
        for name, host in servers.items()
        if host.engines
    }
    usual = sum(modes.values()) * 2 > len(modes)
    for name, mode in modes.items() if len(set(modes.values())) > 1 else ():
        if mode != usual:
            yield Problem(
                name,
                "engines[0].storage",
                "with bdev_roles" if mode else "no bdev_roles",
                f"should {'have' if usual else 'not have'} bdev_roles, as on most servers: dmg"
                " creates a pool with metadata on SSDs on all ranks, or on none",
            )


def _spelt(value: object) -> str:
    if value is None:
        return "left out"
    return str(value).lower() if isinstance(value, bool) else str(value)
