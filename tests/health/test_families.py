"""Which metrics are charted together."""

from __future__ import annotations

import pytest

from assay.health.families import Charted, Family, families


def ssd(host: str, device: str, metric: str) -> Charted:
    return Charted(metric, "Nvme", f"{host}/{device}", (host,))


SSDS = [
    ssd(host, device, metric)
    for host in ("s1", "s2")
    for device in ("a", "b")
    for metric in ("read", "rate")
]
RING = [
    Charted("bandwidth", "Ping", f"{one}>{other}", (one, other))
    for one, other in (("s1", "s2"), ("s2", "s3"), ("s3", "s1"))
]


def named(level: str, charted: list[Charted]) -> dict[object, tuple[int, ...]]:
    return {each.name: each.rows for each in families(charted).members if each.level == level}


def test_metrics_of_enough_peers_are_a_kind() -> None:
    assert named("kind", SSDS) == {"read": (0, 2, 4, 6), "rate": (1, 3, 5, 7)}
    assert named("kind", RING) == {}, "three are too few"


def test_the_metrics_of_a_device_are_a_family() -> None:
    assert named("subject", SSDS) == {
        "s1/a": (0, 1),
        "s1/b": (2, 3),
        "s2/a": (4, 5),
        "s2/b": (6, 7),
    }


def test_a_pair_belongs_to_both_of_its_hosts() -> None:
    assert named("host", RING) == {"s1": (0, 2), "s2": (0, 1), "s3": (1, 2)}


def test_a_host_has_a_family_for_each_check_if_it_has_several_checks() -> None:
    assert named("part", [*SSDS, *RING]) == {
        "s1": (8, 10),  # of the last of its checks
        "s2": (8, 9),
    }
    parts = [each for each in families([*SSDS, *RING]).members if each.level == "part"]
    assert {(each.name, *each.checks) for each in parts} == {
        ("s1", "Nvme"),
        ("s2", "Nvme"),
        ("s1", "Ping"),
        ("s2", "Ping"),
    }


def test_what_is_the_same_metrics_is_one_family_by_its_largest_name() -> None:
    (family,) = families([ssd("s1", "a", "read")]).members
    assert family == Family("host", "s1", frozenset({"Nvme"}), (0,))


def test_a_whole_partition_has_no_host() -> None:
    whole = [Charted("write", "Ior", "clients/dfs", ())]
    assert [each.level for each in families(whole).members] == ["subject"]


@pytest.mark.parametrize("level", ["subject", "metric"])
def test_families_of_the_same_checks_and_level_are_alike(level: str) -> None:
    groups = families(SSDS)
    numbers = {
        int(groups.like[number])
        for number, each in enumerate(groups.members)
        if each.level == level
    }
    assert len(numbers) == 1
