"""daos_agent.yml, for every release."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from rendering import ROLES, Rendering, read

from assay.checks.benchmarks.interfaces import AGENT_CONFIGURATION
from assay.cluster.releases import EVERY, Releases, names, since

VERSIONS = names()


def agent(**settings: Any) -> Rendering:
    return Rendering("daos_agent", {"groups": {"daos_server": ["s1", "s2", "s3"]}, **settings})


def test_is_what_the_reviewed_expectation_says() -> None:
    assert agent().document("daos_agent.yml") == read("expected/daos_agent.yml")


def test_insecure_it_names_no_certificate() -> None:
    rendered = agent(daos_allow_insecure=True).document("daos_agent.yml")

    assert rendered["transport_config"] == {"allow_insecure": True}


@pytest.mark.parametrize("version", VERSIONS)
def test_holds_no_key_that_the_release_would_die_of(version: str) -> None:
    known = read(f"keys/{version}.yml")
    role = agent(daos_version=version)
    rendered = role.document("daos_agent.yml")

    assert rendered.keys() <= set(known["agent"])
    assert rendered["transport_config"].keys() <= set(known["transport_config"])
    assert set(role.value("__daos_keys['daos_agent.yml']")) <= set(known["agent"])


@pytest.mark.parametrize(
    ("variable", "value", "versions"),
    [
        ("include_fabric_ifaces", ["ib0"], since("2.8")),
        ("exclude_fabric_ifaces", ["lo"], EVERY),
        ("telemetry_port", 9192, since("2.6")),
        ("cache_expiration", 30, EVERY),
        ("disable_caching", True, EVERY),
    ],
)
@pytest.mark.parametrize("version", VERSIONS)
def test_what_the_site_says_is_written_or_refused(
    variable: str, value: Any, versions: Releases, version: str
) -> None:
    role = agent(daos_version=version, **{f"daos_agent_{variable}": value})

    assert role.document("daos_agent.yml")[variable] == value
    assert role.value("__daos_agent_strange") == (
        [] if version in versions else [f"daos_agent_{variable}"]
    )


def test_settings_are_written_and_do_not_stand_in_for_variables() -> None:
    settings = {
        "fabric_ifaces": [{"numa_node": 0, "devices": [{"iface": "ib0", "domain": "mlx5_0"}]}]
    }
    role = agent(daos_agent_settings=settings)

    assert role.document("daos_agent.yml")["fabric_ifaces"] == settings["fabric_ifaces"]
    assert role.value("__daos_agent_strange") == []
    assert agent(daos_agent_settings={"port": 1, "spoon": 1}).value("__daos_agent_strange") == [
        "daos_agent_settings.port",
        "daos_agent_settings.spoon",
    ]


def test_the_check_of_clients_reads_the_log_that_the_agent_writes() -> None:
    """Neither `reframe-checks` nor `assay` knows a role, so they have the paths once more."""
    check = ast.parse((ROLES.parent / "reframe-checks/client/interfaces.py").read_text())
    paths = {
        ast.unparse(node.targets[0]): ast.literal_eval(node.value)
        for node in check.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
    }
    assert paths["LOG"] == agent().document("daos_agent.yml")["log_file"]
    assert agent().value("__daos_agent_files[0]") == AGENT_CONFIGURATION
