"""A row: a daos_server.yml, what DAOS does with it, and the place in DAOS's source that says so.

A row is a change of `BASE`, which DAOS 2.8.0 starts with. Places are in its src/control/server, and
those in `*_test.go` are configurations of DAOS's own unit tests.
"""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

SERVER, ENGINE, STORAGE = "config/server.go", "engine/config.go", "storage/config.go"
UTILS, TEST = "engine/utils.go", "config/server_test.go"
FAULT, YAML = "faultdomain.go", "yaml.UnmarshalStrict"

ABSENT = object()
"""As a value: the key is left out."""

ENGINE_0: dict[str, Any] = {
    "targets": 1,
    "nr_xs_helpers": 0,
    "fabric_iface": "lo",
    "fabric_iface_port": 31416,
    "log_file": "DIR/engine0.log",
    "storage": [{"class": "ram", "scm_mount": "DIR/scm0", "scm_size": 4}],
}
ENGINE_1: dict[str, Any] = {
    **ENGINE_0,
    "fabric_iface_port": 31516,
    "log_file": "DIR/engine1.log",
    "storage": [{"class": "ram", "scm_mount": "DIR/scm1", "scm_size": 4}],
}
BASE: dict[str, Any] = {
    "name": "daos_server",
    "mgmt_svc_replicas": ["127.0.0.1"],
    "port": 10071,
    "transport_config": {"allow_insecure": True},
    "provider": "ofi+tcp",
    "disable_hugepages": True,
    "system_ram_reserved": 1,
    "socket_dir": "DIR",
    "engines": [ENGINE_0],
}
TWO = {"engines": [ENGINE_0, {**ENGINE_1, "first_core": 8}]}
TWO["engines"][0] = {**ENGINE_0, "first_core": 0}

RAM = ENGINE_0["storage"][0]
DCPM = {"class": "dcpm", "scm_mount": "DIR/scm0", "scm_list": ["/dev/pmem0"]}
FILE = {"class": "file", "bdev_list": ["DIR/bdev0"], "bdev_size": 4}
NVME = {"class": "nvme", "bdev_list": ["0000:d8:00.0"]}
METADATA = {"control_metadata": {"path": "DIR/metadata"}}
WAL, META, DATA = "wal", "meta", "data"


def file_tier(number: int, *roles: str) -> dict[str, Any]:
    """A file in the place of an SSD, with its roles."""
    return {**FILE, "bdev_list": [f"DIR/bdev{number}"], "bdev_roles": list(roles)}


class Row(NamedTuple):
    """A configuration: what is changed, and where DAOS says so."""

    name: str
    changes: dict[str, Any]
    place: str
    differs: str = ""
    """Why the preflight judges it otherwise than DAOS does, where it does."""
    version: str = "2.8"
    """The release that is asked."""
    needs: str = ""
    """What a host must have before a daos_server can be asked; nothing: a network and memory."""


def storage(*tiers: Any, **others: Any) -> dict[str, Any]:
    """The change that gives the first engine its tiers."""
    return {"engines.0.storage": list(tiers), **others}


def configuration(row: Row) -> dict[str, Any]:
    """The daos_server.yml of a row; DIR stands for a directory."""
    changed: dict[str, Any] = copy.deepcopy(BASE)
    for path, value in row.changes.items():
        part: Any = changed
        *parents, last = [int(key) if key.isdigit() else key for key in path.split(".")]
        for key in parents:
            part = part[key]
        part[last] = _copied(value)
    if row.version != "2.8":
        changed["access_points"] = changed.pop("mgmt_svc_replicas")
    done: dict[str, Any] = _without_absent(changed)
    return done


def _copied(value: Any) -> Any:
    """A deep copy, in which `ABSENT` is itself."""
    if isinstance(value, dict):
        return {k: _copied(v) for k, v in value.items()}
    return [_copied(v) for v in value] if isinstance(value, list) else value


def _without_absent(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_absent(v) for k, v in value.items() if v is not ABSENT}
    return [_without_absent(v) for v in value] if isinstance(value, list) else value


E0 = "engines.0."
"""The first engine, in the path of a change."""
