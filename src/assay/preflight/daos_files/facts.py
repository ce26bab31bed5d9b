"""The facts of a host from a file: what `assay probe` printed there, or `ansible -m setup`."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

from assay.foreign import files, limits
from assay.foreign.documents import from_json
from assay.foreign.files import ForeignError
from assay.foreign.text import quoted

VIRTUAL = {None, "bridge", "bonding", "tun", "veth", "virtio_net"}
"""Drivers of interfaces whose speed is no line rate."""


class FactsError(ValueError):
    """The file has no facts of a host, and why."""


def read(path: Path) -> dict[str, Any]:
    """Keys of a host in cluster.json, those that the file knows.

    Raises:
        FactsError: it cannot be read, or is neither of the two.
    """
    try:
        content = files.read(path, limits.CLUSTER_BYTES)
        # `ansible -m setup` begins with HOST | SUCCESS =>, unless it wrote a tree.
        start = content.find(b"{")
        document = from_json(content[max(start, 0) :])
    except OSError as error:
        raise FactsError(f"{path}: cannot be read: {error.strerror}") from error
    except ForeignError as error:
        raise FactsError(f"{quoted(path)}: {files.wrong_with(path, error)}") from error
    if isinstance(document, dict) and isinstance(document.get("ansible_facts"), dict):
        return _of_ansible(document["ansible_facts"])
    if isinstance(document, dict) and isinstance(document.get("interfaces"), dict):
        return document
    raise FactsError(
        f"{quoted(path)}: should be what `assay probe` prints on the host, or `ansible -m setup`"
    )


def _of_ansible(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What Ansible's own facts say; they have neither NUMA nodes nor PCI addresses."""
    of = {key.removeprefix("ansible_"): value for key, value in facts.items()}
    each, count = of.get("processor_cores"), of.get("processor_count")
    listed = of.get("interfaces") if isinstance(of.get("interfaces"), list) else []
    interfaces = {
        str(name): _interface(found)
        for name in listed or ()
        if isinstance(found := of.get(str(name).replace("-", "_")), dict)
    }
    distribution = str(of.get("distribution_major_version") or "")
    is_el = of.get("os_family") == "RedHat" and distribution.isdigit()
    return {
        "names": [str(of[key]) for key in ("nodename", "hostname", "fqdn") if of.get(key)],
        **({"cores": each * count} if isinstance(each, int) and isinstance(count, int) else {}),
        **({"memory": {"total_mib": of["memtotal_mb"]}} if "memtotal_mb" in of else {}),
        **({"interfaces": interfaces} if interfaces else {}),
        "setup": {"platform": f"el{distribution}"} if is_el else {},
    }


def _interface(found: Mapping[str, Any]) -> dict[str, Any]:
    ipv4 = found.get("ipv4") or {}
    speed = found.get("speed")
    is_physical = isinstance(speed, int) and speed > 0 and found.get("module") not in VIRTUAL
    has_mask = {"address", "netmask"} <= ipv4.keys()
    return {
        "up": bool(found.get("active", True)),
        "address": ipv4.get("address"),
        "has_address": bool(ipv4 or found.get("ipv6")),
        "network": str(ip_interface(f"{ipv4['address']}/{ipv4['netmask']}").network)
        if has_mask
        else None,
        "mtu": found.get("mtu"),
        **({"speed_gbits": speed / 1000} if is_physical and isinstance(speed, int) else {}),
        **({"rdma": True} if found.get("type") == "infiniband" else {}),
    }
