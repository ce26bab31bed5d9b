"""Memory that is described with fewer channels or slower modules than the firmware reports.

The bounds of a tmpfs as SCM are those of its memory, so a slower description lowers them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from assay.cluster.description import Host, Site

MODULES_A_CHANNEL = 3
"""Maximum number of modules on a channel of servers' memory: three slots with DDR4 of its first
years, two since (own choice: the larger, so that nobody is accused)."""

TRANSFER_BYTES = 8
"""Bytes of each transfer of a channel: DDR4-3200 has 25,600 MB/s (JEDEC JESD79-4)."""

_SPEED = re.compile(r"([0-9]+) MT/s")


class SlowMemory(NamedTuple):
    """A value of a host's datasheets, and why more was found."""

    host: str
    key: str
    value: str
    why: str


def slow_memory(site: Site, hosts: Mapping[str, Host]) -> Iterator[SlowMemory]:
    """The hosts whose memory is described slower than their fingerprint reports."""
    for name, host in hosts.items():
        sheet = site.sheets.memory.get(host.datasheets.memory or "")
        if sheet is None:
            continue
        channels = host.datasheets.memory_channels
        modules = sum(each.startswith("memory module ") for each in host.fingerprint.identities)
        least = math.ceil(modules / host.numa_nodes / MODULES_A_CHANNEL)
        if channels < least:
            why = f"{modules} modules on {host.numa_nodes} NUMA nodes need at least {least}"
            yield SlowMemory(name, "datasheets.memory_channels", str(channels), why)
        described = sheet.bandwidth.to("MB/s").value / TRANSFER_BYTES
        found = _SPEED.findall(host.fingerprint.traits.get("memory speed", ""))
        slowest = min(map(int, found), default=0)
        # Names of speeds are rounded: DDR4-2133 and 2,134.
        if described * 1.01 < slowest:
            why = f"its modules run at {slowest} MT/s"
            yield SlowMemory(name, "datasheets.memory", f"{host.datasheets.memory}", why)
