"""Turns a lock file of Spack into the keys of cluster.json."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def packages(lock: str) -> list[dict[str, Any]]:
    """The packages of a spack.lock, by name."""
    return sorted(
        (
            {
                "name": spec["name"],
                "version": str(spec["version"]),
                "hash": hash_,
                "commit": spec["parameters"].get("commit"),
                "external": "external" in spec,
                "needs": sorted(
                    needed["hash"]
                    for needed in spec.get("dependencies", [])
                    if {"link", "run"} & set(needed["parameters"]["deptypes"])
                ),
            }
            for hash_, spec in json.loads(lock)["concrete_specs"].items()
        ),
        key=lambda package: (package["name"], package["hash"]),
    )


class FilterModule:
    """Filters of the role `spack`."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """By the names that Ansible uses."""
        return {"spack_packages_of": packages}
