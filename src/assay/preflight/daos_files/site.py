"""A description of a cluster from DAOS's own files, for the rules of the preflight to judge.

A host whose facts nobody gave gets those that its files need, so that no rule refuses what is not
known. `generous` chooses the rest: what is wrong on a large host and on a small one is wrong
whatever the host is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

from assay.cluster.description import controller_of
from assay.cluster.releases import Version
from assay.preflight.daos_files.keys import OF_AGENT, OF_SERVER, FileKind, modern
from assay.preflight.keys import agent, renamed, server
from assay.preflight.keys.kinds import Kind, Section
from assay.preflight.rules.site.system import address_and_port
from assay.problems import Problem
from assay.subject import HOST

Document = Mapping[str, Any]

CLIENT = "client"
"""The host that stands for all clients, where none is described."""

_DEFAULT_PORT, _DEFAULT_NAME = 10001, "daos_server"
"""`build.DefaultControlPort` and `build.DefaultSystemName` of DAOS."""

_VMD = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.5", re.IGNORECASE)
"""Intel's VMD controllers are function 5 of their device, which no SSD is."""

_LOOPBACK = re.compile(r"localhost(\.localdomain)?|127\.[0-9.]+|::1")


@dataclass(frozen=True)
class HostFiles:
    """The files of one host, and its facts as far as they are known."""

    name: str
    documents: Mapping[FileKind, Document] = field(default_factory=dict)
    facts: Document = field(default_factory=dict)

    @property
    def server(self) -> Document | None:
        """Its daos_server.yml."""
        return self.documents.get("server")


def examined(
    kind: FileKind, document: Document, version: Version, host: str | None
) -> tuple[dict[str, Any], list[Problem]]:
    """The usable keys of a file, and what is wrong with those that an inventory names otherwise."""
    kinds, section = _tables(kind)
    usable = modern(document, version) if kind == "server" else dict(document)
    problems = []
    for name, judge in kinds.items():
        if name not in usable:
            continue
        key, value = section.keys[name], usable[name]
        if version not in key.versions:
            older = renamed.before(name)
            instead = f"here it is {older}" if older else "leave it out"
            allowed = f"is a key of DAOS {key.versions}, and this is {version}: {instead}"
            problems.append(Problem(host, _place(kind, name), value, allowed))
        elif key.is_deprecated(version):
            problems.append(_deprecated(kind, name, usable, host))
        wrong = [] if value in (None, "") else list(judge.judge(value, version))
        problems += [Problem(host, _place(kind, name) + w, v, a) for w, v, a in wrong]
        if wrong or value in (None, ""):
            del usable[name]
    return usable, problems


def _tables(kind: FileKind) -> tuple[Mapping[str, Kind], Section]:
    return (OF_SERVER, server.SETTINGS) if kind == "server" else (OF_AGENT, agent.SETTINGS)


def _place(kind: FileKind, key: str) -> str:
    return key if kind == "server" else f"daos_{kind}.yml: {key}"


def _deprecated(kind: FileKind, name: str, document: Document, host: str | None) -> Problem:
    """DAOS still reads it, unless the key that has taken its place is there, too."""
    today = renamed.successor(name)
    opposite = ", with the opposite value" * name.startswith("enable")
    if today in document:
        allowed = f"should be left out beside {today}: DAOS refuses the two together"
        return Problem(host, _place(kind, name), None, allowed)
    allowed = f"is deprecated: today {today}{opposite}"
    return Problem(host, _place(kind, name), None, allowed, severity="warning")


