"""Pools and containers: how they are asked for, and how those there differ."""

import ast
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import units
from assay.tools import json_output
from assay.tools.daos import daos_answer, pools
from recordings import recorded

POSIX = {"type": "POSIX", "file_oclass": "SX", "chunk_size": "512KiB"}


def response(name: str) -> Any:
    """The response in a recording."""
    return daos_answer.read_answer(recorded("dmg", f"{name}.txt")).response


def pool_differences(
    size: str = "2GB", query: str = "pool_query", **properties: Any
) -> list[pools.Difference]:
    return pools.pool_differences(size, properties, response(query), response("pool_get_prop"))


def container_differences(**wanted: Any) -> list[str]:
    properties = wanted.pop("properties", {})
    differing = pools.container_differences(
        POSIX | wanted, properties, response("container_query"), response("container_get_prop")
    )
    return [str(difference) for difference in differing]


def test_a_pool_as_required_has_no_difference() -> None:
    assert pool_differences(rd_fac=0, ec_cell_sz="128KiB", self_heal="rebuild;exclude") == []
    assert pool_differences("90%", space_rb="5%", reclaim="lazy") == []


@pytest.mark.parametrize(("size", "differs"), [("1.91GB", False), ("1.90GB", True)])
@pytest.mark.parametrize("larger", [False, True])
def test_a_size_may_differ_by_what_daos_rounds(size: str, differs: bool, larger: bool) -> None:
    if larger:
        size = {"1.91GB": "2.1GB", "1.90GB": "2.11GB"}[size]
    assert bool(pool_differences(size)) == differs


def test_a_pool_of_another_size_is_named_with_both() -> None:
    (difference,) = pool_differences("3GB")
    assert str(difference) == "its size is 2000003072 bytes, not 3GB"
    assert not difference.changeable


def test_a_property_that_is_fixed_is_named_with_both_values() -> None:
    differing = pool_differences(rd_fac=1, nosuch=1)
    assert [str(difference) for difference in differing] == [
        "its property rd_fac is 0, not 1",
        "its property nosuch is unknown to DAOS, not 1",
    ]
    assert not any(difference.changeable for difference in differing)


def test_a_property_that_dmg_sets_is_changeable() -> None:
    differing = pool_differences(reclaim="disabled", space_rb=7)
    assert all(difference.changeable for difference in differing)
    assert pools.pool_set("tank", differing) == [
        "pool",
        "set-prop",
        "tank",
        "reclaim:disabled,space_rb:7",
    ]


def test_a_changeable_property_that_the_release_does_not_know_is_not() -> None:
    unknown = pools.Difference("reintegration", None, "data_sync", is_property=True)
    assert not unknown.changeable


def test_metadata_on_ssd_has_its_size_in_the_same_place() -> None:
    assert pool_differences("1.5GiB", "pool_query_md_on_ssd") == []


@pytest.mark.parametrize(
    ("wanted", "differences"),
    [
        ({}, []),
        ({"properties": {"cksum": "crc32", "rd_fac": 0}}, []),
        ({"properties": {"rd_fac": "rd_fac0", "ec_cell_sz": "128KiB"}}, []),
        ({"file_oclass": "EC_2P1GX"}, ["its file_oclass is SX, not EC_2P1GX"]),
        ({"dir_oclass": "S1"}, ["its dir_oclass is SX, not S1"]),
        ({"chunk_size": "1MiB"}, ["its chunk_size is 524288, not 1MiB"]),
        # Files and directories have the class, and no release has to say so a third time.
        ({"oclass": "SX"}, []),
        (
            {"file_oclass": None, "oclass": "S1"},
            ["its file_oclass is SX, not S1", "its dir_oclass is SX, not S1"],
        ),
        ({"oclass": "S1", "dir_oclass": "SX"}, []),
        ({"properties": {"cksum": "off"}}, ["its property cksum is crc32, not off"]),
        ({"properties": {"compression": False, "dedup": "off"}}, []),
        ({"properties": {"cksum": False}}, ["its property cksum is crc32, not off"]),
    ],
)
def test_a_container_is_compared_with_the_required_one(
    wanted: dict[str, Any], differences: list[str]
) -> None:
    assert container_differences(**wanted) == differences


def test_commands_are_spelt_as_dmg_and_daos_take_them() -> None:
    assert pools.pool_create("tank", "2TB", {"rd_fac": 1, "ec_cell_sz": "64KiB"}) == [
        *("pool", "create", "--size=2TB", "--properties=rd_fac:1,ec_cell_sz:64KiB", "tank")
    ]
    assert pools.pool_create("tank", "90%", {}) == ["pool", "create", "--size=90%", "tank"]
    layout = {"type": "POSIX", "dir_oclass": "S1", "oclass": None}
    assert "--oclass=SX" in pools.container_create("tank", "posix", {"oclass": "SX"}, {})
    assert pools.container_create("tank", "posix", layout, {"cksum": False}) == [
        *("container", "create", "--type=POSIX", "--dir-oclass=S1", "--properties=cksum:off"),
        *("tank", "posix"),
    ]


