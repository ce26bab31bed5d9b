"""Problems, folded for people and for programs."""

from __future__ import annotations

from assay.preflight.table import as_json, rows
from assay.problems import Problem, variable
from sites import problems, put, site


def test_the_same_of_several_hosts_is_one_row_and_errors_come_first() -> None:
    listed = [
        Problem("n1", "name", "x", "advised", severity="warning"),
        Problem("n1", "engines[0].targets", 0, "should be at least 1"),
        Problem("n2", "engines[0].targets", 0, "should be at least 1"),
    ]
    assert [(row.severity, row.hosts) for row in rows(listed)] == [
        ("error", ("n1", "n2")),
        ("warning", ("n1",)),
    ]


def test_programs_get_hosts_key_variable_value_and_what_is_allowed() -> None:
    listed = [Problem("n1", "server.nr_hugepages", 5, "should be 0")]
    assert as_json(listed, variable) == [
        {
            "severity": "error",
            "hosts": ["n1"],
            "key": "server.nr_hugepages",
            "variable": "daos_server_nr_hugepages",
            "value": "5",
            "allowed": "should be 0",
        }
    ]


def test_what_roles_refuse_stands_in_the_same_table() -> None:
    refusal = {"key": "munge_key", "value": "abc", "allowed": "should be at least 32 bytes"}
    document = site() | {"refusals": {"s1": [refusal, "s1: something else"]}}
    listed = [(problem.host, problem.key, problem.value) for problem in problems(document)]
    assert listed == [("s1", "munge_key", "abc"), ("s1", "", None)]
    assert problems(document)[0].allowed == "should be at least 32 bytes"


def test_a_value_that_a_role_has_refused_is_refused_once() -> None:
    refusal = {"key": "daos_provider", "value": "tcp", "allowed": "should be one that DAOS knows"}
    document = site() | {"provider": "tcp", "refusals": {"s1": [refusal], "c1": [refusal]}}
    (row,) = rows(problems(document))
    assert (row.hosts, row.key, row.value) == (("s1", "c1"), "daos_provider", "tcp")
    document["refusals"] = {"s1": [refusal | {"value": "verbs"}]}
    assert [each.key for each in rows(problems(document))] == ["daos_provider", "provider"]
    assert variable("provider") == "daos_provider"


def test_of_a_cluster_that_could_not_be_described_the_refusals_are_all() -> None:
    refusal = {"key": "daos_server_engines", "value": None, "allowed": "should be a list"}
    (problem,) = problems({"refusals": {"s1": [refusal]}, "unreachable": []})
    assert problem.key == "daos_server_engines"
    assert problems({"refusals": {}, "unreachable": []}) != []


def test_a_host_that_cannot_be_reached_is_named_once() -> None:
    document = site(servers=3)
    del document["hosts"]["s2"]
    document["unreachable"] = ["s2"]
    (problem,) = problems(document)
    assert problem.host == "s2"
    assert problem.allowed.startswith("should be reachable by ssh")


def test_an_entry_of_a_list_is_named_once_and_by_its_place() -> None:
    """A role refuses the list as a whole, and the model names what is wrong in it."""
    tank = {"name": "tank", "size": "40GBs", "containers": []}
    document = put(site(servers=3), {"daos/pools": [tank], "daos/mgmt_svc_replicas": ["s1"]})
    whole = {"key": "daos_system_pools", "value": None}
    of_role = [whole | {"allowed": "size of assay is 40GBs; it should be a size such as 2TB"}]
    document["refusals"] = {"s1": of_role}
    assert [variable(each.key) for each in problems(document)] == ["daos_system_pools[0].size"]
    document["refusals"] = {"s1": [whole | {"allowed": "should have another name"}]}
    assert [variable(each.key) for each in problems(document)] == [
        "daos_system_pools",
        "daos_system_pools[0].size",
    ]


def test_a_warning_takes_the_place_of_no_refusal() -> None:
    """Else a list that a role refuses would be valid."""
    posix = {"name": "posix", "dir_oclass": "EC_2P1G1"}
    tank = {"name": "tank", "size": "90%", "containers": [posix]}
    document = put(site(servers=4), {"daos/pools": [tank], "daos/mgmt_svc_replicas": ["s1"]})
    warned = [each for each in problems(document) if each.value == "EC_2P1G1"]
    assert [each.severity for each in warned] == ["warning"]
    words = "EC_2P1G1 should be another"
    document["refusals"] = {"s1": [{"key": "daos_system_pools", "value": None, "allowed": words}]}
    assert [each.key for each in problems(document) if each.severity == "error"] == [
        "daos_system_pools"
    ]
