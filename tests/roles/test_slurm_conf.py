"""slurm.conf, and what a site may add to it."""

from __future__ import annotations

from typing import Any

import pytest
from rendering import ROLES, Rendering

NODE = "NodeName=n1 NodeHostname=n1 NodeAddr=192.0.2.2"


def slurm(settings: dict[str, Any]) -> Rendering:
    host = {
        "groups": {"controller": ["c"], "clients": ["n1"]},
        "inventory_hostname": "c",
        "ansible_facts": {"default_ipv4": {"address": "192.0.2.1"}, "service_mgr": "systemd"},
        "hostvars": {"n1": {"__slurm_node": NODE}},
        "role_path": str(ROLES / "slurm"),
        "__slurm_controller": {
            "ansible_facts": {"hostname": "c"},
            "__slurm_address": "192.0.2.1",
        },
    }
    return Rendering("slurm", host | {"slurm_settings": settings})


def test_without_settings_there_is_no_line_for_them() -> None:
    assert "Of the site" not in slurm({}).text("slurm.conf")


def test_settings_are_written_before_the_nodes() -> None:
    text = slurm({"SlurmdDebug": "debug", "MessageTimeout": 30}).text("slurm.conf")
    site, _, nodes = text.partition("SlurmdDebug=debug\nMessageTimeout=30\n")
    assert "SlurmdTimeout=60" in site
    assert NODE in nodes


def test_every_key_that_the_role_writes_is_known_as_its_own() -> None:
    text = slurm({}).text("slurm.conf")
    written = {line.partition("=")[0] for line in text.splitlines() if line[:1].isalpha()}
    assert written <= set(slurm({}).value("__slurm_own_keys"))
    assert {"NodeName", "PartitionName", "CommunicationParameters"} <= written


@pytest.mark.parametrize("key", ["ClusterName", "clustername", "NODENAME", "TaskPlugin"])
def test_a_setting_that_the_role_writes_itself_is_refused_in_any_case(key: str) -> None:
    role = slurm({"SlurmdDebug": "debug", key: "mine"})
    assert role.value("__slurm_overwriting") == [key]
    assert role.value("__slurm_malformed") == []


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("Slurmd Debug", "debug", "Slurmd Debug=debug"),
        ("SlurmdDebug", "debug\nSlurmUser=root", "SlurmdDebug=debug\nSlurmUser=root"),
        ("Epilog", "/bin/true # not", "Epilog=/bin/true # not"),
        ("DisableRootJobs", True, "DisableRootJobs=True"),
        ("SlurmdDebug", None, "SlurmdDebug=None"),
        ("LaunchParameters", ["a", "b"], "LaunchParameters=['a', 'b']"),
        ("SlurmdDebug", "", "SlurmdDebug="),
        ("SlurmdDebug", "debug\n", "SlurmdDebug=debug\n"),
    ],
)
def test_a_setting_that_is_not_a_line_of_a_text_or_number_is_refused(
    key: str, value: Any, line: str
) -> None:
    assert slurm({key: value}).value("__slurm_malformed") == [line]


@pytest.mark.parametrize("value", ["topology/tree", 30, 0.5, "a,b=c", "/usr/bin/x -y"])
def test_texts_and_numbers_are_taken(value: Any) -> None:
    role = slurm({"Whatever": value})
    assert role.value("__slurm_malformed") == role.value("__slurm_overwriting") == []


FACTS = {
    "hostname": "n1",
    "default_ipv4": {"address": "192.0.2.2"},
    "processor_count": 2,
    "processor_cores": 16,
    "processor_threads_per_core": 2,
    "memtotal_mb": 515000,
}


def strange_facts(facts: dict[str, Any]) -> list[str]:
    """The names of the facts that the role refuses."""
    host = {"inventory_hostname": "n1", "groups": {}, "ansible_facts": FACTS | facts}
    role = Rendering("slurm", host)
    return [
        role.value(f"__slurm_node_facts[{number}].name")
        for number in range(role.value("__slurm_node_facts | length"))
        if not role.value(
            f"__slurm_node_facts[{number}].value is match(__slurm_node_facts[{number}].like)"
        )
    ]


def test_facts_of_a_sound_host_are_taken() -> None:
    assert strange_facts({}) == []
    assert strange_facts({"hostname": "n1.site.example"}) == []
    assert strange_facts({"default_ipv4": {"address": "2001:db8::1"}}) == []


@pytest.mark.parametrize(
    ("fact", "value", "name"),
    [
        ("hostname", "n1 NodeAddr=1\nProlog=/shared/evil\n#", "its hostname"),
        ("hostname", "n1\n", "its hostname"),
        ("default_ipv4", {"address": "192.0.2.2 Port=1"}, "slurm_address"),
        ("processor_cores", "16\nProlog=/shared/evil", "processor_cores"),
        ("memtotal_mb", "lots", "memtotal_mb"),
    ],
)
def test_facts_that_would_write_lines_of_their_own_are_refused(
    fact: str, value: object, name: str
) -> None:
    assert strange_facts({fact: value}) == [name]
