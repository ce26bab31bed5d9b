"""Memory: hugepages, tmpfs, and what is kept free."""

import pytest

from sites import only, problems, put, site

SCM = "s1: engines/0/storage/0/scm_size"


def test_hugepages_beyond_memory() -> None:
    pages = 515000 // 2 + 1
    problem = only(put(site("pmem"), {"s1: server/nr_hugepages": pages}))
    assert (problem.host, problem.key, problem.value) == (
        "s1",
        "server.nr_hugepages",
        str(pages),
    )
    assert problem.allowed.startswith("should be less than the host's memory of 502.9 GiB")


@pytest.mark.parametrize(("layout", "gib"), [("pmem", 32), ("md-on-ssd-shared", 34)])
def test_automatic_hugepages_beyond_memory(layout: str, gib: int) -> None:
    """1 GiB a target, and one more for each engine that has metadata on SSDs."""
    document = site(layout, engines=2)
    problem = only(put(document, {"s1: memory/total_mib": gib * 1024}))
    assert (problem.host, problem.key) == ("s1", "server.nr_hugepages")
    assert problem.value == f"0 (automatic: {gib} GiB)"


def test_fewer_hugepages_than_daos_works_out_are_a_warning() -> None:
    problem = only(put(site("pmem"), {"s1: server/nr_hugepages": 8191}))
    assert (problem.host, problem.key, problem.value) == ("s1", "server.nr_hugepages", 8191)
    assert problem.allowed == "should be 0, so that DAOS computes it, or at least 8192"
    assert problem.severity == "warning"


def test_hugepages_of_another_size_are_counted_in_that_size() -> None:
    size = {"s1: memory/hugepage_kib": 1048576}
    assert only(put(site("pmem"), {**size, "s1: server/nr_hugepages": 15})).severity == "warning"
    assert problems(put(site("pmem"), {**size, "s1: server/nr_hugepages": 16})) == []


def test_hugepages_that_are_both_given_and_disabled() -> None:
    document = put(site("file"), {"s1: server/nr_hugepages": 512})
    problem = only(put(document, {"s1: server/disable_hugepages": True}))
    assert (problem.host, problem.key, problem.value) == ("s1", "server.nr_hugepages", 512)
    assert problem.allowed == "should be 0 beside server.disable_hugepages"


@pytest.mark.parametrize(
    ("layout", "version", "refused"),
    [("pmem", "2.8", True), ("file", "2.8", False), ("file", "2.6", True), ("file", "2.4", True)],
)
def test_disabled_hugepages_with_ssds(layout: str, version: str, refused: bool) -> None:
    document = put(site(layout), {"s1: server/disable_hugepages": True, "daos/version": version})
    if not refused:
        assert problems(document) == []
        return
    problem = only(document)
    assert (problem.host, problem.key, problem.value) == ("s1", "server.disable_hugepages", "true")
    assert problem.allowed.startswith("should be false: engines with tiers of class")


def test_the_largest_tmpfs_is_what_daos_would_allow() -> None:
    """515000 MiB less 34 GiB of hugepages, 26 GiB for the system and 2 GiB for each engine."""
    document = site("md-on-ssd-shared", engines=2)
    assert problems(put(document, {SCM: 219})) == []
    problem = only(put(document, {SCM: 220}))
    assert (problem.host, problem.key) == ("s1", "engines[0].storage[0].scm_size")
    assert problem.value == "220 GiB"
    assert problem.allowed == (
        "should be 4 to 219 GiB: 502.9 GiB less 34 GiB of hugepages and 4 GiB for the engines"
        " and 26 GiB for the system (server.system_ram_reserved), for 2 engines"
    )


def test_a_reserve_that_leaves_too_little() -> None:
    document = put(site(), {SCM: 4, "s1: server/system_ram_reserved": 480})
    assert problems(document) == []
    problem = only(put(document, {"s1: server/system_ram_reserved": 481}))
    assert (problem.host, problem.key) == ("s1", "server.system_ram_reserved")
    assert problem.value == "481 GiB"
    assert problem.allowed.startswith("should be at most 480 GiB: 502.9 GiB less 16 GiB")


@pytest.mark.parametrize(("version", "gib"), [("2.4", 16), ("2.6", 16), ("2.8", 64)])
def test_the_reserve_that_is_not_given_is_that_of_the_version(version: str, gib: int) -> None:
    document = put(site("file"), {"s1: server": {}, "daos/version": version, SCM: 4})
    # 16 targets, 16 GiB of hugepages and 2 GiB of the engine; then 4 GiB of tmpfs.
    least = (16 + 2 + gib + 4) * 1024
    assert problems(put(document, {"s1: memory/total_mib": least})) == []
    problem = only(put(document, {"s1: memory/total_mib": least - 1}))
    assert (problem.key, problem.value) == ("server.system_ram_reserved", f"{gib} GiB")


def test_a_host_too_small_for_any_reserve() -> None:
    problem = only(put(site("file"), {"s1: memory/total_mib": 20 * 1024}))
    assert (problem.host, problem.key, problem.value) == ("s1", "memory.total_mib", 20 * 1024)
    assert problem.allowed == (
        "should leave 5 GiB for the system and each tmpfs: 20 GiB less 16 GiB of hugepages and"
        " 2 GiB for the engines is 2 GiB; fewer targets or engines take less"
    )


def test_persistent_memory_needs_no_reserve() -> None:
    assert problems(put(site("pmem"), {"s1: memory/total_mib": 17 * 1024})) == []


def test_transparent_hugepages_are_for_the_role_daos_host() -> None:
    assert problems(put(site(), {"s1: memory/transparent_hugepages": "always"})) == []


def test_without_daos_a_tmpfs_is_smaller_than_the_memory() -> None:
    problem = only(put(site(), {"daos": None, SCM: 503}))
    assert (problem.host, problem.key) == ("s1", "engines[0].storage[0].scm_size")
    assert problem.value == "503 GiB"
    assert problem.allowed == "should be less than the host's memory of 502.9 GiB"
