"""Erasure code of POSIX containers, as docs/user/container.md of DAOS 2.8.0 advises it."""

from __future__ import annotations

import pytest

from assay.problems import Problem
from sites import only, problems, put, site

CONTAINER = "daos.pools[0].containers[0]"


def judged(
    *, cell: str | None = None, version: str = "2.8", servers: int = 20, **container: object
) -> list[Problem]:
    """What is wrong with a container, in a pool with this cell, on so many servers."""
    own = {"ec_cell_sz": cell} if cell else {}
    pool = {
        "name": "tank",
        "size": "9%",
        "properties": own,
        "containers": [{"name": "c", "type": "POSIX"} | container],
    }
    document = site(servers=servers)
    return problems(put(document, {"daos/version": version, "daos/pools": [pool]}))


@pytest.mark.parametrize(
    ("cell", "file_oclass"),
    [
        ("128KiB", "EC_8P2GX"),
        ("128KiB", "EC_4P1GX"),
        ("64KiB", "EC_16P2GX"),
        ("64KiB", "EC_4P1GX"),
        (None, "EC_8P1GX"),
        (None, "RP_3GX"),
        ("128KiB", "SX"),
    ],
)
def test_whole_stripes_in_a_chunk_pass(cell: str | None, file_oclass: str) -> None:
    assert judged(cell=cell, file_oclass=file_oclass, chunk_size="1MiB") == []


@pytest.mark.parametrize(
    ("cell", "file_oclass", "chunk", "stripe"),
    [
        ("128KiB", "EC_16P2GX", "1MiB", 2048),
        (None, "EC_16P2GX", "1MiB", 2048),
        ("1MiB", "EC_2P1GX", "1MiB", 2048),
        ("128KiB", "EC_2P1GX", "1000KiB", 256),
    ],
)
def test_a_chunk_that_fills_a_stripe_in_part_is_a_warning(
    cell: str | None, file_oclass: str, chunk: str, stripe: int
) -> None:
    (problem,) = judged(cell=cell, file_oclass=file_oclass, chunk_size=chunk)
    assert (problem.key, problem.value) == (f"{CONTAINER}.chunk_size", chunk)
    assert problem.severity == "warning"
    assert problem.allowed.startswith(f"should be a multiple of {stripe} KiB, the stripe of EC_")


def test_the_container_s_own_cell_counts_before_the_pool_s() -> None:
    own = {"properties": {"ec_cell_sz": "64KiB"}}
    assert judged(cell="128KiB", file_oclass="EC_16P2GX", chunk_size="1MiB", **own) == []


def test_the_class_of_files_counts_before_that_of_both() -> None:
    both = {"oclass": "EC_16P2GX", "chunk_size": "1MiB"}
    assert judged(file_oclass="SX", **both) == []
    assert [problem.key for problem in judged(**both)] == [f"{CONTAINER}.chunk_size"]


@pytest.mark.parametrize(("version", "warned"), [("2.4", 1), ("2.6", 0), ("2.8", 0)])
def test_without_a_chunk_size_only_2_4_takes_1_mib_whatever_the_stripe(
    version: str, warned: int
) -> None:
    assert len(judged(cell="128KiB", version=version, file_oclass="EC_16P2GX")) == warned


def test_the_default_cell_of_2_6_is_half_as_long() -> None:
    assert judged(version="2.6", file_oclass="EC_16P2GX", chunk_size="1MiB") == []


@pytest.mark.parametrize("layout", ["HDF5", "PYTHON"])
def test_other_layouts_have_neither_chunks_nor_directories(layout: str) -> None:
    unfit = {"file_oclass": "EC_16P2GX", "chunk_size": "1MiB", "dir_oclass": "EC_2P1G1"}
    assert judged(type=layout, **unfit) == []


def test_directories_are_replicated() -> None:
    (problem,) = judged(dir_oclass="EC_4P2G1")
    assert (problem.key, problem.value) == (f"{CONTAINER}.dir_oclass", "EC_4P2G1")
    assert problem.severity == "warning"
    assert problem.allowed.startswith("should be replicated, such as RP_3G1, or left out")
    assert judged(dir_oclass="RP_3G1") == []


@pytest.mark.parametrize("container", [{"file_oclass": "EC_3P9"}, {"chunk_size": "much"}])
def test_what_other_rules_refuse_is_said_once(container: dict[str, object]) -> None:
    document = site(servers=20)
    inner = {"name": "c", "file_oclass": "EC_2P1GX", "chunk_size": "1MiB"} | container
    pool = {"name": "tank", "size": "9%", "containers": [inner]}
    assert only(put(document, {"daos/pools": [pool]})).severity == "error"
