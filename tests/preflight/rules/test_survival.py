"""What must survive a reboot."""

from __future__ import annotations

import pytest

from assay.problems import Problem
from sites import only, problems, put, site

PATH = "server.control_metadata.path"


@pytest.mark.parametrize(
    ("path", "filesystem", "severity"),
    [
        ("/run/daos", "tmpfs", "error"),
        ("/dev/shm/daos", "tmpfs", "error"),
        ("/srv/daos", "tmpfs", "error"),
        ("/var/daos", "rootfs", "error"),
        ("/var/daos", "overlay", "warning"),
        ("/tmp/daos", "ext4", "warning"),
        ("/tmp/daos", "tmpfs", "error"),
    ],
)
def test_metadata_that_a_reboot_would_take_is_refused(
    path: str, filesystem: str, severity: str
) -> None:
    document = put(site("md-on-ssd-shared"), {"s1: server/control_metadata/path": path})
    directory = {"exists": False, "filesystem": filesystem}
    problem: Problem = only(put(document, {"s1: directories": {path: directory}}))
    assert (problem.key, problem.severity) == (PATH, severity)
    assert problem.allowed.startswith("should outlive a reboot")


@pytest.mark.parametrize("filesystem", ["ext4", "xfs", "btrfs", "zfs"])
def test_metadata_on_a_disk_outlives_one(filesystem: str) -> None:
    directory = {"exists": False, "filesystem": filesystem}
    document = put(site("md-on-ssd-shared"), {"s1: directories": {"/var/daos/config": directory}})
    assert problems(document) == []


@pytest.mark.parametrize(
    ("filesystem", "severity"), [("nfs4", "error"), ("nfs", "error"), ("lustre", "warning")]
)
def test_metadata_that_other_servers_would_overwrite(filesystem: str, severity: str) -> None:
    directory = {"exists": True, "filesystem": filesystem}
    document = put(site("md-on-ssd-shared"), {"s1: directories": {"/var/daos/config": directory}})
    problem = only(document)
    assert (problem.key, problem.severity) == (PATH, severity)
    assert problem.allowed.startswith(f"should be on a disk of this host: it is on {filesystem}")


FILE = "engines[0].storage[1].bdev_list"


def backed(path: str, *roles: str, filesystem: str = "ext4") -> dict[str, object]:
    """A server whose engine has a file in the place of an SSD, on a file system."""
    tier = {"class": "file", "bdev_list": [path], "bdev_size": 16, "bdev_roles": list(roles)}
    document = site("md-on-ssd-shared" if roles else "file")
    directory = {"exists": True, "filesystem": filesystem}
    parent = path.rpartition("/")[0]
    return put(document, {"s1: engines/0/storage/1": tier, "s1: directories": {parent: directory}})


@pytest.mark.parametrize(
    ("path", "filesystem", "severity"),
    [
        ("/dev/shm/bdev0", "tmpfs", "error"),
        ("/run/daos/bdev0", "tmpfs", "error"),
        ("/srv/ramdisk/bdev0", "tmpfs", "error"),
        ("/tmp/bdev0", "ext4", "warning"),
        ("/srv/bdev0", "overlay", "warning"),
    ],
)
def test_a_file_with_metadata_that_a_reboot_would_take(
    path: str, filesystem: str, severity: str
) -> None:
    problem = only(backed(path, "wal", "meta", "data", filesystem=filesystem))
    assert (problem.key, problem.severity) == (FILE, severity)
    assert problem.allowed.startswith("should outlive a reboot")


def test_a_file_in_memory_whose_figures_would_be_those_of_memory() -> None:
    problem = only(backed("/srv/ramdisk/bdev0", filesystem="tmpfs"))
    assert (problem.key, problem.severity) == (FILE, "warning")
    assert "would be measured of memory" in problem.allowed
    assert problems(backed("/srv/disk/bdev0")) == []
    assert problems(backed("/srv/disk/bdev0", "wal", "meta", "data")) == []
