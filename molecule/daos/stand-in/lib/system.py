"""The DAOS system, as the first of its management replicas knows it: ranks, pools, containers."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

UNINITIALIZED = "system is uninitialized (storage format required?)"

Request = dict[str, Any]


class RefusedError(Exception):
    """What the system does not do, in DAOS's words where it has some."""


class System:
    """State in a file, and the commands that read and change it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.commands: dict[str, tuple[str, Callable[[Request], Any]]] = {
            # Who may ask, by certificate, and what is done then.
            "join": ("server", self._join),
            "system query": ("admin", self._query),
            "system stop": ("admin", self._stop),
            "system erase": ("admin", self._erase),
            "pool list": ("admin", self._pool_list),
            "pool create": ("admin", self._pool_create),
            "pool query": ("admin", self._pool_query),
            "pool get-prop": ("admin", self._pool_properties),
            "pool set-prop": ("admin", self._pool_change),
            "pool get-acl": ("admin", self._pool_access),
            "pool update-acl": ("admin", self._pool_allow),
            "container list": ("agent", self._container_list),
            "container create": ("agent", self._container_create),
            "container query": ("agent", self._container_query),
            "container get-prop": ("agent", self._container_properties),
        }

    def initialize(self) -> None:
        """Begin with nothing, unless there is something."""
        if not self._file.exists():
            self._keep({"members": [], "pools": {}})

    def hosts(self) -> set[str]:
        """The hosts of all ranks."""
        return {member["fault_domain"].removeprefix("/") for member in self._state()["members"]}

    def _state(self) -> dict[str, Any]:
        if not self._file.exists():
            raise RefusedError(UNINITIALIZED)
        return dict(json.loads(self._file.read_text()))

    def _keep(self, state: dict[str, Any]) -> None:
        self._file.write_text(json.dumps(state))

    def _join(self, request: Request) -> None:
        state = self._state()
        known = {member["uuid"]: member for member in state["members"]}
        member = known.get(request["member"]["uuid"])
        if member is None:
            state["members"].append(request["member"] | {"rank": len(known), "state": "joined"})
        else:
            member["state"] = "joined"
        self._keep(state)

    def _query(self, request: Request) -> Any:
        return {"members": self._state()["members"], "providers": ["ofi+tcp"]}

    def _stop(self, request: Request) -> None:
        state = self._state()
        for member in state["members"]:
            member["state"] = "stopped"
        self._keep(state)

    def _erase(self, request: Request) -> None:
        if any(member["state"] != "stopped" for member in self._state()["members"]):
            raise RefusedError("system erase: ranks are running; system stop goes before")
        self._file.unlink()

    def _pool(self, label: str) -> dict[str, Any]:
        pools = self._state()["pools"]
        if label not in pools:
            raise RefusedError(f'unable to find pool service: pool "{label}" not found')
        return dict(pools[label])

    def _pool_list(self, request: Request) -> Any:
        pools = [
            {"label": label, "uuid": pool["uuid"], "state": "Ready"}
            for label, pool in self._state()["pools"].items()
        ]
        return {"status": 0, "pools": pools or None}

    def _pool_create(self, request: Request) -> Any:
        state, (label,) = self._state(), request["labels"]
        if any(member["state"] != "joined" for member in state["members"]):
            raise RefusedError("pool create failed: ranks are not joined")
        if label in state["pools"]:
            raise RefusedError(f"pool create failed: pool label {label} already exists")
        state["pools"][label] = {
            "uuid": str(uuid.uuid4()),
            "size": size_bytes(request["options"]["size"]),
            "properties": properties(request),
            "containers": {},
            "entries": ["A::OWNER@:rw", "A:G:GROUP@:rw"],
        }
        self._keep(state)
        return {"uuid": state["pools"][label]["uuid"]}

    def _pool_query(self, request: Request) -> Any:
        pool = self._pool(*request["labels"])
        tiers = [("scm", pool["size"] + 3072), ("nvme", 0)]  # DAOS rounds up
        away = pool.get("excluded", [])
        return {
            "state": "TargetsExcluded" if away else "Ready",
            "total_targets": 6,
            "active_targets": 6 - 2 * len(away),
            "disabled_ranks": away or None,
            "uuid": pool["uuid"],
            "tier_stats": [
                {"total": total, "free": total, "media_type": media} for media, total in tiers
            ],
        }

    def _pool_properties(self, request: Request) -> Any:
        told = {"rd_fac": "0", "ec_cell_sz": "64KiB", "reclaim": "lazy"}
        told |= self._pool(*request["labels"])["properties"]
        values = {"rd_fac": int(told["rd_fac"]), "ec_cell_sz": size_bytes(told["ec_cell_sz"])}
        return _shown(values | {"reclaim": told["reclaim"]})

    def _pool_change(self, request: Request) -> Any:
        state, (label, told) = self._state(), request["labels"]
        changes = dict(pair.split(":") for pair in told.split(","))
        if changes.keys() != {"reclaim"}:
            raise RefusedError(f"pool set-prop failed: {told}")
        state["pools"][label]["properties"] |= changes
        self._keep(state)

    def _pool_access(self, request: Request) -> Any:
        entries = self._pool(*request["labels"])["entries"]
        acl = {"entries": entries, "owner_user": "root@", "owner_group": "root@"}
        return {"status": 0, "ACL": acl}

    def _pool_allow(self, request: Request) -> Any:
        state, (label,) = self._state(), request["labels"]
        state["pools"][label]["entries"].append(request["options"]["entry"])
        self._keep(state)
        return self._pool_access(request)

    def _container(self, request: Request) -> dict[str, Any]:
        pool, label = request["labels"]
        containers = self._pool(pool)["containers"]
        if label not in containers:
            raise RefusedError("DER_NONEXIST(-1005): The specified entity does not exist")
        return dict(containers[label])

    def _container_list(self, request: Request) -> Any:
        containers = self._pool(*request["labels"])["containers"]
        return [{"uuid": c["container_uuid"], "label": label} for label, c in containers.items()]

    def _container_create(self, request: Request) -> Any:
        state, (pool, label) = self._state(), request["labels"]
        containers = self._pool(pool)["containers"]
        if label in containers:
            raise RefusedError("DER_EXIST(-1004): Entity already exists")
        told = request["options"]
        container = {
            "container_uuid": str(uuid.uuid4()),
            "container_label": label,
            "container_type": told["type"],
            "object_class": told.get("oclass", "UNKNOWN"),
            "dir_object_class": told.get("dir-oclass", told.get("oclass", "S1")),
            "file_object_class": told.get("file-oclass", told.get("oclass", "SX")),
            "chunk_size": size_bytes(told.get("chunk-size", "1MiB")),
            "properties": properties(request),
        }
        state["pools"][pool]["containers"][label] = container
        self._keep(state)
        return container

    def _container_query(self, request: Request) -> Any:
        container = self._container(request)
        del container["properties"]
        return container

    def _container_properties(self, request: Request) -> Any:
        told = {"rd_fac": "0", "cksum": "off"} | self._container(request)["properties"]
        return _shown(told | {"rd_fac": f"rd_fac{told['rd_fac']}"})


def properties(request: Request) -> dict[str, str]:
    """Those of a command."""
    told = request["options"].get("properties", "")
    return dict(pair.split(":") for pair in told.split(",") if pair)


def _shown(properties: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "description": "", "value": value} for name, value in properties.items()]


def size_bytes(size: str) -> int:
    """A size such as 2GB or 1MiB in bytes."""
    number, multiple, _ = re.split(r"([kKMGT]i?)B", size)
    base = 1024 if multiple.endswith("i") else 1000
    return int(float(number) * base ** ("KMGT".index(multiple[0].upper()) + 1))
