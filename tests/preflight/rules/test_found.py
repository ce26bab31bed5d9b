"""The description of a DAOS that the site runs."""

from __future__ import annotations

from typing import Any

import pytest

from assay.preflight.examine import examine
from found import found_description


def problems(**daos: Any) -> list[str]:
    cluster, found = examine(found_description(**daos))
    assert (cluster is None) == bool(found)
    return [str(problem) for problem in found]


def test_a_pool_and_a_container_are_enough() -> None:
    assert problems() == []
    assert problems(container="assay.me", found={"own_container": True}) == []


@pytest.mark.parametrize(
    ("daos", "why"),
    [
        ({"pool": None}, "daos.pool: is missing: name a pool that you may write to"),
        (
            {"container": None, "found": {"own_container": True}},
            "daos.container: is missing: name the container to make",
        ),
        (
            {"mount": "/mnt/d", "found": {"own_container": True}},
            "daos.mount = /mnt/d: should be null: a container that each session makes",
        ),
        ({"file_oclass": "EC_1"}, "daos.file_oclass = EC_1: should be an object class of DAOS 2.8"),
        ({"perf_pool": "guests"}, "daos.perf_pool = guests: should be another pool"),
        ({"rank_pool_size": "1GB"}, "daos.rank_pool_size: should be absent"),
        (
            {"servers": ["c1"]},
            "daos.servers: should be empty: the servers of a system that is found are unknown",
        ),
        (
            {"found": {"telemetry": ["http://s1"]}},
            "daos.found.telemetry[0] = http://s1: should be a server and its telemetry port",
        ),
        ({"found": {"share": 0}}, "daos.found.share = 0: should be greater than 0"),
        ({"found": {"share": 1.5}}, "daos.found.share = 1.5: should be less than or equal to 1"),
    ],
)
def test_what_a_user_cannot_have_is_refused(daos: dict[str, Any], why: str) -> None:
    assert [each for each in problems(**daos) if each.startswith(why)]


def test_a_deployed_system_names_its_servers() -> None:
    document = found_description()
    del document["daos"]["found"]
    reported = {str(problem) for problem in examine(document)[1]}
    assert "daos.servers: should have at least one entry" in reported
