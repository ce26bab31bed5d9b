"""The settings that must be equal on all engines, since clients get one value for all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from assay.cluster.daos import System
from assay.cluster.description import Host
from assay.problems import Problem

SHARED: dict[str, object] = {"crt_timeout": 0, "disable_srx": False}
"""Keys that are "shared with client" (utils/config/daos_server.yml), and DAOS's defaults. Only an
engine itself uses its own value: clients get the server's (`GetAttachInfo`)."""

SRX = "FI_OFI_RXM_USE_SRX"
"""A variable of libfabric's rxm. It must be equal on all engines (`getSrxSetting` in
src/control/server/server_utils.go)."""


def agreement_of_host(name: str, host: Host) -> Iterator[Problem]:
    """Require that the engines of a host use the values that the server gives to clients."""
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


def agreement_rules(system: System, hosts: Mapping[str, Host]) -> Iterator[Problem]:
    """Require the same values on all servers, since a client asks only one of them."""
    servers = {name: hosts[name] for name in system.servers if name in hosts}
    for key in SHARED:
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
    return SHARED[key] if value is None else value


def _spelt(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
