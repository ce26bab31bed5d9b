"""The cluster as the inventory describes it and as its hosts were found.

Ansible renders both into ``cluster.json``; everything downstream (ReFrame's partitions, the plan,
the expectations, the report) reads that one file, through `assay.preflight`, as these models.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, IPvAnyAddress

from assay.cluster.daos import Agent, Described, Engine, Server, System
from assay.cluster.fingerprint import Fingerprint
from assay.cluster.hardware import Hardware, shipped
from assay.cluster.setup import Setup
from assay.cluster.software import Package
from assay.cluster.storage import BackingFile, Block, Directory, SharedDirectory
from assay.subject import Subject

Partition = Literal["clients", "servers"]
PARTITIONS: tuple[Partition, ...] = ("clients", "servers")
"""The Slurm partitions, which are also the groups of the inventory that fill them."""


Api = Literal["POSIX", "DFS", "MPIIO", "HDF5"]
"""The interfaces of IOR, as its option `-a` names them."""


class Interface(Described):
    """A network interface of a host."""

    up: bool = True
    numa_node: int | None = Field(default=None, description="none for a virtual interface")
    address: str | None = Field(default=None, description="its IPv4 address")
    has_address: bool | None = Field(default=None, description="of any kind; none: not known")
    rdma: bool | None = Field(default=None, description="it has an RDMA device; none: not known")
    mtu: int | None = Field(default=None, ge=1, description="bytes")
    network: str | None = Field(default=None, description="of its IPv4 address: 192.0.2.0/24")
    speed_gbits: float | None = Field(
        default=None,
        gt=0,
        allow_inf_nan=False,
        description="Gbit/s of the physical link; none for a virtual interface",
    )


class PciDevice(Described):
    """An NVMe SSD or a VMD controller, by its PCI address in `Host`."""

    numa_node: int | None = None
    model: str | None = Field(default=None, description="as the device names itself")
    lba_bytes: int | None = Field(default=None, description="of the format in use; 4096 is wanted")
    namespaces: tuple[str, ...] = Field(
        default=(), description="/dev/nvme0n1 ..., while the kernel drives it"
    )


class Memory(Described):
    """A host's memory, and how its kernel hands it out."""

    total_mib: int = Field(ge=1)
    hugepage_kib: int = Field(default=2048, ge=1)
    transparent_hugepages: Literal["always", "madvise", "never"] = "never"


class Scratch(Described):
    """The directory of a host on which the checks of a disk write their files."""

    directory: Path
    filesystem: str = Field(description="its type, such as ext4")
    device: str = Field(description="what is mounted there; names the disk in comparisons")
    ssd: str | None = Field(default=None, description="a name in hardware.yml")


class Writable(Described):
    """A program, or a directory on a path, that others than root may change."""

    path: Path
    owner: str
    mode: str = Field(description="in octal, such as 0775")


class Datasheets(Described):
    """What a host's devices promise, by their names in hardware.yml; none: nothing to judge by."""

    ssd: str | None = Field(default=None, description="of each SSD in its engines' tiers")
    pmem: str | None = Field(default=None, description="of each PMem module")
    pmem_modules: int = Field(default=8, ge=1, description="that an engine's SCM is made of")
    memory: str | None = Field(default=None, description="each channel of DRAM, such as DDR4-3200")
    memory_channels: int = Field(default=8, ge=1, description="of each NUMA node")
    fabric: str | None = Field(default=None, description="each port, where no speed is reported")


class Host(Described):
    """One host: what it has, and the engines that run on it."""

    address: IPvAnyAddress
    names: tuple[str, ...] = Field(default=(), description="that the host has for itself")
    cores: int = Field(ge=1, description="physical cores")
    memory: Memory
    numa_nodes: int = Field(ge=1)
    interface: str = Field(description="the interface that carries the checks' traffic")
    interfaces: Mapping[str, Interface]
    nvme: Mapping[str, PciDevice] = Field(default={}, description="SSDs by PCI address")
    vmd: Mapping[str, PciDevice] = Field(default={}, description="VMD controllers, likewise")
    block_devices: tuple[str, ...] = Field(default=(), description="/dev/pmem0, /dev/sdb ...")
    blocks: Mapping[str, Block] = Field(default={}, description="what is on them, by path")
    links: Mapping[str, str] = Field(
        default={}, description="devices and files that the inventory names, and where links lead"
    )
    directories: Mapping[str, Directory] = Field(
        default={}, description="those that the inventory gives to DAOS"
    )
    backing_files: Mapping[str, BackingFile] = Field(
        default={}, description="of emulated SSDs, those that exist"
    )
    superblocks: Mapping[str, str] = Field(
        default={}, description="of formatted engines: the name of the system, by path"
    )
    iommu: bool = False
    shared: SharedDirectory | None = Field(
        default=None, description="where campaigns are kept, likewise"
    )
    setup: Setup = Field(default=Setup(), description="of the kernel, at the moment")
    fingerprint: Fingerprint = Field(
        default=Fingerprint(), description="firmware, parts and tuning, likewise"
    )
    scratch: Scratch | None = None
    writable: tuple[Writable, ...] = Field(
        default=(), description="of the programs that measure; there should be none"
    )
    replaceable: tuple[Writable, ...] = Field(
        default=(), description="of the parents of directories that root gives away; likewise"
    )
    server: Server = Server()
    engines: tuple[Engine, ...] = ()
    agent: Agent = Agent()
    datasheets: Datasheets = Datasheets()

    def vmd_of(self, address: str) -> str | None:
        """The VMD controller that an address is, or is behind, if the host has that controller."""
        controller = controller_of(address) or address
        return controller if controller in self.vmd else None


