"""fdb-hammer in a pool of DAOS, by a stand-in that knows the real one's command lines."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from daos_here import HEALTHY, WHOLE, Daos
from site_here import Site

REPLAY = Path(__file__).with_name("replay_fdb.py")
DATABASE = "rd:assy:enfo:20200101:0000:g"
POSIX = "11111111-2222-4333-8444-555555555555"
"""The UUID of a container that FDB has not made."""


class Fdb(Daos):
    """A system in whose pool the containers lie that a stand-in of fdb-hammer has made."""

    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self.made = site.root / "containers"
        self.made.mkdir()
        (self.made / "posix").write_text(POSIX)
        self.site.program(
            "daos",
            f"{HEALTHY}cd {self.made}\ncase $* in\n"
            '*"container list tank"*) for label in *; do echo "  $label $(<"$label") "; done;;\n'
            f'*destroy*) echo "$*" >>{self.destroyed}\n'
            'rm "$(grep --files-with-matches "${*: -1}" *)";;\n*) exit 64;;\nesac',
        )

    def containers(self, *numbers: int) -> None:
        """The numbers of containers that are measured."""
        self.site.describe(lambda document: document["benchmarks"].update(fdb_containers=numbers))

    def hammer(self, *options: str, then: str = "") -> None:
        """Let fdb-hammer replay what was recorded, and something happen after each process."""
        words = [sys.executable, REPLAY, self.made, *options]
        replay = shlex.join(map(str, words))
        self.site.use("fdb_hammer_daos", f'{replay} -- "$@" || exit\n{then}')
        share = str(self.site.root / "share")
        self.site.describe(lambda document: document["benchmarks"].update(fdb_share=share))

    def left(self) -> list[str]:
        """The labels of the containers in the pool."""
        return sorted(path.name for path in self.made.iterdir())


@pytest.fixture
def fdb(make_site: Callable[..., Site]) -> Fdb:
    """Two clients, and a server with two engines."""
    return Fdb(make_site({}, clients=["c1", "c2"], servers=["s1"]))


def test_fdb_is_measured_with_the_commands_that_were_recorded(fdb: Fdb) -> None:
    fdb.containers(1)
    fdb.hammer()
    checks = ("FdbHammerDaos", "FdbHammerDaosSeparate")
    done = fdb.site.check("|".join(checks))
    assert done.returncode == 0, done.stdout
    for metric in ("write", "read", "write_open", "read_open"):
        assert done.stdout.count(f"P: {metric}@clients/1-containers") == len(checks)
    # A root and a database of each sample.
    assert len(fdb.destroyed.read_text().splitlines()) == len(checks) * 2 * 3
    assert fdb.left() == ["posix"]
    assert fdb.site.left_behind() == []


def test_more_containers_than_processes_are_each_of_one_process(fdb: Fdb) -> None:
    fdb.containers(1, 12)
    fdb.hammer("--any")
    done = fdb.site.check("FdbHammerDaos")
    assert done.returncode == 0, done.stdout
    assert "read@clients/12-containers" in done.stdout
    assert len(fdb.destroyed.read_text().splitlines()) == 3 * ((1 + 1) + (12 + 1))
    assert fdb.left() == ["posix"]


def test_what_a_failed_process_left_in_the_pool_is_removed(fdb: Fdb) -> None:
    fdb.containers(1)
    fdb.hammer(then="exit 3")
    # That of the process, or of those that srun ended.
    fdb.fails("FdbHammerDaos", "fdb_hammer_daos (write.1) failed with exit status ")
    assert len(fdb.destroyed.read_text().splitlines()) == 2
    assert fdb.left() == ["posix"]


def test_a_database_that_is_there_is_not_written_to(fdb: Fdb) -> None:
    fdb.containers(1)
    fdb.hammer()
    (fdb.made / DATABASE).write_text(POSIX)
    fdb.fails("FdbHammerDaos", f"destroy them first: {POSIX}")
    assert fdb.left() == ["posix", DATABASE]


def test_containers_that_stay_spoil_the_next_sample(fdb: Fdb) -> None:
    fdb.containers(1)
    fdb.hammer()
    daos = fdb.site.programs / "daos"
    daos.write_text(daos.read_text().replace("rm ", "false rm "))
    fdb.fails("FdbHammerDaos", "daos did not destroy what FDB made in the pool tank")


def test_fdb_is_not_run_where_its_containers_cannot_be_distinguished(fdb: Fdb) -> None:
    fdb.hammer()
    fdb.container("container/posix.txt")
    fdb.fails("FdbHammerDaos", "daos did not list the containers of the pool tank")
    assert fdb.left() == ["posix"]


def test_fdb_needs_room_in_the_pool(fdb: Fdb) -> None:
    fdb.hammer()
    fdb.dmg(WHOLE | {"pool query tank": "dmg/pool_query_little_room.txt"})
    fdb.fails("FdbHammerDaos", "the pool tank has 286 MiB free, but 512 MiB are needed")


def test_a_rank_that_is_lost_meanwhile_spoils_the_figures(fdb: Fdb) -> None:
    fdb.containers(1)
    fdb.hammer(then=f"touch {fdb.begun}")
    fdb.dmg(WHOLE, after={"system query": "dmg/system_query_one_rank_dead.txt"})
    fdb.fails("FdbHammerDaos", "after the run, rank 1 at")
