"""Engines with fewer targets than DAOS itself would configure.

The bounds of an engine's SCM and of its RPCs are those of its targets, so few targets lower them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from assay.cluster.daos import SYSTEM_TAGS, Engine
from assay.cluster.description import Host, Site

USUAL = 16
"""Targets of an engine that "usually work well" (docs/admin/deployment.md of DAOS, Storage targets
and service threads), and of one without SSDs by `config generate`."""

FEW = 0.75
"""Share of the recommended targets below which an engine has few (own choice): 12 instead of 16 may
be a choice, and 8 is half."""

SHARE = 0.8
"""Share of the cores for targets; the others are for helpers (`numaCoreUsage`, as below)."""


class FewTargets(NamedTuple):
    """An engine with few targets."""

    host: str
    engine: int
    """Its index."""
    targets: int
    recommended: int
    ssds: int
    cores: int
    """Physical cores that it may use."""

    @property
    def why(self) -> str:
        """How many DAOS would configure."""
        ssds = f"{self.ssds} SSD{'s' * (self.ssds != 1)} for data"
        cores = f"{self.cores} core{'s' * (self.cores != 1)}"
        return f"for {ssds} and {cores}, DAOS recommends {self.recommended} or more"


def few_targets(site: Site, hosts: Mapping[str, Host]) -> Iterator[FewTargets]:
    """The engines of DAOS with far fewer targets than it recommends."""
    servers = site.daos.servers if site.daos else ()
    for name, host in ((name, hosts[name]) for name in servers if name in hosts):
        for number, engine in enumerate(host.engines):
            ssds, cores = _data_ssds(engine), _cores(host)
            least = recommended(cores, ssds, _ssds(engine))
            if any(device in host.vmd for device in host.engine_devices):
                least = min(least, USUAL // 2)  # how many SSDs are behind a controller is not known
            if engine.targets < FEW * least:
                yield FewTargets(name, number, engine.targets, least, ssds, cores)


def recommended(cores: int, data_ssds: int, ssds: int) -> int:
    """The least number of targets that DAOS recommends for an engine.

    `daos_server config generate` takes 80 % of the cores without two, in a multiple of the SSDs.
    The documentation asks for about 16, also in such a multiple. The lesser of both counts.

    Args:
        cores: physical cores that the engine may use.
        data_ssds: SSDs for data, by which the documentation counts.
        ssds: all of its SSDs, by which `config generate` counts.

    Source: `getThreadCounts` in src/control/lib/control/auto.go of DAOS 2.6 and 2.8 (2.4 keeps no
    cores back); docs/admin/deployment.md.
    """
    spare = cores - len(SYSTEM_TAGS)
    generated = min(USUAL, spare)
    if ssds:
        generated = int(spare * SHARE / ssds) * ssds or min(ssds, spare)
    usual = max(USUAL // data_ssds, 1) * data_ssds if data_ssds else USUAL
    return max(1, min(generated, usual))


def _cores(host: Host) -> int:
    return host.cores // max(host.numa_nodes, len(host.engines))


def _ssds(engine: Engine) -> int:
    return len({d for t in engine.bdev_tiers if t.class_ == "nvme" for d in t.devices})


def _data_ssds(engine: Engine) -> int:
    data = (tier for tier in engine.bdev_tiers if not tier.bdev_roles or "data" in tier.bdev_roles)
    return len({device for tier in data if tier.class_ == "nvme" for device in tier.devices})
