"""Tiers of an engine, and the roles that they have for metadata."""

from typing import Any

import pytest

from sites import GONE, LAYOUTS, MD_ON_SSD, only, problems, put, site

RAM = {"class": "ram", "scm_mount": "/mnt/a", "scm_size": 16}
PMEM = {"class": "dcpm", "scm_mount": "/mnt/b", "scm_list": ["/dev/pmem1"]}
NVME = {"class": "nvme", "bdev_list": ["0000:65:00.0"]}
FILE = {"class": "file", "bdev_list": ["/var/daos/b"], "bdev_size": 16}
TIERS = "s1: engines/0/storage"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_sound_site_has_no_problems(layout: str) -> None:
    assert problems(site(layout, servers=3, engines=2, clients=2)) == []


@pytest.mark.parametrize(
    ("tiers", "message"),
    [
        ([NVME], "should have exactly one tier of class ram or dcpm, as the first"),
        ([NVME, RAM], "should have exactly one tier of class ram or dcpm, as the first"),
        (
            [RAM, {**RAM, "scm_mount": "/mnt/c"}, NVME],
            "should have exactly one tier of class ram or dcpm",
        ),
        ([RAM, PMEM], "should have exactly one tier of class ram or dcpm, as the first"),
        ([RAM, NVME, FILE], "should have either nvme, or file and kdev, which emulate it"),
        (
            [RAM, NVME, {**NVME, "bdev_list": ["0000:66:00.0"]}],
            "should have one tier of block devices, or bdev_roles for each of several",
        ),
    ],
)
def test_tiers_that_cannot_stand_together(tiers: list[dict[str, Any]], message: str) -> None:
    problem = only(put(site(), {TIERS: tiers}))
    assert (problem.host, problem.key) == ("s1", "engines[0].storage")
    assert problem.value == ", ".join(tier["class"] for tier in tiers)
    assert problem.allowed.startswith(message)


@pytest.mark.parametrize(
    ("tiers", "index", "key"),
    [
        ([{**PMEM, "scm_list": []}], 0, "scm_list"),
        ([RAM, {"class": "nvme"}], 1, "bdev_list"),
        ([RAM, {**FILE, "bdev_list": []}], 1, "bdev_list"),
        ([RAM, {"class": "file", "bdev_list": ["/var/daos/b"]}], 1, "bdev_size"),
        ([RAM, {"class": "kdev"}], 1, "bdev_list"),
    ],
)
def test_a_key_that_a_class_needs(tiers: list[dict[str, Any]], index: int, key: str) -> None:
    problem = only(put(site(), {TIERS: tiers}))
    assert (problem.host, problem.key) == ("s1", f"engines[0].storage[{index}].{key}")
    assert problem.value is None
    assert problem.allowed.startswith(f"is missing: set it for class {tiers[index]['class']}")


@pytest.mark.parametrize(
    ("tiers", "index", "key", "value"),
    [
        ([{**RAM, "scm_list": ["/dev/pmem0"]}], 0, "scm_list", "/dev/pmem0"),
        ([{**PMEM, "scm_size": 16}], 0, "scm_size", "16"),
        ([{**PMEM, "scm_hugepages_disabled": True}], 0, "scm_hugepages_disabled", "true"),
        ([{**RAM, "bdev_list": ["0000:66:00.0"]}], 0, "bdev_list", "0000:66:00.0"),
        ([RAM, {**NVME, "bdev_size": 16}], 1, "bdev_size", "16"),
        ([RAM, {**FILE, "scm_size": 16}], 1, "scm_size", "16"),
        ([RAM, {**FILE, "bdev_busid_range": "0x80-0x8f"}], 1, "bdev_busid_range", "0x80-0x8f"),
    ],
)
def test_a_key_of_another_class(
    tiers: list[dict[str, Any]], index: int, key: str, value: str
) -> None:
    problem = only(put(site(), {TIERS: tiers}))
    assert (problem.host, problem.key) == ("s1", f"engines[0].storage[{index}].{key}")
    assert problem.value == value
    assert problem.allowed.startswith(f"should be left out: class {tiers[index]['class']} accepts")


@pytest.mark.parametrize("tier", [RAM, PMEM])
@pytest.mark.parametrize("mount", ["mnt/daos", GONE])
def test_a_mount_that_is_not_an_absolute_path(tier: dict[str, Any], mount: object) -> None:
    document = put(site(), {TIERS: [dict(tier)]})
    problem = only(put(document, {f"{TIERS}/0/scm_mount": mount}))
    assert (problem.host, problem.key) == ("s1", "engines[0].storage[0].scm_mount")
    assert problem.allowed == "should be the absolute path of a mount"


@pytest.mark.parametrize("layout", ["pmem", "ephemeral"])
def test_two_engines_on_one_mount(layout: str) -> None:
    document = site(layout, engines=2)
    mount = document["hosts"]["s1"]["engines"][0]["storage"][0]["scm_mount"]
    problem = only(put(document, {"s1: engines/1/storage/0/scm_mount": mount}))
    assert (problem.host, problem.key) == ("s1", "engines[1].storage[0].scm_mount")
    assert str(problem.value) == mount
    assert problem.allowed == "should be a mount of its own; engines[0] has this one"


