"""The description of a cluster: everything that is wrong with it is said, and said usefully."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.preflight.examine import ClusterError, examine, load
from clusters import description


def messages(document: Any) -> list[str]:
    cluster, problems = examine(document)
    assert (cluster is None) == bool(problems)
    return [str(problem) for problem in problems]


def test_a_sound_description_has_no_problems() -> None:
    assert messages(description()) == []


def change(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Put a value at `hosts/c1/cores` of a description."""

    def put(document: dict[str, Any]) -> None:
        *parents, last = [int(part) if part.isdigit() else part for part in path.split("/")]
        for part in parents:
            document = document[part]
        document[last] = value

    return put


@pytest.mark.parametrize(
    ("put", "text"),
    [
        (
            change("servers", ["s1", "c1"]),
            "host c1: clients, servers = in both groups: should be in one of the two groups, since"
            " a client on a server disturbs what it measures; or set assay_colocated to true",
        ),
        (
            change("clients", ["c1", "c9"]),
            "host c9: clients = c9: should be one of the hosts described: c1, c2, login, s1, s2",
        ),
        (change("clients", ["c1", "c1"]), "host c1: clients = 2 times: should be listed once"),
        (change("controller", "nobody"), "host nobody: controller = nobody: should be one of"),
        (change("servers", []), "servers: should have at least one entry"),
        (change("hosts/c1/coers", 4), "host c1: coers: unknown key (did you mean cores?)"),
        (change("clintes", []), "clintes: unknown key (did you mean clients?)"),
        (
            change("hosts/s1/engines/0/storage/0/scm_mont", "/mnt"),
            "host s1: engines[0].storage[0].scm_mont: unknown key of a storage tier in DAOS 2.8"
            " (did you mean scm_mount?)",
        ),
        (
            change("hosts/s1/engines/0/storage/0/class", "optane"),
            "host s1: engines[0].storage[0].class = optane: should be one of ram, dcpm,",
        ),
        (change("hosts/c1/cores", True), "host c1: cores = True: should be a number"),
        (
            change("hosts/c1/interfaces/eth0/speed_gbits", True),
            "host c1: interfaces.eth0.speed_gbits = True: should be a number",
        ),
        (change("hosts/c1/cores", 0), "host c1: cores = 0: should be greater than or equal to 1"),
        *(
            (
                change("hosts/c1/address", address),
                f"host c1: address = {address}: should be an address, or cluster_interface an",
            )
            for address in ("300.1.1.1", "ib0")
        ),
        (
            change("hosts/c1/interface", "ib0"),
            "host c1: interface = ib0: should be an interface of this host: eth0",
        ),
        (
            change("hosts/c1/interface", "192.0.2.1"),
            "host c1: interface = 192.0.2.1: should be an address of an interface of this host:",
        ),
        (
            change("hosts/s1/engines/0/fabric_iface", "ib0"),
            "host s1: engines[0].fabric_iface = ib0: should be an interface of this host: eth0",
        ),
        (
            change("hosts/s1/engines/0/storage/0/scm_size", 16),
            "host s1: engines[0].storage[0].scm_size = 16 GiB: should be less than the host's",
        ),
        (
            change("hosts/s1/scratch/ssd", "Floppy 1.44MB"),
            "host s1: scratch.ssd = Floppy 1.44MB: should be a data sheet: Intel",
        ),
        (change("hosts/c1/scratch", None), "host c1: scratch: should be a directory for the files"),
        (
            change("benchmarks/ior", "/opt/ior/bin/ior"),
            "benchmarks.shared_directory: should be a directory that all clients share, for the",
        ),
        (change("name", "two words"), "name = two words: should be letters, digits, - and _"),
        (
            change("hosts/c1>c2", description()["hosts"]["c1"]),
            "host c1>c2: hosts = c1>c2: should have letters, digits, dots, hyphens and",
        ),
        (
            change("hosts/c1/interfaces/eth0/speed_gbits", math.inf),
            "hosts.c1.interfaces.eth0.speed_gbits = inf: must be 0 or a number from",
        ),
        (change("hosts", {}), "hosts = {}: must be an object: name to host"),
    ],
)
def test_one_mistake_is_named_with_host_key_value_and_remedy(
    put: Callable[[dict[str, Any]], None], text: str
) -> None:
    document = description()
    put(document)
    assert any(message.startswith(text) for message in messages(document)), messages(document)


def test_all_mistakes_are_reported_at_once() -> None:
    document = description()
    for path, value in (
        ("name", "two words"),
        ("servers", ["s1", "s2", "c1"]),
        ("hosts/c1/cores", 0),
        ("hosts/c2/interface", "ib0"),
        ("hosts/s1/extra", 1),
        ("hosts/s1/interface", "ib7"),
    ):
        change(path, value)(document)
    text = "\n".join(messages(document))
    for part in ("two words", "in both groups", "c1: cores", "c2: interface", "s1: extra", "ib7"):
        assert part in text


@pytest.mark.parametrize("document", [None, [], "text", 7, {}, {"hosts": []}, {"hosts": {"a": 1}}])
def test_rubbish_is_refused_without_a_traceback(document: object) -> None:
    assert messages(document)


def test_a_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    with pytest.raises(ClusterError, match=r"cluster\.json: cannot be read: No such file"):
        load(path)
    for text in ("{", "[" * 100_000):
        path.write_text(text)
        with pytest.raises(ClusterError, match=r"cluster\.json: is not JSON"):
            load(path)


def test_a_cluster_survives_its_own_json(tmp_path: Path) -> None:
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(description()))
    cluster = load(path)
    path.write_text(cluster.model_dump_json(by_alias=True))
    assert load(path) == cluster