def controller_of(address: str) -> str | None:
    """The VMD controller behind which DAOS sees an SSD: of 5d0505:01:00.0, 0000:5d:05.5."""
    if _BEHIND_VMD.match(address) is None:
        return None
    bus, device, function = address[:2], address[2:4], int(address[4:6], 16)
    return f"0000:{bus}:{device}.{function:x}"


_BEHIND_VMD = re.compile(r"[0-9a-f]{6}:", re.IGNORECASE)
"""A domain of six digits: bus, device and function of a VMD controller, two digits each."""


class Benchmarks(Described):
    """Where the benchmark programs are; one that is absent is not required."""

    fio: Path | None = None
    fi_pingpong: Path | None = None
    fdb_hammer: Path | None = None
    ior: Path | None = None
    mdtest: Path | None = None
    io500: Path | None = None
    ior_apis: tuple[Api, ...] = Field(
        default=(),
        description="what IOR and mdtest have beyond POSIX; MPIIO: by an MPI that knows daos://",
    )
    fio_dfs: Path | None = Field(default=None, description="a fio with the dfs engine")
    fdb_share: Path | None = Field(default=None, description="the schema and the field for FDB")
    fdb_hammer_daos: Path | None = Field(
        default=None, description="an fdb-hammer whose FDB has the backend for DAOS"
    )
    fdb_containers: tuple[Annotated[int, Field(ge=1, le=999)], ...] = Field(
        default=(1, 10), description="that it writes to, one measurement each"
    )
    every_pair: bool = Field(
        default=False,
        description="every pair of engines, and of clients and engines, however many there are",
    )
    shared_directory: Path | None = Field(
        default=None, description="a POSIX directory that all clients share, for IOR and mdtest"
    )


SshOption = Annotated[
    str,
    Field(
        pattern=r"^(Compression|ConnectTimeout|GlobalKnownHostsFile|HostKeyAlias|IdentitiesOnly"
        r"|IdentityFile|Port|StrictHostKeyChecking|User|UserKnownHostsFile)=[^\x00-\x1f\x7f]+$"
    ),
]
"""An option of ssh as ssh_config(5) has it, ``Port=2222``: none that runs a command here, since a
description may come from somebody else."""


class Commitment(Described):
    """A figure that somebody has committed to: the least, or of a time the most."""

    metric: str = Field(description="CHECK.METRIC, of all its subjects, or CHECK.METRIC on SUBJECT")
    figure: str = Field(description="with its unit: 20 GiB/s")
    clause: str = Field(min_length=1, description="where it is written: contract, clause")


class Groups(Described):
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
    servers_scheduler: Literal["slurm", "ssh"] = Field(
        default="slurm", description="ssh where the servers are not Slurm nodes"
    )
    ssh_options: tuple[SshOption, ...] = Field(
        default=(), description="for the servers reached by ssh: UserKnownHostsFile=/etc/known"
    )
    provider: str = Field(default="ofi+tcp", pattern=r"^(ofi\+|ucx\+).+")
    daos: System | None = Field(default=None, description="none where DAOS is not deployed")
    benchmarks: Benchmarks
    versions: Mapping[str, str] = Field(default={}, description="of the programs, for the record")
    built: Mapping[str, tuple[Package, ...]] = Field(
        default={}, description="from source, by kind of host: what the lock of Spack names"
    )
    hardware: Hardware = Field(
        default=Hardware(), description="the site's own sheets, beside those of hardware.yml"
    )
    floors: Mapping[str, Annotated[float, Field(gt=0, le=1)]] = Field(
        default={},
        description="the site's own floors as a fraction of the bound: SsdFio.read_1m: 0.9",
    )
    commitments: tuple[Commitment, ...] = Field(
        default=(), description="what the contract of the site requires, before any other floor"
    )

    @cached_property
    def sheets(self) -> Hardware:
        """What devices promise: the site's own word counts before that of `hardware.yml`."""
        return shipped().and_also(self.hardware)


class Cluster(Site):
    """The whole description, valid in itself."""

    hosts: Mapping[str, Host]

    def members(self, partition: Partition) -> tuple[str, ...]:
        """The hosts of a partition, in the order of the inventory."""
        return self.clients if partition == "clients" else self.servers

    def engine(self, subject: Subject) -> Engine:
        """The engine that a subject is."""
        assert subject.engine is not None
        return self.hosts[subject.host].engines[subject.engine]
