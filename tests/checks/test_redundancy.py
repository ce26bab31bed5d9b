"""The class that DAOS chooses for files: by release, redundancy factor and fault domains."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from assay.checks.bounds.path import data_path, of_files
from assay.checks.redundancy import (
    chosen_for_directories,
    chosen_for_files,
    default_factor,
    differs,
    layout,
)
from assay.cluster.description import Cluster
from assay.cluster.object_class import object_class
from assay.units import Quantity
from clusters import described
from found import found_description
from recordings import recorded
from sites import put, site

# Read in `dc_set_oclass` at v2.8.0: (release, rd_fac, fault domains), files, directories.
CHOSEN = [
    ("2.8", 0, 1, "SX", "S1"),
    ("2.8", 0, 42, "SX", "S1"),
    ("2.8", 1, 2, "RP_2GX", "RP_2G1"),
    ("2.8", 1, 3, "EC_2P1GX", "RP_2G1"),
    ("2.8", 1, 5, "EC_2P1GX", "RP_2G1"),
    ("2.8", 1, 6, "EC_4P1GX", "RP_2G1"),
    ("2.8", 1, 10, "EC_8P1GX", "RP_2G1"),
    ("2.8", 1, 17, "EC_8P1GX", "RP_2G1"),
    ("2.8", 1, 18, "EC_16P1GX", "RP_2G1"),
    ("2.8", 2, 3, "RP_3GX", "RP_3G1"),
    ("2.8", 2, 4, "EC_2P2GX", "RP_3G1"),
    ("2.8", 2, 8, "EC_4P2GX", "RP_3G1"),
    ("2.8", 2, 12, "EC_8P2GX", "RP_3G1"),
    ("2.8", 2, 20, "EC_16P2GX", "RP_3G1"),
    ("2.8", 3, 4, "RP_4GX", "RP_4G1"),
    ("2.8", 3, 9, "RP_4GX", "RP_4G1"),
    ("2.8", 3, 10, "EC_4P3GX", "RP_4G1"),
    ("2.8", 3, 14, "EC_8P3GX", "RP_4G1"),
    ("2.8", 3, 22, "EC_16P3GX", "RP_4G1"),
    ("2.8", 4, 42, "RP_5GX", "RP_5G1"),
    ("2.6", 1, 18, "EC_16P1GX", "RP_2G1"),
    ("2.6", 3, 22, "EC_16P3GX", "RP_4G1"),
    ("2.4", 3, 22, "RP_4GX", "RP_4G1"),
]


@pytest.mark.parametrize(("version", "factor", "there", "files", "directories"), CHOSEN)
def test_daos_chooses_by_factor_and_fault_domains(
    version: str, factor: int, there: int, files: str, directories: str
) -> None:
    assert chosen_for_files(version, factor, there) == files
    assert chosen_for_directories(factor, there) == directories


@pytest.mark.parametrize(("factor", "there"), [(1, 1), (2, 2), (3, 3), (4, 4)])
def test_too_few_fault_domains_hold_no_file(factor: int, there: int) -> None:
    with pytest.raises(
        ValueError, match=f"needs {factor + 1} fault domains, and there are {there}"
    ):
        chosen_for_files("2.8", factor, there)


@pytest.mark.parametrize(
    ("version", "there", "factor"),
    [("2.8", 1, 0), ("2.8", 2, 1), ("2.8", 3, 2), ("2.8", 4, 3), ("2.8", 42, 3), ("2.6", 42, 0)],
)
def test_a_default_is_lowered_to_what_the_fault_domains_allow(
    version: str, there: int, factor: int
) -> None:
    """A pool on three ranks of one server was seen to have 0."""
    assert default_factor(version, there) == factor


def system(
    servers: int,
    pool: dict[str, Any] | None = None,
    container: dict[str, Any] | None = None,
    **changes: Any,
) -> Cluster:
    document = site(servers=servers, engines=2)
    made = {"name": "tank", "size": "80%", "properties": pool or {}}
    inside = {"name": "posix", "type": "POSIX", "properties": container or {}}
    document["daos"] |= {"pool": "tank", "container": "posix"}
    document["daos"]["pools"] = [made | {"containers": [inside]}]
    return described(put(document, changes))


def test_a_plan_has_the_redundancy_of_the_release() -> None:
    assert of_files(system(1)).name == "SX"
    assert of_files(system(2)).name == "RP_2GX"
    assert of_files(system(6)).name == "RP_4GX"
    assert of_files(system(10)).name == "EC_4P3GX"
    assert of_files(system(10, **{"daos/version": "2.6"})).name == "SX"


def test_properties_come_before_defaults_and_a_class_before_all() -> None:
    assert of_files(system(6, {"rd_fac": 1})).name == "EC_4P1GX"
    assert of_files(system(6, {"rd_fac": 1}, {"rd_fac": 0})).name == "SX"
    assert of_files(system(6, **{"daos/file_oclass": "S1"})).name == "S1"


@pytest.mark.parametrize(
    ("made", "name"),
    [
        ({}, "RP_4G1"),
        ({"dir_oclass": "RP_2G1"}, "RP_2G1"),
        ({"oclass": "RP_3GX"}, "RP_3GX"),
        ({"oclass": "RP_3GX", "dir_oclass": "S1"}, "S1"),
        # DAOS has no erasure code for directories.
        ({"dir_oclass": "EC_2P1G1"}, "RP_4G1"),
        ({"properties": {"rd_fac": 1}}, "RP_2G1"),
    ],
    ids=["default", "own", "both", "own-of-both", "erasure-code", "factor"],
)
def test_directories_have_a_class_of_their_own(made: dict[str, Any], name: str) -> None:
    document = site(servers=6)
    container = {"name": "posix"} | made
    document["daos"] |= {
        "pool": "tank",
        "container": "posix",
        "pools": [{"name": "tank", "size": "1TiB", "containers": [container]}],
        "file_oclass": container.get("oclass"),
    }
    assert layout(described(document)).directories.name == name


def test_directories_of_which_nothing_is_known_survive_what_files_do() -> None:
    named = {"daos/file_oclass": "RP_2GX", "daos/pools": []}
    assert layout(described(put(site(servers=6), named))).directories.name == "RP_2GX"
    named["daos/dir_oclass"] = "RP_3G1"
    assert layout(described(put(site(servers=6), named))).directories.name == "RP_3G1"


def test_ranks_may_be_the_fault_domains() -> None:
    assert of_files(system(3, {"rd_fac": 1}, {"rd_lvl": "rank"})).name == "EC_4P1GX"
    assert of_files(system(3, {"rd_fac": 1})).name == "EC_2P1GX"


def test_nothing_is_assumed_of_a_pool_that_the_site_made() -> None:
    document = site(servers=6)
    document["daos"] |= {"pool": "tank", "container": "posix"}
    assert of_files(described(document)).name == "SX"


@pytest.mark.parametrize(("factor", "name"), [("1", "EC_2P1GX"), ("0", "SX"), (None, "SX")])
def test_what_a_found_container_has_counts(factor: str | None, name: str) -> None:
    properties = {} if factor is None else {"rd_fac": factor}
    seen = {"ranks": 3, "servers_of_ranks": {r: f"192.0.2.{r + 1}" for r in range(3)}}
    document = found_description(found=seen | {"container_properties": properties})
    document["daos"].pop("file_oclass", None)
    assert of_files(described(document)).name == name


def test_parity_is_sent_with_a_full_stripe_alone() -> None:
    """The stripe has as many cells of the pool as the class has data cells."""
    cluster = system(10, {"rd_fac": 3})
    assert layout(cluster).cell_bytes == 128 * 1024
    assert layout(system(10, {"rd_fac": 3, "ec_cell_sz": "64KiB"})).cell_bytes == 64 * 1024
    code = of_files(cluster)

    def clients(kib: int) -> float:
        bound = data_path(cluster, "write", Quantity(kib, "KiB"), code)
        assert bound
        (limit,) = (each for each in bound.limits if each.who == "the clients' NICs")
        return limit.value.to("GB/s").value

    assert clients(256) == pytest.approx(clients(512) * code.sent)


def test_a_container_that_is_not_as_described_is_refused() -> None:
    """That of the recording has 0, as a pool that an older release made would have."""
    answer = recorded("dmg", "container_get_prop.txt")
    assert differs(system(1), answer) == []
    (problem,) = differs(system(2), answer)
    assert problem.startswith("the container has rd_fac 0, but by the description it has 1")
    assert "RP_2GX" in problem
    (factor,) = differs(system(6, {"rd_fac": 1}), answer)
    assert "EC_4P1GX" in factor
    other = differs(system(6, {"rd_fac": 1, "ec_cell_sz": "64KiB"}), answer)
    assert other[1].startswith("the container has ec_cell_sz 131072, but by the description it has")
    # Nothing is judged by the factor of a class that is named.
    assert differs(system(2, **{"daos/file_oclass": "SX"}), answer) == []


def seen_classes() -> dict[str, tuple[str, str]]:
    """What DAOS chose: the classes of a file and of a directory, by the container's options."""
    _, *parts = recorded("classes", "get_attr.txt").split("\n== ")
    found = {}
    for part in parts:
        options, _, shown = part.partition("\n")
        file, directory = re.findall(r"^Object Class = (\S+)$", shown, re.MULTILINE)
        found[options.partition(":")[2].strip()] = file, directory
    return found


@pytest.mark.parametrize(
    ("options", "changes"),
    [
        ("", {}),
        ("--properties=rd_lvl:rank,rd_fac:0", {"rd_lvl": "rank", "rd_fac": 0}),
        ("--properties=rd_lvl:rank,rd_fac:1", {"rd_lvl": "rank", "rd_fac": 1}),
        ("--properties=rd_lvl:rank,rd_fac:2", {"rd_lvl": "rank", "rd_fac": 2}),
    ],
)
def test_a_real_daos_chose_the_classes_that_are_expected(
    options: str, changes: dict[str, Any]
) -> None:
    """On one server with three ranks, whose pool has the factor 0 though the default is 3."""
    file, directory = seen_classes()[options]
    there = 3 if changes else 1
    factor = changes.get("rd_fac", default_factor("2.8", there))
    expected = chosen_for_files("2.8", factor, there), chosen_for_directories(factor, there)
    for name, chosen in zip((file, directory), expected, strict=True):
        is_like, is_chosen = object_class(name, there), object_class(chosen, there)
        assert replace(is_like, name="") == replace(is_chosen, name="")
    assert "Pool redundancy factor (rd_fac) 0" in recorded("classes", "get_attr.txt")
