"""The published systems of `published.yml`, each described as a planned cluster of this product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from assay.checks.backends import ior_backends
from assay.checks.entry import Requirement
from assay.checks.plan import CHECKS
from assay.cluster import releases
from assay.cluster.description import Cluster
from assay.preflight.examine import examine
from assay.subject import Subject

FILE = Path(__file__).with_name("published.yml")

PHASES = tuple(
    metric
    for metric in CHECKS["Io500Program"].metrics
    if not metric.name.endswith(("score", "score_without_find"))
)
"""The phases of IO500, as metrics of this product."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class System(_Part):
    """A system whose figures are published; what is None is not published."""

    owner: str
    source: str
    unknown: tuple[str, ...]
    engines_per_server: int | None = None
    engines_stated: bool = True
    targets_per_engine: int | None = None
    layout: Literal["pmem", "md-on-ssd"] | None = None
    ssd: str | None = None
    ssds_per_engine: int | None = None
    pmem: str | None = None
    pmem_modules_per_engine: int | None = None
    memory: str | None = None
    provider: str | None = None
    port_gbits: float | None = None
    client_ports: int | None = None

    @property
    def has_bound(self) -> bool:
        """Whether its bandwidths have a bound that no guess is part of."""
        return self.engines_stated and self.ssd is not None

    @property
    def is_known(self) -> bool:
        """Whether enough of its hardware is published to describe it."""
        return self.engines_per_server is not None


class Run(_Part):
    """One published measurement of a system, by IO500 or in its terms."""

    run: str
    system: str
    year: int
    daos: str | None = None
    servers: int | None = None
    targets_per_engine: int | None = None
    provider: str | None = None
    clients: int
    processes_per_client: int
    classes: Mapping[str, tuple[str | None, str | None]] = Field(
        description="of files, of directories"
    )
    easy_transfer_mib: float
    gib_per_s: Mapping[str, float]
    kop_per_s: Mapping[str, float] = {}
    exceptions: Mapping[str, str] = Field(default={}, description="phase: why it may be below")

    def __hash__(self) -> int:
        return hash(self.run)

    @property
    def processes(self) -> int:
        """All of its processes."""
        return self.clients * self.processes_per_client

    def figure(self, phase: str) -> float:
        """The figure of a phase, in GiB/s or kop/s."""
        return self.gib_per_s[phase] if phase in self.gib_per_s else self.kop_per_s[phase]

    def class_of(self, phase: str) -> tuple[str | None, str | None]:
        """The classes of files and directories in a phase; `find` searches all files."""
        name = "mdtest_easy" if phase == "find" else "_".join(phase.split("_")[:2])
        return self.classes[name]


class Published(_Part):
    """The whole file."""

    systems: Mapping[str, System]
    runs: tuple[Run, ...]
    claims: tuple[Run, ...] = Field(description="that contradict their own hardware")

    def known(self) -> tuple[Run, ...]:
        """The runs of systems whose hardware is published."""
        return tuple(run for run in self.runs if self.systems[run.system].is_known)

    def rating(self, phase: str, runs: Sequence[Run]) -> tuple[Run, ...]:
        """Those of some runs from which the floor of a phase is derived.

        That of a bandwidth is not where its bound is a guess: engines or SSDs are not published.
        """
        if not phase.startswith("ior"):
            return tuple(runs)
        return tuple(run for run in runs if self.systems[run.system].has_bound)


@cache
def published() -> Published:
    """The published systems and figures."""
    return Published.model_validate(yaml.safe_load(FILE.read_text("utf-8")))


def cluster_of(run: Run, phase: str) -> Cluster:
    """The planned cluster of a run, with the object classes of a phase.

    Raises:
        ValueError: this product refuses the description.
    """
    return _with_classes(run, *run.class_of(phase))


@cache
def _with_classes(run: Run, files: str | None, directories: str | None) -> Cluster:
    cluster = _cluster(run)
    assert cluster.daos
    daos = cluster.daos.model_copy(update={"file_oclass": files, "dir_oclass": directories})
    return cluster.model_copy(update={"daos": daos})


@cache
def _cluster(run: Run) -> Cluster:
    cluster, problems = examine(description(run))
    if cluster is None:
        reasons = [str(problem) for problem in problems if problem.severity == "error"]
        raise ValueError(f"{run.run}: {'; '.join(reasons[:3])}")
    return cluster


def requirement(cluster: Cluster, phase: str) -> Requirement:
    """The requirement of a phase on all clients together, by DFS."""
    check = CHECKS["Io500"] if phase != "find" else CHECKS["Io500Program"]
    metric = next(each for each in check.metrics if each.name == phase)
    assert any(backend.name == "dfs" for backend in ior_backends(cluster))
    return Requirement(
        check.name, check.layer, "clients", metric, Subject("clients", backend="dfs")
    )


