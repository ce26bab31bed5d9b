"""Render the files of DAOS as the roles do, without a host."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import add_all_plugin_dirs, init_plugin_loader
from ansible.template import Templar, trust_as_template

ROLES = Path(__file__).parents[2] / "roles"
HERE = Path(__file__).parent

init_plugin_loader()
for role in ("daos", "daos_server", "daos_agent", "daos_admin"):
    add_all_plugin_dirs(str(ROLES / role))
add_all_plugin_dirs(str(ROLES.parent / "playbooks"))


@cache
def _variables(role: str) -> dict[str, Any]:
    """Defaults and vars of a role, as Ansible reads them."""
    files = [
        ROLES / role / "defaults" / "main.yml",
        *sorted((ROLES / role / "vars").rglob("*.yml")),
    ]
    loaded = [DataLoader().load_from_file(str(file), trusted_as_template=True) for file in files]
    return {name: value for content in loaded for name, value in content.items()}


class Rendering:
    """The variables of a role on a host of an inventory, and what becomes of them."""

    def __init__(self, role: str, given: dict[str, Any]) -> None:
        self.role = role
        host = {
            "groups": {"daos_server": ["s1"]},
            "group_names": [role],
            "ansible_facts": {"service_mgr": "systemd", "os_family": "Debian"},
        }
        variables = host | _variables("daos") | _variables(role) | given
        self._templar = Templar(loader=DataLoader(), variables=variables)

    def value(self, expression: str) -> Any:
        """What an expression comes to."""
        return self._templar.template(trust_as_template("{{ " + expression + " }}"))

    def text(self, name: str) -> str:
        """What a template of the role comes to."""
        template = (ROLES / self.role / "templates" / f"{name}.j2").read_text()
        return str(self._templar.template(trust_as_template(template)))

    def document(self, name: str) -> Any:
        """What a reader of YAML takes from it."""
        return yaml.safe_load(self.text(name))


def read(name: str) -> Any:
    """A YAML file beside this one."""
    return yaml.safe_load((HERE / name).read_text())
