"""What our action plugins use of Ansible, which comes without types."""

from typing import Any

become_loader: Any
connection_loader: Any
shell_loader: Any
