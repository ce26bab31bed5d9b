"""Of Ansible's templates, what our action plugins use."""

from collections.abc import Mapping
from typing import Any

class Templar:
    available_variables: Mapping[str, Any]
    def __init__(self, loader: Any, variables: Mapping[str, Any]) -> None: ...
    def template(self, variable: Any) -> Any: ...
