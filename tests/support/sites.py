"""Descriptions of sites with DAOS, to be made worse one key at a time."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

from pydantic import ValidationError

from assay.cluster.daos import System
from assay.cluster.description import Host, Site
from assay.preflight.examine import examine
from assay.preflight.rules.context import OfServer, OfSite, OfSystem
from assay.preflight.rules.engines.advice import advice_for_system, advice_rules
from assay.preflight.rules.site.advisories import advisory_rules
from assay.problems import Problem

_SSDS = [
    [f"0000:{bus}:00.0" for bus in ("65", "66", "67", "68")],
    [f"0000:{bus}:00.0" for bus in ("e3", "e4", "e5", "e6")],
]
_VMD = ["0000:64:00.5", "0000:e2:00.5"]

SERVER: dict[str, Any] = {
    "address": "192.0.2.1",
    "cores": 64,
    "memory": {"total_mib": 515000},
    "numa_nodes": 2,
    "interface": "ib0",
    "interfaces": {
        "ib0": {"numa_node": 0, "network": "192.0.2.0/24", "speed_gbits": 200.0},
        "ib1": {"numa_node": 1, "network": "198.51.100.0/24", "speed_gbits": 200.0},
    },
    "nvme": {
        address: {"numa_node": node, "lba_bytes": 4096}
        for node, addresses in enumerate(_SSDS)
        for address in addresses
    },
    "vmd": {address: {"numa_node": node} for node, address in enumerate(_VMD)},
    "block_devices": ["/dev/pmem0", "/dev/pmem1", "/dev/sda", "/dev/sdb"],
    "iommu": True,
    "scratch": {"directory": "/scratch", "filesystem": "xfs", "device": "/dev/sda1"},
}
"""Two sockets with 32 cores, an interface, four SSDs and a VMD controller each."""


def _tiers(layout: str, node: int) -> list[dict[str, Any]]:
    ssds = _SSDS[node]
    ram = {"class": "ram", "scm_mount": f"/mnt/dram{node}", "scm_size": 156}
    pmem = {"class": "dcpm", "scm_mount": f"/mnt/pmem{node}", "scm_list": [f"/dev/pmem{node}"]}
    nvme = {"class": "nvme"}
    match layout:
        case "pmem":
            return [pmem, nvme | {"bdev_list": ssds}]
        case "ephemeral":
            return [ram, nvme | {"bdev_list": ssds}]
        case "md-on-ssd-shared":
            return [ram, nvme | {"bdev_list": ssds, "bdev_roles": ["wal", "meta", "data"]}]
        case "md-on-ssd-wal":
            return [
                ram,
                nvme | {"bdev_list": ssds[:1], "bdev_roles": ["wal"]},
                nvme | {"bdev_list": ssds[1:], "bdev_roles": ["meta", "data"]},
            ]
        case "md-on-ssd-wal-meta":
            return [
                ram,
                nvme | {"bdev_list": ssds[:1], "bdev_roles": ["wal", "meta"]},
                nvme | {"bdev_list": ssds[1:], "bdev_roles": ["data"]},
            ]
        case "vmd":
            behind = f"{_VMD[node][5:7]}0005:01:00.0"
            return [ram, nvme | {"bdev_list": [behind], "bdev_busid_range": "0x00-0x1f"}]
        case "file":
            file = {"class": "file", "bdev_list": [f"/var/daos/bdev{node}"], "bdev_size": 16}
            return [ram, file]
        case _:
            raise AssertionError(layout)


MD_ON_SSD = ("md-on-ssd-shared", "md-on-ssd-wal", "md-on-ssd-wal-meta")
LAYOUTS = ("pmem", "ephemeral", *MD_ON_SSD, "vmd", "file")


def site(
    layout: str = "ephemeral",
    *,
    servers: int = 1,
    engines: int = 1,
    clients: int = 1,
    rails: int = 1,
) -> dict[str, Any]:
    """A sound site: servers s1, s2 ... with one or two engines, and clients c1, c2 ...

    A client has one rail or two.
    """
    server = copy.deepcopy(SERVER)
    server["server"] = {"system_ram_reserved": 26}
    if layout in MD_ON_SSD:
        server["server"]["control_metadata"] = {"path": "/var/daos/config"}
    server["engines"] = [
        {
            "targets": 16,
            "nr_xs_helpers": 4,
            "pinned_numa_node": node,
            "fabric_iface": f"ib{node}",
            "fabric_iface_port": 31316 + 1000 * node,
            "storage": _tiers(layout, node),
        }
        for node in range(engines)
    ]
    names = {
        "clients": [f"c{number + 1}" for number in range(clients)],
        "servers": [f"s{number + 1}" for number in range(servers)],
    }
    hosts = {name: copy.deepcopy(server) for name in names["servers"]}
    for number, host in enumerate(hosts.values()):
        host["address"] = f"192.0.2.{number % 250 + 1}"
    hosts |= {name: copy.deepcopy(SERVER) for name in (*names["clients"], "login")}
    for number, name in enumerate((*names["clients"], "login")):
        hosts[name]["address"] = f"192.0.2.{(100 + number) % 250 + 1}"
        if rails == 1:
            del hosts[name]["interfaces"]["ib1"]
    return {
        "name": "proving-ground",
        "controller": "login",
        **names,
        "provider": "ofi+verbs;ofi_rxm",
        "benchmarks": {},
        "daos": {
            "name": "daos_server",
            "version": "2.8",
            "mgmt_svc_replicas": ["s1"],
            "servers": list(names["servers"]),
            "agents": ["login", *names["clients"]],
            "admin": "login",
        },
        "hosts": hosts,
    }


def put(document: dict[str, Any], changes: dict[str, object]) -> dict[str, Any]:
    """Change values by their paths: `s1: engines/0/targets`, or of the site `daos/version`."""
    for path, value in changes.items():
        name, _, inner = path.rpartition(": ")
        part: Any = document["hosts"][name] if name else document
        *parents, last = [int(key) if key.isdigit() else key for key in inner.split("/")]
        for key in parents:
            part = part.setdefault(key, {}) if isinstance(part, dict) else part[key]
        if value is GONE:
            del part[last]
        else:
            part[last] = value
    return document


GONE = object()
"""As a value of `put`: the key is taken away."""


def problems(document: Any) -> list[Problem]:
    """What is found but for what is only advised, while errors alone make a cluster impossible."""
    cluster, refused = examine(document)
    assert (cluster is None) == any(problem.severity == "error" for problem in refused)
    advised = advice(document)
    # Rows change SSDs, rails and targets, and name no program: that is for other tests.
    left_out = ("nvme", "benchmarks", "agent")
    return [
        each
        for each in refused
        if each.key not in left_out
        and "DAOS recommends" not in each.allowed
        and each not in advised
    ]


def advice(document: Any) -> list[Problem]:
    """What is advised to a site, as far as it is described."""
    hosts = {}
    advised: list[Problem] = []
    with contextlib.suppress(ValidationError, KeyError, AttributeError, TypeError):
        for name, host in document["hosts"].items():
            with contextlib.suppress(ValidationError):
                hosts[name] = Host.model_validate(host)
                advised += advice_rules(OfServer(name, hosts[name], "2.8", None, None))
        system = System.model_validate(document["daos"])
        advised += advice_for_system(OfSystem(Site.model_construct(), system, hosts, hosts))
        site_of = Site.model_construct(daos=system, provider=str(document["provider"]))
        advised += advisory_rules(OfSite(site_of, hosts, hosts))
    return advised


def only(document: Any) -> Problem:
    """The one problem that there is."""
    refused = problems(document)
    assert len(refused) == 1, [str(problem) for problem in refused]
    return refused[0]
