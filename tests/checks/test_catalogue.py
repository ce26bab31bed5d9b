"""An entry of the catalogue that is wrong or incomplete is refused at import, in one sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assay.checks.benchmarks import fio
from assay.checks.bounds.devices import MEBIBYTE
from assay.checks.entry import CatalogueError, Check
from assay.checks.plan import CHECKS, catalogue
from assay.units import Quantity

WRITE, READ, RATE = map(fio.DISK.metric, ("write_1m", "read_1m", "randwrite_4k"))
SCALES = fio.DISK.scales


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"name": "ssd fio"}, "check ssd fio: name = ssd fio: should be the name of a class"),
        ({"layer": "disk"}, "check SsdFio: layer = disk: should be one of network, scm, ssd,"),
        ({"phase": "cold"}, "check SsdFio: phase = cold: should be one of raw, scm, system"),
        ({"metrics": ()}, "check SsdFio: metrics = (): should be at least one metric"),
        (
            {"metrics": (WRITE, READ, READ)},
            "check SsdFio: metric read_1m, name = read_1m: should be that of no other metric",
        ),
        (
            {"metrics": (replace(READ, unit="MB/S"),)},
            "check SsdFio: metric read_1m, unit = MB/S: should be one that assay.units knows",
        ),
        (
            {"metrics": (replace(READ, in_flight=0),)},
            "check SsdFio: metric read_1m, in_flight = 0: should be 1 or more",
        ),
        (
            {"metrics": (READ, replace(READ, name="read_64k"))},
            "check SsdFio: metric read_64k, in_chain = True: should be set for one metric that has"
            " the direction read",
        ),
        (
            {"metrics": (replace(RATE, in_chain=True),)},
            "check SsdFio: metric randwrite_4k, unit = IO/s: should be MiB/s, for the chain",
        ),
        (
            {"metrics": (replace(READ, direction=None),)},
            "check SsdFio: metric read_1m, direction = None: should be write or read, for the",
        ),
        (
            {"scales": {"quick": SCALES["quick"]}},
            "check SsdFio: scales = ['quick']: should be acceptance, with or without quick",
        ),
        (
            {"scales": {**SCALES, "week": SCALES["quick"]}},
            "check SsdFio: scales = ['quick', 'acceptance', 'week']: should be acceptance,",
        ),
        (
            {"scales": {"acceptance": {"file_mib": 1, "random_s": 1}}},
            "check SsdFio: scales.acceptance = {'file_mib': 1, 'random_s': 1}: should be a size"
            " for each of file_mib, random_s, repetitions",
        ),
        (
            {"metrics": (replace(RATE, timed_by="phase_s"),)},
            "should be a size for each of file_mib, phase_s, random_s, repetitions",
        ),
        (
            {"scales": {**SCALES, "quick": {"repetitions": 1, "file_mib": 64}}},
            "check SsdFio: scales.quick = {'repetitions': 1, 'file_mib': 64}: should be a size",
        ),
        (
            {"scales": {"acceptance": {"repetitions": 0, "file_mib": 1, "random_s": 1}}},
            "check SsdFio: scales.acceptance.repetitions = 0: should be 1 or more",
        ),
    ],
)
def test_a_wrong_entry_is_refused(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CatalogueError) as refused:
        replace(fio.DISK, **changed)
    assert sentence in str(refused.value)


def test_a_feature_that_no_partition_can_have_is_refused() -> None:
    with pytest.raises(CatalogueError, match=r"SsdFio: needs = disc: should be one of client, "):
        catalogue([replace(fio.DISK, needs=("disc", "fio"))])


def test_two_checks_of_one_name_are_refused() -> None:
    with pytest.raises(CatalogueError, match=r"SsdFio: name = SsdFio: should be that of one check"):
        catalogue([fio.DISK, fio.DISK])


def test_a_second_bandwidth_in_one_direction_does_not_stand_in_the_chain() -> None:
    smaller = replace(READ, name="read_64k", transfer=Quantity(64, "KiB"), in_chain=False)
    check = replace(fio.DISK, metrics=(WRITE, smaller, READ))
    assert check.in_chain("read") is READ
    assert check.in_chain("write") is WRITE


@pytest.mark.parametrize("check", CHECKS.values(), ids=list(CHECKS))
def test_what_stands_in_the_chain_moves_large_blocks(check: Check) -> None:
    for metric in check.metrics:
        if metric.in_chain:
            assert metric.transfer
            assert metric.transfer.to("B").value >= MEBIBYTE.to("B").value
