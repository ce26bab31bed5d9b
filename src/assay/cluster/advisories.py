"""Defects of DAOS's releases that an acceptance must know, from `advisories.yml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib import resources
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from assay.cluster.daos import System
from assay.cluster.description import Host
from assay.cluster.releases import Version, is_reached


class Advisory(BaseModel):
    """A defect or a limit of a release: what may happen, where it matters, and what mends it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    release: Version
    before: str | None = Field(default=None, pattern=r"^\d+\.\d+\.\d+$", description="is sound")
    providers: tuple[str, ...] = ()
    storage: Literal["md_on_ssd"] | None = None
    dfuse: bool = False
    pool_properties: Mapping[str, str] = {}
    text: str
    mended: str
    source: str

    @property
    def sentence(self) -> str:
        """The defect, what mends it, and who says so."""
        return f"{self.text}. Mended: {self.mended} ({self.source})"


@cache
def _all() -> tuple[Advisory, ...]:
    document = resources.files("assay.cluster").joinpath("advisories.yml").read_text("utf-8")
    return tuple(Advisory.model_validate(row) for row in yaml.safe_load(document))


def advisories(system: System, provider: str, hosts: Mapping[str, Host]) -> list[Advisory]:
    """What is known against the release of a system, as far as it matters there.

    The version that its programs print is known of a system that was found alone; otherwise all
    versions of the release count.
    """
    servers = [hosts[name] for name in system.servers if name in hosts]
    return [each for each in _all() if _matters(each, system, provider, servers)]


def _matters(advisory: Advisory, system: System, provider: str, servers: Iterable[Host]) -> bool:
    if advisory.release != system.version or (advisory.dfuse and system.mount is None):
        return False
    printed = system.found and system.found.release
    if printed and advisory.before and is_reached(printed, advisory.before):
        return False
    if advisory.providers and not any(part in provider for part in advisory.providers):
        return False
    wanted = advisory.pool_properties.items()
    # Another rule refuses properties that are no mapping.
    pools = (pool.get("properties") for pool in system.pools)
    if wanted and not any(isinstance(each, dict) and wanted <= each.items() for each in pools):
        return False
    engines = [engine for host in servers for engine in host.engines]
    # Nobody sees the storage of a system that was found.
    return advisory.storage is None or not engines or any(e.has_md_on_ssd for e in engines)
