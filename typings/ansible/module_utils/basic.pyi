"""What our modules use of Ansible, which comes without types."""

from typing import Any, NoReturn

class AnsibleModule:
    params: dict[str, Any]
    check_mode: bool

    def __init__(
        self,
        argument_spec: dict[str, dict[str, Any]],
        *,
        mutually_exclusive: list[list[str]] = ...,
        required_one_of: list[list[str]] = ...,
        supports_check_mode: bool = ...,
    ) -> None: ...
    def exit_json(self, **result: Any) -> NoReturn: ...
    def fail_json(self, msg: str, **result: Any) -> NoReturn: ...
    def warn(self, warning: str) -> None: ...
    def run_command(self, args: list[str]) -> tuple[int, str, str]: ...
