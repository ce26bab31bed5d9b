"""Of Ansible's templates, what our action plugins use."""

from collections.abc import Callable, Mapping
from typing import Any

class _Environment:
    compile: Callable[..., Any]

class _Engine:
    environment: _Environment

class Templar:
    available_variables: Mapping[str, Any]
    _engine: _Engine
    def __init__(self, loader: Any, variables: Mapping[str, Any] | None = ...) -> None: ...
    def template(self, variable: Any) -> Any: ...
