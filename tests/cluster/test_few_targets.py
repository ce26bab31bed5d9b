"""Engines with few targets; descriptions are made up."""

from __future__ import annotations

from typing import Any

import pytest

from assay.cluster.few_targets import FewTargets, few_targets, recommended
from clusters import described, description
from sites import LAYOUTS, put, site


def found(document: dict[str, Any]) -> list[FewTargets]:
    cluster = described(document)
    return list(few_targets(cluster, cluster.hosts))


@pytest.mark.parametrize(
    ("cores", "ssds", "least"),
    [
        (32, 0, 16),
        (8, 0, 6),
        (32, 4, 16),
        (32, 5, 15),
        (32, 12, 12),
        (64, 24, 24),
        (12, 4, 8),
        # Fewer than one core for each SSD: one target each, or one on each core.
        (12, 10, 10),
        (6, 8, 4),
        (2, 1, 1),
    ],
)
def test_daos_recommends_targets_by_cores_and_ssds(cores: int, ssds: int, least: int) -> None:
    assert recommended(cores, ssds, ssds) == least


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sound_engines_are_not_named(layout: str) -> None:
    document = site(layout, servers=2, engines=2)
    if layout == "md-on-ssd-wal":  # three of four SSDs have data
        assert recommended(32, 3, 4) == 15
    assert found(document) == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_two_targets_for_sixteen_are_named(layout: str) -> None:
    document = put(site(layout), {"s1: engines/0/targets": 2, "s1: engines/0/nr_xs_helpers": 0})
    (few,) = found(document)
    assert (few.host, few.engine, few.targets) == ("s1", 0, 2)
    assert f"DAOS recommends {few.recommended} or more" in few.why


@pytest.mark.parametrize(("targets", "named"), [(12, False), (11, True)])
def test_three_quarters_are_enough(targets: int, named: bool) -> None:
    assert bool(found(put(site(), {"s1: engines/0/targets": targets}))) == named


def test_without_daos_nothing_depends_on_targets() -> None:
    document = put(site(), {"daos": None, "s1: engines/0/targets": 1})
    assert found(put(document, {"s1: engines/0/nr_xs_helpers": 0})) == []


def test_a_trial_on_few_cores_is_not_named() -> None:
    assert found(description()) == []


def test_the_ssds_of_a_controller_are_not_counted() -> None:
    controller = {"s1: engines/0/storage/1/bdev_list": ["0000:64:00.5"]}
    document = put(site("vmd"), {**controller, "s1: engines/0/targets": 6})
    assert found(document) == []
    (few,) = found(put(document, {"s1: engines/0/targets": 5}))
    assert few.recommended == 8
