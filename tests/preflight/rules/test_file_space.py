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
