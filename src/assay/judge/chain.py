"""Where it is slow: the throughput of each layer, from the datasheets up to an application.

Each link of the chain is compared with the one below it. A link cannot deliver more than any link
below it, so the minimum so far is what is left of the datasheets. The link that loses the largest
part of it holds the result back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.checks.backends import backend_of
from assay.checks.benchmarks import fio, ior, nvme_perf, self_test, vos_perf
from assay.checks.bounds.devices import Direction
from assay.checks.bounds.path import data_ssds, of_files, senders, sent_of, storage, stored_of
from assay.checks.entry import Check, Metric
from assay.cluster.description import Cluster
from assay.cluster.object_class import PLAIN
from assay.judge.causes import named
from assay.judge.judgement import Judgement
from assay.judge.verdict import Verdict
from assay.units import Quantity

UNIT = "MiB/s"

DATASHEET, DEVICE, NETWORK, SCM, END = "datasheet", "device", "network", "SCM", "end to end"
"""The links, from the bottom up."""

_MEBIBYTE = Quantity(1, "MiB")


@dataclass(frozen=True, slots=True)
class Link:
    """The throughput of all subjects of one layer together, in MiB/s."""

    name: str
    figure: float
    made_of: str
    ratio: float | None
    """Ratio to the next link below that the data crosses; None for the lowest."""
    left: float
    """Minimum of this link and of all links below it that the data crosses."""


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
    made_of: str
    parts: Sequence[Judgement] = ()
    """The measured figures of each host or device in it."""
    crossed: bool = True
    """Whether the data of this chain crosses it."""


def chains(cluster: Cluster, judgements: Sequence[Judgement]) -> list[Chain]:
    """The chains of writes and of reads in blocks of 1 MiB, if two links or more are known.

    With DAOS, the data crosses devices, network and SCM of the system. Without DAOS, it crosses
    only the disk of the host that writes, so each host with both figures counts.
    """
    believed = (j for j in judgements if j.verdict is not Verdict.IMPLAUSIBLE)
    measured = [judgement for judgement in believed if judgement.summary]
    layers = _through_daos if cluster.daos is not None else _on_own_disks
    below = [judgement for judgement in judgements if judgement.verdict is Verdict.BELOW]
    directions: tuple[Direction, ...] = ("write", "read")
    return [
        chain
        for direction in directions
        if (chain := _chain(cluster, direction, list(layers(cluster, direction, measured)), below))
    ]


def _through_daos(
    cluster: Cluster, direction: Direction, measured: Sequence[Judgement]
) -> Iterator[_Layer]:
    code = of_files(cluster) if direction == "write" else PLAIN
    promised = storage(cluster, direction, _MEBIBYTE, code)
    cost = _Cost(code.name, stored_of(cluster, code, _MEBIBYTE), sent_of(cluster, code, _MEBIBYTE))
    if promised:
        yield _Layer(DATASHEET, promised.value.to(UNIT).value, promised.limits[0].made_of)
    ssds = data_ssds(cluster)
    if direction == "read":
        # No check writes to the engines' SSDs, since their data would be lost.
        devices = _judgements(measured, nvme_perf.BANDWIDTH, nvme_perf.TOGETHER)
        yield from _summed(DEVICE, [j for j in devices if j.requirement.subject in ssds])
    yield from _network(cluster, _moving(measured, self_test.CLIENT_SERVER, direction), cost)
    for layer in _summed(SCM, _moving(measured, vos_perf.BANDWIDTH, direction), cost):
        made_of = f"{layer.made_of}, one process for each engine"
        made_of += "; values of 1 MiB do not cross it" * bool(ssds)
        yield _Layer(SCM, layer.figure, made_of, layer.parts, crossed=not ssds)
    yield from _applications(direction, measured)


def _on_own_disks(
    _: Cluster, direction: Direction, measured: Sequence[Judgement]
) -> Iterator[_Layer]:
    disks = _moving(measured, fio.DISK, direction)
    files = _moving(measured, fio.POSIX, direction)
    hosts = {j.requirement.host for j in disks} & {j.requirement.host for j in files}
    disks = [j for j in disks if j.requirement.host in hosts]
    bounds = [j.expectation.bound for j in disks if j.expectation.ground == "hardware"]
    if disks and len(bounds) == len(disks):
        yield _Layer(DATASHEET, sum(b for b in bounds if b), _sum_of("its bound", len(bounds)))
    yield from _summed(DEVICE, disks)
    yield from _summed(END, [j for j in files if j.requirement.host in hosts])


def _judgements(measured: Iterable[Judgement], check: Check, metric: Metric) -> list[Judgement]:
    """The judgements of all subjects of one metric."""
    figure = (check.name, metric.name)
    return [j for j in measured if (j.requirement.check, j.requirement.name) == figure]


def _moving(measured: Iterable[Judgement], check: Check, direction: Direction) -> list[Judgement]:
    """The judgements of the metric by which a check stands in the chain."""
    return _judgements(measured, check, check.in_chain(direction))


def _median(judgement: Judgement) -> float:
    assert judgement.summary
    return judgement.summary.median


def _sum_of(what: str, count: int) -> str:
    return what if count == 1 else f"{what}, sum of {count:,}"


@dataclass(frozen=True, slots=True)
class _Cost:
    """How often redundancy lets a byte of a user be stored, and sent by its client."""

    name: str = ""
    stored: float = 1.0
    sent: float = 1.0


_NO_COST = _Cost()


def _summed(name: str, parts: Sequence[Judgement], cost: _Cost = _NO_COST) -> Iterator[_Layer]:
    """A layer whose parts work in parallel; empty if none of them was measured.

    The bytes that redundancy adds to a user's bytes are subtracted.
    """
    if parts:
        made_of = _sum_of(parts[0].requirement.figure, len(parts))
        if cost.stored != 1:
            made_of += f" / {cost.stored:.4g} ({cost.name})"
        yield _Layer(name, sum(map(_median, parts)) / cost.stored, made_of, parts)


def _network(cluster: Cluster, engines: Sequence[Judgement], cost: _Cost) -> Iterator[_Layer]:
    """The network between clients and all engines; each engine was measured separately."""
    most = senders(cluster)
    most = most and most.over(cost.sent, cost.name)
    for layer in _summed(NETWORK, engines, cost):
        if most is None or layer.figure <= most.value.to(UNIT).value:
            yield layer
        else:
            made_of = f"{most.made_of}, less than {layer.made_of}"
            yield _Layer(NETWORK, most.value.to(UNIT).value, made_of)


def _applications(direction: Direction, measured: Sequence[Judgement]) -> Iterator[_Layer]:
    """The best backend; the figures of single clients show which of them is slow."""
    of_each_client = _moving(measured, fio.DFS, direction)
    reached = [
        _Layer(
            END,
            _median(judgement),
            f"{judgement.requirement.figure} by {backend.name}",
            of_each_client,
        )
        for judgement in _moving(measured, ior.EASY, direction)
        if (backend := backend_of(judgement.requirement.subject)).name != "posix"
    ]
    reached += _summed(END, of_each_client)
    if reached:
        best = max(reached, key=lambda layer: layer.figure)
        count = len(reached)
        made_of = best.made_of if count == 1 else f"{best.made_of}, the best of {count:,}"
        yield _Layer(END, best.figure, made_of, best.parts)


def _chain(
    cluster: Cluster,
    direction: Direction,
    layers: Sequence[_Layer],
    slow: Sequence[Judgement],
) -> Chain | None:
    reached = next((layer.figure for layer in layers if layer.name == END), 0.0)
    links: list[Link] = []
    worst: tuple[float, _Layer, Link] | None = None
    below: Link | None = None
    for layer in layers:
        # If the result exceeds a layer's figure, only part of that layer was measured.
        holds = max(layer.figure, reached) if layer.crossed else float("inf")
        link = Link(
            layer.name,
            layer.figure,
            layer.made_of,
            ratio=layer.figure / below.figure if below else None,
            left=min(holds, below.left) if below else holds,
        )
        links.append(link)
        if below and (worst is None or link.left / below.left < worst[0]):
            worst = (link.left / below.left, layer, below)
        if layer.crossed:
            below = link
    if worst is None:
        return None
    kept, layer, lower = worst
    if kept < 1:
        sentence = _sentence(cluster, kept, layer, lower)
    elif slow:
        sentence = (
            "in blocks of 1 MiB each layer reaches what the one below it does, which does not"
            f" explain the figures that are below their limits: {named(slow, 1)}"
        )
    else:
        sentence = "no layer that was measured holds the next one back"
    if not reached:
        sentence = f"the chain is incomplete, nothing was measured {END}; {sentence}"
    return Chain(direction, tuple(links), sentence)


def _sentence(cluster: Cluster, kept: float, layer: _Layer, below: Link) -> str:
    sentence = (
        f"the layer {layer.name} holds it back: {Quantity(layer.figure, UNIT)} ({layer.made_of}),"
        f" {kept:.0%} of the {Quantity(below.left, UNIT)} that the layers below allow"
    )
    if not layer.parts:
        return sentence
    slowest = min(layer.parts, key=_median)
    where, metric = _where(cluster, layer, slowest), slowest.requirement
    figure = Quantity(_median(slowest), metric.unit)
    if len(layer.parts) == 1:
        return f"{sentence}; it was measured on {where}"
    gain = slowest.peers.gain if slowest.peers else None
    against = "" if gain is None else f", {gain:+.1%} against the median of its peers"
    name = f"{where} with {figure} ({slowest.requirement.figure}{against})"
    return f"{sentence}; the slowest there is {name}"


def _where(cluster: Cluster, layer: _Layer, judgement: Judgement) -> str:
    """Host and device of a figure; for an engine's network, its interface."""
    subject = judgement.requirement.subject
    if not subject.part:
        return subject.host
    if layer.name == NETWORK:
        return f"{cluster.engine(subject).fabric_iface} of {subject.host} ({subject.part})"
    return f"{subject.part} of {subject.host}"
