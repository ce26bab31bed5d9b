"""The logs of engines: a file for each, in a place where a log may grow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer
from assay.preflight.rules.storage.overlaps import real_path
from assay.problems import Problem

_OF_DAEMONS = {
    Path("/var/log/daos/daos_server/daos_server.log"): "daos_server",
    Path("/var/log/daos/daos_agent/daos_agent.log"): "daos_agent",
    Path("/var/log/daos/daos_server_helper.log"): "daos_server_helper",
}
"""Logs of other programs, set by the roles."""


@OfServer.rule
def log_rules(of: OfServer) -> Iterator[Problem]:
    """Require a separate log for each engine, which is no part of DAOS's storage."""
    name, host = of.name, of.host
    own = {"daos_server": host.server.control_log_file}
    own |= {"daos_server_helper": host.server.helper_log_file}
    users = {
        Path(real_path(host, str(own.get(daemon) or path))): f"{daemon} writes to this one"
        for path, daemon in _OF_DAEMONS.items()
    }
    users |= dict(_backing_files(host))
    for number, engine in enumerate(host.engines):
        if engine.log_file is None:
            continue
        key, log = f"engines[{number}].log_file", Path(real_path(host, str(engine.log_file)))
        if log in users:
            yield Problem(name, key, engine.log_file, f"should be a file of its own; {users[log]}")
        users.setdefault(log, f"engines[{number}] writes to this one")
        yield from _in_storage(name, host, key, log)


def _backing_files(host: Host) -> Iterator[tuple[Path, str]]:
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            for path in tier.bdev_list if tier.class_ == "file" else ():
                key = f"engines[{number}].storage[{index}].bdev_list"
                yield Path(real_path(host, path)), f"{key} has it, and the log would destroy data"


def _in_storage(name: str, host: Host, key: str, log: Path) -> Iterator[Problem]:
    """Warn of a log on what DAOS mounts: it takes its space, and hides where it was before."""
    mounts = {
        f"engines[{number}].storage[0].scm_mount": engine.scm_tier.scm_mount
        for number, engine in enumerate(host.engines)
        if engine.scm_tier is not None
    }
    metadata = host.server.control_metadata
    if metadata is not None and metadata.device is not None:
        mounts["server.control_metadata.path"] = metadata.path
    for where, mount in mounts.items():
        if mount in log.parents:
            yield Problem(
                name,
                key,
                log,
                f"should not be in {mount}, which DAOS mounts ({where}): the log takes its space,"
                " and its directory is not there after the next format. Choose one in"
                " /var/log/daos/daos_server",
                severity="warning",
            )
