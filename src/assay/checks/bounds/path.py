"""The path of data from clients to the storage of a DAOS system and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.checks.bounds.devices import (
    Direction,
    as_rate,
    memory,
    nic,
    scm,
    ssd_bandwidth,
    ssd_link,
    ssd_rate,
    together,
)
from assay.checks.bounds.limit import Bound, Limit, tightest
from assay.checks.redundancy import layout
from assay.cluster.daos import Engine
from assay.cluster.description import Cluster, Host
from assay.cluster.object_class import PLAIN, ObjectClass
from assay.cluster.once import once
from assay.cluster.rails import rails
from assay.subject import Subject
from assay.units import Quantity

SMALL = Quantity(4, "KiB")
"""Values smaller than this stay in SCM; others go to the SSDs.

Source: DAOS's documentation, overview/storage: small values and metadata in SCM, bulk data on NVMe.
"""


CLIENTS_PORTS, SERVERS_PORTS, NETWORK = "the clients' NICs", "the servers' NICs", "the network"
PORTS = (CLIENTS_PORTS, SERVERS_PORTS, NETWORK)
"""The names of the limits of the network: by the speeds of its ports, and as measured."""


SEVERAL_SSDS = "the {} SSDs"
SSDS = ("the SSDs", SEVERAL_SSDS.format("data"))
"""The names of the limit of all SSDs with data, if they are of one model and if of several."""


def data_path(
    cluster: Cluster,
    way: Direction,
    size: Quantity,
    redundancy: ObjectClass = PLAIN,
    clients: Sequence[str] | None = None,
    engine: Subject | None = None,
    processes: int | None = None,
) -> Bound | None:
    """The maximum between clients and engines (by default all of them), in values of a size.

    Each of the `processes` on a client sends by one rail; by default all its rails are used. Reads
    have no extra cost. The object class determines how often each byte of a write is stored,
    and how often the client sends it (see `assay.cluster.object_class`).
    """
    sent, stored, why = 1.0, 1.0, redundancy.name
    if way == "write":
        sent = sent_of(cluster, redundancy, size)
        stored = stored_of(cluster, redundancy, size)
    limits: list[Limit | None] = [
        _cost(senders(cluster, None if clients is None else tuple(clients), processes), sent, why),
        _cost(_ports(cluster, engine), stored, why),
    ]
    for limit, _ in _storage(cluster, way, size, engine):
        limits.append(_cost(limit, stored, why))
    return tightest(limits, "GB/s")


def as_rates(
    cluster: Cluster,
    way: Direction,
    size: Quantity,
    unit: str,
    limits: Sequence[Limit],
    engine: Subject | None = None,
) -> Bound:
    """The limits of `data_path` as rates of values, in a unit such as ``IO/s``.

    Each value that is read from SSDs takes at least one of their reads. A datasheet's rate of
    writes is that of overwriting a full SSD, and no bound of new values.
    """
    rates = [as_rate(limit, unit, size) for limit in limits]
    if way == "read" and not is_in_scm(cluster, size):
        rates.append(_reads(cluster, unit, engine))
    bound = tightest(rates, unit)
    assert bound
    of_each: dict[str, Limit] = {}
    for limit in bound.limits:
        of_each.setdefault(limit.who, limit)
    return Bound(bound.value, tuple(of_each.values()))


@once
def servers_of(cluster: Cluster) -> frozenset[str]:
    """The hosts on which engines run."""
    return frozenset(cluster.daos.servers if cluster.daos else ())


@once
def senders(
    cluster: Cluster, clients: tuple[str, ...] | None = None, processes: int | None = None
) -> Limit | None:
    """The NICs of some clients together, by default of all.

    Of a client with several rails, as many count as it has processes, the fastest first: DAOS gives
    a process one interface. By default, all count.
    """
    names = cluster.clients if clients is None else clients
    used = (wire for name in names for wire in _wires(cluster, name, processes))
    return together(CLIENTS_PORTS, used)


@once
def evenly(
    cluster: Cluster, clients: tuple[str, ...] | None = None, processes: int | None = None
) -> Limit | None:
    """What clients send if each of a client's rails carries as much as its slowest; None: all do.

    The agent gives rails in turn, whatever their speed, and each process moves as much as any
    other. So faster rails wait for the slowest. Rails of unknown speed count as that, too: a floor
    must not require of them what the storage alone could do.
    """
    names = cluster.clients if clients is None else clients
    used = [_wires(cluster, name, processes) for name in names]
    known = [[wire for wire in _every_wire(cluster)[name] if wire] for name in names]
    if not all(known):
        return None
    kept = together(
        CLIENTS_PORTS, (wires[-1] for wires, own in zip(known, used, strict=True) for _ in own)
    )
    every = senders(cluster, clients, processes)
    if kept is None or (every is not None and kept.value.value >= every.value.value):
        return None
    which = "slowest rail" if every else "slowest rail whose speed is known"
    return replace(kept, made_of=f"{kept.made_of}, each client's {which}")


def _wires(cluster: Cluster, client: str, processes: int | None) -> Sequence[Limit | None]:
    """The rails of a client that so many of its processes can use; None: all of them."""
    every = _every_wire(cluster)[client]
    return every if None in every else every[:processes]


@once
def _every_wire(cluster: Cluster) -> Mapping[str, Sequence[Limit | None]]:
    """The rails of each client, the fastest first; one of them may be unknown."""
    return {
        name: sorted(
            (nic(cluster, name, rail) for rail in rails(cluster, name)),
            key=lambda wire: -wire.value.to("GB/s").value if wire else 0.0,
        )
        for name in cluster.clients
    }


def _ports(cluster: Cluster, only: Subject | None) -> Limit | None:
    return _ports_of_all(cluster) if only is None else _ports_of(cluster, only)


@once
def _ports_of_all(cluster: Cluster) -> Limit | None:
    return _ports_of(cluster)


def _ports_of(cluster: Cluster, only: Subject | None = None) -> Limit | None:
    """The servers' NICs; two engines of a host may share an interface, which is one wire."""
    ports = dict.fromkeys((name, each.fabric_iface) for name, _, each in _engines(cluster, only))
    return together(SERVERS_PORTS, (nic(cluster, *port) for port in ports))


