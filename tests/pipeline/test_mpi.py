"""MPI benchmarks over two clients, by stand-ins that know the real ones' command lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from daos_here import RECORDED, WHOLE, Daos, replay
from private_slurm import PrivateSlurm
from site_here import Site

MakeSite = Callable[..., Site]


@pytest.fixture
def site(make_site: MakeSite, slurm: PrivateSlurm) -> Site:
    """Two clients that share a directory."""
    shared = slurm.directory / "shared"
    shared.mkdir(exist_ok=True)
    here = make_site({"shared_directory": shared}, clients=["c1", "c2"], servers=["s1"])
    here.scratches["shared"] = shared
    return here


@pytest.fixture
def daos(make_site: MakeSite) -> Daos:
    """Two clients, and a server with two engines."""
    return Daos(make_site({}, clients=["c1", "c2"], servers=["s1"]))


@pytest.mark.parametrize(
    ("tool", "check", "recordings"),
    [("ior", "IorEasy", "ior/easy/posix"), ("mdtest", "MdtestHard", "mdtest/hard/posix")],
)
def test_a_shared_directory_is_measured_with_the_commands_that_were_recorded(
    site: Site, tool: str, check: str, recordings: str
) -> None:
    replay(site, tool, recordings)
    done = site.check(check)
    assert done.returncode == 0, done.stdout
    assert "[  PASSED  ] Ran 1/1 test case(s) from 1 check(s)" in done.stdout
    assert "@clients/posix" in done.stdout
    assert site.left_behind() == []


def test_another_command_is_refused(site: Site) -> None:
    replay(site, "mdtest", "mdtest/hard/posix")
    campaign = site.measure("quick", "metadata")
    assert campaign.exit_code == 1
    signed = campaign.sign_off()
    for metric in signed.of("MdtestEasy"):
        assert metric["verdict"] == "missing"
        assert "mdtest (mdtest.1) failed with exit status 64: " in metric["reason"]
    for metric in signed.of("MdtestHard"):
        assert metric["verdict"] == "unrated"
        assert len(metric["samples"]) == 3
        assert metric["raw"]
    assert site.left_behind() == []


def test_a_container_is_measured_with_the_commands_that_were_recorded(daos: Daos) -> None:
    replay(daos.site, "ior", "ior/easy/dfs")
    done = daos.site.check("IorEasy")
    assert done.returncode == 0, done.stdout
    assert "write@clients/dfs" in done.stdout
    assert "read@clients/dfs" in done.stdout
    assert daos.site.left_behind() == []


def test_io500_is_run_with_the_commands_that_were_recorded(daos: Daos) -> None:
    for tool in ("ior", "mdtest"):
        replay(daos.site, tool, "io500/dfs")
    done = daos.site.check("Io500")
    assert done.returncode == 0, done.stdout
    for metric in ("ior_hard_read", "mdtest_hard_delete", "score_without_find"):
        assert f"{metric}@clients/dfs" in done.stdout
    assert daos.site.left_behind() == []


def test_daos_perf_is_run_with_the_commands_that_were_recorded(daos: Daos) -> None:
    replay(daos.site, "daos_perf", "daos_perf/quick")
    daos.site.describe(lambda document: document["daos"].update(perf_pool="perf"))
    done = daos.site.check("DaosPerf")
    assert done.returncode == 0, done.stdout
    for client in ("c1", "c2"):
        assert f"update_4k@{client}" in done.stdout
        assert f"fetch_1m@{client}" in done.stdout
    # Before the first run of each client and after each run, what has no label.
    listed = (RECORDED / "container/list_unlabelled.txt").read_text()
    unlabelled = re.findall(r"^ +([0-9a-f-]{36}) *$", listed, re.MULTILINE)
    asked = Counter(daos.destroyed.read_text().splitlines())
    destroy = "--sys-name daos_server container destroy --force perf"
    assert asked == dict.fromkeys((f"{destroy} {uuid}" for uuid in unlabelled), 2 * (1 + 2 * 3))
    assert daos.site.left_behind() == []


def test_daos_perf_needs_room_in_its_pool(daos: Daos) -> None:
    daos.site.program("daos_perf", "exit 1")
    daos.site.describe(lambda document: document["daos"].update(perf_pool="perf"))
    daos.dmg(WHOLE | {"pool query perf": "dmg/pool_query_little_room.txt"})
    daos.fails("DaosPerf", "the pool perf has 286 MiB free, and 512 MiB are needed")


HOLES = """
printf '%s\\n' 'WARNING: Stat() of aggregate file size      = 274145280' \\
    'WARNING: Using actual aggregate bytes moved = 207036416'
"""
"""As in tests/recorded/ior/holes.txt."""


@pytest.mark.parametrize(
    ("then", "why"),
    [
        (HOLES, "holes"),
        ("echo 'WARNING: Incorrect data on read (1 errors found).'", "Incorrect data on read"),
        ("echo '[0] Creating DFS Container posix'", "IOR made the container"),
        ('sed -i \'s/"totalTime": [0-9.]*/"totalTime": 0.5/\' "$summary"', "deadline"),
        ('sed -i \'s/"tasks": 4/"tasks": 2/\' "$summary"', "task"),
    ],
    ids=["holes", "data", "created", "short", "tasks"],
)
def test_a_trap_of_ior_is_no_measurement(daos: Daos, then: str, why: str) -> None:
    replay(daos.site, "ior", "ior/easy/dfs", then=then)
    daos.fails("IorEasy", why)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (
            {"system query": "dmg/system_query_one_rank_dead.txt"},
            "IorEasy needs the phase system: rank 1 at",
        ),
        ({"pool query tank": "dmg/pool_query_rebuilding.txt"}, "its rebuild is"),
        ({"pool query tank": "dmg/pool_query_full.txt"}, "is 93% full"),
    ],
    ids=["rank", "rebuilding", "full"],
)
def test_a_system_that_is_not_fit_is_not_measured(
    daos: Daos, answer: dict[str, str], why: str
) -> None:
    ran = daos.site.root / "ran"
    daos.site.use("ior", f"touch {ran}")
    daos.dmg(WHOLE | answer)
    daos.fails("IorEasy", why)
    assert not ran.exists()


def test_a_rank_that_is_lost_meanwhile_spoils_the_figures(daos: Daos) -> None:
    replay(daos.site, "ior", "ior/easy/dfs", then=f"touch {daos.begun}")
    daos.dmg(WHOLE, after={"system query": "dmg/system_query_one_rank_dead.txt"})
    daos.fails("IorEasy", "after the run, rank 1 at")


def test_a_container_that_is_not_there_is_not_made(daos: Daos) -> None:
    ran = daos.site.root / "ran"
    daos.site.use("ior", f"touch {ran}")
    daos.container("container/unknown.txt")
    daos.fails("IorEasy", "IorEasy needs the phase system: ")
    assert not ran.exists()


def test_a_path_that_is_no_dfuse_is_not_measured(daos: Daos) -> None:
    mount = daos.site.root / "no-dfuse"
    mount.mkdir()
    daos.site.use("ior", "exit 1")
    daos.site.describe(lambda document: document["daos"].update(mount=str(mount)))
    daos.site.describe(lambda document: document["benchmarks"].update(ior_apis=[]))
    done = daos.site.check("IorEasy")
    assert done.returncode == 1
    for way in ("dfuse", "ioil", "pil4dfs"):
        assert f"clients/{way}: what is mounted at {mount} is no dfuse: nothing on c" in done.stdout
    assert daos.site.left_behind() == []
