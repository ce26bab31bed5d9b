"""Examines a host without giving it the inventory's variables."""

from __future__ import annotations

from typing import Any

from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    """Runs the module `cluster_hardware`, and adds `inventory` to its result.

    A host that could change the inventory's values would choose the datasheets by which it is
    judged, and the address at which it is measured.
    """

    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]:
        """Run the module on the host with all options except `inventory`."""
        super().run(tmp, task_vars)
        options = dict(self._task.args)
        inventory = options.pop("inventory")
        result = self._execute_module(
            module_name="cluster_hardware", module_args=options, task_vars=task_vars
        )
        return {**result, "inventory": inventory}