def storage(
    cluster: Cluster,
    way: Direction,
    size: Quantity,
    redundancy: ObjectClass = PLAIN,
    engine: Subject | None = None,
) -> Bound | None:
    """The maximum of the storage of engines, by default all, for values of a size.

    None if a medium is unknown: the links of SSDs and the memory say nothing of what SSDs do.
    """
    stored = stored_of(cluster, redundancy, size) if way == "write" else 1.0
    limits = _storage(cluster, way, size, engine)
    if any(limit is None and is_medium for limit, is_medium in limits):
        return None
    return tightest((_cost(limit, stored, redundancy.name) for limit, _ in limits), "GB/s")


def is_whole_stripe(cluster: Cluster, code: ObjectClass, size: Quantity) -> bool:
    """Whether a write of a size has a full stripe; for less the client sends no parity."""
    return size.to("B").value >= code.data * layout(cluster).cell_bytes


def stored_of(cluster: Cluster, code: ObjectClass, size: Quantity) -> float:
    """How often each byte of a write of a size is stored: of part of a stripe, on each parity."""
    return code.copies(whole_stripes=is_whole_stripe(cluster, code, size))


def sent_of(cluster: Cluster, code: ObjectClass, size: Quantity) -> float:
    """How often a client sends each byte of a write of a size, at least: parity of full stripes."""
    return code.sent if is_whole_stripe(cluster, code, size) else 1.0


def of_files(cluster: Cluster) -> ObjectClass:
    """The redundancy of the files of the checks, as far as it is known."""
    return layout(cluster).code


@once
def data_ssds(cluster: Cluster) -> frozenset[Subject]:
    """The SSDs with the role data; without roles, all of them."""
    return data_ssds_of(cluster)


def data_ssds_of(cluster: Cluster, only: Subject | None = None) -> frozenset[Subject]:
    """The same, of one engine or of all."""
    return frozenset(
        Subject(name, device=device)
        for name, _, engine in _engines(cluster, only)
        for tier in engine.bdev_tiers
        if not tier.bdev_roles or "data" in tier.bdev_roles
        for device in tier.devices
    )


def _cost(limit: Limit | None, cost: float, why: str) -> Limit | None:
    return limit and limit.over(cost, why)


def _engines(cluster: Cluster, only: Subject | None = None) -> Iterator[tuple[str, Host, Engine]]:
    if only is not None:
        yield only.host, cluster.hosts[only.host], cluster.engine(only)
        return
    for name in cluster.daos.servers if cluster.daos else ():
        host = cluster.hosts[name]
        for engine in host.engines:
            yield name, host, engine


