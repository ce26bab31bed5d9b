"""DAOS's own files, judged without an inventory, with the facts of their host or without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.preflight.daos_files.facts import FactsError
from assay.preflight.daos_files.facts import read as read_facts
from assay.preflight.daos_files.judge import FilesError, JudgedFiles, judge, on_one_host, read
from assay.problems import Problem
from assay.survey.host_program import program
from commandline import assay as run

POSTED = Path(__file__).parents[1] / "recorded" / "daos_files"


def judged(
    *files: Path, release: str | None = None, facts: dict[str, Any] | None = None, **more: Any
) -> JudgedFiles:
    documents = dict(read(file) for file in files)
    return judge(on_one_host(documents, facts), release, **more)


def errors(found: JudgedFiles) -> list[Problem]:
    return [problem for problem in found.problems if problem.severity == "error"]


def written(directory: Path, document: Any, name: str = "daos_server.yml") -> Path:
    file = directory / name
    file.write_text(document if isinstance(document, str) else yaml.safe_dump(document))
    return file


def changed(name: str, **changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = yaml.safe_load((POSTED / name).read_text())
    return document | changes


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("sng2-24.conf", "2.4"),
        ("confgen-24.conf", "2.6"),
        ("jlab-mdssd.conf", "2.6"),
        ("v-localhost.conf", "2.8"),
        ("docker3-sockets.conf", "2.4"),
        ("ansible-vmd.conf", "2.6"),
        ("ex-tcp-28.conf", "2.8"),
        ("k8s-mixed-28.conf", "2.8"),
        ("v-tcp-on-rdma.conf", "2.6"),
    ],
)
def test_what_works_is_valid_and_its_release_is_guessed(name: str, release: str) -> None:
    found = judged(POSTED / name)
    assert errors(found) == []
    assert found.version == release
    assert found.source.startswith("guessed from ")


@pytest.mark.parametrize("name", ["sng2-24.conf", "confgen-24.conf", "ansible-vmd.conf"])
def test_what_works_under_2_4_is_valid_there(name: str) -> None:
    assert errors(judged(POSTED / name, release="2.4")) == []


@pytest.mark.parametrize(
    ("name", "key", "words"),
    [
        ("v-tcp-on-rdma.conf", "engines[0].fabric_iface", "by its name one of InfiniBand"),
        ("ex-tcp-28.conf", "engines[0].env_vars", "libfabric's sockets reads it"),
        ("k8s-mixed-28.conf", "engines[1].storage", "dmg storage query usage panics"),
    ],
)
def test_what_works_badly_is_warned_of(name: str, key: str, words: str) -> None:
    found = [p for p in judged(POSTED / name).problems if p.key == key]
    assert any(words in problem.allowed for problem in found)
    assert {(problem.host, problem.severity) for problem in found} == {(None, "warning")}


def test_controllers_of_vmd_are_not_counted_as_ssds() -> None:
    found = judged(POSTED / "ansible-vmd.conf").problems
    assert not [problem for problem in found if problem.key == "engines[0].targets"]


def test_old_keys_are_told_by_meaning() -> None:
    found = {problem.key: problem.allowed for problem in errors(judged(POSTED / "v-old-keys.conf"))}
    assert found.keys() == {"bdev_include", "enable_vmd"}
    assert "today bdev_list, in storage of an engine" in found["bdev_include"]
    assert "today disable_vmd, with the opposite value" in found["enable_vmd"]


def test_opx_is_refused() -> None:
    [problem] = errors(judged(POSTED / "v-opx.conf"))
    assert (problem.key, problem.value) == ("provider", "ofi+opx")


def test_sockets_are_refused_from_2_6_on() -> None:
    [problem] = errors(judged(POSTED / "docker3-sockets.conf", release="2.6"))
    assert "DAOS 2.4 was the last release with it" in problem.allowed


def test_a_pool_that_the_tmpfs_cannot_index(tmp_path: Path) -> None:
    file = changed("v-pool-1tib.conf")
    assert file.pop("x_pool")["size"] == "1TiB"
    path = written(tmp_path, file)
    assert errors(judged(path)) == []
    [problem] = errors(judged(path, pool="1TiB"))
    assert (problem.key, problem.value) == ("--pool-size", "1TiB")
    assert errors(judged(path, pool="600GiB")) == []


LEGACY = {
    "targets": 4,
    "fabric_iface": "eth0",
    "fabric_iface_port": 31316,
    "scm_class": "ram",
    "scm_mount": "/mnt/daos",
    "scm_size": 8,
    "bdev_class": "nvme",
    "bdev_list": ["0000:81:00.0"],
}


def test_what_2_4_still_reads_of_older_releases(tmp_path: Path) -> None:
    document = {
        "access_points": ["srv01"],
        "provider": "ofi+tcp",
        "enable_vmd": True,
        "engines": [LEGACY],
    }
    found = judged(written(tmp_path, document))
    assert (found.version, errors(found)) == ("2.4", [])
    today = {p.key: p.allowed for p in errors(judged(written(tmp_path, document), release="2.6"))}
    assert "with the opposite value" in today["enable_vmd"]
    assert "today class, in storage of an engine" in today["engines[0].scm_class"]
    assert "today in a tier of storage of the engine" in today["engines[0].scm_mount"]


def test_engines_under_their_oldest_name_are_not_called_absent(tmp_path: Path) -> None:
    document = {"access_points": ["srv01"], "provider": "ofi+tcp", "servers": [LEGACY]}
    found = judged(written(tmp_path, document))
    assert [problem.key for problem in found.problems] == ["servers"]
    assert "today engines" in found.problems[0].allowed


def test_a_key_that_its_release_does_not_have_yet_is_called_as_there(tmp_path: Path) -> None:
    document = changed("v-localhost.conf", disable_hotplug=True)
    assert "mgmt_svc_replicas" in document
    older = {p.key: p.allowed for p in errors(judged(written(tmp_path, document), release="2.6"))}
    assert older["mgmt_svc_replicas"].endswith("here it is access_points")
    assert older["disable_hotplug"].endswith("here it is enable_hotplug, with the opposite value")


def test_the_agent_calls_the_replicas_access_points_in_every_release(tmp_path: Path) -> None:
    file = written(tmp_path, {"mgmt_svc_replicas": ["n1"]}, "daos_agent.yml")
    _, document = read(file)
    [problem] = errors(judge(on_one_host({"agent": document})))
    assert problem.key == "daos_agent.yml: mgmt_svc_replicas"
    assert "(here access_points)" in problem.allowed


@pytest.mark.parametrize(
    ("name", "changes", "key", "words"),
    [
        ("ex-tcp-28.conf", {"disable_vmd": "no"}, "disable_vmd", "without quotes"),
        ("ex-tcp-28.conf", {"port": 0}, "port", "1 to 65535"),
        ("ex-tcp-28.conf", {"access_points": ["a"]}, "access_points", "refuses the two together"),
        ("ex-tcp-28.conf", {"control_metadata": {"path": "/a"}}, "control_metadata.path", "roles"),
        ("jlab-mdssd.conf", {"access_points": ["a", "b"]}, "access_points", "an odd number"),
        ("ex-tcp-28.conf", {"fault_path": "rack"}, "fault_path", "one or two levels"),
        ("ex-tcp-28.conf", {"crt_timeout": -1}, "crt_timeout", "0"),
    ],
)
def test_mistakes_are_reported_in_the_words_of_the_file(
    tmp_path: Path, name: str, changes: dict[str, Any], key: str, words: str
) -> None:
    found = errors(judged(written(tmp_path, changed(name, **changes))))
    assert [problem.key for problem in found] == [key]
    assert words in found[0].allowed
    assert "daos_server_" not in found[0].allowed.replace("daos_server_helper", "")


def test_a_release_that_somebody_says_is_taken(tmp_path: Path) -> None:
    file = written(tmp_path, changed("jlab-mdssd.conf", control_iface="eth0"))
    assert (judged(file).version, errors(judged(file))) == ("2.8", [])
    [problem] = errors(judged(file, release="2.6"))
    assert problem.key == "control_iface"
    assert problem.allowed.startswith("is a key of DAOS 2.8 or later")


def test_an_engines_log_that_is_the_servers(tmp_path: Path) -> None:
    document = changed("ex-tcp-28.conf", control_log_file="/var/log/daos/daos_engine.0.log")
    [problem] = errors(judged(written(tmp_path, document)))
    assert problem.key == "engines[0].log_file"
    assert problem.allowed == "should be a file of its own; daos_server writes to this one"


def test_every_server_of_a_file_has_a_place_of_its_own(tmp_path: Path) -> None:
    document = changed("ex-tcp-28.conf", fault_path="/rack1/srv01")
    assert errors(judged(written(tmp_path, document))) == []


FACTS: dict[str, Any] = {
    "names": ["srv01"],
    "cores": 32,
    "numa_nodes": 2,
    "memory": {"total_mib": 515000},
    "interfaces": {"eth0": {"numa_node": 0}, "eth1": {"numa_node": 1}},
    "nvme": {"0000:81:00.0": {"numa_node": 0}},
    "block_devices": ["/dev/pmem0", "/dev/pmem1"],
    "setup": {"platform": "el9"},
}


def test_with_facts_the_host_is_judged_too() -> None:
    found = errors(judged(POSTED / "ex-tcp-28.conf", facts=FACTS))
    assert [(p.host, p.key, p.value) for p in found] == [
        ("srv01", "engines[0].targets", "16, with nr_xs_helpers = 4"),
        ("srv01", "engines[1].targets", "16, with nr_xs_helpers = 4"),
        ("srv01", "engines[1].storage[1].bdev_list", "0000:82:00.0"),
    ]


def test_servers_of_which_nothing_is_known_are_like_the_one_that_is() -> None:
    """Its 32 cores were compared with those that others were given."""
    found = judged(POSTED / "ex-tcp-28.conf", facts=FACTS).problems
    assert {problem.host for problem in found} <= {"srv01", None}
    assert not [problem for problem in found if problem.key == "cores"]


def test_replicas_by_address_of_ipv6(tmp_path: Path) -> None:
    replicas = ["[2001:db8::1]:10001", "[2001:db8::2]", "2001:db8::3"]
    document = changed("ex-tcp-28.conf", mgmt_svc_replicas=replicas)
    assert errors(judged(written(tmp_path, document))) == []


def test_a_replica_that_is_neither_name_nor_address(tmp_path: Path) -> None:
    document = changed("ex-tcp-28.conf", mgmt_svc_replicas=["a b$", "srv02", "srv03"])
    [problem] = errors(judged(written(tmp_path, document)))
    assert (problem.key, problem.value) == ("mgmt_svc_replicas", "a b$")


def test_without_facts_what_is_not_known_is_said() -> None:
    assert "its memory" in judged(POSTED / "ex-tcp-28.conf").unknown
    assert judged(POSTED / "ex-tcp-28.conf", facts=FACTS).unknown == ()


def test_vfio_may_not_be_off_on_enterprise_linux_8(tmp_path: Path) -> None:
    file = written(tmp_path, changed("ex-tcp-28.conf", disable_vfio=True))
    facts = {"setup": {"platform": "el8"}}
    [problem] = errors(judged(file, facts=facts))
    assert (problem.key, problem.value) == ("disable_vfio", "true")
    assert "uio_pci_generic takes no SSD" in problem.allowed
    assert errors(judged(file, facts={"setup": {"platform": "el9"}})) == []


def test_an_agents_file_is_compared_with_the_servers(tmp_path: Path) -> None:
    server = written(tmp_path, changed("ex-tcp-28.conf"))
    agent = {"name": "daos_srever", "access_points": ["srv09"], "include_fabric_ifaces": ["ib0"]}
    found = judged(server, written(tmp_path, agent, "daos_agent.yml")).problems
    said = {problem.key: problem.allowed for problem in found}
    assert said["daos_agent.yml: name"] == "should be daos_server, as in daos_server.yml"
    assert "among the replicas" in said["daos_agent.yml: access_points"]


def test_an_agents_file_alone(tmp_path: Path) -> None:
    both = {"include_fabric_ifaces": ["ib0"], "exclude_fabric_ifaces": ["ib1"], "telemetry": 1}
    found = errors(judged(written(tmp_path, both, "daos_agent.yml")))
    assert {problem.key for problem in found} == {
        "daos_agent.yml: exclude_fabric_ifaces",
        "daos_agent.yml: telemetry",
    }


def test_a_control_file_alone(tmp_path: Path) -> None:
    file = written(tmp_path, {"hostlist": "srv01", "nam": "x"}, "daos_control.yml")
    found = errors(judged(file))
    assert [problem.key for problem in found] == [
        "daos_control.yml: hostlist",
        "daos_control.yml: nam",
    ]


def test_yaml_is_read_as_daos_reads_it(tmp_path: Path) -> None:
    """0000:12:00.0 is a number to the base of 60 to PyYAML, and Go's knows aliases."""
    text = """
mgmt_svc_replicas: [srv01]
provider: ofi+tcp
engines:
- &engine
  targets: 4
  nr_xs_helpers: 1
  fabric_iface: eth0
  fabric_iface_port: 31316
  pinned_numa_node: 0
  env_vars: &env [FI_UNIVERSE_SIZE=16383]
  storage:
  - {class: ram, scm_mount: /mnt/daos0, scm_size: 8}
  - class: nvme
    bdev_list:
    - 0000:12:00.0
- <<: *engine
  env_vars: *env
  fabric_iface: eth1
  fabric_iface_port: 31416
  pinned_numa_node: 1
  storage:
  - {class: ram, scm_mount: /mnt/daos1, scm_size: 8}
  - {class: nvme, bdev_list: [0000:13:00.0]}
"""
    assert errors(judged(written(tmp_path, text))) == []


