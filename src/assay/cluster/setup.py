"""How a host is set up: the choices of its kernel, its firmware and its administrator.

`assay.tools.host.host_setup` reads them on the hosts. What is unknown is None, and is not judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from assay.cluster.daos import Described


class Clock(Described):
    """The kernel's clock."""

    synchronized: bool = Field(description="a time service disciplines it")
    error_s: float = Field(ge=0, description="maximum error in s, according to that service")


class SessionLimits(Described):
    """Hard limits of a session of root; null: unlimited."""

    memlock_bytes: int | None = None
    nofile: int | None = None
    capable: bool = Field(default=False, description="root may raise them (CAP_SYS_RESOURCE)")


class Node(Described):
    """A NUMA node: its memory and its huge pages."""

    total_mib: int = Field(ge=0)
    hugepages: int = Field(default=0, ge=0)
    hugepages_free: int = Field(default=0, ge=0)


class Pmem(Described):
    """A block device of persistent memory."""

    mode: Literal["fsdax", "sector", "raw"]
    numa_node: int | None = None


class Region(Described):
    """A region of persistent memory: the modules of one interleave set."""

    size_bytes: int = Field(ge=0)
    available_bytes: int = Field(default=0, ge=0, description="used by no namespace")
    modules: int = Field(default=0, ge=0)
    numa_node: int | None = None


class PcieLink(Described):
    """A PCIe link."""

    gts: float = Field(gt=0, description="GT/s of each lane: 16 is PCIe 4.0")
    lanes: int = Field(ge=1)

    def __str__(self) -> str:
        return f"{self.gts:g} GT/s x{self.lanes}"


class Slot(Described):
    """A card: its current link, and the maximum links of the card and of its slot."""

    now: PcieLink
    card: PcieLink
    slot: PcieLink | None = None


class Arp(Described):
    """How an interface answers for addresses; the stricter of its own and the host's sysctls."""

    accept_local: int = Field(ge=0)
    arp_ignore: int = Field(ge=0)
    rp_filter: int = Field(ge=0)

    @property
    def wrong(self) -> str:
        """The sysctls with which rails in one subnet answer for one another; empty if none."""
        values = {
            "accept_local": self.accept_local == 0,
            "arp_ignore": self.arp_ignore == 0,
            "rp_filter": self.rp_filter == 1,
        }
        return ", ".join(f"{key}={getattr(self, key)}" for key, bad in values.items() if bad)


class FailedConnection(Described):
    """A service of another host that this host does not reach."""

    to: str
    service: str
    ports: tuple[int, ...]
    why: str


class Connections(Described):
    """Whether a host reaches the services of others that it needs."""

    untried: str | None = Field(default=None, description="why none was tried")
    failed: tuple[FailedConnection, ...] = ()


class Setup(Described):
    """The current setup of a host; cluster.json does not keep it, since a deployment changes it."""

    boot: str | None = Field(default=None, description="of the kernel; containers share one")
    clock: Clock | None = None
    time_service: str | None = Field(default=None, description="the process that keeps the time")
    misnamed: Mapping[str, tuple[str, ...]] = Field(
        default={}, description="servers' names that lead elsewhere, and the addresses found"
    )
    governors: tuple[str, ...] = Field(default=(), description="of the CPUs")
    numa_balancing: int | None = Field(default=None, ge=0, description="0: off")
    selinux: Literal["enforcing", "permissive"] | None = None
    apparmor: tuple[str, ...] = Field(default=(), description="profiles enforced on DAOS")
    limits: SessionLimits = SessionLimits()
    nosuid: bool = Field(default=False, description="programs of DAOS cannot be setuid")
    read_only: bool = Field(default=False, description="nor be made so, and the helper is not")
    needs_helper: bool = Field(default=False, description="daos_server does not run as root")
    connections: Connections | None = Field(default=None, description="null: not to be tried")
    nodes: Mapping[int, Node] = {}
    arp: Mapping[str, Arp] = Field(default={}, description="of physical interfaces")
    platform: str | None = Field(default=None, description="el8 ..., on Enterprise Linux")
    na_plugins: tuple[str, ...] | None = Field(
        default=None, description="of Mercury: ofi, ucx; null: no Mercury is installed"
    )
    agent_version: str | None = Field(default=None, description="of the daos_agent on the PATH")
    mpich: str | None = Field(default=None, description="the distribution's: 4.0.2 ch4:ucx")
    resolved: Mapping[str, tuple[str, ...]] = Field(
        default={}, description="other names of servers, and the addresses found"
    )
    pmem: Mapping[str, Pmem] = Field(default={}, description="by path: /dev/pmem0")
    regions: Mapping[str, Region] = {}
    pcie: Mapping[str, Slot] = Field(default={}, description="SSDs and NICs by PCI address")
    deploys: tuple[Literal["governor", "numa_balancing", "time"], ...] = Field(
        default=(), description="what the roles set up here"
    )