@once
def is_in_scm(cluster: Cluster, size: Quantity) -> bool:
    """Whether values of a size stay in SCM."""
    small = size.to("B").value < SMALL.to("B").value
    return small or not all(engine.bdev_tiers for _, _, engine in _engines(cluster))


_Kinds = tuple[tuple[Limit | None, bool], ...]
"""Limits of the storage, and whether each is of a medium that keeps the values."""


# Cached for all engines together only: those of a large system, one by one, would leave no room.
def _storage(cluster: Cluster, way: Direction, size: Quantity, only: Subject | None) -> _Kinds:
    if only is None:
        return _storage_of_all(cluster, way, size)
    return tuple(_kinds(cluster, way, size, only))


@once
def _storage_of_all(cluster: Cluster, way: Direction, size: Quantity) -> _Kinds:
    return tuple(_kinds(cluster, way, size))


def _kinds(
    cluster: Cluster, way: Direction, size: Quantity, only: Subject | None = None
) -> Iterator[tuple[Limit | None, bool]]:
    """The limits of the storage of values: SSDs for data, or SCM and the log of a small write."""
    engines = list(_engines(cluster, only))
    if is_in_scm(cluster, size):
        line = size.to("B").value < 256
        kinds = (scm(cluster, host, engine, way, line) for _, host, engine in engines)
        yield together("the SCM", kinds), True
        if way == "write" and all(engine.has_md_on_ssd for _, _, engine in engines):
            # SCM is DRAM then, and a write becomes durable in the log on the SSDs.
            yield from _ssds(cluster, engines, way, "wal")
        return
    yield from _ssds(cluster, engines, way, "data")
    yield together("the memory", (memory(cluster, host) for _, host, _ in engines)), False


def _ssds(
    cluster: Cluster, engines: list[tuple[str, Host, Engine]], way: Direction, role: str
) -> Iterator[tuple[Limit | None, bool]]:
    """The limits of the SSDs with a role."""
    models = _models(engines, role).items()
    if not models:
        yield None, True
        return
    ssds = [ssd_bandwidth(cluster, model, way, count) for model, count in models]
    links = [ssd_link(cluster, model, count) for model, count in models]
    yield ssds[0] if len(ssds) == 1 else together(SEVERAL_SSDS.format(role), ssds), True
    yield links[0] if len(links) == 1 else together("the PCIe links of the SSDs", links), False


def _models(engines: list[tuple[str, Host, Engine]], role: str) -> dict[str | None, int]:
    """How many SSDs of each model have a role; without roles, as with PMem, all SSDs hold data.

    It is empty if an engine has an emulated device, which has no datasheet, or a VMD controller,
    of which nobody knows how many SSDs are behind it.
    """
    counts: dict[str | None, int] = {}
    for _, host, engine in engines:
        for tier in engine.bdev_tiers:
            if tier.class_ != "nvme" or any(device in host.vmd for device in tier.devices):
                return {}
            if not tier.bdev_roles or role in tier.bdev_roles:
                model = host.datasheets.ssd
                counts[model] = counts.get(model, 0) + len(set(tier.devices))
    return counts


def _reads(cluster: Cluster, unit: str, only: Subject | None) -> Limit | None:
    return _reads_of_all(cluster, unit) if only is None else _reads_of(cluster, unit, only)


@once
def _reads_of_all(cluster: Cluster, unit: str) -> Limit | None:
    return _reads_of(cluster, unit)


def _reads_of(cluster: Cluster, unit: str, only: Subject | None = None) -> Limit | None:
    """The random reads of the data SSDs, by their datasheets; None if one of them is unknown."""
    models = _models(list(_engines(cluster, only)), "data").items()
    rates = [ssd_rate(cluster, model, "read", count) for model, count in models]
    known = [rate for rate in rates if rate is not None]
    if not known or len(known) < len(rates):
        return None
    each = [rate.value.to("IO/s").value for rate in known]
    most = sum(value * rate.plausible for value, rate in zip(each, known, strict=True))
    total, plausible = Quantity(sum(each), unit), most / sum(each)
    sources = "; ".join(rate.source for rate in known)
    if len(known) == 1:
        return Limit(SSDS[0], total, known[0].made_of, sources, plausible)
    made_of = " + ".join(rate.made_of for rate in known)
    return Limit(SSDS[1], total, made_of, sources, plausible)
