"""Where it is slow: what each layer can do, from the datasheets up to what an application gets.

Each link of the chain is held against the one below it. What a link can do counts for nothing
where one below it can do less, so what is left of the datasheets is the least so far; the link at
which the largest part of that is lost holds the result back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.checks.backends import backend_of
from assay.checks.bounds.devices import nic, together
from assay.checks.bounds.path import data_ssds, of_files, storage
from assay.checks.bounds.redundancy import NONE, Redundancy
from assay.cluster.description import Cluster
from assay.judge.verdict import Judgement, Verdict
from assay.units import Quantity

Direction = Literal["write", "read"]
UNIT = "MiB/s"

DATASHEET, DEVICE, NETWORK, SCM, END = "datasheet", "device", "network", "SCM", "end to end"
"""The links, from the bottom up."""

_MEBIBYTE = Quantity(1, "MiB")

_NETWORK = {"write": "get_1m", "read": "put_1m"}
"""Of `SelfTestClientServer`: a server gets what a client writes."""

_SCM = {"write": "update_1m", "read": "fetch_1m"}
"""Of `VosPerfBandwidth`."""


@dataclass(frozen=True, slots=True)
class Link:
    """What all subjects of one layer can do together, in MiB/s."""

    name: str
    figure: float
    of: str
    """What it is made of."""
    ratio: float | None
    """To the next link below that the data crosses; None for the lowest."""
    left: float
    """The least of this link and of all below it that the data crosses."""


@dataclass(frozen=True, slots=True)
class Chain:
    """The links of one direction, from the datasheets up."""

    direction: Direction
    links: tuple[Link, ...]
    sentence: str
    """Which layer holds the result back, and which host and device within it."""


@dataclass(frozen=True, slots=True)
class _Layer:
    name: str
    figure: float
    of: str
    parts: Sequence[Judgement] = ()
    """What was measured of each host or device within it."""
    crossed: bool = True
    """Whether the data of this chain goes through it."""


def chains(cluster: Cluster, judgements: Sequence[Judgement]) -> list[Chain]:
    """The chains of writing and of reading in blocks of 1 MiB, where two links or more are known.

    With DAOS the data crosses devices, network and SCM of the system; without it only the disk of
    the host that writes, so that each host counts that has both figures.
    """
    believed = (j for j in judgements if j.verdict is not Verdict.IMPLAUSIBLE)
    measured = [judgement for judgement in believed if judgement.summary]
    layers = _through_daos if cluster.daos is not None else _on_own_disks
    directions: tuple[Direction, ...] = ("write", "read")
    return [
        chain
        for direction in directions
        if (chain := _chain(cluster, direction, list(layers(cluster, direction, measured))))
    ]


def _through_daos(
    cluster: Cluster, direction: Direction, measured: Sequence[Judgement]
) -> Iterator[_Layer]:
    cost = of_files(cluster) if direction == "write" else NONE
    promised = storage(cluster, direction, _MEBIBYTE, cost)
    if promised:
        yield _Layer(DATASHEET, promised.value.to(UNIT).value, promised.limits[0].made_of)
    ssds = data_ssds(cluster)
    if direction == "read":
        # Nothing writes to the engines' SSDs: what is on them would be lost.
        found = _of(measured, "NvmeBandwidth", "read_1m_together")
        yield from _summed(DEVICE, [j for j in found if j.owed.subject in ssds])
    yield from _network(cluster, _of(measured, "SelfTestClientServer", _NETWORK[direction]), cost)
    for layer in _summed(SCM, _of(measured, "VosPerfBandwidth", _SCM[direction]), cost):
        of = f"{layer.of}, one process for each engine"
        of += "; values of 1 MiB do not cross it" * bool(ssds)
        yield _Layer(SCM, layer.figure, of, layer.parts, crossed=not ssds)
    yield from _applications(direction, measured)


def _on_own_disks(
    _: Cluster, direction: Direction, measured: Sequence[Judgement]
) -> Iterator[_Layer]:
    disks = _of(measured, "SsdFio", f"{direction}_1m")
    files = _of(measured, "PosixFio", f"{direction}_1m")
    hosts = {j.owed.host for j in disks} & {j.owed.host for j in files}
    disks = [j for j in disks if j.owed.host in hosts]
    bounds = [j.expectation.bound for j in disks if j.expectation.ground == "hardware"]
    if disks and len(bounds) == len(disks):
        yield _Layer(DATASHEET, sum(b for b in bounds if b), _sum_of("its bound", len(bounds)))
    yield from _summed(DEVICE, disks)
    yield from _summed(END, [j for j in files if j.owed.host in hosts])


def _of(measured: Iterable[Judgement], check: str, metric: str) -> list[Judgement]:
    return [j for j in measured if (j.owed.check, j.owed.metric.name) == (check, metric)]


def _median(judgement: Judgement) -> float:
    assert judgement.summary
    return judgement.summary.median


def _sum_of(what: str, count: int) -> str:
    return what if count == 1 else f"{what}, sum of {count}"


def _summed(name: str, parts: Sequence[Judgement], cost: Redundancy = NONE) -> Iterator[_Layer]:
    """The layer whose parts work side by side; none where nothing of it was measured.

    What redundancy adds to the bytes of a user is taken off.
    """
    if parts:
        of = _sum_of(f"{parts[0].owed.check}.{parts[0].owed.metric.name}", len(parts))
        if cost.stored != 1:
            of += f" / {cost.stored:.4g} ({cost.object_class})"
        yield _Layer(name, sum(map(_median, parts)) / cost.stored, of, parts)


def _network(cluster: Cluster, engines: Sequence[Judgement], cost: Redundancy) -> Iterator[_Layer]:
    """What the clients move to or from all engines: each engine was measured by itself."""
    wires = (nic(cluster, client, cluster.hosts[client].interface) for client in cluster.clients)
    most = together("the clients' NICs", wires)
    most = most and most.over(cost.sent, cost.object_class)
    for layer in _summed(NETWORK, engines, cost):
        if most is None or layer.figure <= most.value.to(UNIT).value:
            yield layer
        else:
            of = f"{most.made_of}, less than {layer.of}"
            yield _Layer(NETWORK, most.value.to(UNIT).value, of)


def _applications(direction: Direction, measured: Sequence[Judgement]) -> Iterator[_Layer]:
    """The best way to the storage; what each client gets tells which of them is slow."""
    fio = _of(measured, "FioDfs", f"{direction}_1m")
    ways = [
        _Layer(END, _median(judgement), f"IorEasy.{direction} by {way}", fio)
        for judgement in _of(measured, "IorEasy", direction)
        if (way := backend_of(judgement.owed.subject).name) != "posix"
    ]
    ways += _summed(END, fio)
    if ways:
        best = max(ways, key=lambda way: way.figure)
        count = len(ways)
        of = best.of if count == 1 else f"{best.of}, the best of {count} ways"
        yield _Layer(END, best.figure, of, best.parts)


def _chain(cluster: Cluster, direction: Direction, layers: Sequence[_Layer]) -> Chain | None:
    reached = next((layer.figure for layer in layers if layer.name == END), 0.0)
    links: list[Link] = []
    worst: tuple[float, _Layer, Link] | None = None
    below: Link | None = None
    for layer in layers:
        # A layer that the result surpasses was measured with less than all of it.
        holds = max(layer.figure, reached) if layer.crossed else float("inf")
        link = Link(
            layer.name,
            layer.figure,
            layer.of,
            ratio=layer.figure / below.figure if below else None,
            left=min(holds, below.left) if below else holds,
        )
        links.append(link)
        kept = link.left / below.left if below else 1.0
        if below and (worst is None or kept < worst[0]):
            worst = (kept, layer, below)
        if layer.crossed:
            below = link
    if worst is None:
        return None
    return Chain(direction, tuple(links), _sentence(cluster, *worst))


def _sentence(cluster: Cluster, kept: float, layer: _Layer, below: Link) -> str:
    if kept >= 1:
        return "no layer holds the next one back"
    said = (
        f"the layer {layer.name} holds it back: {Quantity(layer.figure, UNIT)} ({layer.of}),"
        f" {kept:.0%} of the {Quantity(below.left, UNIT)} that is left from below"
    )
    if not layer.parts:
        return said
    slowest = min(layer.parts, key=_median)
    where, metric = _where(cluster, layer, slowest), slowest.owed
    figure = Quantity(_median(slowest), metric.metric.unit)
    if len(layer.parts) == 1:
        return f"{said}; it was measured on {where}"
    apart = slowest.equals.gain if slowest.equals else None
    odd = "" if apart is None else f", {apart:+.1%} against the median of its equals"
    return (
        f"{said}; the slowest there is {where} with {figure}"
        f" ({metric.check}.{metric.metric.name}{odd})"
    )


def _where(cluster: Cluster, layer: _Layer, judgement: Judgement) -> str:
    """Host and device of a figure; of an engine's network that is its interface."""
    subject = judgement.owed.subject
    if not subject.part:
        return subject.host
    if layer.name == NETWORK:
        return f"{cluster.engine(subject).fabric_iface} of {subject.host} ({subject.part})"
    return f"{subject.part} of {subject.host}"
