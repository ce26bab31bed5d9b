"""What kernels counted during a soak: restarts, and how often each counter of a host grew.

A counter counts from the first look to the last one, also between rounds. One that is smaller than
before began anew, as after a restart of the host or the reload of a driver.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import NamedTuple

from assay.cluster.description import Cluster
from assay.survey.host_counters import KernelCounts


class Look(NamedTuple):
    """The counters of the hosts that answered, at one time."""

    at: datetime
    hosts: Mapping[str, KernelCounts]


FAULTS = {
    "link_down": "lost its link",
    "link_errors": "packets with errors",
    "port_down": "lost its link",
    "port_errors": "errors of the link",
    "memory_uncorrected": "uncorrected errors of memory",
    "pci_fatal": "fatal errors of the PCI device",
    "pci_nonfatal": "uncorrected errors of the PCI device",
    "oom_kills": "processes killed since memory ran out",
}
"""Counters that do not grow in a sound cluster, in words."""

NOTES = {
    "link_drops": "dropped packets",
    "port_retransmitted": "retransmissions of the port",
    "memory_corrected": "corrected errors of memory",
    "pci_corrected": "corrected errors of the PCI device",
    "throttled": "times that a core was throttled",
}
"""Counters that say what to look at, in words; each has a rate that is harmless somewhere."""

LINKS = ("link_down", "link_errors", "link_drops")
"""Counters of interfaces: only those count that the description has."""

RETRANSMITTED = 0.001
"""Share of TCP's segments that are sent again above which it is noted (own choice)."""


@dataclass(frozen=True, slots=True)
class Growth:
    """A counter that grew."""

    host: str
    kind: str
    place: str
    count: int
    first: datetime
    """When it was first seen to have grown."""

    def __str__(self) -> str:
        words = FAULTS.get(self.kind) or NOTES[self.kind]
        where = f"{self.host} {self.place}"
        if self.kind in ("link_down", "port_down"):
            times = f"{self.count} times" if self.count > 1 else "once"
            return f"{where} {words} {times}, first seen at {self.first:%Y-%m-%d %H:%M}"
        return f"{where}: {words}: {self.count:,}, first seen at {self.first:%Y-%m-%d %H:%M}"


def restarts(looks: Sequence[Look]) -> Iterator[tuple[str, datetime]]:
    """The hosts that were started anew, and when that was seen."""
    boots: dict[str, str] = {}
    for look in looks:
        for host, seen in look.hosts.items():
            if boots.setdefault(host, seen.boot) != seen.boot:
                yield host, look.at
            boots[host] = seen.boot


def grown(cluster: Cluster, looks: Sequence[Look]) -> list[Growth]:
    """The counters that grew, of which something is to be said; the largest of each kind first."""
    sums: dict[tuple[str, str, str], tuple[int, datetime]] = {}
    for (host, kind, place), count, at in _increments(looks):
        known, first = sums.get((host, kind, place), (0, at))
        sums[host, kind, place] = known + count, first
    order = list(FAULTS | NOTES)
    found = [
        Growth(host, kind, place, count, first)
        for (host, kind, place), (count, first) in sums.items()
        if kind in order and not _is_strange(cluster, host, kind, place)
    ]
    return sorted(found, key=lambda each: (order.index(each.kind), -each.count, each.host))


def _is_strange(cluster: Cluster, host: str, kind: str, place: str) -> bool:
    """Whether it is of an interface that the description does not have, such as a container's."""
    described = cluster.hosts[host].interfaces
    return kind in LINKS and bool(described) and place not in described


def _increments(looks: Sequence[Look]) -> Iterator[tuple[tuple[str, str, str], int, datetime]]:
    """Each counter that grew from one look to the next that has it."""
    of_host: dict[str, list[tuple[datetime, KernelCounts]]] = defaultdict(list)
    for look in looks:
        for host, seen in look.hosts.items():
            of_host[host].append((look.at, seen))
    for host, seen_at in of_host.items():
        for (_, before), (at, after) in pairwise(seen_at):
            for kind, places in after.counts.items():
                for place, now in places.items():
                    then = before.counts.get(kind, {}).get(place)
                    if before.boot != after.boot or (then is not None and now < then):
                        then = 0
                    if then is not None and now > then:
                        yield (host, kind, place), now - then, at


def retransmitted(looks: Sequence[Look]) -> Iterator[str]:
    """Hosts that sent more of TCP's segments again than is usual."""
    sent: dict[str, int] = defaultdict(int)
    again: dict[str, int] = defaultdict(int)
    for (host, kind, _), count, _ in _increments(looks):
        if kind == "tcp_sent":
            sent[host] += count
        elif kind == "tcp_retransmitted":
            again[host] += count
    for host, count in again.items():
        if count > RETRANSMITTED * sent[host]:
            share = count / sent[host] if sent[host] else 1.0
            yield f"{host}: TCP sent {share:.2%} of {sent[host]:,} segments again"


def hosts_of(growths: Iterable[Growth]) -> tuple[str, ...]:
    """The hosts whose counters grew."""
    return tuple(dict.fromkeys(each.host for each in growths))
