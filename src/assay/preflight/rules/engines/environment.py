"""The environment and the log levels of engines and servers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.cluster.daos import Engine
from assay.cluster.description import Host
from assay.preflight.keys.server import CONTROL_LEVELS
from assay.preflight.rules.context import OfHost, OfServer
from assay.preflight.rules.engines.variables import MASK, is_mask, values_of_variables
from assay.problems import Problem

_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=.*", re.DOTALL)


@OfHost.rule
def level_rules(of: OfHost) -> Iterator[Problem]:
    """Require log levels that `daos_server` and `daos_agent` have."""
    name, host = of.name, of.host
    for daemon, mask in (("server", host.server.log_mask), ("agent", host.agent.log_mask)):
        if mask.upper() not in CONTROL_LEVELS:
            yield Problem(
                name, f"{daemon}.log_mask", mask, f"should be one of {', '.join(CONTROL_LEVELS)}"
            )


@OfServer.rule
def environment_rules(of: OfServer) -> Iterator[Problem]:
    """Require valid variables and existing log levels."""
    name, host, version, provider = of.name, of.host, of.version, of.provider
    for number, engine in enumerate(host.engines):
        yield from _variables(name, host, number, engine)
        where = f"engines[{number}].env_vars"
        yield from values_of_variables(name, where, engine, version, provider)
        if engine.log_mask and not is_mask(engine.log_mask):
            yield Problem(name, f"engines[{number}].log_mask", engine.log_mask, MASK)


def _variables(name: str, host: Host, number: int, engine: Engine) -> Iterator[Problem]:
    where = f"engines[{number}].env_vars"
    seen: set[str] = set()
    for entry in engine.env_vars:
        variable = _VARIABLE.fullmatch(entry)
        if variable is None:
            yield Problem(name, where, entry, "should be KEY=VALUE, where the key is a word")
        elif variable[1] in seen:
            yield Problem(
                name, where, entry, f"should not set {variable[1]} again: DAOS takes the last one"
            )
        else:
            seen.add(variable[1])
    scm = engine.scm_tier
    if engine.env("PMEM_NO_FLUSH") not in (None, "0") and scm is not None:
        if scm.class_ != "dcpm":
            yield Problem(
                name,
                where,
                "PMEM_NO_FLUSH",
                f"should not be set with SCM of class {scm.class_}: it is for dcpm",
            )
        elif not host.server.eadr:
            yield Problem(
                name,
                where,
                "PMEM_NO_FLUSH",
                "should not be set where server.eadr is false: caches lose their data with power",
            )
        else:
            # Source: DAOS-19292, the warning in docs/admin/performance_tuning.md of August 2026.
            yield Problem(
                name,
                where,
                "PMEM_NO_FLUSH",
                "should not be set in production: DAOS warns against it since August 2026"
                " (DAOS-19292). PMDK finds eADR by itself, and the variable stops flushes even"
                " where caches lose their data. Leave out daos_server_eadr unless this is a trial",
                severity="warning",
            )
