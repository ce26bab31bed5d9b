"""What the argument_specs of the roles say, and the examples in them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from rendering import ROLES

NAMES = sorted(path.name for path in ROLES.iterdir())


def spec(role: str) -> dict[str, Any]:
    """The entry point `main` of a role."""
    text = (ROLES / role / "meta/argument_specs.yml").read_text()
    return dict(yaml.safe_load(text)["argument_specs"]["main"])


@pytest.mark.parametrize("role", NAMES)
def test_an_example_applies_its_role_with_variables_that_exist(role: str) -> None:
    (play,) = yaml.safe_load(spec(role)["examples"])
    applied = {entry.pop("role"): entry for entry in play["roles"]}
    assert applied[role].keys() <= spec(role)["options"].keys()
    assert play.get("become", False) == (role not in ("cluster", "guest"))


def test_ansible_takes_every_example(tmp_path: Path) -> None:
    plays = tmp_path / "examples.yml"
    plays.write_text("".join(spec(role)["examples"] for role in NAMES))
    check = subprocess.run(
        [
            *(Path(sys.executable).parent / "ansible-playbook", "--syntax-check"),
            *("-i", "localhost,", plays),
        ],
        cwd=ROLES.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert check.returncode == 0, check.stderr


@pytest.mark.parametrize("role", NAMES)
def test_a_default_of_the_specification_is_that_of_the_role(role: str) -> None:
    there = yaml.safe_load((ROLES / role / "defaults/main.yml").read_text()) or {}
    specified = {
        name: option["default"]
        for name, option in spec(role)["options"].items()
        if "default" in option and name in there
    }
    written = {name: there[name] for name in specified if "{{" not in str(there[name])}
    assert written == {name: specified[name] for name in written}


@pytest.mark.parametrize("role", NAMES)
def test_variables_are_described_in_the_specification_alone(role: str) -> None:
    text = (ROLES / role / "defaults/main.yml").read_text()
    assert [line for line in text.splitlines() if line.lstrip().startswith("#")] == []
    specs = yaml.safe_load((ROLES / role / "meta/argument_specs.yml").read_text())
    described = {name for each in specs["argument_specs"].values() for name in each["options"]}
    assert set(yaml.safe_load(text) or {}) <= described
