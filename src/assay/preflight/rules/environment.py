"""The environment and the logs of engines and servers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assay.cluster.daos import Engine, Version
from assay.cluster.description import Host
from assay.preflight.keys.server import CONTROL_LEVELS
from assay.preflight.rules.variables import MASK, is_mask, values_of_variables
from assay.problems import Problem

_OF_DAEMONS = {
    Path("/var/log/daos/daos_server/daos_server.log"): "daos_server",
    Path("/var/log/daos/daos_agent/daos_agent.log"): "daos_agent",
    Path("/var/log/daos/daos_server_helper.log"): "daos_server_helper",
}
"""Logs of other programs, set by the roles."""

_VARIABLE = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=.*", re.DOTALL)


def environment_rules(
    name: str, host: Host, version: Version, provider: str | None
) -> Iterator[Problem]:
    """Require valid variables, existing log levels, and a separate log for each engine."""
    for daemon, mask in (("server", host.server.log_mask), ("agent", host.agent.log_mask)):
        if mask.upper() not in CONTROL_LEVELS:
            yield Problem(
                name, f"{daemon}.log_mask", mask, f"should be one of {', '.join(CONTROL_LEVELS)}"
            )
    logs: dict[Path, int] = {}
    for number, engine in enumerate(host.engines):
        yield from _variables(name, host, number, engine)
        where = f"engines[{number}].env_vars"
        yield from values_of_variables(name, where, engine, version, provider)
        if engine.log_mask and not is_mask(engine.log_mask):
            yield Problem(name, f"engines[{number}].log_mask", engine.log_mask, MASK)
        if engine.log_file is not None and logs.setdefault(engine.log_file, number) != number:
            yield Problem(
                name,
                f"engines[{number}].log_file",
                engine.log_file,
                f"should be a file of its own; engines[{logs[engine.log_file]}] writes to this one",
            )
        elif engine.log_file in _OF_DAEMONS:
            yield Problem(
                name,
                f"engines[{number}].log_file",
                engine.log_file,
                f"should be a file of its own; {_OF_DAEMONS[engine.log_file]} writes to this one",
            )


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
