"""Mercury's plugins, peers of libfabric, and agents of other releases."""

from __future__ import annotations

import pytest

from sites import only, problems, put, site


@pytest.mark.parametrize(
    ("provider", "plugins", "package"),
    [("ofi+tcp", ["ucx"], "mercury-libfabric"), ("ucx+tcp", [], "mercury-ucx")],
)
def test_a_plugin_of_mercury_that_is_absent(
    provider: str, plugins: list[str], package: str
) -> None:
    document = put(site(), {"provider": provider, "s1: setup/na_plugins": plugins})
    problem = only(document)
    assert (problem.host, problem.key, problem.severity) == ("s1", "setup.na_plugins", "error")
    assert problem.allowed.endswith(f"install {package}")
    assert problems(put(document, {"s1: setup/na_plugins": ["ofi", "ucx"]})) == []
    assert problems(put(document, {"s1: setup/na_plugins": None})) == []


def test_a_universe_smaller_than_the_processes_of_the_clients() -> None:
    document = put(site(clients=4), {"s1: engines/0/env_vars": ["FI_UNIVERSE_SIZE=255"]})
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", "engines[0].env_vars")
    assert problem.allowed.startswith("should be at least 256, the processes of all clients")
    assert problem.severity == "warning"
    put(document, {"s1: engines/0/env_vars": ["FI_UNIVERSE_SIZE=256"]})
    assert problems(document) == []


def test_the_default_universe_is_as_large_as_daos_sets_it() -> None:
    document = put(site(), {"c1: cores": 2049})
    assert only(document).value == "FI_UNIVERSE_SIZE=2048 (DAOS's default)"
    assert problems(put(document, {"c1: cores": 2048})) == []
    assert problems(put(document, {"c1: cores": 2049, "provider": "ucx+dc_x"})) == []


@pytest.mark.parametrize(
    ("version", "severity"), [("2.6.4", "warning"), ("2.4.2", "error"), ("2.0.0", "error")]
)
def test_an_agent_older_than_its_ranks(version: str, severity: str) -> None:
    problem = only(put(site(), {"c1: setup/agent_version": version}))
    assert (problem.host, problem.key, problem.value) == ("c1", "setup.agent_version", version)
    assert problem.allowed.startswith("should be of 2.8, as the servers are")
    assert problem.severity == severity


@pytest.mark.parametrize("version", ["2.8.0", "2.8.1", None])
def test_an_agent_of_the_servers_release(version: str | None) -> None:
    assert problems(put(site(), {"c1: setup/agent_version": version})) == []


def test_an_agent_of_a_later_release_than_described() -> None:
    older = {"daos/version": "2.6", "c1: setup/agent_version": "2.8.0"}
    problem = only(put(site(), older))
    assert (problem.host, problem.value, problem.severity) == ("c1", "2.8.0", "warning")
    assert problem.allowed.startswith("should be of 2.6, as the description says of the servers")
