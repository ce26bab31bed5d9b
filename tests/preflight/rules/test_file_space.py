"""Space for files in the place of SSDs."""

from __future__ import annotations

from typing import Any

import pytest

from sites import only, problems, put, site


def on_disk(free_mib: int | None, filesystem: str = "ext4", **files: int) -> dict[str, Any]:
    """Two engines with a file of 16 GiB each in /var/daos, of which some are there."""
    directory = {"exists": True, "filesystem": filesystem, "free_mib": free_mib}
    there = {
        f"/var/daos/{name}": {"type": "file", "size_bytes": size, "blank": True}
        for name, size in files.items()
    }
    changes = {"s1: directories": {"/var/daos": directory}, "s1: backing_files": there}
    return put(site("file", engines=2), changes)


ALL_MIB = 32 * 1024


def test_files_that_do_not_fit_on_their_disk() -> None:
    problem = only(on_disk(ALL_MIB - 1))
    assert (problem.host, problem.key, problem.value, problem.severity) == (
        "s1",
        "engines[1].storage[1].bdev_size",
        "32 GiB in /var/daos",
        "error",
    )
    assert problem.allowed.startswith("should fit into the 32.0 GiB that are free there")


@pytest.mark.parametrize(
    "document",
    [
        on_disk(ALL_MIB),
        on_disk(ALL_MIB // 2, bdev0=16 * 2**30),
        on_disk(0, bdev0=16 * 2**30, bdev1=17 * 2**30),
        on_disk(0, "zfs"),
        on_disk(None),
    ],
)
def test_files_that_fit_or_of_which_that_is_not_known(document: dict[str, Any]) -> None:
    assert problems(document) == []


def with_metadata(free_mib: int, engines: int = 2) -> dict[str, Any]:
    directory = {"exists": True, "filesystem": "ext4", "free_mib": free_mib}
    changes = {"s1: directories": {"/var/daos/config": directory}}
    return put(site("md-on-ssd-shared", engines=engines), changes)


def on_device(size_mib: int) -> dict[str, Any]:
    block = {"/dev/sdb": {"size_bytes": size_mib * 2**20}}
    metadata = {"path": "/var/daos/config", "device": "/dev/sdb"}
    changes = {"s1: server/control_metadata": metadata, "s1: blocks": block}
    return put(site("md-on-ssd-shared"), changes)


@pytest.mark.parametrize(
    ("document", "key", "value"),
    [
        (with_metadata(255), "path", "/var/daos/config with 255 MiB"),
        (with_metadata(127, engines=1), "path", "/var/daos/config with 127 MiB"),
        (on_device(127), "device", "/dev/sdb with 127 MiB"),
    ],
)
def test_control_metadata_without_room_for_each_engine(
    document: dict[str, Any], key: str, value: str
) -> None:
    problem = only(document)
    assert (problem.key, problem.value) == (f"server.control_metadata.{key}", value)
    assert problem.severity == "error"
    assert "a database of 128 MiB for each engine" in problem.allowed


@pytest.mark.parametrize("document", [with_metadata(256), with_metadata(128, 1), on_device(128)])
def test_control_metadata_with_room(document: dict[str, Any]) -> None:
    assert problems(document) == []


def test_what_is_formatted_has_its_database_already() -> None:
    superblock = "/var/daos/config/daos_control/engine0/superblock"
    formatted = {"s1: superblocks": {superblock: "daos_server"}}
    assert problems(put(with_metadata(1, engines=1), formatted)) == []
