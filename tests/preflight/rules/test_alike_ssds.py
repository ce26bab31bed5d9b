"""SSDs of one tier are of one kind."""

from __future__ import annotations

from typing import Any

import pytest

from sites import only, problems, put, site

KEY = "engines[0].storage[1].bdev_list"
BUSES = ("65", "66", "67", "68")


def with_models(*models: str | None) -> dict[str, Any]:
    changes = {f"s1: nvme/0000:{b}:00.0/model": m for b, m in zip(BUSES, models, strict=True)}
    return put(site("pmem"), changes)


def with_sizes(*sizes: int) -> dict[str, Any]:
    """A site whose SSDs are of so many GB."""
    paths = [f"/dev/nvme{number}n1" for number, _ in enumerate(sizes)]
    changes: dict[str, object] = {
        f"s1: nvme/0000:{b}:00.0/namespaces": [p] for b, p in zip(BUSES, paths, strict=False)
    }
    blocks = {p: {"size_bytes": size * 10**9} for p, size in zip(paths, sizes, strict=True)}
    return put(site("pmem"), changes | {"s1: blocks": blocks})


@pytest.mark.parametrize(
    ("document", "kinds"),
    [
        (with_models("X", "Y", "Y", "Y"), "1 x X, 3 x Y"),
        (with_models("X", None, "Y", "Y"), "1 x X, 2 x Y"),
        (with_sizes(960, 3840, 3840, 3840), "1 x 960 GB, 3 x 3840 GB"),
        (with_sizes(3840, 3763), "1 x 3840 GB, 1 x 3763 GB"),
    ],
)
def test_a_tier_of_several_kinds_is_a_warning(document: dict[str, Any], kinds: str) -> None:
    problem = only(document)
    assert (problem.host, problem.key, problem.value) == ("s1", KEY, kinds)
    assert problem.severity == "warning"
    # A second tier needs roles, and each role is on one tier.
    assert problem.allowed.endswith("Replace the odd ones, or leave them out")


@pytest.mark.parametrize(
    "document",
    [
        with_models("X", "X", "X", "X"),
        with_models(None, None, None, "X"),
        with_sizes(3840, 3765, 3841, 3840),
        with_sizes(),
    ],
)
def test_one_kind_or_what_is_not_known_passes(document: dict[str, Any]) -> None:
    assert problems(document) == []


def test_two_tiers_may_be_of_two_kinds() -> None:
    document = site("md-on-ssd-wal")
    put(document, {f"s1: nvme/0000:{b}:00.0/model": "X" if b == "65" else "Y" for b in BUSES})
    assert problems(document) == []