def described(
    hosts: Sequence[HostFiles],
    version: Version,
    *,
    generous: bool,
    pool: str | None = None,
    complete: bool = False,
) -> tuple[dict[str, Any], list[Problem]]:
    """The description, and the problems that the files have by themselves.

    Args:
        hosts: the hosts, each once.
        version: the release of DAOS.
        generous: whether what is unknown of hosts is large.
        pool: the size of a pool, if one is to be judged.
        complete: whether the hosts are all that there are; else each replica is another server
            with the same daos_server.yml.
    """
    usable, problems = _usable(hosts, version)
    usable = [_named_by_replica(host) for host in usable]
    servers = [host for host in usable if host.server is not None]
    partitions = {"clients": "any", "servers": "any"}  # no file of DAOS has them
    document: dict[str, Any] = {
        "name": "files",
        "benchmarks": {},
        "slurm": {"partitions": partitions},
    }
    if servers:
        system, missing = _system(servers, version)
        problems += missing
        if not complete:
            servers += _peers(servers[0], usable, system["mgmt_svc_replicas"], generous)
        document["provider"] = system.pop("provider")
        document["daos"] = system
    described_hosts = {host.name: _host(host, n, generous) for n, host in enumerate(servers)}
    others = [host for host in usable if host.server is None] or [_client(usable)]
    described_hosts |= {
        host.name: _host(host, len(servers) + n, generous) for n, host in enumerate(others)
    }
    document |= {
        "controller": others[0].name,
        "clients": [host.name for host in others],
        "servers": [host.name for host in servers],
        "hosts": described_hosts,
    }
    if servers:
        document["daos"] |= {
            "servers": document["servers"],
            "agents": [h.name for h in others if "agent" in h.documents],
            "admin": others[0].name,
            "pools": [{"name": "pool", "size": pool}] if pool else [],
        }
        problems += _contradictions(usable, document["daos"])
    return document, problems


def _usable(hosts: Sequence[HostFiles], version: Version) -> tuple[list[HostFiles], list[Problem]]:
    usable, problems = [], []
    for host in hosts:
        documents: dict[FileKind, Document] = {}
        for kind, document in host.documents.items():
            if kind == "control":
                documents[kind] = document
                continue
            documents[kind], wrong = examined(kind, document, version, host.name)
            problems += wrong
        usable.append(HostFiles(host.name, documents, host.facts))
    return usable, problems


def _system(servers: Sequence[HostFiles], version: Version) -> tuple[dict[str, Any], list[Problem]]:
    """The keys of the system, by the first server's file, and how the others contradict it."""
    first = servers[0].server or {}
    problems = []
    system = {
        "name": first.get("name", _DEFAULT_NAME),
        "version": version,
        "port": first.get("port", _DEFAULT_PORT),
        "mgmt_svc_replicas": first.get("mgmt_svc_replicas")
        or first.get("access_points")
        or ["localhost"],
        "allow_insecure": _is_insecure(first),
        "provider": first.get("provider", "ofi+tcp"),
    }
    for replica in system["mgmt_svc_replicas"]:
        address = address_and_port(str(replica))[0]
        if not (HOST.fullmatch(address) or _is_address(address)):
            allowed = (
                "should be a name or an address, with or without the port, such as srv01:10001"
            )
            problems.append(Problem(None, "daos.mgmt_svc_replicas", replica, allowed))
    for host in servers:
        of_host = host.server or {}
        if "provider" not in of_host and of_host.get("engines"):
            allowed = "is missing: set the provider of the fabric, such as ofi+tcp"
            problems.append(Problem(host.name, "provider", None, allowed))
        for key in ("name", "port", "provider", "mgmt_svc_replicas", "access_points"):
            mine, usual = of_host.get(key), first.get(key)
            if mine != usual:
                allowed = f"should be {_spelt(usual)}, as on {servers[0].name}"
                problems.append(Problem(host.name, key, _spelt(mine), allowed))
    return system, problems


