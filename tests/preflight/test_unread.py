"""Names in an inventory that nothing reads, and those that something does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.preflight import unread
from assay.preflight.unread import GivenVariable

KNOWN = ["assay_scale", "cluster_interface", "daos_server_engines", "slurm_address"]
PREFIXES = ["assay_", "cluster_", "daos_", "slurm_"]


def refused(**given: Any) -> list[str]:
    named = [GivenVariable(name, value, "all.yml:3") for name, value in given.items()]
    return [str(problem) for problem in unread.variables(named, KNOWN, PREFIXES)]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("cluster_interfaces", "cluster_interface"),
        ("daos_server_engine", "daos_server_engines"),
        ("asay_scale", "assay_scale"),
        ("daosserver_engines", "daos_server_engines"),
    ],
)
def test_a_name_that_nothing_reads_is_refused_with_the_nearest(name: str, near: str) -> None:
    assert refused(**{name: 1}) == [
        f"{name}: nothing reads it: did you mean {near}? (set in all.yml:3)"
    ]


def test_a_name_of_ours_that_is_like_no_other_is_refused() -> None:
    assert refused(slurm_moon=1) == [
        "slurm_moon: nothing reads it: give a variable of your own another name (set in all.yml:3)"
    ]


@pytest.mark.parametrize("name", [*KNOWN, "racks", "my_scale", "ansible_user", "interface"])
def test_what_is_read_or_is_not_ours_is_left_alone(name: str) -> None:
    assert refused(**{name: 1}) == []


@pytest.mark.parametrize(
    "value", ["{{ slurm_own_net }}", ["{{ slurm_own_net }}"], {"a": [{"b": "{{slurm_own_net}}"}]}]
)
def test_a_variable_that_another_of_the_site_reads_is_left_alone(value: Any) -> None:
    assert refused(slurm_own_net="10.0.0.0/8", slurm_address=value) == []


def test_a_variable_that_reads_itself_alone_is_refused() -> None:
    assert refused(slurm_own_net="{{ slurm_own_net }}")


def test_places_are_listed_once() -> None:
    given = [GivenVariable("cluster_interfaces", 1, where) for where in ("-e", "host n1", "-e")]
    (problem,) = unread.variables(given, KNOWN, PREFIXES)
    assert problem.allowed.endswith("(set in -e, host n1)")


def test_a_group_with_nearly_the_name_of_one_that_has_no_host_is_refused() -> None:
    hosts = {"all": ["n1"], "client": ["n1"], "rack1": ["n1"]}
    (problem,) = unread.groups(hosts, ["clients", "servers"])
    assert problem.key == "client"
    assert problem.allowed.endswith("did you mean clients, which has no host?")
    assert not list(unread.groups({**hosts, "clients": ["n1"]}, ["clients", "servers"]))


def test_a_group_with_nearly_our_name_whose_hosts_would_be_left_out_is_refused() -> None:
    hosts = {"clients": ["n1"], "clinets": ["n2"]}
    (problem,) = unread.groups(hosts, ["clients", "servers"])
    assert problem.key == "clinets"
    assert problem.allowed.endswith("did you mean clients?")


@pytest.mark.parametrize(
    "own", [{"clinets": ["n1"]}, {"clinets": []}, {"clients2": ["n2"]}, {"rack1": ["n2"]}]
)
def test_a_group_of_the_site_beside_ours_is_left_alone(own: dict[str, list[str]]) -> None:
    assert not list(unread.groups({"clients": ["n1"], **own}, ["clients"]))


def test_a_key_of_a_group_that_nothing_reads_is_refused() -> None:
    clients = {"host": {"n1": None}, "vars": {"var": 1, "children": {"a": {"b": 1}}}}
    inventory = {"all": {"var": {}, "hosts": {"n2": {"var": 1}}, "children": {"clients": clients}}}
    found = unread.keys({Path("hosts.yml"): inventory})
    assert [(problem.key, problem.allowed) for problem in found] == [
        (key, "nothing reads it: a group has hosts, children, vars (set in hosts.yml)")
        for key in ("all.var", "clients.host")
    ]


@pytest.mark.parametrize(
    "inventory",
    [
        {"plugin": "constructed", "groups": {"a": "b"}},
        None,
        [],
        {"all": None},
        {"a": {"children": "b"}},
    ],
)
def test_a_file_without_other_keys_of_groups_is_left_alone(inventory: Any) -> None:
    assert not list(unread.keys({Path("hosts.yml"): inventory}))


def test_a_file_of_variables_has_the_name_of_a_group_or_a_host(tmp_path: Path) -> None:
    for name in ("group_vars/all/site.yml", "group_vars/server.yml", "host_vars/n1.yml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    left_alone = (".hidden.yml", "README.md", "README", "all~", "server.site")
    for name in ("host_vars/n1.site", *(f"group_vars/{name}" for name in left_alone)):
        (tmp_path / name).touch()
    (tmp_path / "hosts.yml").touch()
    for source in (tmp_path, tmp_path / "hosts.yml"):
        (problem,) = unread.files([source], ["all", "servers"], ["n1", "n1.site"])
        assert problem.key == "group_vars/server.yml"
        assert problem.allowed.endswith("a group of the inventory (did you mean servers?)")
