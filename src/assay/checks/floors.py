"""The fraction of its bound that each metric owes at least, and who says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.checks.plan import Owed
from assay.cluster.description import Cluster


@dataclass(frozen=True, slots=True)
class Efficiency:
    """The fraction of a bound that a sound system reaches at least, and who says so."""

    fraction: float
    source: str


_OWN = "this project's own choice"

FLOORS: Mapping[str, Efficiency] = {
    "FiPingpong.bandwidth_1m": Efficiency(0.4, f"one message in flight, {_OWN}"),
    "SelfTestClientServer.get_1m": Efficiency(0.6, f"16 RPCs in flight, {_OWN}"),
    "SelfTestClientServer.put_1m": Efficiency(0.6, f"16 RPCs in flight, {_OWN}"),
    "SelfTestCrossServer.get_1m": Efficiency(0.6, f"16 RPCs in flight, {_OWN}"),
    "SelfTestCrossServer.put_1m": Efficiency(0.6, f"16 RPCs in flight, {_OWN}"),
    "SsdFio.write_1m": Efficiency(0.85, _OWN),
    "SsdFio.read_1m": Efficiency(0.85, _OWN),
    "SsdFio.randwrite_4k": Efficiency(0.3, f"one process with 64 I/Os under way, {_OWN}"),
    "SsdFio.randread_4k": Efficiency(0.3, f"one process with 64 I/Os under way, {_OWN}"),
    "NvmeBandwidth.read_1m_alone": Efficiency(0.85, _OWN),
    "NvmeBandwidth.read_1m_together": Efficiency(0.85, _OWN),
    "NvmeIops.randread_4k_alone": Efficiency(0.7, f"one core for each SSD, {_OWN}"),
    "NvmeIops.randread_4k_together": Efficiency(0.7, f"one core for each SSD, {_OWN}"),
    "NvmeIops.latency_4k": Efficiency(0.5, f"a typical latency, {_OWN}"),
    "PosixFio.write_1m": Efficiency(0.3, f"one process through the page cache, {_OWN}"),
    "PosixFio.read_1m": Efficiency(0.3, f"one process through the page cache, {_OWN}"),
    "FdbHammer.write": Efficiency(0.3, f"indexing and checking, {_OWN}"),
    "FdbHammer.read": Efficiency(0.3, f"indexing and checking, {_OWN}"),
    "FdbHammerSeparate.write": Efficiency(0.3, f"indexing and checking, {_OWN}"),
    "FdbHammerSeparate.read": Efficiency(0.3, f"indexing and checking, {_OWN}"),
}
"""The floor of each metric that has one, as a fraction of its bound, unless the site has its own.

Of a latency it is the fraction of the bound's speed: 0.5 allows twice the time.
"""


def floor_of(cluster: Cluster, metric: Owed) -> Efficiency | None:
    """The fraction of its bound that a metric owes: the site's, or else this project's."""
    key = f"{metric.check}.{metric.metric.name}"
    shipped = FLOORS.get(key)
    if key not in cluster.floors:
        return shipped
    instead = f"; shipped is {shipped.fraction:.0%}" if shipped else ""
    return Efficiency(cluster.floors[key], f"this site's own choice{instead}")
