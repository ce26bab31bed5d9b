"""daos_server.yml, for every release and every layout of the tiers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from rendering import Rendering, read

from assay.cluster import releases
from assay.cluster.daos import UNJUDGED, Engine
from assay.cluster.releases import ByRelease, names

VERSIONS = names()
EXPECTED = ByRelease({"2.4": "2.4", "2.6": "2.6", "2.8": "2.8"})
"""The directory of what is expected; a newer release writes the same."""
LAYOUTS = [
    "pmem",
    "ephemeral",
    "md-on-ssd-shared",
    "md-on-ssd-wal",
    "md-on-ssd-wal-meta",
    "file",
]


def server(**variables: Any) -> Rendering:
    return Rendering("daos_server", {"daos_provider": "ofi+tcp", **variables})


def of_layout(version: str, layout: str) -> Rendering:
    return server(daos_version=version, **read(f"layouts/{layout}.yml"))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("version", VERSIONS)
def test_is_what_the_reviewed_expectation_says(version: str, layout: str) -> None:
    rendered = of_layout(version, layout).document("daos_server.yml")

    assert rendered == read(f"expected/{EXPECTED[version]}/{layout}.yml")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("version", VERSIONS)
def test_holds_no_key_that_the_release_would_die_of(version: str, layout: str) -> None:
    known = {part: set(keys) for part, keys in read(f"keys/{version}.yml").items()}
    rendered = of_layout(version, layout).document("daos_server.yml")

    assert rendered.keys() <= known["server"]
    assert rendered["transport_config"].keys() <= known["transport_config"]
    assert rendered.get("control_metadata", {}).keys() <= known["control_metadata"]
    for engine in rendered["engines"]:
        assert engine.keys() <= known["engine"]
        for tier in engine["storage"]:
            assert tier.keys() <= known["tier"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_root_logs_in_a_directory_that_no_daemon_writes(layout: str) -> None:
    role = of_layout("2.8", layout)
    rendered = role.document("daos_server.yml")
    daemons = set(role.value("__daos_logs").values())

    assert str(Path(rendered["helper_log_file"]).parent) == role.value("__daos_log")
    assert role.value("__daos_log") not in daemons
    logs = [rendered["control_log_file"], *(engine["log_file"] for engine in rendered["engines"])]
    assert {str(Path(log).parent) for log in logs} == {"/var/log/daos/daos_server"} < daemons


@pytest.mark.parametrize("version", VERSIONS)
def test_the_role_allows_only_keys_that_the_release_knows(version: str) -> None:
    known = read(f"keys/{version}.yml")
    role = server(daos_version=version)

    assert set(role.value("__daos_keys['daos_server.yml']")) <= set(known["server"])
    assert set(role.value("__daos_keys['engine']")) <= set(known["engine"])


@pytest.mark.parametrize("version", VERSIONS)
def test_the_description_takes_whatever_the_role_allows_of_an_engine(version: str) -> None:
    allowed = server(daos_version=version).value("__daos_keys['engine']")

    assert set(allowed) <= Engine.model_fields.keys() | UNJUDGED


def test_a_release_that_nobody_knows_yet_gets_what_the_newest_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    newest = server(daos_version=names()[-1]).value("__daos_keys")
    coming = releases.Release("2.10", "a test")
    monkeypatch.setattr(releases, "RELEASES", (*releases.RELEASES, coming))
    assert server(daos_version="2.10").value("__daos_keys") == newest


@pytest.mark.parametrize("version", VERSIONS)
def test_says_who_wrote_it(version: str) -> None:
    text = of_layout(version, "pmem").text("daos_server.yml")

    assert text.startswith("# daos-assay wrote this file and overwrites changes.\nname: ")


@pytest.mark.parametrize(
    ("variables", "strange"),
    [
        ({"daos_server_settings": {"fault_path": "/a"}}, []),
        (
            {"daos_server_settings": {"allow_numa_imbalance": True}, "daos_version": "2.6"},
            ["daos_server_settings.allow_numa_imbalance"],
        ),
        (  # there is a variable for it
            {"daos_server_settings": {"disable_hotplug": True}},
            ["daos_server_settings.disable_hotplug"],
        ),
        (
            {"daos_server_engines": [{"targets": 1, "targest": 1}]},
            ["daos_server_engines.targest"],
        ),
        (
            {"daos_server_engines": [{"bdev_auto_faulty": {}}], "daos_version": "2.4"},
            ["daos_server_engines.bdev_auto_faulty"],
        ),
    ],
)
def test_refuses_what_the_release_does_not_know(
    variables: dict[str, Any], strange: list[str]
) -> None:
    assert server(**variables).value("__daos_server_strange") == strange


@pytest.mark.parametrize(
    ("scm_class", "eadr", "variables", "env_vars"),
    [
        ("dcpm", True, [], ["PMEM_NO_FLUSH=1"]),
        ("dcpm", True, ["A=1"], ["A=1", "PMEM_NO_FLUSH=1"]),
        ("dcpm", True, ["PMEM_NO_FLUSH=0"], ["PMEM_NO_FLUSH=0"]),
        ("dcpm", False, ["A=1"], ["A=1"]),
        ("dcpm", False, [], None),
        ("ram", True, ["A=1"], ["A=1"]),
        ("ram", True, [], None),
    ],
)
def test_leaves_flushing_to_the_caches_where_they_survive_and_scm_is_pmem(
    scm_class: str, eadr: bool, variables: list[str], env_vars: list[str] | None
) -> None:
    engine = {"targets": 1, "env_vars": variables, "storage": [{"class": scm_class}]}
    rendered = server(daos_server_engines=[engine], daos_server_eadr=eadr)

    assert rendered.document("daos_server.yml")["engines"][0].get("env_vars") == env_vars


def test_gives_each_engine_a_log_of_its_own() -> None:
    engines = [{"targets": 1}, {"targets": 1, "log_file": "/tmp/mine"}, {"targets": 1}]
    rendered = server(daos_server_engines=engines).document("daos_server.yml")

    assert [engine["log_file"] for engine in rendered["engines"]] == [
        "/var/log/daos/daos_server/daos_engine.0.log",
        "/tmp/mine",
        "/var/log/daos/daos_server/daos_engine.2.log",
    ]


def test_numbers_of_the_command_line_are_numbers() -> None:
    rendered = server(
        daos_port="10003", daos_server_telemetry_port="9191", daos_server_nr_hugepages="8"
    ).document("daos_server.yml")

    assert (rendered["port"], rendered["telemetry_port"], rendered["nr_hugepages"]) == (
        10003,
        9191,
        8,
    )
