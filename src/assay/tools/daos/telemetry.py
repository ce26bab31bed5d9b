"""The metrics of DAOS's engines, as a server shows them at its telemetry port.

One request to a server returns the metrics of all its engines, by rank and target, in Prometheus's
text format, and needs no privilege. `reframe-checks/read_engines.py` sends it within a job. For
each latency, DAOS 2.8 shows the number of operations since the engine started, and the sums of
their times and of the squares of their times. So two readings give these figures for a step; minima
and maxima cannot be separated like that.

Alternatives that are not used: `dmg telemetry metrics query` asks the same port, one host at a
time, with the administrator's key. `daos_metrics` reads the engines' shared memory, which requires
an account with access to it on each server.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from prometheus_client.parser import text_string_to_metric_families

from assay.cluster.description import Cluster
from assay.foreign import limits
from assay.foreign.sources import Missing, inflate, text_of
from assay.foreign.text import one_line, quoted, shorten

PORT = 9191
"""The port in DAOS's own example of daos_server.yml."""

PORT_PATH = "/metrics"

OPERATIONS = ("update", "fetch")
"""Operations of clients on a target: update writes, fetch reads."""

SCHEDULER = "scheduler"
"""The scheduler cycle of an engine's system execution stream: a pause or a lack of CPU prolongs it.
"""

COUNTED = {
    **{f"engine_io_latency_{name}_samples": name for name in OPERATIONS},
    "engine_sched_cycle_duration_samples": SCHEDULER,
}
"""Counters of operations, by size, and of cycles; `_sumsquares` has the sum of squared times."""

STARTED = "engine_started_at"
"""Start time of an engine; it is never 0, so each rank has it."""

MOVED = {f"engine_pool_xferred_{name}": name for name in OPERATIONS}
"""Counters of bytes, by pool; each replica and each cell of parity counts its own
(`obj_update_sensors` in DAOS's src/object/srv_obj.c)."""

REBUILT = "engine_io_ops_migrate_latency_samples"
"""Counter of operations of a rebuild or of a reintegration."""

