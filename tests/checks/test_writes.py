"""What a user is told that a campaign writes."""

from __future__ import annotations

from assay.checks.writes import writes
from clusters import described, system
from found import found_description


def test_a_user_is_told_what_is_written_where() -> None:
    document = found_description(found={"free_mib": 4000, "own_container": True})
    document["benchmarks"]["shared_directory"] = "/lustre"
    assert writes(described(document)) == [
        "writes to each scratch directory, and removes: 512 MiB (quick), 16,384 MiB (acceptance)",
        "writes to /lustre as much as all clients can until a deadline, and removes it; begins only"
        " with this room: 8,192 MiB (quick), 131,072 MiB (acceptance)",
        "writes to the pool guests at most 0.05 of its free space at a time, 200 MiB when it was"
        " described (daos.found.share): into the container mine, which each session makes and"
        " destroys",
    ]


def test_a_container_that_was_found_is_named_as_such() -> None:
    (_, into_pool) = writes(described(found_description(found={"share": 0.5})))
    assert into_pool == (
        "writes to the pool guests at most 0.5 of its free space at a time (daos.found.share): into"
        " the container mine, which stays; each check removes its own files"
    )


def test_who_deployed_the_cluster_needs_no_warning() -> None:
    assert writes(system("shared")) == []
