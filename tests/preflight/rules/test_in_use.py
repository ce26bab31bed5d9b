"""Devices that DAOS would format, and what is on them."""

from __future__ import annotations

from typing import Any

import pytest

from sites import only, problems, put, site

SSD = "0000:65:00.0"
KDEV = {"class": "kdev", "bdev_list": ["/dev/sdb"]}
DEVICE = "s1: server/control_metadata/device"
DISK = {"/dev/sdb": {}}


def kdev_site(**blocks: Any) -> dict[str, Any]:
    """A server whose engine emulates its SSD with /dev/sdb."""
    document = site()
    return put(document, {"s1: engines/0/storage/1": {**KDEV}, "s1: blocks": blocks})


def with_blocks(blocks: dict[str, Any]) -> dict[str, Any]:
    return put(kdev_site(), {"s1: blocks": blocks})


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ({"/dev/sdb": {"mounts": ["/srv"]}}, "/dev/sdb is mounted at /srv"),
        (
            {
                "/dev/sdb": {},
                "/dev/sdb1": {"type": "part", "parents": ["/dev/sdb"], "mounts": ["/boot"]},
            },
            "/dev/sdb1 is mounted at /boot",
        ),
        ({"/dev/sdb": {"mounts": ["[SWAP]"]}}, "/dev/sdb is in use as swap"),
        ({"/dev/sdb": {"filesystem": "swap"}}, "/dev/sdb is swap space"),
        ({"/dev/sdb": {"filesystem": "LVM2_member"}}, "/dev/sdb is a physical volume of LVM"),
        (
            {
                "/dev/sdb": {},
                "/dev/sdb2": {
                    "type": "part",
                    "parents": ["/dev/sdb"],
                    "filesystem": "linux_raid_member",
                },
            },
            "/dev/sdb2 is a member of an MD RAID",
        ),
        ({"/dev/sdb": {"filesystem": "zfs_member"}}, "/dev/sdb is a member of a ZFS pool"),
        (
            {"/dev/sdb": {"filesystem": "xfs", "label": "home"}},
            "/dev/sdb holds a file system, xfs with the label home",
        ),
        ({"/dev/sdb": {"read_only": True}}, "/dev/sdb is read-only"),
    ],
)
def test_a_device_that_is_in_use_is_refused_with_what_is_on_it(
    blocks: dict[str, Any], message: str
) -> None:
    problem = only(with_blocks(blocks))
    assert (problem.host, problem.key) == ("s1", "engines[0].storage[1].bdev_list")
    assert (problem.value, problem.severity) == ("/dev/sdb", "error")
    assert problem.allowed.startswith(message)


def test_a_device_on_which_nothing_is_may_be_given() -> None:
    assert problems(with_blocks(DISK)) == []


def test_a_link_is_the_device_that_it_leads_to() -> None:
    by_id = "/dev/disk/by-id/ata-1"
    document = with_blocks({"/dev/sdb": {"mounts": ["/srv"]}})
    put(document, {"s1: engines/0/storage/1/bdev_list": [by_id], "s1: links": {by_id: "/dev/sdb"}})
    problem = only(document)
    assert problem.value == by_id
    assert problem.allowed.startswith("/dev/sdb is mounted at /srv")


def test_an_ssd_is_in_use_where_its_namespace_is() -> None:
    document = put(
        site(),
        {
            f"s1: nvme/{SSD}/namespaces": ["/dev/nvme0n1"],
            "s1: blocks": {
                "/dev/nvme0n1": {},
                "/dev/nvme0n1p1": {"parents": ["/dev/nvme0n1"], "mounts": ["/"]},
            },
        },
    )
    problem = only(document)
    assert (problem.key, problem.value) == ("engines[0].storage[1].bdev_list", SSD)
    assert problem.allowed.startswith("/dev/nvme0n1p1 is mounted at /:")


def test_the_device_for_metadata_is_free_or_mounted_where_it_should() -> None:
    document = put(site("md-on-ssd-wal"), {DEVICE: "/dev/sdb"})
    path = document["hosts"]["s1"]["server"]["control_metadata"]["path"]
    mounted = {"filesystem": "ext4", "label": "daos", "mounts": [path]}
    assert problems(put(document, {"s1: blocks": {"/dev/sdb": mounted}})) == []
    assert problems(put(document, {"s1: blocks": {"/dev/sdb": {}}})) == []
    problem = only(put(document, {"s1: blocks": {"/dev/sdb": {**mounted, "mounts": ["/home"]}}}))
    assert problem.key == "server.control_metadata.device"
    assert problem.allowed.startswith("/dev/sdb is mounted at /home")


@pytest.mark.parametrize(
    "change",
    [
        {"s1: superblocks": {"/var/daos/config/daos_control/engine0/superblock": "daos_server"}},
        {"s1: server/reformat": True},
    ],
)
def test_what_an_engine_of_this_system_wrote_stays(change: dict[str, object]) -> None:
    document = site("md-on-ssd-shared")
    roles = ["wal", "meta", "data"]
    put(document, {"s1: engines/0/storage/1": {**KDEV, "bdev_roles": roles}})
    put(document, {"s1: blocks": {"/dev/sdb": {"blobs": True}}})
    assert only(document).allowed.startswith("/dev/sdb holds the data of an engine")
    assert problems(put(document, change)) == []


def test_data_that_no_reboot_outlives_is_not_missed() -> None:
    assert problems(with_blocks({"/dev/sdb": {"blobs": True}})) == []


def test_an_engine_of_another_system_is_not_taken_over() -> None:
    path = "/var/daos/config/daos_control/engine0/superblock"
    document = put(site("md-on-ssd-shared"), {"s1: superblocks": {path: "production"}})
    problem = only(document)
    assert (problem.host, problem.value) == ("s1", path)
    assert "here is an engine of the system production" in problem.allowed


@pytest.mark.parametrize(
    ("directory", "message"),
    [
        ({"type": "directory"}, "is a directory"),
        ({"type": "file", "size_bytes": 7}, "has 7 bytes that DAOS did not write"),
    ],
)
def test_a_file_that_is_not_daos_s_own_is_not_written_over(
    directory: dict[str, Any], message: str
) -> None:
    problem = only(put(site("file"), {"s1: backing_files": {"/var/daos/bdev0": directory}}))
    assert (problem.key, problem.value) == ("engines[0].storage[1].bdev_list", "/var/daos/bdev0")
    assert problem.allowed.startswith(message)


@pytest.mark.parametrize(
    "directory", [{"type": "file", "blank": True}, {"type": "file", "size_bytes": 9, "blobs": True}]
)
def test_a_file_that_daos_made_may_be_used_again(directory: dict[str, Any]) -> None:
    assert problems(put(site("file"), {"s1: backing_files": {"/var/daos/bdev0": directory}})) == []


def test_a_partition_beside_the_system_s_is_slow() -> None:
    blocks = {
        "/dev/sdb": {},
        "/dev/sdb1": {"type": "part", "parents": ["/dev/sdb"], "mounts": ["/"]},
        "/dev/sdb2": {"type": "part", "parents": ["/dev/sdb"]},
    }
    document = put(with_blocks(blocks), {"s1: engines/0/storage/1/bdev_list": ["/dev/sdb2"]})
    put(document, {"s1: block_devices": ["/dev/sdb2"]})
    problem = only(document)
    assert problem.severity == "warning"
    assert problem.allowed == "should be a disk of its own: /dev/sdb also holds /"
