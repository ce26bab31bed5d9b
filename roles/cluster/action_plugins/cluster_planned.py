"""Facts of hosts that are not there yet: what Ansible and `cluster_hardware` would find on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from ipaddress import ip_interface, ip_network
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.template import Templar

REQUIRED = ("cores", "interfaces", "memory", "numa_nodes")

FACTS = ("cores", "interfaces")
"""Keys of a kind that are Ansible's own facts, or combined with them."""

CHOSEN = ("address", "agent", "datasheets", "engines", "interface", "names", "server")
"""Keys of a host in cluster.json that come from the inventory: a host that was copied has them."""

OWN = ("address", "has_address", "mtu", "network", "speed_gbits")
"""Keys of an interface that are Ansible's facts. A copied address is that of one host alone."""

COMPILED = 256
"""Maximum number of compiled templates that are kept; all hosts of inventories/pmem have 33."""


class ActionModule(ActionBase):
    """The hosts of a plan with the facts of their kinds, each with addresses of its own.

    One task for all hosts: Ansible starts a process for each host of each task, which takes minutes
    for a thousand of them.
    """

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        """Return, by host, what `cluster_describe_hosts` reads of a host that was examined.

        Option: `hosts`, the names.
        """
        super().run(tmp, task_vars)
        self._hostvars = (task_vars or {})["hostvars"]
        # Hosts have most templates in common. Ansible compiles each of them for each host, a third
        # of the time of a plan, and has no public way to keep them; ansible-core is locked.
        self._templar = Templar(self._loader)
        environment = self._templar._engine.environment
        environment.compile = lru_cache(COMPILED)(environment.compile)
        names = [str(name) for name in self._task.args["hosts"]]
        return {
            "changed": False,
            "hosts": {name: self._host(name, number) for number, name in enumerate(names)},
        }

    def _host(self, name: str, number: int) -> dict[str, Any]:
        variables = self._variables(name)
        templar = self._templar
        templar.available_variables = variables
        kind = templar.template(variables.get("cluster_kind"))
        _validate(name, kind)
        facts = dict(_facts(name, kind, number))
        # An inventory may take an address from the facts.
        templar.available_variables = {**variables, "ansible_facts": facts}
        hardware = {
            "scratch": {
                "directory": templar.template(variables["cluster_scratch"]),
                "filesystem": "unknown",
                "device": "unknown",
            },
            **{key: value for key, value in kind.items() if key not in FACTS + CHOSEN},
            "interfaces": {
                link: {key: value for key, value in (described or {}).items() if key not in OWN}
                for link, described in kind["interfaces"].items()
            },
        }
        inventory = templar.template(variables["__cluster_inventory"])
        return {
            "ansible_facts": facts,
            "__cluster_found": {"hardware": hardware, "inventory": inventory},
        }

    def _variables(self, name: str) -> dict[str, Any]:
        """Those of a host in this task, with the defaults of the roles, which hostvars lacks."""
        manager, inventory = self._hostvars._variable_manager, self._hostvars._inventory
        variables: dict[str, Any] = manager.get_vars(
            play=self._task.get_play(),
            host=inventory.get_host(name),
            task=self._task,
            include_hostvars=False,
        )
        return variables


def _facts(host: str, kind: Mapping[str, Any], number: int) -> Iterator[tuple[str, Any]]:
    """Ansible's facts of a host, of those that are asked for."""
    interfaces = {
        name: _interface(host, name, link or {}, number)
        for name, link in kind["interfaces"].items()
    }
    yield "processor_count", 1
    yield "processor_cores", kind["cores"]
    yield "memtotal_mb", kind["memory"].get("total_mib")
    yield "nodename", host
    yield "hostname", host
    yield "default_ipv4", next((i["ipv4"] for i in interfaces.values() if "ipv4" in i), {})
    yield "interfaces", sorted(interfaces)
    for name, interface in interfaces.items():
        yield name.replace("-", "_"), interface


def _validate(host: str, kind: Any) -> None:
    if kind is None:
        raise AnsibleActionFail(
            f"{host}: cluster_kind is not set; it should be what such a host has, with the keys of"
            " a host in cluster.json (docs/plan.md)"
        )
    if not isinstance(kind, Mapping):
        raise AnsibleActionFail(
            f"{host}: cluster_kind is {type(kind).__name__}; it should be keys and values, those"
            " of a host in cluster.json, such as cores: 64"
        )
    if missing := [key for key in REQUIRED if key not in kind]:
        raise AnsibleActionFail(
            f"{host}: cluster_kind has no {', '.join(missing)}; it should have"
            f" {', '.join(REQUIRED)}, as a host in cluster.json does"
        )
    for key in ("interfaces", "memory"):
        if not isinstance(kind[key], Mapping):
            raise AnsibleActionFail(
                f"{host}: {key} of cluster_kind is {type(kind[key]).__name__}; it should be keys"
                " and values, as in cluster.json"
            )


def _interface(host: str, name: str, link: Mapping[str, Any], number: int) -> dict[str, Any]:
    """An interface as Ansible finds it, with the address that has the host's number."""
    fact: dict[str, Any] = {"device": name, "module": "planned"}
    if link.get("speed_gbits") is not None:
        fact["speed"] = float(link["speed_gbits"]) * 1000
    if link.get("mtu") is not None:
        fact["mtu"] = link["mtu"]
    if link.get("network") is None:
        return fact
    try:
        network = ip_network(str(link["network"]))
    except ValueError as error:
        raise AnsibleActionFail(
            f"{host}: network of {name} in cluster_kind is {link['network']}; it should be an IP"
            f" network, such as 198.18.0.0/15 ({error})"
        ) from error
    reserved = 1 if network.num_addresses > 2 else 0  # at either end: network and broadcast
    if number >= network.num_addresses - 2 * reserved:
        raise AnsibleActionFail(
            f"{host}: network of {name} in cluster_kind is {network}, which has no room for host"
            f" {number + 1}; it should have an address for each host of the cluster"
        )
    address = str(network[reserved + number])
    fact["ipv4"] = {"address": address, "netmask": str(ip_interface(network).netmask)}
    return fact