_HELPERS = 4
_GIB_PER_ENGINE = 512
"""Of memory, where it is not described: enough for every layout."""


def description(run: Run) -> dict[str, Any]:
    """A run as a cluster.json: hosts of two kinds, with what is published of them."""
    system = published().systems[run.system]
    assert system.engines_per_server
    assert run.servers
    targets = run.targets_per_engine or system.targets_per_engine or 16
    servers = [f"s{number + 1}" for number in range(run.servers)]
    clients = [f"c{number + 1}" for number in range(run.clients)]
    addresses = (f"10.{n // 62500}.{n // 250 % 250}.{n % 250 + 1}" for n in range(2000))
    server = _server(system, targets)
    client = _client(system, run)
    hosts = {name: server | {"address": next(addresses)} for name in servers}
    hosts |= {name: client | {"address": next(addresses)} for name in (*clients, "login")}
    oldest = releases.names()[0]
    release = next((name for name in releases.names() if (run.daos or "").startswith(name)), oldest)
    return {
        "name": "published",
        "controller": "login",
        "clients": clients,
        "servers": servers,
        "provider": run.provider or system.provider,
        "benchmarks": {
            "ior": "/opt/bin/ior",
            "mdtest": "/opt/bin/mdtest",
            "io500": "/opt/bin/io500",
            "ior_apis": ["DFS"],
        },
        "daos": {
            "name": "daos_server",
            "version": release,
            "mgmt_svc_replicas": ["s1"],
            "servers": servers,
            "agents": ["login", *clients],
            "admin": "login",
            "pool": "tank",
            "container": "posix",
        },
        "hosts": hosts,
    }


def _host(cores: int, ports: int, gbits: float | None) -> dict[str, Any]:
    """A host with ports, which are spread over two NUMA nodes."""
    return {
        "cores": cores,
        "memory": {"total_mib": 4 * _GIB_PER_ENGINE * 1024},
        "numa_nodes": 2,
        "interface": "port0",
        "interfaces": {
            f"port{number}": {
                "numa_node": number * 2 // ports,
                "network": f"10.{100 + number}.0.0/16",
                "speed_gbits": gbits,
            }
            for number in range(ports)
        },
        "scratch": {"directory": "/scratch", "filesystem": "xfs", "device": "/dev/sda1"},
        "iommu": True,
    }


def _client(system: System, run: Run) -> dict[str, Any]:
    ports = system.client_ports or 1
    host = _host(run.processes_per_client, ports, system.port_gbits)
    every = list(host["interfaces"])
    return host | {"agent": {"include_fabric_ifaces": every}}


def _server(system: System, targets: int) -> dict[str, Any]:
    count = system.engines_per_server
    assert count
    assert system.ssds_per_engine
    buses = iter(range(16, 250))
    ssds = [
        [f"0000:{next(buses):02x}:00.0" for _ in range(system.ssds_per_engine)]
        for _ in range(count)
    ]
    host = _host(2 * (targets + _HELPERS + 2), count, system.port_gbits)
    is_pmem = system.layout == "pmem"
    control = {} if is_pmem else {"control_metadata": {"path": "/var/daos/config"}}
    return host | {
        "nvme": {
            address: {"numa_node": node, "lba_bytes": 4096}
            for node, addresses in enumerate(ssds)
            for address in addresses
        },
        "block_devices": [*(f"/dev/pmem{node}" for node in range(count)), "/dev/sda"],
        "server": {"system_ram_reserved": 26, **control},
        "engines": [
            {
                "targets": targets,
                "nr_xs_helpers": _HELPERS,
                "pinned_numa_node": node,
                "fabric_iface": f"port{node}",
                "fabric_iface_port": 31316 + 1000 * node,
                "storage": _tiers(node, addresses, is_pmem=is_pmem),
            }
            for node, addresses in enumerate(ssds)
        ],
        "datasheets": {
            "ssd": system.ssd,
            "pmem": system.pmem,
            "pmem_modules": system.pmem_modules_per_engine or 8,
            "memory": system.memory,
        },
    }


def _tiers(node: int, ssds: list[str], *, is_pmem: bool) -> list[dict[str, Any]]:
    if is_pmem:
        scm: dict[str, Any] = {"class": "dcpm", "scm_mount": f"/mnt/pmem{node}"}
        return [scm | {"scm_list": [f"/dev/pmem{node}"]}, {"class": "nvme", "bdev_list": ssds}]
    roles = ["wal", "meta", "data"]
    return [
        {"class": "ram", "scm_mount": f"/mnt/dram{node}", "scm_size": 200},
        {"class": "nvme", "bdev_list": ssds, "bdev_roles": roles},
    ]
