"""What our action plugins use to judge the arguments of roles."""

from collections.abc import Mapping
from typing import Any

class ValidationResult:
    error_messages: list[str]

class ArgumentSpecValidator:
    def __init__(self, argument_spec: Mapping[str, Any]) -> None: ...
    def validate(
        self, parameters: Mapping[str, Any], *, validate_role_argument_spec: bool
    ) -> ValidationResult: ...