@given(
    st.integers(1, 4000),
    st.sampled_from(["B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"]),
)
def test_sizes_are_those_of_units(number: int, unit: str) -> None:
    assert pools.size_bytes(f"{number}{unit}") == round(number * units.factor(unit, "B"))


@pytest.mark.parametrize("text", ["50%", "lazy", "", "1 lorry", "GX"])
def test_what_is_not_a_size_has_no_bytes(text: str) -> None:
    assert pools.size_bytes(text) is None


@pytest.mark.parametrize(
    "size", ["2TB", "1.5TiB", "90%", "100%", "512MiB", "230PB", "1.5PiB", "1EB", "2tb", "9KB"]
)
def test_sizes_with_a_unit_are_taken(size: str) -> None:
    assert pools.problems([{"name": "tank", "size": size}]) == []


@pytest.mark.parametrize("size", ["2", "0%", "101%", "2 lorries", "-1GB", ""])
def test_sizes_without_one_are_refused(size: str) -> None:
    assert pools.problems([{"name": "tank", "size": size}]) == [
        f"size of tank is {size}; it should be a size such as 2TB, 1.5TiB or 90%"
    ]


def test_labels_that_daos_does_not_take_are_refused() -> None:
    twice = [{"name": "c"}, {"name": "c"}]
    wanted = [{"name": "my pool", "size": "1GB"}, {"name": "b", "size": "1GB", "containers": twice}]
    assert pools.problems(wanted) == [
        "daos_system_pools has the name my pool; a label has up to 127 letters, digits and . _ : -",
        "containers of b has the name c twice",
    ]


@pytest.mark.parametrize("module", [pools, daos_answer, json_output])
def test_what_hosts_run_needs_no_more_than_python_3_9(module: Any) -> None:
    tree = ast.parse(Path(module.__file__).read_text(), feature_version=(3, 9))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and node.level == 0
            else []
        )
    }
    assert imported <= sys.stdlib_module_names


@pytest.mark.parametrize(
    "properties",
    [
        {"reclaim": "lazy,rd_fac:0"},
        {"rd_fac": "0:1"},
        {"a,b": 1},
        {"rd_fac": "1\n"},
        {"rd_fac": ""},
    ],
)
def test_properties_that_dmg_would_read_as_others_are_refused(properties: dict[str, Any]) -> None:
    """Dmg takes all of them in one word, with commas and colons between them."""
    (key, value), *_ = properties.items()
    pool = {"name": "tank", "size": "1GB", "properties": properties}
    assert pools.problems([pool]) == [
        f"properties of tank have {key}: {value}; {pools.PROPERTIES_ALLOWED}"
    ]
    of_container = {"name": "tank", "size": "1GB", "containers": [{**pool, "name": "posix"}]}
    assert pools.problems([of_container])[0].startswith("properties of tank/posix have")


def test_properties_as_dmg_spells_them_are_taken() -> None:
    spelt = {"rd_fac": 1, "ec_cell_sz": "64KiB", "self_heal": "exclude;rebuild", "checksum": False}
    pool = {"name": "tank", "size": "1GB", "properties": {**spelt, "space_rb": "5%"}}
    assert pools.problems([pool]) == []


@pytest.mark.parametrize(("key", "text"), [("name", "tank\n"), ("size", "1GB\n")])
def test_a_newline_at_the_end_is_refused(key: str, text: str) -> None:
    """It would begin a line of the sudo rules of the role daos_admin."""
    assert pools.problems([{"name": "tank", "size": "1GB", key: text}])


@pytest.mark.parametrize(
    ("entries", "allows"),
    [
        (["A::OWNER@:rw", "A::assay@:rw"], True),
        (["A::OWNER@:rw", "A::assay@:rcdt"], True),
        (["A::assay@:r"], False),
        (["A::assay@:"], False),
        (["A:G:assay@:rw"], False),
        (["A::EVERYONE@:rw"], False),
        (["nonsense"], False),
        ([], False),
    ],
)
def test_a_user_may_use_a_pool_by_an_entry_that_lets_it_read_and_write(
    entries: list[str], allows: bool
) -> None:
    answer = {"ACL": {"entries": entries, "owner_user": "root@", "owner_group": "root@"}}
    assert pools.pool_allows(answer, "assay") is allows


def test_its_owner_may_use_a_pool_by_the_entry_for_owners() -> None:
    acl = {"entries": ["A::OWNER@:rw"], "owner_user": "assay@"}
    assert pools.pool_allows({"ACL": acl}, "assay")
    assert not pools.pool_allows({"ACL": {**acl, "owner_user": "eve@"}}, "assay")
