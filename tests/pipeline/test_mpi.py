"""MPI benchmarks over two clients, by stand-ins that know the real ones' command lines."""

from __future__ import annotations

import re
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from daos_here import RECORDED, WHOLE, Daos, all_fail, replay
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


def test_a_shared_directory_is_measured_with_the_commands_that_were_recorded(site: Site) -> None:
    replay(site, "ior", "ior/easy/posix")
    replay(site, "io500", "io500/program")
    done = site.check("IorEasy|Io500Program")
    assert done.returncode == 0, done.stdout
    assert "[  PASSED  ] Ran 2/2 test case(s) from 2 check(s)" in done.stdout
    for metric in ("read", "ior_hard_read", "find", "score"):
        assert f"{metric}@clients/posix" in done.stdout
    (configuration,) = site.root.rglob("io500.1.ini")
    assert {"api = POSIX", "stonewall-time = 2"} <= {*configuration.read_text().splitlines()}
    assert site.left_behind() == []


def test_the_page_cache_is_let_in_and_kept_out_with_the_commands_that_were_recorded(
    make_site: MakeSite, tmp_path: Path
) -> None:
    site = make_site({"shared_directory": tmp_path}, clients=["c1"], servers=["s1"])
    replay(site, "ior", "ior/honesty")
    done = site.check("PageCacheHonesty")
    assert done.returncode == 0, done.stdout
    figure = {
        name: float(value)
        for name, value in re.findall(r"^P: (\w+)@clients/posix: (\S+) MiB/s", done.stdout, re.M)
    }
    assert (figure["naive_read"], figure["direct_read"]) == (9505.5048, 1043.4322)
    assert len(figure) == 12
    assert list(tmp_path.iterdir()) == []


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


UNLABELLED = re.findall(
    r"^ +([0-9a-f-]{36}) *$",
    (RECORDED / "container/list_unlabelled.txt").read_text(),
    re.MULTILINE,
)
"""What runs of daos_perf leave in their pool."""


def test_a_container_is_measured_with_the_commands_that_were_recorded(daos: Daos) -> None:
    somebody_elses = "11111111-2222-4333-8444-555555555555"
    replay(daos.site, "ior", "ior/easy/dfs", "io500/dfs")
    replay(daos.site, "mdtest", "io500/dfs")
    daos.perf_pool(before=[somebody_elses])
    done = daos.site.check("IorEasy|Io500|DaosPerf")
    assert done.returncode == 0, done.stdout
    for metric in ("write", "read", "ior_hard_read", "mdtest_hard_delete", "score_without_find"):
        assert f"{metric}@clients/dfs" in done.stdout
    for client in ("c1", "c2"):
        assert f"update_4k@{client}" in done.stdout
        assert f"fetch_1m@{client}" in done.stdout
    # After each run of each client and size, what has no label and was not there before.
    asked = Counter(daos.destroyed.read_text().splitlines())
    destroy = "--sys-name daos_server container destroy --force perf"
    assert asked == dict.fromkeys((f"{destroy} {uuid}" for uuid in UNLABELLED), 2 * 2 * 3)
    assert daos.site.left_behind() == []


def test_what_failed_jobs_left_in_container_and_pool_is_removed(daos: Daos) -> None:
    asked = daos.site.root / "asked"
    daos.site.program("find", f'echo "$D_IL_POOL $D_IL_CONTAINER $LD_PRELOAD $*" >>{asked}')
    daos.site.use("ior", "exit 1")
    daos.perf_pool()
    perf = daos.site.programs / "daos_perf"
    daos.site.program("daos_perf", perf.read_text().partition("exec ")[0] + "exit 1")
    why = {
        "IorEasy": "failed with exit status 1",
        "DaosPerf": "daos_perf (4k.1) failed with exit status 1",
    }
    all_fail(daos.site, why)
    library = re.escape(f"{daos.site.root}/lib64/libpil4dfs.so")
    assert re.fullmatch(
        rf"tank posix {library} /tmp/\S+ -maxdepth 1 -name assay\.\d+\.\* -exec rm -rf {{}} \+\n",
        asked.read_text(),
    )
    destroyed = daos.destroyed.read_text()
    assert all(uuid in destroyed for uuid in UNLABELLED)


def test_a_container_that_is_not_there_is_not_made_and_those_of_others_are_safe(daos: Daos) -> None:
    ran = daos.site.root / "ran"
    daos.site.use("ior", f"touch {ran}")
    daos.perf_pool()
    daos.container("container/unknown.txt")
    why = {
        "IorEasy": "the system is not ready: ",
        "DaosPerf": "daos did not list the containers of the pool perf",
    }
    all_fail(daos.site, why)
    assert not ran.exists()
    assert not daos.destroyed.exists()