def test_a_tmpfs_that_is_too_small_for_daos() -> None:
    problem = only(put(site(), {f"{TIERS}/0/scm_size": 3}))
    assert (problem.host, problem.key) == ("s1", "engines[0].storage[0].scm_size")
    assert problem.value == "3 GiB"
    assert problem.allowed.startswith("should be at least 4 GiB")


@pytest.mark.parametrize("buses", ["0x8f-0x80", "0x80-0x100", "8f-90"])
def test_buses_that_are_not_a_range(buses: str) -> None:
    problem = only(put(site(), {f"{TIERS}/1/bdev_busid_range": buses}))
    assert (problem.host, problem.key) == ("s1", "engines[0].storage[1].bdev_busid_range")
    assert problem.value == buses
    assert problem.allowed.startswith("should be the first and the last of some PCI buses")


def test_engines_with_scm_of_two_classes() -> None:
    problem = only(put(site(engines=2), {"s1: engines/1/storage/0": PMEM}))
    assert (problem.host, problem.key) == ("s1", "engines[1].storage[0].class")
    assert (problem.value, problem.allowed) == ("dcpm", "should be ram, as engines[0] has")


def test_engines_whose_tmpfs_differ_in_hugepages() -> None:
    document = put(site(engines=2), {"s1: engines/1/storage/0/scm_hugepages_disabled": True})
    problem = only(document)
    assert problem.key == "engines[1].storage[0].scm_hugepages_disabled"
    assert (problem.host, problem.value) == ("s1", "true")
    assert problem.allowed == (
        "should be left out, as engines[0] has it: to DAOS, what is left out is neither true nor"
        " false"
    )


@pytest.mark.parametrize(
    ("roles", "key", "value", "message"),
    [
        ([["wal"], []], "[2].bdev_roles", None, "is missing: give roles"),
        ([[], ["meta", "data"]], "[1].bdev_roles", None, "is missing: give roles"),
        ([["wal", "data"], ["meta"]], "[1].bdev_roles", "wal, data", "should also have meta"),
        ([["wal"], ["meta"]], ".bdev_roles", "data on no tier", "should have each of"),
        (
            [["wal", "meta"], ["meta", "data"]],
            ".bdev_roles",
            "meta on 2 tiers",
            "should have each of wal, meta, data on exactly one tier",
        ),
        (
            [["wal"], ["meta"], ["data"], ["data"]],
            "",
            "4 tiers with bdev_roles",
            "should be at most 3",
        ),
    ],
)
def test_roles_that_are_not_complete(
    roles: list[list[str]], key: str, value: str | None, message: str
) -> None:
    tiers = [
        {**NVME, "bdev_list": [f"0000:6{5 + number}:00.0"], "bdev_roles": each}
        for number, each in enumerate(roles)
    ]
    problem = only(put(site("md-on-ssd-wal"), {TIERS: [RAM, *tiers]}))
    assert (problem.host, problem.key) == ("s1", f"engines[0].storage{key}")
    assert problem.value == value
    assert problem.allowed.startswith(message)


@pytest.mark.parametrize("value", [GONE, {"path": "/var/daos/config"}])
def test_roles_beside_persistent_memory(value: object) -> None:
    document = put(
        site("md-on-ssd-wal"), {f"{TIERS}/0": PMEM, "s1: server/control_metadata": value}
    )
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", "engines[0].storage[1].bdev_roles")
    assert problem.value == "wal"
    assert problem.allowed.startswith("should not be combined with dcpm")


@pytest.mark.parametrize("layout", MD_ON_SSD)
def test_roles_without_control_metadata(layout: str) -> None:
    problem = only(put(site(layout), {"s1: server/control_metadata": GONE}))
    assert (problem.host, problem.key) == ("s1", "server.control_metadata")
    assert (
        problem.allowed
        == "is missing: set a path that survives a reboot, for engines with bdev_roles"
    )


@pytest.mark.parametrize("layout", ["pmem", "ephemeral"])
def test_control_metadata_without_roles(layout: str) -> None:
    problem = only(put(site(layout), {"s1: server/control_metadata": {"path": "/var/daos"}}))
    assert (problem.host, problem.key) == ("s1", "server.control_metadata.path")
    assert str(problem.value) == "/var/daos"
    assert problem.allowed == "should not be set without bdev_roles in the tiers of the engines"


def test_roles_of_one_engine_alone() -> None:
    document = put(site("md-on-ssd-shared", engines=2), {"s1: engines/1/storage/1/bdev_roles": []})
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", "engines[1].storage")
    assert (problem.value, problem.allowed) == (
        "no bdev_roles",
        "should have bdev_roles, as engines[0] has",
    )


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("path", "var/daos", "should be an absolute path"),
        ("device", "/dev/sdz", "should be a block device of this host: /dev/pmem0, /dev/pmem1"),
    ],
)
def test_control_metadata_in_no_place(key: str, value: str, message: str) -> None:
    problem = only(put(site("md-on-ssd-wal"), {f"s1: server/control_metadata/{key}": value}))
    assert (problem.host, problem.key) == ("s1", f"server.control_metadata.{key}")
    assert str(problem.value) == value
    assert problem.allowed.startswith(message)


def test_where_daos_is_not_deployed_engines_only_describe() -> None:
    document = put(site(engines=2), {f"{TIERS}/0/scm_size": 1, "daos": None})
    assert problems(put(document, {"s1: engines/1/pinned_numa_node": 0})) == []
