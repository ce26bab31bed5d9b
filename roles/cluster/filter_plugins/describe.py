"""Turns Ansible's variables and facts into the keys of cluster.json."""

from __future__ import annotations

from collections.abc import Mapping
from ipaddress import ip_interface
from os.path import dirname
from typing import Any

from assay.cluster.daos import tag_map
from assay.cluster.description import MOMENTARY
from assay.tools.daos.storage_scan import controllers
from assay.tools.host import lsblk
from assay.tools.host.fingerprint import fingerprint

VIRTUAL = {None, "bridge", "bonding", "tun", "veth", "virtio_net"}
"""Drivers of interfaces whose reported speed is not a line rate."""


def describe_hosts(
    hostvars: Mapping[str, Mapping[str, Any]], names: list[str]
) -> dict[str, dict[str, Any]]:
    """The hosts of cluster.json, from the registered results of `cluster_hardware`."""
    described = {}
    for name in names:
        if not _is_seen(hostvars[name]):
            continue
        variables = hostvars[name]
        probed = variables["__cluster_found"]
        described[name] = describe_host(
            variables["ansible_facts"],
            probed["hardware"]
            | _blocks(probed.get("lsblk", {}))
            | _fingerprint(probed, _in_user_space(name, variables)),
            probed["inventory"],
            connections(variables),
        )
    return described


def lasting(document: Mapping[str, Any]) -> dict[str, Any]:
    """The description without the current content of block devices and directories.

    The preflight judges that content before DAOS gets the devices. Later, each deployment and each
    mount would change the description of the same cluster.
    """
    hosts = {
        name: {key: value for key, value in host.items() if key not in MOMENTARY}
        for name, host in document["hosts"].items()
    }
    return {**document, "hosts": hosts}


def not_seen(
    hostvars: Mapping[str, Mapping[str, Any]], names: list[str], builders: list[str]
) -> list[str]:
    """The hosts that could not be examined: they are unreachable, or did not answer.

    Args:
        hostvars: the variables of all hosts.
        names: the hosts of the cluster, whose hardware is examined.
        builders: other hosts, which only build; they are seen if Ansible has facts of them.
    """
    refused = refusals(hostvars, [*names, *builders])
    unseen = [name for name in names if not _is_seen(hostvars[name])]
    unseen += [
        name for name in builders if name in hostvars and not hostvars[name].get("ansible_facts")
    ]
    # What was refused of a host may be why it was not examined, unless it cannot be reached.
    return [
        name
        for name in unseen
        if name not in refused or hostvars[name].get("__preflight_unreachable")
    ]


def _is_seen(variables: Mapping[str, Any]) -> bool:
    return "hardware" in variables.get("__cluster_found", {})


def refusals(hostvars: Mapping[str, Mapping[str, Any]], names: list[str]) -> dict[str, list[Any]]:
    """The refusals of the roles, by host: key, value and what is allowed, or what a task said."""
    refused = {
        name: hostvars[name].get("__preflight_refusals") for name in names if name in hostvars
    }
    return {name: list(reasons) for name, reasons in refused.items() if reasons}