def test_a_client_whose_agent_gives_another_provider_is_not_measured(daos: Daos) -> None:
    replay(daos.site, "ior", "ior/easy/dfs")
    daos.agent("ofi+verbs;ofi_rxm")
    daos.fails("IorEasy", "daos_agent of c1 gives the provider ofi+verbs;ofi_rxm, not ofi+tcp")


def test_a_pool_that_is_not_at_rest_is_not_measured(daos: Daos) -> None:
    ran = daos.site.root / "ran"
    daos.site.use("ior", f"touch {ran}")
    daos.dmg(WHOLE | {"pool query tank": "dmg/pool_query_rebuilding.txt"})
    daos.fails("IorEasy", "the system is not ready: the pool: its rebuild is")
    assert not ran.exists()


def test_a_system_whose_ssd_was_evicted_is_not_measured(daos: Daos) -> None:
    ran = daos.site.root / "ran"
    daos.site.use("ior", f"touch {ran}")
    daos.dmg(WHOLE | {"storage query list-devices --health": "dmg/devices_evicted.txt"})
    daos.fails("IorEasy", "the system is not ready: SSD ")
    assert not ran.exists()


def test_daos_perf_needs_room_in_its_pool(daos: Daos) -> None:
    daos.site.program("daos_perf", "exit 1")
    daos.site.describe(lambda document: document["daos"].update(perf_pool="perf"))
    daos.dmg(WHOLE | {"pool query perf": "dmg/pool_query_little_room.txt"})
    daos.fails("DaosPerf", "the pool perf has 286 MiB free, but 512 MiB are needed")


def test_the_pool_of_daos_perf_has_to_be_whole_after_the_run(daos: Daos) -> None:
    daos.perf_pool()
    perf = daos.site.programs / "daos_perf"
    daos.site.program("daos_perf", f"touch {daos.begun}\n" + perf.read_text().partition("\n")[2])
    daos.dmg(WHOLE, after={"pool query perf": "dmg/pool_query_rebuilding.txt"})
    daos.fails("DaosPerf", "after the run, the pool: ")


def test_a_program_that_is_not_there_is_named(site: Site) -> None:
    site.describe(lambda document: document["benchmarks"].update(io500="/nowhere/io500"))
    done = site.check("Io500Program")
    assert "/nowhere/io500 (io500.1) is missing or cannot be run" in done.stdout
    assert site.left_behind() == []


def test_a_rank_that_dies_takes_the_others_along(site: Site) -> None:
    site.use("io500", "[[ $PMI_RANK != 3 ]] || kill -9 $$; exec sleep 1000")
    begun = time.monotonic()
    done = site.check("Io500Program")
    assert time.monotonic() - begun < 300
    # That of the rank, or of those that srun ended: nobody has waited for the step's limit.
    assert re.search(r"io500 \(io500.1\) failed with exit status 1(37|43): ", done.stdout)
    assert site.left_behind() == []


@pytest.mark.parametrize(
    ("then", "why"),
    [
        ("echo 'WARNING: Incorrect data on read (1 errors found).'", "Incorrect data on read"),
        (
            'sed -i \'s/"tasks": 4/"tasks": 2/\' "$summary"',
            "ran with the wrong number of tasks: 2 instead of 4",
        ),
    ],
    ids=["printed", "summary"],
)
def test_a_trap_of_ior_is_not_a_measurement(daos: Daos, then: str, why: str) -> None:
    """One of what it prints, and one of its summary."""
    replay(daos.site, "ior", "ior/easy/dfs", then=then)
    daos.fails("IorEasy", why)


def loads(daos: Daos, *, late_s: int = 0) -> None:
    """Let IOR and mdtest tell of loads that really were there at once, or as if one had waited."""
    words = shlex.join([sys.executable, str(Path(__file__).with_name("loads.py")), str(late_s)])
    for program in ("ior", "mdtest"):
        daos.site.use(program, f'exec {words} {program} "$@"')


def test_two_loads_have_cores_of_their_own_and_run_at_once(daos: Daos) -> None:
    loads(daos)
    done = daos.site.check("Interference")
    assert done.returncode == 0, done.stdout
    shares = dict(re.findall(r"^P: (\w+)@clients/dfs: (\S+) %", done.stdout, re.MULTILINE))
    assert {name: float(share) for name, share in shares.items()} == {
        **dict.fromkeys(("write_and_create", "write_and_read"), 100),
        **dict.fromkeys(("write_beside_create", "create_beside_write"), 50),
        **dict.fromkeys(("write_beside_read", "read_beside_write"), 50),
    }
    assert daos.site.left_behind() == []


