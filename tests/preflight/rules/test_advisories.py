"""Known defects of releases: shown where they matter, by the preflight and in the report."""

from __future__ import annotations

from typing import Any

import pytest

from assay.cluster.advisories import advisories
from assay.cluster.releases import is_reached
from assay.preflight.examine import examine
from assay.report.words import known_defects
from clusters import described
from found import found_description
from sites import put, site


def told(changes: dict[str, Any], layout: str = "pmem") -> list[str]:
    """The defects that the preflight shows; the report must show the same."""
    document = put(site(layout), changes)
    _, problems = examine(document)
    shown = [str(p.allowed) for p in problems if "Mended: " in str(p.allowed)]
    assert [each.partition(": ")[2] for each in known_defects(described(document))] == shown
    return shown


def test_a_mount_of_dfuse_brings_its_corruption() -> None:
    mounted = told({"daos/mount": "/mnt/dfuse", "daos/pool": "tank", "daos/container": "posix"})
    (corruption,) = (each for each in mounted if "DAOS-19449" in each)
    assert "so in 2.8.1 (github.com/daos-stack/daos, commit 6d316fd8)" in corruption
    assert not [each for each in told({}) if "DAOS-19449" in each]


@pytest.mark.parametrize(("provider", "shown"), [("ofi+cxi", 1), ("ofi+tcp", 0)])
def test_a_provider_brings_its_defects(provider: str, shown: int) -> None:
    found = told({"daos/version": "2.6", "provider": provider})
    assert len([each for each in found if "DAOS-18326" in each]) == shown


@pytest.mark.parametrize(("layout", "shown"), [("md-on-ssd-shared", 1), ("pmem", 0)])
def test_metadata_on_ssds_brings_its_defects(layout: str, shown: int) -> None:
    found = told({"daos/version": "2.4"}, layout)
    assert len([each for each in found if "DAOS-13129" in each]) == shown


@pytest.mark.parametrize(("printed", "shown"), [("2.8.0", True), ("2.8.1", False), (None, True)])
def test_a_mended_version_that_was_found_has_no_such_defect(
    printed: str | None, shown: bool
) -> None:
    document = found_description(found={"release": printed}, mount="/mnt/dfuse")
    cluster = described(document)
    assert cluster.daos
    found = advisories(cluster.daos, cluster.provider, cluster.hosts)
    assert any("DAOS-19449" in each.text for each in found) == shown


def test_versions_are_compared_by_number() -> None:
    assert is_reached("2.6.5.p2", "2.6.5")
    assert is_reached("2.10.0", "2.9.100")
    assert not is_reached("2.6.4-7", "2.6.5")
    assert not is_reached("2.8", "2.8.1")


def test_a_property_of_a_pool_brings_its_defects() -> None:
    pool = {"name": "tank", "size": "1TiB", "properties": {"reintegration": "incremental"}}
    assert len([each for each in told({"daos/pools": [pool]}) if "data_sync" in each]) == 1
    assert told({}) == []
