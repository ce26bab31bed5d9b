"""The cluster as the inventory describes it.

Ansible renders the inventory into ``cluster.json``; everything downstream (ReFrame's partitions,
the plan, the expectations, the report) reads that one file through this module. DAOS's own words
are kept for DAOS's own things.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, IPvAnyAddress, ValidationError

from assay.findings import Finding, from_pydantic
from assay.hardware import ssds

_AnyModel = TypeVar("_AnyModel", bound=BaseModel)

Partition = Literal["clients", "servers"]
PARTITIONS: tuple[Partition, ...] = ("clients", "servers")
"""The Slurm partitions, which are also the groups of the inventory that fill them."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class Tier(_Model):
    """One storage tier of an engine, as in `daos_server.yml`."""

    class_: Literal["ram", "dcpm", "nvme", "file", "kdev"] = Field(alias="class")
    scm_mount: Path | None = None
    scm_size: int | None = Field(default=None, ge=1, description="GiB")
    scm_list: tuple[str, ...] = ()
    bdev_list: tuple[str, ...] = ()
    bdev_roles: tuple[Literal["wal", "meta", "data"], ...] = ()
    bdev_size: int | None = Field(default=None, ge=1, description="GiB, of an emulated device")


class Engine(_Model):
    """One engine of a server, as in `daos_server.yml`."""

    targets: int = Field(ge=1)
    nr_xs_helpers: int = Field(ge=0)
    fabric_iface: str
    fabric_iface_port: int = Field(default=31416, ge=1, le=65535)
    pinned_numa_node: int | None = Field(default=None, ge=0)
    storage: tuple[Tier, ...] = Field(min_length=1)

    @property
    def ram_tier(self) -> Tier | None:
        """The tier that the engine keeps in a tmpfs, if it has one."""
        return next((tier for tier in self.storage if tier.class_ == "ram"), None)


class Interface(_Model):
    """A network interface of a host."""

    numa_node: int | None = None
    speed_gbits: float | None = Field(
        default=None, gt=0, description="Gbit/s of the physical link; none for a virtual interface"
    )


class Scratch(_Model):
    """The directory of a host on which the checks of a disk write their files."""

    directory: Path
    filesystem: str = Field(description="its type, such as ext4")
    device: str = Field(description="what is mounted there; names the disk in comparisons")
    ssd: str | None = Field(default=None, description="a name in hardware.yml")


class Host(_Model):
    """One host: what it has, and the engines that run on it."""

    address: IPvAnyAddress
    cores: int = Field(ge=1, description="physical cores")
    memory_mib: int = Field(ge=1)
    numa_nodes: int = Field(ge=1)
    interface: str = Field(description="the interface that carries the checks' traffic")
    interfaces: Mapping[str, Interface]
    scratch: Scratch | None = None
    engines: tuple[Engine, ...] = ()


class Benchmarks(_Model):
    """Where the benchmark programs are; one that is absent is not owed."""

    fio: Path | None = None
    fi_pingpong: Path | None = None
    fdb_hammer: Path | None = None
    ior: Path | None = None
    mdtest: Path | None = None
    fdb_share: Path | None = Field(default=None, description="the schema and the field for FDB")
    shared_directory: Path | None = Field(
        default=None, description="a POSIX directory that all clients share, for IOR and mdtest"
    )


class Groups(_Model):
    """What each host is for."""

    controller: str
    clients: tuple[str, ...] = Field(min_length=1)
    servers: tuple[str, ...] = Field(min_length=1)
    colocated: bool = Field(
        default=False, description="hosts may be clients and servers at once; for trials only"
    )


class Site(Groups):
    """What is said once for the whole cluster."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    provider: str = Field(default="ofi+tcp", pattern=r"^(ofi\+|ucx\+).+")
    benchmarks: Benchmarks
    versions: Mapping[str, str] = Field(default={}, description="of the programs, for the record")


class Cluster(Site):
    """The whole description, valid in itself."""

    hosts: Mapping[str, Host]

    def members(self, partition: Partition) -> tuple[str, ...]:
        """The hosts of a partition, in the order of the inventory."""
        return self.clients if partition == "clients" else self.servers


class ClusterError(ValueError):
    """A description that cannot be used, with everything that is wrong with it."""

    def __init__(self, source: str, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(f"{source}: {finding}" for finding in self.findings))


def load(path: Path) -> Cluster:
    """Read and validate a ``cluster.json``.

    Raises:
        ClusterError: naming every host, key and value that is wrong, and what is allowed.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ClusterError(
            str(path), [Finding(None, "", None, f"cannot be read: {error.strerror}")]
        ) from error
    except ValueError as error:
        raise ClusterError(str(path), [Finding(None, "", None, f"is not JSON: {error}")]) from error
    cluster, findings = examine(document)
    if cluster is None:
        raise ClusterError(str(path), findings)
    return cluster


