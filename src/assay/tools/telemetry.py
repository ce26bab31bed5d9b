"""The metrics of DAOS's engines, as a server shows them at its telemetry port.

One request to a server returns those of all its engines, by rank and target, in Prometheus's text
format, and needs no right. `reframe-checks/read_engines.py` makes it within a job. Of each latency
DAOS 2.8 shows how many operations there were since the engine started, and the sums of their times
and of the squares of these; so those of a step follow from two readings, which minima and maxima do
not.

Passed over: `dmg telemetry metrics query` asks the same port, one host at a time, with the
administrator's key; `daos_metrics` reads the engines' shared memory, which takes an account of
theirs on each server.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from prometheus_client.parser import text_string_to_metric_families

from assay.cluster.description import Cluster
from assay.foreign.text import one_line, quoted, shorten

PORT_PATH = "/metrics"

OPERATIONS = ("update", "fetch")
"""What clients ask of a target: to write, and to read."""

SCHEDULER = "scheduler"
"""What an engine's system execution stream does in turn: a pause or a lack of CPU prolongs it."""

COUNTED = {
    **{f"engine_io_latency_{name}_samples": name for name in OPERATIONS},
    "engine_sched_cycle_duration_samples": SCHEDULER,
}
"""Operations, by size, and cycles; `_sumsquares` has the sum of their squared times."""

STARTED = "engine_started_at"
"""When an engine started; it is never 0, so each rank has it."""

MOVED = frozenset(f"engine_pool_xferred_{name}" for name in OPERATIONS)
"""Bytes, by pool."""

REBUILT = "engine_io_ops_migrate_latency_samples"
"""Operations of a rebuild or of a reintegration."""

ERRORS: Mapping[str, str] = {
    "engine_events_dead_ranks": "ranks that it found dead",
    "engine_net_failed_addr": "addresses that it could not resolve",
    "engine_net_req_timeout": "RPCs that timed out",
    "engine_net_uri_lookup_timeout": "lookups of a rank that timed out",
    "engine_dmabuff_grab_errs": "buffers for its SSDs that it did not get",
    "engine_pool_vos_aggregation_csum_errors": "checksum errors when it merged data",
    "engine_pool_vos_aggregation_fail_count": "merges of data that failed",
    "engine_pool_scrubber_corruption_total": "checksum errors that its scrubber found",
    "engine_nvme_commands_checksum_mismatch": "checksum errors of an SSD",
    "engine_nvme_commands_data_errs": "read or write errors of an SSD",
    "engine_nvme_commands_read_errs": "read errors of an SSD",
    "engine_nvme_commands_write_errs": "write errors of an SSD",
    "engine_nvme_commands_unmap_errs": "errors of an SSD that released space",
    "engine_nvme_reliability_media_errors": "media errors of an SSD",
}
"""Counters that do not grow while an engine and its SSDs are well, in words.

Those of SSDs are named as in DAOS's source (src/bio/bio_monitor.c): none was there to see them.
"""

PATTERN = "|".join(
    (
        STARTED + r"\{",
        r"engine_io_latency_(?:update|fetch)_(?:sumsquares|samples)\{",
        r"engine_sched_cycle_duration_(?:sumsquares|samples)\{rank=\"\d+\",xstream=\"0\"\}",
        r"engine_pool_xferred_(?:update|fetch)\{",
        r"engine_io_ops_migrate_latency_samples\{",
        *(name + r"\{" for name in ERRORS),
    )
)
"""Which lines of a server are kept."""

MOST_BYTES = 256 * 2**20
"""How large a reading may be. 512 servers of 16 targets are 4 MB where one size is moved."""

Place = tuple[int, int]
"""A rank and a target."""


def addresses(cluster: Cluster) -> list[str]:
    """Each server with the address of its metrics, ``s1=http://192.0.2.1:9191/metrics``.

    None where one has no telemetry port: figures of some engines have no peers to hold against.
    """
    servers = {name: cluster.hosts[name] for name in cluster.daos.servers} if cluster.daos else {}
    if not all(host.server.telemetry_port for host in servers.values()):
        return []
    return [
        f"{name}=http://{_in_url(host.address)}:{host.server.telemetry_port}{PORT_PATH}"
        for name, host in servers.items()
    ]


def _in_url(address: IPv4Address | IPv6Address) -> str:
    return f"[{address}]" if address.version == 6 else str(address)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What all engines said at one moment; what is not there is 0."""

    hosts: Mapping[int, str]
    """By rank."""
    values: Mapping[tuple[str, int, int, str], float]
    """By metric, rank, target (-1 where it is of the whole engine), and what else distinguishes it:
    a size, an SSD."""
    silent: Mapping[str, str]
    """Servers that did not answer, each with the reason."""
    problems: tuple[str, ...] = ()


def unpacked(packed: bytes) -> str:
    """A reading as it was kept.

    Raises:
        ValueError: it is not compressed, cut off, or larger than any.
    """
    unpacking = zlib.decompressobj(wbits=31)
    try:
        text = unpacking.decompress(packed, MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"it is not what read_engines.py writes: {error}") from error
    if not unpacking.eof:
        raise ValueError(f"it is cut off, or has more than {MOST_BYTES:,} bytes")
    return text.decode("utf-8", "replace")


def parse(text: str) -> Snapshot:
    """Read what `read_engines.py` kept; it never raises.

    A rank is where the first server says that it is: one that speaks for a rank of another is a
    problem, and its lines count for nothing.
    """
    hosts: dict[int, str] = {}
    values: dict[tuple[str, int, int, str], float] = {}
    silent: dict[str, str] = {}
    problems: list[str] = []
    for host, why, lines in _servers(text):
        if why:
            silent[host] = why
            continue
        try:
            own = dict(_values(lines))
        except (ValueError, KeyError, IndexError, RecursionError) as error:
            silent[host] = f"its metrics cannot be read: {quoted(shorten(str(error), 80))}"
            continue
        for rank in {rank for _, rank, _, _ in own}:
            if hosts.setdefault(rank, host) != host:
                problems.append(f"{host} has metrics of rank {rank}, which is on {hosts[rank]}")
        values |= {key: value for key, value in own.items() if hosts[key[1]] == host}
    return Snapshot(hosts, values, silent, tuple(problems))


_BEGIN = re.compile(r"# (server|no answer of) ([A-Za-z0-9_.-]{1,253})(?:: (.*))?")


def _servers(text: str) -> Iterator[tuple[str, str, str]]:
    """Each server, why it said nothing, and its lines."""
    host, why = "", ""
    kept: list[str] = []
    for line in text.splitlines():
        if match := _BEGIN.fullmatch(line):
            if host:
                yield host, why, "\n".join(kept) + "\n"
            host, kept = match[2], []
            why = shorten(one_line(match[3] or "no reason"), 200) if match[1] != "server" else ""
        elif not line.startswith("#"):
            kept.append(line)
    if host:
        yield host, why, "\n".join(kept) + "\n"


def _values(lines: str) -> Iterator[tuple[tuple[str, int, int, str], float]]:
    for family in text_string_to_metric_families(lines):
        for sample in family.samples:
            labels = dict(sample.labels)
            rank, target = int(labels.pop("rank")), int(labels.pop("target", "-1"))
            if not 0 <= sample.value < float("inf"):
                raise ValueError(f"{sample.name} is {sample.value}")
            yield (sample.name, rank, target, " ".join(labels.values())), sample.value
