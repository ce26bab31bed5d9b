"""lsblk: what is on block devices."""

from __future__ import annotations

from typing import Any

from assay.tools.host.lsblk import parse


def device(name: str, kind: str = "disk", **others: Any) -> dict[str, Any]:
    empty = {"size": 2**30, "ro": False, "fstype": None, "label": None, "mountpoints": [None]}
    return {"name": name, "type": kind, **empty, **others}


def test_a_device_says_what_is_on_it() -> None:
    disk = device("/dev/vda", fstype="ext4", mountpoints=["/var/lib/containers", "/"])
    block = parse({"blockdevices": [disk]})["/dev/vda"]
    assert (block.filesystem, block.mounts) == ("ext4", ("/var/lib/containers", "/"))
    assert (block.parents, block.size_bytes, block.blobs) == ((), 2**30, False)


def test_a_raid_is_made_of_all_its_members() -> None:
    raid = device("/dev/md0", "raid1", mountpoints=["/srv"])
    disks = [device(f"/dev/sd{letter}", children=[raid]) for letter in "ab"]
    blocks = parse({"blockdevices": disks}, blobs=["/dev/sdb"])
    assert blocks["/dev/md0"].parents == ("/dev/sda", "/dev/sdb")
    assert [name for name, block in blocks.items() if block.blobs] == ["/dev/sdb"]


def test_a_host_without_block_devices_has_none() -> None:
    assert parse({}) == {}
