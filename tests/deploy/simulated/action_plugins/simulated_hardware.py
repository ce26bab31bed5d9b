"""Facts of hosts that nobody has: what Ansible's setup and `cluster_hardware` would have found."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    """A kind of host from hosts.yml; its first interface has the address of the inventory."""

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        """Return the facts, and the hardware as `cluster_hardware` does."""
        super().run(tmp, task_vars)
        kind, inventory = self._task.args["kind"], self._task.args["inventory"]
        interfaces = {
            name: {"module": "mlx5_core", "speed": 200000, **self._ipv4(inventory["address"], name)}
            for name in kind["interfaces"]
        }
        return {
            "changed": False,
            "inventory": inventory,
            "ansible_facts": {
                "processor_count": kind["sockets"],
                "processor_cores": kind["cores_per_socket"],
                "memtotal_mb": kind["memory_mib"],
                "interfaces": sorted(interfaces),
                **interfaces,
            },
            "hardware": {
                **kind["hardware"],
                "numa_nodes": kind["sockets"],
                "interfaces": {
                    name: {"up": True, "numa_node": node}
                    for name, node in kind["interfaces"].items()
                },
            },
        }

    @staticmethod
    def _ipv4(address: str, interface: str) -> dict[str, Any]:
        """The address at ib0, and one like it in another network at every other."""
        if interface != "ib0":
            address = address.replace("198.18.", "198.20.").replace("198.19.", "198.21.")
        return {"ipv4": {"address": address, "netmask": "255.254.0.0"}}
