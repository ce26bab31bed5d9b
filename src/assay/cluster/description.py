"""The cluster: its description in the inventory, and the facts of its hosts.

Ansible writes both into ``cluster.json``. Everything downstream (ReFrame's partitions, the plan,
the expectations, the report) reads only that file, through `assay.preflight`, as these models.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, IPvAnyAddress

from assay.cluster.daos import Agent, Described, Engine, Server, System
from assay.cluster.fingerprint import Fingerprint
from assay.cluster.hardware import Hardware, shipped
from assay.cluster.setup import Setup
from assay.cluster.slurm import Slurm
from assay.cluster.software import Package
from assay.cluster.storage import BackingFile, Block, Directory, SharedDirectory
from assay.subject import Subject

Partition = Literal["clients", "servers"]
PARTITIONS: tuple[Partition, ...] = ("clients", "servers")
"""The Slurm partitions; each has the name of the inventory group with its hosts."""


Api = Literal["POSIX", "DFS", "MPIIO", "HDF5"]
"""The interfaces of IOR, as its option `-a` names them."""


def _of_an_interface(address: object) -> object:
    """An address; the roles give the interface's name where a host has no address of it."""
    try:
        ip_address(str(address))
    except ValueError:
        raise ValueError(
            "should be an address, or cluster_interface an interface of this host that has one"
        ) from None
    return address


class Interface(Described):
    """A network interface of a host."""

    up: bool = True
    numa_node: int | None = Field(default=None, description="none for a virtual interface")
    address: str | None = Field(default=None, description="its IPv4 address")
    has_address: bool | None = Field(default=None, description="of any kind; none: not known")
    rdma: bool | None = Field(default=None, description="it has an RDMA device; none: not known")
    rdma_device: str | None = Field(default=None, description="its name: mlx5_0, hfi1_0")
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
    """A host's memory, and the page sizes of its kernel."""

    total_mib: int = Field(ge=1)
    hugepage_kib: int = Field(default=2048, ge=1)
    transparent_hugepages: Literal["always", "madvise", "never"] = "never"


class Scratch(Described):
    """The directory of a host in which the disk checks write their files."""

    directory: Path
    filesystem: str = Field(description="its type, such as ext4")
    device: str = Field(description="what is mounted there; names the disk in comparisons")
    ssd: str | None = Field(default=None, description="a name in hardware.yml")


class Writable(Described):
    """A program, or a directory on a path, that other users than root may change."""

    path: Path
    owner: str
    mode: str = Field(description="in octal, such as 0775")


class Datasheets(Described):
    """The datasheets of a host's devices, by name in hardware.yml; null: nothing to judge by."""

    ssd: str | None = Field(default=None, description="of each SSD in its engines' tiers")
    pmem: str | None = Field(default=None, description="of each PMem module")
    pmem_modules: int = Field(default=8, ge=1, description="modules of each engine's SCM")
    memory: str | None = Field(default=None, description="each channel of DRAM, such as DDR4-3200")
    memory_channels: int = Field(default=8, ge=1, description="of each NUMA node")
    fabric: str | None = Field(default=None, description="each port, where no speed is reported")


MOMENTARY = frozenset(
    {"blocks", "directories", "backing_files", "superblocks", "setup", "fingerprint", "shared"}
)
"""Keys of a host that describe its current state: storage, mounts, settings. Roles leave them out
of cluster.json."""


class Host(Described):
    """One host: its hardware, its settings and its engines."""

    address: Annotated[IPvAnyAddress, BeforeValidator(_of_an_interface)]
    names: tuple[str, ...] = Field(default=(), description="the host's own names for itself")
    cores: int = Field(ge=1, description="physical cores")
    memory: Memory
    numa_nodes: int = Field(ge=1)
    interface: str = Field(description="the interface that carries the checks' traffic")
    interfaces: Mapping[str, Interface]
    nvme: Mapping[str, PciDevice] = Field(default={}, description="SSDs by PCI address")
    vmd: Mapping[str, PciDevice] = Field(default={}, description="VMD controllers by PCI address")
    block_devices: tuple[str, ...] = Field(default=(), description="/dev/pmem0, /dev/sdb ...")
    blocks: Mapping[str, Block] = Field(default={}, description="their content, by path")
    links: Mapping[str, str] = Field(
        default={}, description="devices and files that the inventory names, with links resolved"
    )
    directories: Mapping[str, Directory] = Field(
        default={}, description="directories that the inventory gives to DAOS"
    )
    backing_files: Mapping[str, BackingFile] = Field(
        default={}, description="existing files of emulated SSDs"
    )
    superblocks: Mapping[str, str] = Field(
        default={}, description="of formatted engines, by path: the name of their system"
    )
    iommu: bool = False
    shared: SharedDirectory | None = Field(
        default=None, description="the directory in which campaigns are kept"
    )
    setup: Setup = Field(default=Setup(), description="the host's current setup")
    fingerprint: Fingerprint = Field(
        default=Fingerprint(), description="its current firmware, parts and tuning"
    )
    scratch: Scratch | None = None
    writable: tuple[Writable, ...] = Field(
        default=(), description="programs that measure and that others can change; must be empty"
    )
    replaceable: tuple[Writable, ...] = Field(
        default=(),
        description="parents, which others can change, of directories that root gives away; must"
        " be empty",
    )
    server: Server = Server()
    engines: tuple[Engine, ...] = ()
    agent: Agent = Agent()
    datasheets: Datasheets = Datasheets()

    @property
    def engine_devices(self) -> tuple[str, ...]:
        """The block devices of its engines, each once: addresses of SSDs, paths of others."""
        listed = (tier.devices for engine in self.engines for tier in engine.bdev_tiers)
        return tuple(dict.fromkeys(device for devices in listed for device in devices))

    def vmd_of(self, address: str) -> str | None:
        """The VMD controller at an address, or behind which the address is, if the host has it."""
        controller = controller_of(address) or address
        return controller if controller in self.vmd else None


