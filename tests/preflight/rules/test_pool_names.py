"""Pools and containers by name, their shares, and which of them are measured."""

from __future__ import annotations

from typing import Any

import pytest

from sites import only, problems, put, site


def with_pools(*pools: dict[str, Any], **system: Any) -> dict[str, Any]:
    document = put(site(), {"daos/pools": list(pools)})
    document["daos"] |= system
    return document


TANK = {"name": "tank", "size": "40%"}
POSIX = {"name": "posix", "type": "POSIX"}


@pytest.mark.parametrize(
    ("pools", "key", "value", "message"),
    [
        ([{"size": "40%"}], "daos.pools[0].name", None, "is missing"),
        ([{"name": "tank"}], "daos.pools[0].size", None, "is missing"),
        ([{**TANK, "name": "a b"}], "daos.pools[0].name", "a b", "up to 127 letters"),
        (
            [{**TANK, "name": "54f26bfd-628f-4762-a28a-1c42bcb6565b"}],
            "daos.pools[0].name",
            "54f26bfd-628f-4762-a28a-1c42bcb6565b",
            "not be a UUID",
        ),
        (
            [TANK, {"name": "assay-rank-3", "size": "19GB"}],
            "daos.pools[1].name",
            "assay-rank-3",
            "IorByRank destroys pools with such labels",
        ),
        ([TANK, TANK], "daos.pools", "tank", "should be listed once"),
        (
            [{**TANK, "containers": [POSIX, POSIX]}],
            "daos.pools[0].containers",
            "posix",
            "should be listed once",
        ),
        (
            [{**TANK, "containers": [{"type": "POSIX"}]}],
            "daos.pools[0].containers[0].name",
            None,
            "is missing",
        ),
    ],
)
def test_names_that_pools_cannot_have(
    pools: list[dict[str, Any]], key: str, value: str | None, message: str
) -> None:
    problem = only(with_pools(*pools))
    assert (problem.key, problem.value, problem.severity) == (key, value, "error")
    assert message in problem.allowed


@pytest.mark.parametrize("name", ["valid", "this:is_a_valid-label."])
def test_names_that_pools_can_have(name: str) -> None:
    assert problems(with_pools({**TANK, "name": name})) == []


def shares(*sizes: str) -> list[tuple[str, str]]:
    pools = ({"name": f"p{number}", "size": size} for number, size in enumerate(sizes))
    raised = problems(with_pools(*pools))
    return [(p.key, p.severity) for p in raised if p.key.startswith("daos.pools")]


def test_shares_of_what_other_pools_leave() -> None:
    assert shares("40%", "60%") == []
    assert shares("2TB", "90%", "1TB") == []
    assert shares("60%", "60%") == [("daos.pools[1].size", "warning")]
    assert shares("100%", "50%") == [("daos.pools[1].size", "error")]
    assert shares("100%", "2TB") == [("daos.pools[1].size", "error")]


@pytest.mark.parametrize(
    ("system", "key", "message"),
    [
        ({"pool": "tnak"}, "daos.pool", "should be one of daos.pools: tank"),
        ({"perf_pool": "perff"}, "daos.perf_pool", "should be one of daos.pools: tank"),
        (
            {"pool": "tank", "container": "pozix"},
            "daos.container",
            "should be one of the containers of tank: posix, h5",
        ),
        ({"pool": "tank", "container": "h5"}, "daos.container", "should be of type POSIX"),
    ],
)
def test_what_is_measured_is_made(system: dict[str, Any], key: str, message: str) -> None:
    tank = {**TANK, "containers": [POSIX, {"name": "h5", "type": "HDF5"}]}
    problem = only(with_pools(tank, **system))
    assert (problem.key, problem.severity) == (key, "error")
    assert problem.allowed.startswith(message)


def test_what_is_measured_may_be_there_already() -> None:
    assert problems(with_pools(pool="tank", container="posix", perf_pool="perf")) == []
    tank = {**TANK, "containers": [POSIX]}
    assert (
        problems(with_pools(tank, {**TANK, "name": "perf"}, pool="tank", container="posix")) == []
    )


def test_a_mount_without_a_pool() -> None:
    problem = only(put(site(), {"daos/mount": "/mnt/dfuse"}))
    assert (problem.key, problem.severity) == ("daos.mount", "warning")
    assert problem.allowed.startswith("should be beside a pool")
