"""What our action plugins use of Ansible, which comes without types."""

from typing import Any

class _Task:
    args: dict[str, Any]
    def get_play(self) -> Any: ...
    def get_variable_manager(self) -> Any: ...

class ActionBase:
    _task: _Task
    _loader: Any
    _templar: Any

    @classmethod
    def finalize_task_arg(cls, name: str, value: Any, templar: Any, context: Any) -> Any: ...
    def run(self, tmp: Any = None, task_vars: Any = None) -> dict[str, Any]: ...
    def _execute_module(
        self, *, module_name: str, module_args: dict[str, Any], task_vars: Any
    ) -> dict[str, Any]: ...