def examine(document: Any) -> tuple[Cluster | None, list[Finding]]:
    """Validate a description and say everything that is wrong with it.

    Each host is validated by itself, so that one bad host hides neither what is wrong with the
    others nor what is wrong between them.

    Returns:
        The cluster, or None, and the findings; a cluster comes with no findings.
    """
    if not isinstance(document, dict):
        return None, [Finding(None, "", type(document).__name__, "must be a JSON object")]
    findings: list[Finding] = []
    site = _validated(Site, {k: v for k, v in document.items() if k != "hosts"}, None, findings)
    described = document.get("hosts")
    if not isinstance(described, dict) or not described:
        findings.append(Finding(None, "hosts", described, "must be an object: name to host"))
        described = {}
    hosts: dict[str, Host] = {}
    for name, text in described.items():
        host = _validated(Host, text, name, findings)
        if host is not None:
            hosts[name] = host
            findings.extend(_host_rules(name, host))
    groups = {key: document[key] for key in Groups.model_fields if key in document}
    with contextlib.suppress(ValidationError):
        findings.extend(_group_rules(Groups.model_validate(groups), described))
    if site is not None:
        findings.extend(_benchmark_rules(site, hosts))
    if findings or site is None:
        return None, findings
    return Cluster(**dict(site), hosts=hosts), []


def _validated(
    model: type[_AnyModel], text: Any, host: str | None, findings: list[Finding]
) -> _AnyModel | None:
    """Validate a part of the description. Unknown keys apart, what is left of it is of use."""
    try:
        return model.model_validate(text)
    except ValidationError as error:
        findings.extend(from_pydantic(error, model, host))
        unknown = [e["loc"] for e in error.errors() if e["type"] == "extra_forbidden"]
        if len(unknown) < error.error_count():
            return None
        return model.model_validate(_without(text, unknown))


def _without(text: Any, unknown: Iterable[tuple[int | str, ...]]) -> Any:
    rest = copy.deepcopy(text)
    for *parents, last in unknown:
        del functools.reduce(lambda part, key: part[key], parents, rest)[last]
    return rest


def _group_rules(site: Groups, described: Mapping[str, Any]) -> Iterator[Finding]:
    groups = {
        "controller": (site.controller,),
        "clients": site.clients,
        "servers": site.servers,
    }
    for group, members in groups.items():
        for name in members:
            if name not in described:
                known = ", ".join(sorted(described)) or "none"
                yield Finding(name, group, name, f"is not among the hosts described: {known}")
        for name, times in Counter(members).items():
            if times > 1:
                yield Finding(name, group, f"{times} times", "each host once")
    if not site.colocated:
        for name in sorted(set(site.clients) & set(site.servers)):
            yield Finding(
                name,
                "clients, servers",
                "in both groups",
                "a client on a server disturbs what it measures: one of the two groups,"
                " or `assay_colocated: true` for a trial",
            )


def _host_rules(name: str, host: Host) -> Iterator[Finding]:
    known = ", ".join(sorted(host.interfaces)) or "none"
    if host.interface not in host.interfaces:
        yield Finding(name, "interface", host.interface, f"an interface of this host: {known}")
    if host.scratch is not None and host.scratch.ssd not in {None, *ssds()}:
        yield Finding(
            name, "scratch.ssd", host.scratch.ssd, f"a name in hardware.yml: {', '.join(ssds())}"
        )
    mounts = Counter(
        engine.ram_tier.scm_mount for engine in host.engines if engine.ram_tier is not None
    )
    for number, engine in enumerate(host.engines):
        where = f"engines[{number}]"
        if engine.fabric_iface not in host.interfaces:
            yield Finding(
                name,
                f"{where}.fabric_iface",
                engine.fabric_iface,
                f"an interface of this host: {known}",
            )
        tier = engine.ram_tier
        if tier is None:
            continue
        if tier.scm_mount is None or not tier.scm_mount.is_absolute():
            yield Finding(
                name, f"{where}.storage.scm_mount", tier.scm_mount, "the absolute path of a mount"
            )
        elif mounts[tier.scm_mount] > 1:
            yield Finding(
                name, f"{where}.storage.scm_mount", tier.scm_mount, "a mount of its own per engine"
            )
        if tier.scm_size is not None and tier.scm_size * 1024 >= host.memory_mib:
            yield Finding(
                name,
                f"{where}.storage.scm_size",
                f"{tier.scm_size} GiB",
                f"less than the host's memory of {host.memory_mib / 1024:.1f} GiB",
            )


def _benchmark_rules(site: Site, hosts: Mapping[str, Host]) -> Iterator[Finding]:
    wanted = [tool for tool in ("ior", "mdtest") if getattr(site.benchmarks, tool) is not None]
    if wanted and site.benchmarks.shared_directory is None:
        yield Finding(
            None,
            "benchmarks.shared_directory",
            None,
            f"a directory that all clients share: {' and '.join(wanted)} write there",
        )
    if site.benchmarks.fdb_hammer is not None and site.benchmarks.fdb_share is None:
        yield Finding(None, "benchmarks.fdb_share", None, "where FDB's schema and field are")
    for name, host in hosts.items():
        if host.scratch is None and name in {*site.clients, *site.servers}:
            yield Finding(name, "scratch", None, "a directory for the files of the checks")
