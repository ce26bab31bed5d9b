"""Turns a lock file of Spack into the keys of cluster.json."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from assay.cluster.software import of_lock


def packages(lock: str) -> list[dict[str, Any]]:
    """The packages of a spack.lock, by name."""
    return [package.model_dump(mode="json") for package in of_lock(json.loads(lock))]


class FilterModule:
    """Filters of the role `spack`."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """By the names that Ansible uses."""
        return {"spack_packages_of": packages}
