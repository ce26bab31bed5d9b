"""A DAOS that the site runs, measured by a user who may only write to a container of it."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from daos_here import HEALTHY, RECORDED, Daos, all_fail, replay
from private_slurm import PrivateSlurm, children, wait_for
from site_here import Site

MADE = "ffafc07f-fc02-4c36-b615-4202c1c8783f"
"""The UUID of the container in `container_created.txt`."""

DESTROY = f"--sys-name daos_server -j container destroy --force tank {MADE}"

ANSWERS = {
    "pool query tank": "found/pool.txt",
    "container query tank posix": "container/posix.txt",
    "container create --type=POSIX tank posix": "found/container_created.txt",
    f"container destroy --force tank {MADE}": "found/container_destroyed.txt",
}


class Found(Daos):
    """The pool `tank` and the container `posix`; dmg does not answer."""

    def __init__(self, site: Site, **found: object) -> None:
        self.found = {"ranks": 2, "targets": 2, **found}
        super().__init__(site)
        self.answers({})
        self.dmg({})

    def change(self, document: dict[str, Any]) -> None:
        super().change(document)
        document["servers"] = []
        document["slurm"] = {"partitions": {"clients": "clients"}}
        document["daos"] |= {"servers": [], "mgmt_svc_replicas": [], "found": self.found}
        del document["hosts"]["s1"]

    def answers(self, other: dict[str, str]) -> None:
        """Let daos answer, and note what it is asked."""
        cases = "".join(
            f'*"{asked}") sed "1d; \\$d" {RECORDED / recording}; '
            f'exit "$(sed -n "s/# exit: //p" {RECORDED / recording})";;\n'
            for asked, recording in (ANSWERS | other).items()
        )
        self.site.program(
            "daos", f'echo "$*" >>{self.asked}\n{HEALTHY}case $* in\n{cases}*) exit 64;;\nesac'
        )

    @property
    def asked(self) -> Path:
        """A file of all that daos was asked on this host."""
        return self.site.root / "asked"

    @property
    def destroyed_or_made(self) -> list[str]:
        """The commands that changed anything."""
        words = self.asked.read_text().splitlines()
        return [line for line in words if re.search(" (create|destroy) ", line)]


@pytest.fixture
def make_found(make_site: Callable[..., Site], slurm: PrivateSlurm) -> Callable[..., Found]:
    """Two clients, and a system of which only pool and container are known."""
    del slurm
    return lambda **found: Found(make_site({}, clients=["c1", "c2"], servers=["s1"]), **found)


def use_ior(daos: Found) -> Path:
    """Let IOR give what was recorded, whatever its block; the blocks are noted in a file."""
    replay(daos.site, "ior", "ior/easy/dfs")
    ior, blocks = daos.site.programs / "ior", daos.site.root / "blocks"
    words = ior.read_text().partition("exec ")[2].replace(' "$@"', ' "${args[@]}"')
    daos.site.program(
        "ior",
        "args=()\nfor word; do\n"
        f'[[ ${{last:-}} != -b || $word == 2m ]] || {{ echo "$word" >>{blocks}; word=9920000m; }}\n'
        'args+=("$word") last=$word\ndone\n'
        f"exec {words}",
    )
    return blocks


def test_a_user_of_a_container_measures_without_dmg(make_found: Callable[..., Found]) -> None:
    daos = make_found(share=0.1)
    blocks = use_ior(daos)
    daos.site.program("dmg", f"touch {daos.site.root}/dmg-was-asked")
    done = daos.site.check("IorEasy")
    assert "[  PASSED  ] Ran 1/1" in done.stdout, done.stdout + done.stderr
    assert "write@clients/dfs" in done.stdout
    assert not (daos.site.root / "dmg-was-asked").exists()
    # A tenth of 4,211,073,024 free bytes, in four ranks and whole transfers.
    assert {*blocks.read_text().split()} == {"100m"}
    assert daos.destroyed_or_made == []
    assert daos.site.left_behind() == []


def test_the_checks_container_is_made_once_and_destroyed(make_found: Callable[..., Found]) -> None:
    daos = make_found(own_container=True)
    use_ior(daos)
    daos.site.use("mdtest", "exit 1")
    done = daos.site.check("IorEasy|MdtestEasy")
    assert "Ran 2/2" in done.stdout, done.stdout + done.stderr
    make = "--sys-name daos_server -j container create --type=POSIX tank posix"
    assert daos.destroyed_or_made == [make, DESTROY]
    assert daos.site.left_behind() == []


def test_it_is_destroyed_although_reframe_is_killed(make_found: Callable[..., Found]) -> None:
    daos = make_found(own_container=True)
    daos.site.use("ior", f"touch {daos.begun}; exec sleep 300")
    process, _ = daos.site.start("quick", "endtoend")
    wait_for(daos.begun.exists, "run of IOR")
    (reframe,) = children(process.pid)
    os.kill(reframe, signal.SIGKILL)
    process.wait()
    wait_for(lambda: len(daos.destroyed_or_made) == 2, "destruction", seconds=60)
    assert daos.destroyed_or_made[-1] == DESTROY
    # Its job ended before: IOR makes a container that is gone anew.
    assert daos.site.slurm.output("squeue", "--noheader") == ""
    assert daos.site.left_behind() == []


REFUSALS = {
    "container create --type=POSIX tank posix": (
        "found/container_exists.txt",
        "the container posix exists in the pool tank",
    ),
    "pool query tank": (
        "found/pool_not_mine.txt",
        "the pool tank does not let this account in",
    ),
    "container query tank posix": (
        "found/container_not_mine.txt",
        "the container cannot be used: this account may not open it",
    ),
}


@pytest.mark.parametrize("asked", REFUSALS, ids=["exists", "pool", "container"])
def test_what_is_refused_is_one_sentence_and_nothing_found_is_destroyed(
    make_found: Callable[..., Found], asked: str
) -> None:
    recording, why = REFUSALS[asked]
    daos = make_found(own_container=asked.startswith("container create"))
    daos.site.use("ior", "exit 1")
    daos.answers({asked: recording})
    all_fail(daos.site, {"IorEasy": why})
    assert not [line for line in daos.destroyed_or_made if "destroy" in line]


def test_files_of_another_redundancy_than_described_are_not_measured(
    make_found: Callable[..., Found],
) -> None:
    daos = make_found()
    daos.site.describe(lambda document: document["daos"].update(file_oclass="EC_2P1G1"))
    daos.site.use("ior", "exit 1")
    why = "the container's files have the object class S2, but the description has EC_2P1G1"
    all_fail(daos.site, {"IorEasy": why})


def test_files_that_would_take_more_than_the_share_are_not_written(
    make_found: Callable[..., Found],
) -> None:
    daos = make_found(share=0.01)
    daos.site.use("fio_dfs", "exit 1")
    why = (
        "the pool tank has 4016 MiB free, of which the files of a check may take 40 MiB (0.01,"
        " daos.found.share), but"
    )
    all_fail(daos.site, {"FioDfs": why})


def test_a_share_smaller_than_a_transfer_of_each_rank_is_not_exceeded(
    make_found: Callable[..., Found],
) -> None:
    daos = make_found(share=0.001)
    daos.site.use("ior", "exit 1")
    why = (
        "the pool tank has 4016 MiB free, of which the files of a check may take 4 MiB (0.001,"
        " daos.found.share), but 8 MiB are needed"
    )
    all_fail(daos.site, {"IorEasy": why})