def controller_of(address: str) -> str | None:
    """The VMD controller in front of an SSD: for 5d0505:01:00.0 it is 0000:5d:05.5."""
    if _BEHIND_VMD.match(address) is None:
        return None
    bus, device, function = address[:2], address[2:4], int(address[4:6], 16)
    return f"0000:{bus}:{device}.{function:x}"


_BEHIND_VMD = re.compile(r"[0-9a-f]{6}:", re.IGNORECASE)
"""A domain of six digits: bus, device and function of a VMD controller, two digits each."""


class Benchmarks(Described):
    """The paths of the benchmark programs; checks of an absent program are not required."""

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
        description="every pair of engines, and of clients and engines, and every client by"
        " daos_perf, however many there are",
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
"""An option of ssh in the form of ssh_config(5), ``Port=2222``. Options that run commands are not
allowed, since the description may come from others."""


class Commitment(Described):
    """A figure that somebody has committed to: a minimum, or for a time a maximum."""

    metric: str = Field(description="CHECK.METRIC, of all its subjects, or CHECK.METRIC on SUBJECT")
    figure: str = Field(description="with its unit: 20 GiB/s")
    clause: str = Field(min_length=1, description="where it is written: contract, clause")


class Groups(Described):
    """The purpose of each host."""

    controller: str
    clients: tuple[str, ...] = Field(min_length=1)
    servers: tuple[str, ...] = ()
    colocated: bool = Field(
        default=False, description="hosts may be clients and servers at once; for trials only"
    )


class Site(Groups):
    """The settings of the whole cluster."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    servers_scheduler: Literal["slurm", "ssh"] = Field(
        default="slurm", description="ssh where the servers are not Slurm nodes"
    )
    ssh_options: tuple[SshOption, ...] = Field(
        default=(), description="for the servers reached by ssh: UserKnownHostsFile=/etc/known"
    )
    slurm: Slurm | None = Field(
        default=None, description="the site's own; none: the one that the roles deploy"
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

    populations: Mapping[str, tuple[str, ...]] = Field(
        default={},
        description="hosts or positions that are judged by themselves: older: [n1, n2]; far:"
        " [engine1]",
    )

    @cached_property
    def jobs(self) -> Slurm:
        """How jobs enter Slurm; the partitions that the roles make are named after the groups."""
        return self.slurm or Slurm(partitions={name: name for name in PARTITIONS})

    @cached_property
    def sheets(self) -> Hardware:
        """The datasheets; the site's own take precedence over those of `hardware.yml`."""
        return shipped().and_also(self.hardware)


OTHERS = ""
"""The population of what no declared one has."""


class Cluster(Site):
    """The whole description; its keys and values are valid one by one."""

    hosts: Mapping[str, Host]

    def members(self, partition: Partition) -> tuple[str, ...]:
        """The hosts of a partition, in the order of the inventory."""
        return self.clients if partition == "clients" else self.servers

    def population(self, subject: Subject) -> frozenset[str]:
        """The populations of a subject: of its host, its engine, and both ends of a pair.

        What is of no declared one is of `OTHERS`, and so is such an end of a pair; empty if nothing
        is declared.
        """
        if not self.populations:
            return frozenset()
        ends = (subject,) if subject.peer is None else subject.ends
        return frozenset[str]().union(*(self._declared(end) or {OTHERS} for end in ends))

    def _declared(self, end: Subject) -> frozenset[str]:
        """The declared populations of a host or an engine."""
        places = {end.host} if end.engine is None else {end.host, f"engine{end.engine}"}
        return frozenset(
            name for name, members in self.populations.items() if not places.isdisjoint(members)
        )

    def engine(self, subject: Subject) -> Engine:
        """The engine of a subject."""
        assert subject.engine is not None
        return self.hosts[subject.host].engines[subject.engine]