def test_two_loads_that_ran_one_after_the_other_are_not_measured(daos: Daos) -> None:
    loads(daos, late_s=8)
    daos.fails("Interference", "write_and_create.1: its loads ran at once for ")


def test_a_rank_that_is_lost_meanwhile_spoils_the_figures(daos: Daos) -> None:
    replay(daos.site, "ior", "ior/easy/dfs", then=f"touch {daos.begun}")
    daos.dmg(WHOLE, after={"system query": "dmg/system_query_one_rank_dead.txt"})
    daos.fails("IorEasy", "after the run, rank 1 at")


def test_what_the_system_says_comes_before_the_program_that_failed(daos: Daos) -> None:
    daos.site.use("ior", f"touch {daos.begun}; exit 22")
    daos.dmg(WHOLE, after={"system query": "dmg/system_query_one_rank_dead.txt"})
    daos.fails("IorEasy", "after the run, rank 1 at")


def test_a_path_that_is_not_a_dfuse_is_not_measured(daos: Daos) -> None:
    mount = daos.site.root / "no-dfuse"
    mount.mkdir()
    daos.site.use("ior", "exit 1")
    daos.site.describe(lambda document: document["daos"].update(mount=str(mount)))
    daos.site.describe(lambda document: document["benchmarks"].update(ior_apis=[]))
    done = daos.site.check("IorEasy")
    assert done.returncode == 1
    for way in ("dfuse", "ioil", "pil4dfs"):
        assert (
            f"clients/{way}: what is mounted at {mount} is not a dfuse of the container"
            in done.stdout
        )
    assert daos.site.left_behind() == []


TAKEN = """
case $LD_PRELOAD:$PMI_RANK in
    *ioil*:*) echo '[libioil] Performed 4 reads and 4 writes from 1 files';;
    *pil4dfs*:*) printf '[%s]  %d\\n' 'read   ' 4 'write  ' 4 'op_sum ' 12;;
esac
"""
"""What the libraries report of each rank, as in tests/recorded/ior."""


@pytest.mark.parametrize(
    ("report", "why"),
    [
        (TAKEN, {}),
        (
            TAKEN.replace("ioil*:*", "ioil*:0").replace("' 4 '", "' 0 '"),
            {
                "ioil": "libioil took calls in 1 of 4 processes",
                "pil4dfs": "libpil4dfs took no calls: was it loaded, was D_IL_REPORT set",
            },
        ),
    ],
    ids=["taken", "not_taken"],
)
def test_an_interception_library_has_to_take_the_calls(
    daos: Daos, report: str, why: dict[str, str]
) -> None:
    daos.mount()
    replay(daos.site, "ior", "ior/easy/dfuse")
    known = (daos.site.programs / "ior").read_text().removeprefix("#!/bin/bash\n")
    daos.site.use("ior", f"{report}\nunset LD_PRELOAD D_IL_REPORT\n{known}")
    daos.site.describe(lambda document: document["benchmarks"].update(ior_apis=[]))
    done = daos.site.check("IorEasy")
    assert done.returncode == (1 if why else 0), done.stdout
    reasons = re.findall(r"^  \* Reason: (.*)$", done.stdout, re.MULTILINE)
    assert len(reasons) == bool(why)
    for way in ("dfuse", "ioil", "pil4dfs"):
        is_reported = f"clients/{way}: {why.get(way, '')}" in "".join(reasons)
        assert is_reported == (way in why), done.stdout
    assert daos.site.left_behind() == []


def test_fio_has_to_be_intercepted(daos: Daos) -> None:
    mount = daos.mount()
    report = RECORDED / "fio/dfuse_pil4dfs_libaio.txt"
    daos.site.use(
        "fio",
        f"[[ ${{LD_PRELOAD-}} != *pil4dfs* ]] || sed '1d; $d' {report}\n"
        "sed -i 's/^runtime=.*/runtime=200ms/' samples.fio\n"
        'exec /usr/bin/fio "$@"',
    )
    done = daos.site.check("FioDfuse")
    (reason,) = re.findall(r"^  \* Reason: (.*)$", done.stdout, re.MULTILINE)
    for host in ("c1", "c2"):
        assert f"{host}/dfuse" not in reason
        for way in ("ioil", "pil4dfs"):
            assert f"{host}/{way}: lib{way} took no calls: was it loaded" in reason
    assert list(mount.iterdir()) == []
    assert daos.site.left_behind() == []