ERRORS: Mapping[str, str] = {
    "engine_events_dead_ranks": "ranks that it found dead",
    "engine_net_failed_addr": "addresses that it could not resolve",
    "engine_net_req_timeout": "RPCs that timed out",
    "engine_net_uri_lookup_timeout": "lookups of ranks that timed out",
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
"""Counters of errors, each described; they do not grow while an engine and its SSDs are healthy.

The names for SSDs come from DAOS's source (src/bio/bio_monitor.c); no SSD was available to test
them.
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
"""Regular expression for the lines of a server to keep."""

LINE, LABELS = 256, 5
"""Characters of a line, and its labels and escapes together; those seen have up to 107 and 3. The
parser takes the square of a line's length where that has many of either."""

MOST = 1e30
"""Largest value (own choice). Counters have 64 bits, and sums of squares of a second in
nanoseconds reach it after 10^12 operations; their differences and sums stay finite."""

REST_S = 2
"""Time between two readings of a system that should be at rest, in seconds (own choice)."""

AT_REST_MIB_S = 1.0
"""Bandwidth up to which a system is at rest (own choice): an idle one moves no data of clients, and
a benchmark moves hundreds of times as much."""

Place = tuple[int, int]
"""A rank and a target."""


def addresses(cluster: Cluster) -> list[str]:
    """Each server with the address of its metrics, ``s1=http://192.0.2.1:9191/metrics``.

    The list is empty if any server has no telemetry port, since a comparison of only some engines
    would be incomplete.
    """
    found = cluster.daos.found if cluster.daos else None
    if found:
        return [at(server) for server in found.telemetry]
    servers = {name: cluster.hosts[name] for name in cluster.daos.servers} if cluster.daos else {}
    if not all(host.server.telemetry_port for host in servers.values()):
        return []
    return [
        f"{name}=http://{_in_url(host.address)}:{host.server.telemetry_port}{PORT_PATH}"
        for name, host in servers.items()
    ]


def at(server: str) -> str:
    """The address of a server's metrics, by its name or address and its port."""
    return f"{server.rpartition(':')[0]}=http://{server}{PORT_PATH}"


def _in_url(address: IPv4Address | IPv6Address) -> str:
    return f"[{address}]" if address.version == 6 else str(address)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One reading of the metrics of all engines; a missing metric is 0."""

    hosts: Mapping[int, str]
    """The host of each rank."""
    values: Mapping[tuple[str, int, int, str], float]
    """Values by metric, rank, target (-1 for the whole engine), and further labels such as the size
    or the SSD."""
    silent: Mapping[str, str]
    """Servers that did not answer, each with the reason."""
    claimed: tuple[str, ...] = ()
    """Ranks that servers report and that are not theirs, each in a sentence; they are ignored."""

    def of(self, rank: int) -> Snapshot:
        """The metrics of one rank alone."""
        hosts = {rank: self.hosts[rank]} if rank in self.hosts else {}
        values = {key: value for key, value in self.values.items() if key[1] == rank}
        return Snapshot(hosts, values, self.silent, self.claimed)


def unpacked(packed: bytes) -> str | Missing:
    """Decompress a reading, as `read_engines.py` writes it."""
    content = inflate(packed, limits.READING)
    return content if isinstance(content, Missing) else text_of(content)


def parse(text: str, owners: Mapping[int, str] | None = None) -> Snapshot:
    """Read the output of `read_engines.py`; it never raises.

    Args:
        text: the output.
        owners: the server of each rank, as the description and DAOS itself have it. A rank that
            another server reports is ignored. Without owners, so is a rank that several report.
    """
    silent: dict[str, str] = {}
    metrics: dict[str, dict[tuple[str, int, int, str], float]] = {}
    for host, why, lines in _servers(text):
        if why:
            silent[host] = why
            continue
        try:
            for line in lines.split("\n"):
                if len(line) > LINE or line.count("=") + line.count("\\") > LABELS:
                    raise ValueError(f"a line has more than {LINE} characters or {LABELS} labels")
            metrics[host] = dict(_values(lines))
        except Exception as error:
            silent[host] = f"its metrics cannot be read: {quoted(shorten(str(error), 80))}"
    reporting: dict[int, list[str]] = defaultdict(list)
    for host, own in metrics.items():
        for rank in dict.fromkeys(rank for _, rank, _, _ in own):
            reporting[rank].append(host)
    hosts = owners or {rank: names[0] for rank, names in reporting.items() if len(names) == 1}
    return Snapshot(
        {rank: hosts[rank] for rank, names in reporting.items() if hosts.get(rank) in names},
        {
            key: value
            for host, own in metrics.items()
            for key, value in own.items()
            if hosts.get(key[1]) == host
        },
        silent,
        tuple(_claims(reporting, hosts)),
    )


def _claims(reporting: Mapping[int, list[str]], hosts: Mapping[int, str]) -> Iterator[str]:
    for rank, names in reporting.items():
        if rank not in hosts and len(names) > 1:
            yield f"{' and '.join(names)} report rank {rank}, so neither counts"
        else:
            where = f"is on {hosts[rank]}" if rank in hosts else "the system does not have"
            for name in names:
                if name != hosts.get(rank):
                    yield f"{name} has metrics of rank {rank}, which {where}"


_BEGIN = re.compile(r"# (server|no answer of) ([A-Za-z0-9_.-]{1,253})(?:: (.*))?")


def _servers(text: str) -> Iterator[tuple[str, str, str]]:
    """Each server, the reason why it did not answer, and its lines."""
    host, why = "", ""
    kept: list[str] = []
    for line in text.split("\n"):
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
            if not 0 <= sample.value < MOST:
                raise ValueError(f"{sample.name} is {sample.value}")
            yield (sample.name, rank, target, " ".join(labels.values())), sample.value


def unrest(before: Snapshot, after: Snapshot, seconds: float) -> list[str]:
    """What the engines do although no check runs, in sentences.

    Args:
        before: a reading.
        after: a later reading.
        seconds: the time between them.
    """
    grown: dict[str, float] = dict.fromkeys((*MOVED, REBUILT), 0.0)
    for key, value in after.values.items():
        metric, rank, _, _ = key
        if metric in grown and rank in before.hosts:
            grown[metric] += max(value - before.values.get(key, 0.0), 0.0)
    rate = sum(grown[name] for name in MOVED) / 2**20 / seconds
    reasons = []
    if rate > AT_REST_MIB_S:
        reasons.append(
            f"others use the system: its engines move {rate:.0f} MiB/s of clients' data, and no"
            " check runs; wait until they have finished, or stop them"
        )
    if grown[REBUILT]:
        reasons.append(
            "a rebuild or reintegration moves data between the engines; wait for its end"
        )
    return reasons