def describe_host(
    facts: dict[str, Any],
    hardware: dict[str, Any],
    inventory: dict[str, Any],
    connected: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """One host of cluster.json.

    Args:
        facts: Ansible's facts of the host.
        hardware: the result of the module `cluster_hardware`.
        inventory: the inventory's variables of the host: `address`, `engines`, `server`, `agent`,
            `datasheets`, and the `ssd` of its scratch directory.
        connected: what came of its connections to other hosts.
    """
    interfaces = {
        name: facts[name.replace("-", "_")]
        for name in sorted(facts["interfaces"])
        if name.replace("-", "_") in facts and not _is_fleeting(facts[name.replace("-", "_")])
    }
    return {
        **hardware,
        "address": inventory["address"],
        "names": _names(facts),
        "cores": facts["processor_cores"] * facts["processor_count"],
        "memory": {"total_mib": facts["memtotal_mb"], **hardware["memory"]},
        "interface": _carrier(inventory["address"], interfaces),
        "interfaces": {
            name: {
                "speed_gbits": _speed_gbits(interface),
                "address": interface.get("ipv4", {}).get("address"),
                "network": _network(interface),
                "has_address": any(interface.get(key) for key in ("ipv4", "ipv6")),
                "mtu": interface.get("mtu"),
                **hardware["interfaces"].get(name, {}),
            }
            for name, interface in interfaces.items()
        },
        "setup": {
            **hardware.get("setup", {}),
            **inventory.get("setup", {}),
            "connections": connected,
        },
        "scratch": {**hardware["scratch"], "ssd": inventory["ssd"]},
        "engines": [_with_tags(engine) for engine in inventory["engines"]],
        "server": _without_empty(inventory["server"]),
        "agent": _without_empty(inventory["agent"]),
        "datasheets": inventory["datasheets"],
    }


def connections(variables: Mapping[str, Any]) -> dict[str, Any] | None:
    """What came of a host's connections to others; None if none was meant to be tried."""
    if reason := variables.get("__cluster_untried"):
        return {"untried": str(reason)}
    failed = variables.get("__cluster_connected", {}).get("failed_connections")
    return None if failed is None else {"failed": failed}


def given_to_daos(engines: Any, control_metadata: Any) -> dict[str, list[str]]:
    """The paths on a host that DAOS would format, write or mount; others are refused elsewhere.

    Args:
        engines: the engines of the host, with the keys of daos_server.yml, not yet validated.
        control_metadata: the key of daos_server.yml, or None.
    """
    metadata = control_metadata if isinstance(control_metadata, dict) else {}
    devices, mounts, superblocks = [metadata.get("device")], [], []
    files: list[Any] = []
    for number, engine in enumerate(_dictionaries(engines)):
        kept = metadata.get("path") and f"{metadata['path']}/daos_control/engine{number}"
        for tier in _dictionaries(engine.get("storage")):
            devices += [*_listed(tier.get("scm_list")), *_listed(tier.get("bdev_list"))]
            if tier.get("class") == "file":
                files += _listed(tier.get("bdev_list"))
            mounts.append(tier.get("scm_mount"))
            kept = kept or tier.get("scm_mount")
        superblocks.append(kept and f"{kept}/superblock")
    return {
        "devices": _paths(devices),
        "scm_mounts": _paths(mounts),
        "directories": _paths([*mounts, metadata.get("path"), *map(dirname, _paths(files))]),
        "superblocks": _paths(superblocks),
    }


def meant_addresses(
    hostvars: Mapping[str, Mapping[str, Any]], servers: list[str], replicas: Any
) -> dict[str, list[str]]:
    """The correct addresses of servers' names, and of replicas that are given by name.

    Args:
        hostvars: the variables of all hosts, with Ansible's facts of those that answered.
        servers: the servers of the system, by their names in the inventory.
        replicas: replicas of the management service, by name, qualified name or address.
    """
    own = {name: _ipv4(hostvars.get(name, {})) for name in servers}
    hosts = (str(each).partition(":")[0] for each in _listed(replicas))
    named = {host: own.get(host.partition(".")[0], []) for host in hosts if not _is_address(host)}
    return {**own, **named}


def _ipv4(variables: Mapping[str, Any]) -> list[str]:
    addresses = variables.get("ansible_facts", {}).get("all_ipv4_addresses", [])
    return [str(address) for address in addresses]


def _is_address(host: str) -> bool:
    try:
        ip_interface(host)
    except ValueError:
        return host.startswith("[")
    return True


def _dictionaries(value: Any) -> list[dict[str, Any]]:
    return [item for item in _listed(value) if isinstance(item, dict)]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _paths(values: list[Any]) -> list[str]:
    return [path for path in dict.fromkeys(map(str, values)) if path.startswith("/")]


def _blocks(printed: dict[str, Any]) -> dict[str, Any]:
    blocks = lsblk.parse(printed, printed.get("blobs", ()))
    return {"blocks": {name: block.model_dump(mode="json") for name, block in blocks.items()}}


def _in_user_space(name: str, variables: Mapping[str, Any]) -> list[dict[str, str]]:
    """The SSDs of a host that its engines drive, as `dmg storage scan` listed them."""
    listed = controllers(str(variables.get("__cluster_scanned", {}).get("stdout") or ""))
    facts = variables.get("ansible_facts", {})
    address = facts.get("default_ipv4", {}).get("address")
    known = [name, *_names(facts), *([address] if address else [])]
    return next((listed[each] for each in known if each in listed), [])


def _fingerprint(answer: dict[str, Any], in_user_space: list[dict[str, str]]) -> dict[str, Any]:
    """The fingerprint of a host; empty if its answer is invalid, so that others are not stopped."""
    try:
        seen = {ssd["address"] for ssd in answer["identity"]["nvme"]}
        more = [ssd for ssd in in_user_space if ssd["address"] not in seen]
        identity = {**answer["identity"], "in_user_space": more}
        return {"fingerprint": fingerprint(identity).model_dump(mode="json")}
    except (KeyError, TypeError, AttributeError, ValueError):
        return {}


def fingerprints(hostvars: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The fingerprints of the hosts that answered the module `cluster_identity`."""
    taken = {
        name: _fingerprint(
            hostvars[name].get("__cluster_identity", {}), _in_user_space(name, hostvars[name])
        ).get("fingerprint")
        for name in hostvars
    }
    return {name: each for name, each in taken.items() if each is not None}


def _is_fleeting(interface: dict[str, Any]) -> bool:
    """Whether it has neither a device nor an address, as the end of a container's veth pair.

    It carries nothing of the cluster, and another deployment would find others.
    """
    has_address = interface.get("ipv4") or any(
        each.get("scope") != "link" for each in interface.get("ipv6", [])
    )
    return not (has_address or interface.get("module") or interface.get("pciid"))


def _names(facts: dict[str, Any]) -> list[str]:
    names = [facts.get(key) for key in ("nodename", "hostname", "fqdn")]
    return [name for name in dict.fromkeys(names) if name]


def _carrier(address: str, interfaces: dict[str, dict[str, Any]]) -> str:
    """The interface with an address; if there is none, the address, which `assay check` refuses."""
    for name, interface in interfaces.items():
        ipv4 = [interface.get("ipv4", {}), *interface.get("ipv4_secondaries", [])]
        if address in {entry.get("address") for entry in [*ipv4, *interface.get("ipv6", [])]}:
            return name
    return address


def _speed_gbits(interface: dict[str, Any]) -> float | None:
    speed_mbits = interface.get("speed", -1)
    if interface.get("module") in VIRTUAL or speed_mbits <= 0:
        return None
    return float(speed_mbits) / 1000


def _network(interface: dict[str, Any]) -> str | None:
    ipv4 = interface.get("ipv4", {})
    if not {"address", "netmask"} <= ipv4.keys():
        return None
    return str(ip_interface(f"{ipv4['address']}/{ipv4['netmask']}").network)


def _without_empty(settings: dict[str, Any]) -> dict[str, Any]:
    """Leave out keys that the inventory leaves to DAOS."""
    return {key: value for key, value in settings.items() if value not in ("", None, {}, [])}


def _with_tags(engine: Any) -> Any:
    """Add the tags, for other readers than `assay`, which refuses bad counts."""
    match engine:
        case {"targets": int(targets), "nr_xs_helpers": int(helpers)}:
            return {**engine, "tags": tag_map(targets, helpers).model_dump()}
    return engine


class FilterModule:
    """The filters of this role."""

    def filters(self) -> dict[str, Any]:
        """Their names in templates."""
        return {
            "cluster_describe_hosts": describe_hosts,
            "cluster_fingerprints": fingerprints,
            "cluster_given_to_daos": given_to_daos,
            "cluster_lasting": lasting,
            "cluster_meant_addresses": meant_addresses,
            "cluster_not_seen": not_seen,
            "cluster_refusals": refusals,
        }
