"""What DAOS's pages advise."""

from __future__ import annotations

import pytest

from sites import advice, put, site


@pytest.mark.parametrize(
    ("layout", "changes", "key", "said"),
    [
        ("ephemeral", {"s1: engines/0/targets": 18}, "engines[0].targets", "such as 16 or 20"),
        ("md-on-ssd-wal-meta", {}, "engines[0].targets", "such as 15 or 18"),
        ("ephemeral", {"s1: engines/0/nr_xs_helpers": 0}, "engines[0].nr_xs_helpers", "about 4"),
        ("ephemeral", {"s1: engines/0/nr_xs_helpers": 9}, "engines[0].nr_xs_helpers", "about 4"),
        ("ephemeral", {"daos/name": "tank"}, "daos.name", "should be daos_server"),
    ],
)
def test_what_is_advised_is_a_warning(
    layout: str, changes: dict[str, object], key: str, said: str
) -> None:
    (problem,) = advice(put(site(layout), changes))
    assert (problem.key, problem.severity) == (key, "warning")
    assert said in problem.allowed


def test_scm_of_six_per_cent() -> None:
    document = site("pmem")
    for number, address in enumerate(("65", "66", "67", "68")):
        put(document, {f"s1: nvme/0000:{address}:00.0/namespaces": [f"/dev/nvme{number}n1"]})
    blocks = document["hosts"]["s1"]["blocks"] = {
        f"/dev/nvme{number}n1": {"size_bytes": 4 * 10**12} for number in range(4)
    }
    blocks["/dev/pmem0"] = {"size_bytes": 10**12}
    assert advice(document) == []
    blocks["/dev/pmem0"] = {"size_bytes": 9 * 10**11}
    (problem,) = advice(document)
    assert "at least 6% of the SSDs" in problem.allowed


def test_one_replica_of_three_servers() -> None:
    (problem,) = advice(site(servers=3))
    assert problem.key == "daos.mgmt_svc_replicas"
    assert advice(site(servers=2)) == []


def test_engines_with_differing_numbers_of_ssds() -> None:
    document = put(site(engines=2), {"s1: engines/1/storage/1/bdev_list": ["0000:e3:00.0"]})
    (problem,) = advice(document)
    assert (problem.key, problem.value) == ("engines[1].storage", "1 SSDs")
