"""The pools of IorByRank: made on each rank, and gone when ReFrame ends, however it ends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from run_reframe import CHECKS, scripts

from sites import site


def two_ranks() -> dict[str, Any]:
    document = site(servers=1, engines=2, clients=1)
    document["daos"] |= {"pool": "tank", "container": "posix", "rank_pool_size": "24GiB"}
    document["benchmarks"] = {"ior": "/opt/bin/ior", "ior_apis": ["DFS"]}
    return document


def dmg(directory: Path, label: str, asked: str) -> list[str]:
    """The commands that dmg was given on the pool of a label."""
    given = (directory / "asked").read_text().splitlines()
    return [line for line in given if asked in line and line.endswith(f" {label}")]


def scripts_of(directory: Path, then: str = "") -> str:
    """What the job would run, where dmg notes what it is asked."""
    noted = f"echo $* >>{directory}/asked\n{then}"
    return scripts(two_ranks(), directory, "--name=^IorByRank", dmg=noted)["IorByRank"]


def wait_for(directory: Path, label: str) -> list[str]:
    """What destroyed a pool, once it has: it begins when ReFrame has ended."""
    for _ in range(100):
        if destroyed := dmg(directory, label, "destroy"):
            return destroyed
        time.sleep(0.1)
    return []


def test_each_rank_is_measured_in_a_pool_of_its_own_that_goes_away(tmp_path: Path) -> None:
    script = scripts_of(tmp_path)
    for rank in (0, 1):
        (made,) = dmg(tmp_path, f"assay-rank-{rank}", "create")
        assert f" --ranks {rank} --size 24GiB --user " in made
        (destroyed,) = wait_for(tmp_path, f"assay-rank-{rank}")
        assert " pool destroy --recursive --force " in destroyed
    blocks = script.split("subject s1/engine")[1:]
    assert [block[0] for block in blocks] == ["0", "1"]
    for number, block in enumerate(blocks):
        assert set(re.findall(r"--dfs.pool=(\S+)", block)) == {f"assay-rank-{number}"}
        assert f" container create --type=POSIX assay-rank-{number} ior" in block
        assert re.findall(r"^step (\S+)", block, re.MULTILINE)[:3] == [
            *("container", "write_1m.1", "read_1m.1")
        ]
    # One engine of the server after the other.
    assert script.count("\nwait") == 2


NOT_ALLOWED = "[[ $* != *create* ]] || { echo 'sudo: a password is required' >&2; exit 1; }"


def test_an_account_that_may_not_make_pools_learns_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        scripts_of(tmp_path, NOT_ALLOWED)
    assert (
        "dmg made no pool of 24GiB on rank 0: sudo: a password is required; deploy with this"
        " cluster_rank_pool_size" in failed.value.stdout
    )


REFUSED = '{"response": null, "error": "no space", "status": -1007}'
NO_ROOM = f"[[ $* != *create*rank-1 ]] || {{ echo '{REFUSED}'; exit 1; }}"


def test_if_one_pool_cannot_be_made_the_others_go_away_at_once(tmp_path: Path) -> None:
    destroyed = f"grep -q 'pool destroy' {tmp_path}/asked"
    no_list = f"[[ $* != *'pool list'* ]] || ! {destroyed} || {{ echo 'no answer' >&2; exit 1; }}"
    with pytest.raises(subprocess.CalledProcessError) as failed:
        scripts_of(tmp_path, f"{NO_ROOM}\n{no_list}")
    assert "dmg made no pool of 24GiB on rank 1: no space" in failed.value.stdout
    assert dmg(tmp_path, "assay-rank-0", "destroy")
    # Without an answer, nobody knows whether they are gone.
    assert "so assay-rank-* may still be there: no answer" in failed.value.stdout


LEFT = (
    "[[ $* != *'pool list'* ]] || { echo '"
    + json.dumps(
        {
            "error": None,
            "response": {
                "pools": [
                    {"uuid": f"{number}", "label": label}
                    for number, label in enumerate(("tank", "assay-rank-7", "assay-rank-x"))
                ]
            },
        }
    )
    + "'; exit; }"
)


def test_what_a_killed_run_left_is_destroyed_and_nothing_else(tmp_path: Path) -> None:
    scripts_of(tmp_path, LEFT)
    assert len(dmg(tmp_path, "assay-rank-7", "destroy")) == 1
    assert not dmg(tmp_path, "tank", "destroy")
    assert not dmg(tmp_path, "assay-rank-x", "destroy")
    before = (tmp_path / "asked").read_text()
    assert before.index("destroy") < before.index("create")


def test_commands_run_when_their_parent_is_killed(tmp_path: Path) -> None:
    command = json.dumps(["touch", str(tmp_path / "ran")])
    parent = (
        "import subprocess, sys, time\n"
        f"end = subprocess.Popen([sys.executable, {str(CHECKS / 'at_end.py')!r}],"
        " stdin=subprocess.PIPE, text=True, start_new_session=True)\n"
        f"print({command!r}, file=end.stdin, flush=True)\n"
        "print('started', flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE) as killed:
        assert killed.stdout
        assert killed.stdout.readline() == b"started\n"
        assert not (tmp_path / "ran").exists()
        killed.kill()
    for _ in range(100):
        if (tmp_path / "ran").exists():
            return
        time.sleep(0.1)
    raise AssertionError("at_end.py did not run its command")


def test_a_command_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    commands = (["false"], ["no-such-program"], ["touch", str(tmp_path / "ran")])
    done = subprocess.run(
        [sys.executable, str(CHECKS / "at_end.py")],
        input="".join(json.dumps(command) + "\n" for command in commands),
        capture_output=True,
        text=True,
        check=True,
    )
    assert (tmp_path / "ran").exists()
    assert "$ false\n# exit: 1\n" in done.stdout
    assert "No such file or directory: 'no-such-program'" in done.stdout
