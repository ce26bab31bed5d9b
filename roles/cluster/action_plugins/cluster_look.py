"""Looks at a host, and keeps what the inventory says of it away from that host."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    """The module `cluster_hardware`, and `inventory` handed back from here.

    A host that could answer for the inventory would choose its own datasheets, by which it is
    judged, and the address at which it is measured.
    """

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        """Run the module on the host with all options but `inventory`."""
        super().run(tmp, task_vars)
        options = dict(self._task.args)
        inventory = options.pop("inventory")
        found = self._execute_module(
            module_name="cluster_hardware", module_args=options, task_vars=task_vars
        )
        return {**found, "inventory": inventory}