def test_tabs_before_comments_are_read_as_daos_reads_them(tmp_path: Path) -> None:
    """DAOS 2.0's own examples have them."""
    text = "port: 10001\t# the default\nname:\tdaos_server\t\n"
    assert read(written(tmp_path, text))[1] == {"port": 10001, "name": "daos_server"}


def test_a_file_without_engines_is_one_of_discovery(tmp_path: Path) -> None:
    """DAOS's own daos_server.yml has every key commented out."""
    [problem] = judged(written(tmp_path, "# port: 10001\n")).problems
    assert (problem.key, problem.severity) == ("engines", "warning")
    assert "only discovers hardware" in problem.allowed


def test_aliases_that_stand_for_too_much_are_refused(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(FilesError, match="stands for more than"):
        read(written(tmp_path, "\n".join(lines)))


@pytest.mark.parametrize("text", ["[1, 2]", "- a", "{{ ansible }}: 1", "a: !!python/none x"])
def test_what_is_no_file_of_daos(tmp_path: Path, text: str) -> None:
    with pytest.raises(FilesError):
        read(written(tmp_path, text))


def test_the_facts_of_this_host_by_the_probe(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-"], input=program(), capture_output=True, text=True, check=True
    )
    facts = read_facts(written(tmp_path, done.stdout, "facts.json"))
    assert facts["cores"] >= 1
    assert "lo" in facts["interfaces"]
    assert judged(POSTED / "ex-tcp-28.conf", facts=facts).unknown == ()


ANSIBLE = """srv01 | SUCCESS => {
    "ansible_facts": {
        "ansible_nodename": "srv01", "ansible_processor_cores": 16, "ansible_processor_count": 2,
        "ansible_memtotal_mb": 515000, "ansible_os_family": "RedHat",
        "ansible_distribution_major_version": "8", "ansible_interfaces": ["eth0", "ib-0"],
        "ansible_eth0": {"active": true, "mtu": 1500, "speed": 100000, "module": "mlx5_core",
            "ipv4": {"address": "192.0.2.1", "netmask": "255.255.255.0"}},
        "ansible_ib_0": {"active": true, "type": "infiniband"}
    }, "changed": false
}
"""


def test_the_facts_of_ansible(tmp_path: Path) -> None:
    facts = read_facts(written(tmp_path, ANSIBLE, "facts"))
    assert (facts["names"], facts["cores"]) == (["srv01"], 32)
    assert facts["interfaces"]["eth0"]["network"] == "192.0.2.0/24"
    assert facts["interfaces"]["ib-0"]["rdma"] is True
    assert facts["setup"] == {"platform": "el8"}
    found = judged(POSTED / "ex-tcp-28.conf", facts=facts)
    assert "its SSDs" in found.unknown
    assert [p.value for p in errors(found) if p.key == "engines[1].fabric_iface"] == ["eth1"]


@pytest.mark.parametrize("text", ["", "{}", '{"interfaces": []}', "srv01 | UNREACHABLE!"])
def test_what_has_no_facts(tmp_path: Path, text: str) -> None:
    with pytest.raises(FactsError):
        read_facts(written(tmp_path, text, "facts"))


def test_the_command_says_the_release_and_what_it_did_not_judge() -> None:
    status, printed, said = run("check", POSTED / "jlab-mdssd.conf")
    assert status == 0
    assert printed.endswith("jlab-mdssd.conf: valid\n")
    assert "judged as DAOS 2.6, guessed from access_points" in said
    assert "not judged without --host-facts: its cores" in said


def test_the_command_ends_with_1_where_a_file_is_wrong() -> None:
    status, printed, said = run("check", POSTED / "v-opx.conf", "--json")
    assert (status, json.loads(printed)["release"], said) == (1, "2.8", "")


def test_the_release_of_a_program(tmp_path: Path) -> None:
    server = written(tmp_path, "#!/bin/sh\necho DAOS Control Server version 2.6.4\n", "daos_server")
    os.chmod(server, 0o755)
    status, _, said = run("check", POSTED / "ansible-vmd.conf", "--binary", server)
    assert (status, f"judged as DAOS 2.6, as {server} says" in said) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["x.yml", "--release", "1.2"], "should be one of 2.4"),
        (["x.yml"], "cannot be read"),
        (["x.yml", "--inventory"], "is for a cluster.json"),
        (["x.json", "--release", "2.8"], "is for DAOS's own files"),
        (["x.json", "y.json"], "name one"),
    ],
)
def test_wrong_uses_of_the_command(arguments: list[str], words: str) -> None:
    status, _, said = run("check", *arguments)
    assert status == 2
    assert words in said


