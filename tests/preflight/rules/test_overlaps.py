"""Devices and files that are given twice, under different names."""

from __future__ import annotations

from typing import Any

import pytest

from sites import only, problems, put, site

SSD = "0000:65:00.0"
BY_ID = "/dev/disk/by-id/wwn-1"
SECOND = "engines[1].storage[1].bdev_list"


def kdevs(first: str, second: str, **host: Any) -> dict[str, Any]:
    """A server with two engines, each with a block device in the place of its SSDs."""
    document = site(engines=2)
    for number, device in enumerate((first, second)):
        tier = {"class": "kdev", "bdev_list": [device]}
        put(document, {f"s1: engines/{number}/storage/1": tier})
    document["hosts"]["s1"]["block_devices"] += ["/dev/sdb1", "/dev/sdb2", "/dev/sdc"]
    document["hosts"]["s1"].update(host)
    return document


def of_sdb(**parts: list[str]) -> dict[str, Any]:
    blocks = {f"/dev/{name}": {"type": "part", "parents": above} for name, above in parts.items()}
    return {"/dev/sda": {}, "/dev/sdb": {}, **blocks}


@pytest.mark.parametrize(
    ("first", "second", "host", "relation"),
    [
        (BY_ID, "/dev/sdb", {"links": {BY_ID: "/dev/sdb"}}, "the same device as"),
        ("/dev/sdb", "/dev/sdb1", {"blocks": of_sdb(sdb1=["/dev/sdb"])}, "the whole of"),
        ("/dev/sdb1", "/dev/sdb", {"blocks": of_sdb(sdb1=["/dev/sdb"])}, "a part of"),
        ("/dev/sdb", "/dev/sdb1", {}, "the whole of"),
        (
            "/dev/sdb",
            "/dev/vg/lv",
            {
                "links": {"/dev/vg/lv": "/dev/dm-0"},
                "blocks": of_sdb(sdb1=["/dev/sdb"]) | {"/dev/dm-0": {"parents": ["/dev/sdb1"]}},
            },
            "the whole of",
        ),
    ],
)
def test_one_disk_for_two_engines(
    first: str, second: str, host: dict[str, Any], relation: str
) -> None:
    overlaps = [p for p in problems(kdevs(first, second, **host)) if "of its own" in p.allowed]
    assert [(p.host, p.key, str(p.value), p.severity) for p in overlaps] == [
        ("s1", SECOND, second, "error")
    ]
    others = {"the whole of": "a part of", "a part of": "the whole of"}
    assert f"it is {others.get(relation, relation)} {first}" in overlaps[0].allowed


@pytest.mark.parametrize(
    ("first", "second", "host"),
    [
        ("/dev/sdb", "/dev/sdc", {}),
        ("/dev/sdb1", "/dev/sdb2", {"blocks": of_sdb(sdb1=["/dev/sdb"], sdb2=["/dev/sdb"])}),
        ("/dev/sdb1", "/dev/sdb2", {}),
        (BY_ID, "/dev/sdb", {"links": {BY_ID: "/dev/sdc"}}),
    ],
)
def test_two_disks_or_two_parts_of_one(first: str, second: str, host: dict[str, Any]) -> None:
    assert problems(kdevs(first, second, **host)) == []


def test_an_ssd_by_its_address_and_by_its_namespace() -> None:
    document = put(site(engines=2), {f"s1: nvme/{SSD}/namespaces": ["/dev/nvme0n1"]})
    document["hosts"]["s1"]["block_devices"].append("/dev/nvme0n1p1")
    tier = {"class": "kdev", "bdev_list": ["/dev/nvme0n1p1"]}
    # The other is of a kdev beside nvme.
    _, problem = problems(put(document, {"s1: engines/1/storage/1": tier}))
    assert (problem.key, problem.value) == (SECOND, "/dev/nvme0n1p1")
    assert f"it is a part of {SSD}, which engines[0].storage[1].bdev_list has" in problem.allowed


def test_control_metadata_on_an_ssd_of_an_engine() -> None:
    document = put(site("md-on-ssd-shared"), {f"s1: nvme/{SSD}/namespaces": ["/dev/nvme0n1"]})
    document["hosts"]["s1"]["block_devices"].append("/dev/nvme0n1")
    problem = only(put(document, {"s1: server/control_metadata/device": "/dev/nvme0n1"}))
    assert (problem.key, problem.value) == ("engines[0].storage[1].bdev_list", SSD)
    assert "/dev/nvme0n1, which server.control_metadata.device has" in problem.allowed


def test_scratch_space_on_an_ssd_of_an_engine() -> None:
    document = put(site(), {f"s1: nvme/{SSD}/namespaces": ["/dev/nvme0n1"]})
    problem = only(put(document, {"s1: scratch/device": "/dev/nvme0n1p1"}))
    assert (problem.key, problem.value) == ("scratch.directory", "/scratch")


@pytest.mark.parametrize("second", ["/var/daos/../daos/bdev0", "/var//daos/bdev0", "/data/bdev"])
def test_one_file_for_two_engines(second: str) -> None:
    changes = {SECOND_FILE: [second], "s1: links": {"/data/bdev": "/var/daos/bdev0"}}
    problem = only(put(site("file", engines=2), changes))
    assert (problem.key, problem.value, problem.severity) == (SECOND, second, "error")
    assert problem.allowed.startswith("should be a file of its own: it is /var/daos/bdev0")


SECOND_FILE = "s1: engines/1/storage/1/bdev_list"


def test_a_file_that_a_mount_of_scm_would_hide() -> None:
    problem = only(put(site("file", engines=2), {SECOND_FILE: ["/mnt/dram0/bdev"]}))
    assert (problem.key, problem.value) == (SECOND, "/mnt/dram0/bdev")
    assert "which is engines[0].storage[0].scm_mount" in problem.allowed


@pytest.mark.parametrize(
    ("second", "message"),
    [
        ("/var/daos/bdev0/1", "should not be in /var/daos/bdev0, which is to be a file, too"),
        ("/scratch/bdev1", "should not be in /scratch, which is scratch.directory"),
    ],
)
def test_a_file_where_another_or_the_disk_checks_are(second: str, message: str) -> None:
    problem = only(put(site("file", engines=2), {SECOND_FILE: [second]}))
    assert (problem.key, problem.value, problem.severity) == (SECOND, second, "error")
    assert problem.allowed.startswith(message)


def test_a_disk_in_the_place_of_persistent_memory() -> None:
    document = put(site("pmem"), {"s1: engines/0/storage/0/scm_list": ["/dev/sdb"]})
    problem = only(document)
    assert (problem.key, problem.value) == ("engines[0].storage[0].scm_list", "/dev/sdb")
    assert problem.allowed.startswith("should be a namespace of persistent memory")
    assert problems(put(document, {"s1: links": {"/dev/sdb": "/dev/pmem0"}})) == []


def test_devices_that_a_host_describes_as_parts_of_each_other() -> None:
    blocks = {"/dev/sdb": {"parents": ["/dev/sdc"]}, "/dev/sdc": {"parents": ["/dev/sdb"]}}
    reported = problems(kdevs("/dev/sdb", "/dev/sdc", blocks=blocks))
    assert {problem.key for problem in reported} == {SECOND}
