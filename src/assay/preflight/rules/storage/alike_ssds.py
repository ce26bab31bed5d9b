"""SSDs of one tier that differ from each other.

Each target has its share of one SSD (docs/overview/architecture.md of DAOS 2.8), and a pool takes
as much of every target, so that the smallest and slowest SSD limits all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from assay.cluster.daos import Tier
from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer
from assay.problems import Problem

SIZE_TOLERANCE = 0.02
"""Relative difference of two sizes that are sold as one (own choice)."""


@OfServer.rule
def alike_ssd_rules(of: OfServer) -> Iterator[Problem]:
    """Warn of tiers with SSDs of several models, or of several sizes."""
    name, host = of.name, of.host
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            if tier.class_ == "nvme":
                key = f"engines[{number}].storage[{index}].bdev_list"
                kinds = _kinds(_models(host, tier)) or _kinds(_sizes(host, tier))
                if kinds:
                    yield Problem(
                        name,
                        key,
                        kinds,
                        "should be SSDs of one kind: a pool takes as much of every target, and the"
                        " smallest and slowest SSD limits the others. Replace the odd ones, or"
                        " leave them out",
                        severity="warning",
                    )


def _kinds(values: Mapping[str, str]) -> str:
    """The values with their counts, if there are several."""
    counts = Counter(values.values())
    return ", ".join(f"{count} x {kind}" for kind, count in counts.items()) * (len(counts) > 1)


def _models(host: Host, tier: Tier) -> dict[str, str]:
    return {
        device: model
        for device in tier.devices
        if device in host.nvme and (model := host.nvme[device].model)
    }


def _sizes(host: Host, tier: Tier) -> dict[str, str]:
    """Sizes in words, equal for those that differ by less than the tolerance."""
    sizes = {}
    for device in tier.devices:
        paths = host.nvme[device].namespaces if device in host.nvme else ()
        total = sum(block.size_bytes or 0 for path in paths if (block := host.blocks.get(path)))
        if total:
            sizes[device] = total
    largest = max(sizes.values(), default=0)
    return {
        device: f"{(largest if size >= largest * (1 - SIZE_TOLERANCE) else size) / 1e9:.0f} GB"
        for device, size in sizes.items()
    }
