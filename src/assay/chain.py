"""Where it is slow: what each layer can do, from the datasheets up to what an application gets.

Each link of the chain is held against the one below it. What a link can do counts for nothing
where one below it can do less, so what is left of the datasheets is the least so far; the link at
which the largest part of that is lost holds the result back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.cluster import Cluster
from assay.units import Quantity
from assay.verdict import Judgement, Verdict

Direction = Literal["write", "read"]
UNIT = "MiB/s"

Sources = Sequence[tuple[str, str]]
"""Checks and metrics; of these the first that was measured makes the link."""

_DEVICE: dict[Direction, Sources] = {
    "write": (),
    "read": (("NvmeBandwidth", "read_1m_together"),),
}
# A server gets what a client writes.
_NETWORK: dict[Direction, Sources] = {
    "write": (("SelfTestClientServer", "get_1m"),),
    "read": (("SelfTestClientServer", "put_1m"),),
}
_SCM: dict[Direction, Sources] = {
    "write": (("VosPerfBandwidth", "update_1m"),),
    "read": (("VosPerfBandwidth", "fetch_1m"),),
}
_OWN_DISK: dict[Direction, Sources] = {
    "write": (("SsdFio", "write_1m"),),
    "read": (("SsdFio", "read_1m"),),
}
_OWN_FILES: dict[Direction, Sources] = {
    "write": (("PosixFio", "write_1m"),),
    "read": (("PosixFio", "read_1m"),),
}
_THROUGH_DAOS = ("IorEasy",)


@dataclass(frozen=True, slots=True)
class Link:
    """What all subjects of one layer can do together, in MiB/s."""

    name: str
    figure: float
    of: str
    """What it is the sum of."""
    ratio: float | None
    """To the link below; None for the lowest."""
    left: float
    """The least of this link and all below it."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The links of one direction, from the datasheets up."""

    direction: Direction
    links: tuple[Link, ...]
    sentence: str
    """Which layer holds the result back, and which host and device within it."""


def chains(cluster: Cluster, judgements: Sequence[Judgement]) -> list[Chain]:
    """The chains of writing and of reading, where at least two of their links were measured.

    With DAOS the data crosses devices, network and SCM of the system; without it only the disk of
    the host that writes, so that each host counts that has both figures.
    """
    directions: tuple[Direction, ...] = ("write", "read")
    return [
        chain
        for direction in directions
        if (chain := _chain(direction, list(_layers(cluster, direction, judgements))))
    ]


@dataclass(frozen=True, slots=True)
class _Layer:
    name: str
    judgements: Sequence[Judgement]


def _layers(
    cluster: Cluster, direction: Direction, judgements: Sequence[Judgement]
) -> Iterator[_Layer]:
    believed = (j for j in judgements if j.verdict is not Verdict.IMPLAUSIBLE)
    measured = [judgement for judgement in believed if judgement.summary]
    if cluster.daos is not None:
        yield _Layer("device", _first(measured, _DEVICE[direction]))
        yield _Layer("network", _first(measured, _NETWORK[direction]))
        yield _Layer("SCM", _first(measured, _SCM[direction]))
        sources = [(check, direction) for check in _THROUGH_DAOS]
        yield _Layer("end to end", _first(measured, sources))
        return
    disks = _first(measured, _OWN_DISK[direction])
    files = _first(measured, _OWN_FILES[direction])
    hosts = {j.owed.host for j in disks} & {j.owed.host for j in files}
    yield _Layer("device", [j for j in disks if j.owed.host in hosts])
    yield _Layer("end to end", [j for j in files if j.owed.host in hosts])


def _first(measured: Sequence[Judgement], sources: Sources) -> list[Judgement]:
    for check, metric in sources:
        found = [j for j in measured if (j.owed.check, j.owed.metric.name) == (check, metric)]
        if found:
            return found
    return []


def _chain(direction: Direction, layers: Sequence[_Layer]) -> Chain | None:
    links: list[Link] = []
    worst: tuple[float, _Layer, Link] | None = None
    for layer in layers:
        if not layer.judgements:
            continue
        if layer.name == "device":
            promised = [j.expectation.bound for j in layer.judgements]
            if all(j.expectation.ground == "hardware" for j in layer.judgements):
                total = sum(bound for bound in promised if bound)
                links.append(_link("datasheet", total, layer, links))
        figure = sum(j.summary.median for j in layer.judgements if j.summary)
        before = links[-1].left if links else None
        links.append(_link(layer.name, figure, layer, links))
        kept = links[-1].left / before if before else 1.0
        if before and (worst is None or kept < worst[0]):
            worst = (kept, layer, links[-1])
    if worst is None:
        return None
    return Chain(direction, tuple(links), _sentence(*worst, links))


def _link(name: str, figure: float, layer: _Layer, below: Sequence[Link]) -> Link:
    metric = layer.judgements[0].owed
    count = len(layer.judgements)
    of = f"{metric.check}.{metric.metric.name}" + (f", sum of {count}" if count > 1 else "")
    return Link(
        name,
        figure,
        of,
        ratio=figure / below[-1].figure if below else None,
        left=min(figure, below[-1].left) if below else figure,
    )


def _sentence(kept: float, layer: _Layer, link: Link, links: Sequence[Link]) -> str:
    if kept >= 1:
        return "no layer holds the next one back"
    below = links[links.index(link) - 1]
    could = Quantity(below.left, UNIT)
    said = (
        f"{layer.name} holds it back: {Quantity(link.figure, UNIT)}, {kept:.0%} of the {could} that"
        " is left from below"
    )
    if len(layer.judgements) == 1:
        return said
    slowest = min(layer.judgements, key=lambda j: j.summary.median if j.summary else 0.0)
    host, _, device = slowest.owed.subject.partition("/")
    where = f"{device} of {host}" if device else host
    figure = Quantity(slowest.summary.median if slowest.summary else 0.0, UNIT)
    apart = slowest.equals.gain if slowest.equals else None
    odd = "" if apart is None else f", {apart:+.1%} against the median of its equals"
    return f"{said}; the slowest there is {where} with {figure}{odd}"
