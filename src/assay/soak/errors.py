"""What kernels counted during a soak: restarts, and how often each counter of a host grew.

A counter counts from the first look to the last one, also between rounds. One that is smaller than
before began anew, as after a restart of the host or the reload of a driver.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from assay.cluster.description import Cluster
from assay.subject import folded
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

GROUPS = {
    "errors of links": ("link_down", "link_errors"),
    "errors of RDMA ports": ("port_down", "port_errors"),
    "errors of memory (EDAC)": ("memory_uncorrected",),
    "errors of PCI devices (AER)": ("pci_fatal", "pci_nonfatal"),
}
"""Counters of faults that a kernel has only with some hardware and drivers."""

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
            return f"{where} {words} {times}, first seen at {self.first:%Y-%m-%d %H:%M} UTC"
        return f"{where}: {words}: {self.count:,}, first seen at {self.first:%Y-%m-%d %H:%M} UTC"


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
    if kind not in LINKS or host not in cluster.hosts:
        return False
    described = cluster.hosts[host].interfaces
    return bool(described) and not any(link in described for link in place.split("/"))


def _increments(looks: Sequence[Look]) -> Iterator[tuple[tuple[str, str, str], int, datetime]]:
    """Each counter that grew from one look to the next that has it."""
    for host, seen_at in _by_host(looks).items():
        known: dict[str, Mapping[str, int]] = {}
        boot = seen_at[0][1].boot
        for at, seen in seen_at:
            for kind, places in seen.counts.items():
                before = known.get(kind, {})
                if places == before and seen.boot == boot:
                    continue  # nearly all of them, of which there may be millions
                for place, now in places.items():
                    then = before.get(place)
                    if seen.boot != boot or (then is not None and now < then):
                        then = 0
                    if then is not None and now > then:
                        yield (host, kind, place), now - then, at
                known[kind] = {**before, **places}
            boot = seen.boot


def _by_host(looks: Sequence[Look]) -> Mapping[str, list[tuple[datetime, KernelCounts]]]:
    of_host: dict[str, list[tuple[datetime, KernelCounts]]] = defaultdict(list)
    for look in looks:
        for host, seen in look.hosts.items():
            of_host[host].append((look.at, seen))
    return of_host


def vanished(cluster: Cluster, looks: Sequence[Look]) -> Iterator[str]:
    """Ports, devices and links that a kernel had and then has no more: it counts no error of them.

    A device that fell off the bus is one, also where it came back.
    """
    for host, seen_at in _by_host(looks).items():
        had: dict[str, Mapping[str, int]] = {}
        gone: dict[str, datetime] = {}
        for at, seen in seen_at:
            for kind, before in had.items():
                places = seen.counts.get(kind, {})
                if kind not in FAULTS or places == before:
                    continue  # nearly all of them, of which there may be millions
                for place in before.keys() - places.keys():
                    if not _is_strange(cluster, host, kind, place):
                        gone.setdefault(place, at)
            for kind, places in seen.counts.items():
                if had.get(kind) != places:
                    had[kind] = {**had.get(kind, {}), **places}
        for place, at in gone.items():
            yield (
                f"{host} {place} vanished, first seen at {at:%Y-%m-%d %H:%M} UTC: the kernel has no"
                " counters of it"
            )


def full(looks: Sequence[Look]) -> Iterator[str]:
    """Ports of which a counter is at its largest value, from which on errors are not seen."""
    places = dict.fromkeys(
        (host, place)
        for look in looks
        for host, seen in look.hosts.items()
        for place, number in seen.counts.get("port_full", {}).items()
        if number
    )
    for host, place in places:
        yield (
            f"{host} {place}: a counter of errors is at its largest value and counts no further;"
            " reset it (perfquery -R) before a soak"
        )


def uncounted(looks: Sequence[Look]) -> Iterator[str]:
    """Errors that some kernels do not count at all, since they have no such hardware or driver."""
    hosts = dict.fromkeys(host for look in looks for host in look.hosts)
    for what, kinds in GROUPS.items():
        having = {
            host
            for look in looks
            for host, seen in look.hosts.items()
            if any(kind in seen.counts for kind in kinds)
        }
        if without := [host for host in hosts if host not in having]:
            yield f"not counted by the kernels of {folded(without)}: {what}"


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
