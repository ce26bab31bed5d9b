"""The units of DAOS's daemons: as upstream ships them, but where the template says why not."""

from __future__ import annotations

import configparser

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from rendering import ROLES

TEMPLATES = Environment(
    loader=FileSystemLoader(ROLES / "daos" / "templates"), undefined=StrictUndefined
)
COMMON = {
    "Wants": "network-online.target",
    "After": "network-online.target",
    "StartLimitBurst": "5",
    "RuntimeDirectoryMode": "0755",
    "StandardOutput": "journal",
    "StandardError": "journal",
    "RestartSec": "10",
    "LimitMEMLOCK": "infinity",
    "LimitCORE": "infinity",
    "WantedBy": "multi-user.target",
}
"""What utils/systemd of DAOS 2.8.0 has for both daemons."""


@pytest.mark.parametrize(
    ("name", "type_", "restart"),
    [("daos_server", "simple", "on-failure"), ("daos_agent", "notify", "always")],
)
def test_a_unit_has_what_upstreams_has(name: str, type_: str, restart: str) -> None:
    text = TEMPLATES.get_template("service.unit.j2").render(
        __daos_header="# ours",
        daos_prefix="/usr",
        daos_service_name=name,
        daos_service_description=name,
        daos_service_arguments="start",
        daos_service_user=name,
        daos_service_group=name,
        daos_service_restart=restart,
        daos_service_type=type_,
    )
    unit = configparser.ConfigParser()
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(text)
    keys = {key: value for section in unit.sections() for key, value in unit[section].items()}
    own = {"Type": type_, "User": name, "Group": name, "Restart": restart, "RuntimeDirectory": name}
    assert {key: keys.get(key) for key in COMMON | own} == COMMON | own