def _spelt(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return "left out" if value is None else str(value)


def _is_insecure(document: Document) -> bool:
    transport = document.get("transport_config")
    return isinstance(transport, dict) and transport.get("allow_insecure") is True


def _peers(
    like: HostFiles, hosts: Iterable[HostFiles], replicas: Sequence[Any], generous: bool
) -> Iterator[HostFiles]:
    """The servers of replicas that are not among the hosts, each with the same file."""
    known = {name for host in hosts for name in _names(host)}
    document = dict(like.server or {})
    # As far as anybody knows, they are alike.
    facts = {key: value for key, value in like.facts.items() if key not in ("names", "setup")}
    if "interfaces" in facts:
        own = {"address", "network"}
        facts["interfaces"] = {
            name: {key: value for key, value in each.items() if key not in own}
            for name, each in facts["interfaces"].items()
        }
    if generous:  # each server has a place of its own, which its own file says
        document.pop("fault_path", None)
    for replica in dict.fromkeys(address_and_port(str(each))[0] for each in replicas):
        if (
            not _LOOPBACK.fullmatch(replica)
            and replica not in known
            and replica.partition(".")[0] not in known
        ):
            yield HostFiles(_name(replica), {"server": document}, facts | {"names": [replica]})


HERE = "server"
"""The name of the host of a file, if nobody said it."""


def _named_by_replica(host: HostFiles) -> HostFiles:
    """A host of which nobody said the name is the first replica."""
    replicas = [
        str(replica)
        for key in ("mgmt_svc_replicas", "access_points")
        for replica in _listed(host.server or {}, key)
    ]
    if host.name != HERE or not replicas:
        return host
    replica = address_and_port(replicas[0])[0]
    names = [*(host.facts.get("names") or ()), replica]
    return HostFiles(_name(replica), host.documents, {**host.facts, "names": names})


def _name(replica: str) -> str:
    """A name for the host of a replica, which may be an IPv6 address."""
    return replica if HOST.fullmatch(replica) else re.sub(r"[^A-Za-z0-9]", "-", f"host-{replica}")


def _names(host: HostFiles) -> set[str]:
    interfaces = host.facts.get("interfaces") or {}
    addresses = {str(each["address"]) for each in interfaces.values() if each.get("address")}
    return {host.name, *map(str, host.facts.get("names") or ()), *addresses}


def _client(hosts: Sequence[HostFiles]) -> HostFiles:
    """The client that stands for all, with the agent's file of the only host."""
    documents = dict(hosts[0].documents) if hosts else {}
    documents.pop("server", None)
    return HostFiles(CLIENT, documents)


def _host(host: HostFiles, number: int, generous: bool) -> dict[str, Any]:
    """A host: its facts, what its files need where they are unknown, and the files themselves."""
    of_server, of_agent = host.server, host.documents.get("agent")
    named = [host.name, *map(str, host.facts.get("names") or ())]
    assumed = _assumed(of_server or {}, of_agent or {}, named, number, generous)
    facts = {key: value for key, value in host.facts.items() if value is not None}
    memory = {**assumed["memory"], **(facts.get("memory") or {})}
    whole = {**assumed, **facts, "memory": memory}
    interfaces = whole["interfaces"]
    named = [name for name in assumed["interfaces"] if name in interfaces]
    whole["interface"] = next(iter([*named, *_ranked(interfaces)]), "eth0")
    address = (interfaces.get(whole["interface"]) or {}).get("address")
    return {
        **whole,
        **({"address": address} if address else {}),
        **(_of_server(of_server) if of_server is not None else {}),
        **({"agent": _of_agent(of_agent)} if of_agent is not None else {}),
    }


def _ranked(interfaces: Mapping[str, Any]) -> list[str]:
    """Interfaces for a host's traffic: those that are up and have an address, the fastest first."""

    def rank(name: str) -> tuple[bool, float]:
        each = interfaces[name]
        able = bool(each.get("up", True) and each.get("address")) and name != "lo"
        return not able, -(each.get("speed_gbits") or 0)

    return sorted(interfaces, key=rank)


def _of_server(document: Document) -> dict[str, Any]:
    """The keys of a host for its daos_server.yml."""
    named = {
        **{key: key for key in ("nr_hugepages", "disable_hugepages", "system_ram_reserved")},
        **{key: key for key in ("disable_vfio", "disable_vmd", "allow_thp", "telemetry_port")},
        **{key: key for key in ("control_metadata", "control_log_file", "helper_log_file")},
        "control_log_mask": "log_mask",
    }
    settings = {
        key: value
        for key, value in document.items()
        if key not in named and key not in OF_SERVER and key != "engines" and value is not None
    }
    of_all = {
        key: document[key] for key in ("fabric_iface", "fabric_iface_port") if key in document
    }
    given = document.get("engines") or []
    engines = (
        [of_all | engine if isinstance(engine, dict) else engine for engine in given]
        if isinstance(given, list)
        else given
    )
    is_flushed = any("PMEM_NO_FLUSH" in str(e.get("env_vars")) for e in _dictionaries(engines))
    return {
        "engines": engines,
        "server": {
            **{ours: document[key] for key, ours in named.items() if document.get(key) is not None},
            "settings": settings,
            # Whether caches survive a loss of power is a fact of the CPU.
            "eadr": is_flushed,
        },
    }


def _of_agent(document: Document) -> dict[str, Any]:
    named = {"disable_caching", "cache_expiration", "telemetry_port"}
    named |= {"include_fabric_ifaces", "exclude_fabric_ifaces"}
    return {
        **{key: document[key] for key in sorted(named) if document.get(key) is not None},
        **({"log_mask": document["control_log_mask"]} if "control_log_mask" in document else {}),
        "settings": {
            key: value
            for key, value in document.items()
            if key not in OF_AGENT and value is not None
        },
    }


def _assumed(
    of_server: Document,
    of_agent: Document,
    names_of_host: Iterable[str],
    number: int,
    generous: bool,
) -> dict[str, Any]:
    """The facts that the files need."""
    engines = _dictionaries(of_server.get("engines"))
    tiers = [tier for engine in engines for tier in _dictionaries(engine.get("storage"))]
    metadata = of_server.get("control_metadata")
    pins = [e["pinned_numa_node"] for e in engines if type(e.get("pinned_numa_node")) is int]
    nodes = max([1, *(pin for pin in pins if pin < _MOST_NODES)]) + 1
    ssds = [str(d) for t in tiers if t.get("class") == "nvme" for d in _listed(t, "bdev_list")]
    vmd = {d.lower() for d in ssds if _VMD.fullmatch(d)} | {
        c for d in ssds if (c := controller_of(d))
    }
    paths = [d for t in tiers if t.get("class") == "kdev" for d in _listed(t, "bdev_list")]
    paths += [d for t in tiers for d in _listed(t, "scm_list")]
    paths += [metadata.get("device")] if isinstance(metadata, dict) else []
    named = [of_server.get("fabric_iface"), of_server.get("control_iface")]
    named = [*(engine.get("fabric_iface") for engine in engines), *named]
    named += [*_listed(of_agent, "include_fabric_ifaces"), *_written(of_agent)]
    names = dict.fromkeys([each for each in named if isinstance(each, str)] or ["eth0"])
    return {
        "address": _address(names_of_host, number),
        "cores": nodes * (_MOST_CORES if generous else 1),
        "memory": {"total_mib": _LARGE_MIB if generous else _SMALL_MIB},
        "numa_nodes": nodes,
        "interfaces": {each: {} for each in names},
        "nvme": {device.lower(): {} for device in ssds if device.lower() not in vmd},
        "vmd": {controller: {} for controller in sorted(vmd)},
        "block_devices": [str(path) for path in paths if path],
        "iommu": True,
    }


_MOST_NODES, _MOST_CORES = 64, 4096
_LARGE_MIB, _SMALL_MIB = 2**40, 2**16


def _address(names: Iterable[str], number: int) -> str:
    for name in names:
        if _is_address(name):
            return name
    return f"2001:db8:ffff::{number + 1:x}"  # of no host (RFC 3849)


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _written(of_agent: Document) -> Iterator[str]:
    for node in _dictionaries(of_agent.get("fabric_ifaces")):
        for device in _dictionaries(node.get("devices")):
            if isinstance(device.get("iface"), str):
                yield device["iface"]


def _listed(part: Document, key: str) -> list[Any]:
    value = part.get(key)
    return value if isinstance(value, list) else []


def _dictionaries(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _contradictions(hosts: Sequence[HostFiles], system: Document) -> Iterator[Problem]:
    """What an agent's or an administrator's file says otherwise than the servers' files."""
    replicas = {address_and_port(str(each))[0] for each in system["mgmt_svc_replicas"]}
    for host in hosts:
        for kind in ("agent", "control"):
            document = host.documents.get(kind)
            if document is None:
                continue
            for key, default in (("name", _DEFAULT_NAME), ("port", _DEFAULT_PORT)):
                if (mine := document.get(key, default)) != system[key]:
                    allowed = f"should be {system[key]}, as in daos_server.yml"
                    yield Problem(host.name, _place(kind, key), mine, allowed)
            if "transport_config" in document and (
                _is_insecure(document) != system["allow_insecure"]
            ):
                yield Problem(
                    host.name,
                    _place(kind, "transport_config.allow_insecure"),
                    _spelt(_is_insecure(document)).lower(),
                    "should be as in daos_server.yml: with certificates on one side alone, no"
                    " connection is made",
                )
        given = (host.documents.get("agent") or {}).get("access_points")
        strange = [
            str(each)
            for each in given or ()
            if address_and_port(str(each))[0] not in replicas and replicas
        ]
        if strange:
            yield Problem(
                host.name,
                _place("agent", "access_points"),
                ", ".join(strange),
                f"should be among the replicas of daos_server.yml, {', '.join(sorted(replicas))},"
                " or other names of them",
                severity="warning",
            )
