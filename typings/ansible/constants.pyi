"""What our action plugins use of Ansible, which comes without types."""

from typing import Any

MAGIC_VARIABLE_MAPPING: dict[str, tuple[str, ...]]
config: Any
