"""Which differences between two clusters are other hardware."""

from __future__ import annotations

import copy

import pytest

from assay.bundle.compare import hardware_differences
from clusters import described, description


def test_a_little_memory_is_not_other_hardware() -> None:
    cluster, document = described(description()), description()
    document["hosts"]["s1"]["memory"]["total_mib"] -= 100
    assert hardware_differences(cluster, described(document)) == []
    document["hosts"]["s1"]["memory"]["total_mib"] //= 2
    assert hardware_differences(cluster, described(document)) != []


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        (
            "interfaces",
            {"eth0": {"speed_gbits": 25}, "ib0": {"speed_gbits": 100}},
            "100.0, was 200",
        ),
        ("datasheets", {"memory": "DDR5-4800"}, "8 x DDR5-4800, was None"),
    ],
)
def test_what_engines_are_made_of_is_hardware(key: str, value: object, message: str) -> None:
    old = description()
    server = old["hosts"]["s1"]
    server["interfaces"]["ib0"] = {"speed_gbits": 200}
    server["engines"][0]["fabric_iface"] = "ib0"
    new = copy.deepcopy(old)
    new["hosts"]["s1"][key] = value
    (listed,) = hardware_differences(described(old), described(new))
    assert message in listed


def test_one_core_is_other_hardware() -> None:
    old, new = description(), description()
    old["hosts"]["s1"]["cores"], new["hosts"]["s1"]["cores"] = 128, 127
    listed = hardware_differences(described(old), described(new))
    assert listed == ["host s1: cores is 127, was 128"]