CLIENT = {**FACTS, "names": ["c01"], "nvme": {}, "interfaces": {"eth0": {"address": "192.0.2.9"}}}


def collected_in(directory: Path, **changes: Any) -> Path:
    """The files of three servers and a client, as Ansible fetches them."""
    document = changed("ex-tcp-28.conf", **changes)
    for engine in document["engines"]:
        engine["targets"], engine["nr_xs_helpers"] = 8, 2
    for number in (1, 2, 3):
        place = directory / f"srv0{number}" / "etc" / "daos"
        place.mkdir(parents=True)
        written(place, document)
        interfaces = {
            f"eth{n}": {"numa_node": n, "address": f"192.0.{n + 2}.{number}"} for n in (0, 1)
        }
        nvme = {f"0000:8{n}:00.0": {"numa_node": n - 1} for n in (1, 2)}
        facts = {**FACTS, "names": [place.parts[-3]], "interfaces": interfaces, "nvme": nvme}
        written(place.parents[1], json.dumps(facts), "facts.json")
    (directory / "c01").mkdir()
    agent = {"access_points": ["srv01", "srv02", "srv03"]}
    written(directory / "c01", agent, "daos_agent.yml")
    written(directory / "c01", json.dumps(CLIENT), "facts.json")
    return directory


def test_a_running_system_is_described_from_its_files(tmp_path: Path) -> None:
    files = collected_in(tmp_path / "files")
    status, printed, said = run("describe", tmp_path / "site", "--files", files, "--partition=c")
    assert status == 0, said + printed
    assert "describes 3 servers with 6 engines, and 1 clients; DAOS 2.8" in printed
    description = tmp_path / "site" / "cluster.json"
    assert run("check", description)[0] == 0
    document = json.loads(description.read_text())
    assert document["daos"]["agents"] == ["c01"]
    assert document["hosts"]["srv02"]["address"] == "192.0.2.2"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda files: (files / "srv02" / "facts.json").unlink(), "has no facts of srv02"),
        (lambda files: (files / "c01" / "facts.json").write_text("{}"), "should be what `assay"),
        (
            lambda files: (files / "srv02/etc/daos/daos_server.yml").write_text(
                "provider: ofi+opx"
            ),
            "nothing is described, since the files have errors",
        ),
    ],
)
def test_what_is_not_described_from_files(tmp_path: Path, spoil: Any, words: str) -> None:
    files = collected_in(tmp_path / "files")
    spoil(files)
    status, _, said = run("describe", tmp_path / "site", "--files", files, "--partition=c")
    assert (status, words in said) == (2, True), said
    assert not (tmp_path / "site").exists()
