"""What takes a rank away brings it back, whatever happens to it; dmg and daos are stand-ins."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from losing import asked, begin, is_whole, line, plan, refused, run_load, stand_in, wait_for
from run_reframe import CHECKS

from assay.tools.daos import dmg
from assay.tools.daos.losses import KILL, LOSSES

root_only = pytest.mark.skipif(os.getuid() != 0, reason="only root takes anything away")


@pytest.fixture
def system(tmp_path: Path) -> Path:
    """A stand-in of a system of three engines, with its programs and a stage directory."""
    return stand_in(tmp_path)


def test_a_rank_is_lost_as_often_as_planned_and_then_all_is_whole(system: Path) -> None:
    director = begin(system, plan(system, losses=2))
    for number in (1, 2):
        run_load(system, f"lost.{number}")
        run_load(system, f"back.{number}")
    printed, _ = director.communicate(timeout=60)
    assert director.returncode == 0, printed
    for number in (1, 2):
        assert list(KILL.moments(line(system, number))) == [
            *("rank lost", "excluded", "redundant again"),
            *("engine started", "reintegration", "whole again"),
        ]
        assert line(system, number).problems == ()
    assert asked(system, "system stop --force --ranks 2") == 2
    assert is_whole(system)
    assert not (system / "failure.json").exists()


def test_the_rank_that_leads_is_lost_and_another_one_leads(system: Path) -> None:
    director = begin(system, plan(system, kind="leader", losses=2))
    for number in (1, 2):
        run_load(system, f"lost.{number}")
        assert json.loads((system / "failure.json").read_text())["rank"] == (1, 0)[number - 1]
        run_load(system, f"back.{number}")
        (system / "leader").write_text("0")
    printed, _ = director.communicate(timeout=60)
    assert director.returncode == 0, printed
    lost = line(system)
    assert list(LOSSES["leader"].moments(lost)) == [
        *("rank lost", "another leader", "excluded", "redundant again"),
        *("engine started", "reintegration", "whole again"),
    ]
    # The first question after the loss waits for 20 s, the next one does not.
    assert lost.lost
    assert lost.served
    assert lost.served - lost.lost < 10
    assert asked(system, "system stop --force --ranks 1") == 1
    assert asked(system, "system stop --force --ranks 0") == 1
    assert is_whole(system)


def test_where_nobody_else_leads_the_limit_says_so_and_the_rank_comes_back(system: Path) -> None:
    (system / "never").write_text("elect")
    director = begin(system, plan(system, kind="leader", limit_s=4))
    run_load(system, "lost.1")
    director.communicate(timeout=60)
    assert line(system).problems == ("no rank but 1 led the service of the pool within 4 s",)
    assert asked(system, "system start --ranks 1") == 1
    assert is_whole(system)


@pytest.mark.parametrize(
    ("name", "states", "problem"),
    [
        ("replicas", "1, 2", "the service of the pool has 2 of the 3 replicas that it needs to "),
        ("leader", "", "nobody leads the service of the pool"),
    ],
)
def test_a_leader_that_nobody_could_replace_is_not_lost(
    system: Path, name: str, states: str, problem: str
) -> None:
    (system / name).write_text(states)
    director = begin(system, plan(system, kind="leader", limit_s=2))
    run_load(system, "lost.1")
    director.communicate(timeout=60)
    assert line(system).lost is None
    assert line(system).problems[0].startswith(problem)
    assert asked(system, "system stop") == 0
    assert is_whole(system)


@pytest.mark.parametrize(
    ("kind", "moments", "commands"),
    [
        (
            "drain",
            ["drain", "drained", "reintegration", "whole again"],
            ["drain --ranks 2", "reintegrate --ranks 2"],
        ),
        (
            "exclude",
            ["target lost", "redundant again", "reintegration", "whole again"],
            ["exclude --ranks 2 --target-idx 0", "reintegrate --ranks 2 --target-idx 0"],
        ),
    ],
)
def test_what_only_the_pool_of_the_check_loses_is_taken_back_into_it_alone(
    system: Path, kind: str, moments: list[str], commands: list[str]
) -> None:
    director = begin(system, plan(system, kind=kind))
    for load in ("lost.1", "back.1"):
        run_load(system, load)
    printed, _ = director.communicate(timeout=60)
    assert director.returncode == 0, printed
    assert list(LOSSES[kind].moments(line(system))) == moments
    for command in commands:
        assert asked(system, f"-o /etc/control.yml pool {command} assay-failure") == 1
    for never in ("system stop", "system start", "system reintegrate", "tank --"):
        assert asked(system, never) == 0
    assert is_whole(system)
    assert not (system / "failure.json").exists()


def test_each_extension_has_a_pool_of_its_own_once_the_last_one_was_read(system: Path) -> None:
    (system / "total").write_text("4")
    director = begin(system, plan(system, kind="extend", losses=2))
    for number in (1, 2):
        run_load(system, f"lost.{number}")
        run_load(system, f"back.{number}")
        if number == 1:
            time.sleep(2)
            assert asked(system, "pool destroy") == 0
            (system / "stage/pool.1.read").touch()
            wait_for(system / "stage/pool.2.made")
    printed, _ = director.communicate(timeout=60)
    assert director.returncode == 0, printed
    assert list(LOSSES["extend"].moments(line(system, 2))) == ["extension", "spread"]
    assert asked(system, "pool extend --ranks 2 assay-failure") == 2
    assert asked(system, "pool create --ranks 0,1 assay-failure") == 1
    assert is_whole(system)


def test_a_pool_that_cannot_be_made_anew_ends_it_and_nothing_stays(system: Path) -> None:
    for name, text in {"never": "create", "total": "4"}.items():
        (system / name).write_text(text)
    director = begin(system, plan(system, kind="extend", losses=2))
    for load in ("lost.1", "back.1"):
        run_load(system, load)
    (system / "stage/pool.1.read").touch()
    # No load waits for a second pool.
    wait_for(system / "stage/back.2.end")
    director.communicate(timeout=60)
    (problem,) = line(system, 2).problems
    assert problem == "dmg did not make the pool assay-failure anew: no space"
    assert is_whole(system)


def test_a_rank_that_is_not_drained_in_time_is_named(system: Path) -> None:
    (system / "never").write_text("drain")
    director = begin(system, plan(system, kind="drain", limit_s=3))
    run_load(system, "lost.1")
    printed, _ = director.communicate(timeout=60)
    assert line(system).problems == ("rank 2 was not drained within 3 s",)
    assert director.returncode == 0, printed
    assert "assay-failure" not in (system / "pools").read_text()


def test_a_kind_that_nobody_knows_is_refused_before_anything_is_taken_away(system: Path) -> None:
    said = refused(system, plan(system, kind="flood"))
    assert said == (
        "unknown kind of loss flood; choose from: kill, leader, drain, exclude, extend, agent\n"
    )
    assert not (system / "failure.json").exists()


@pytest.mark.parametrize(
    ("never", "sentence"),
    [
        ("exclude", "rank 2 was not excluded within 3 s; its pool has self_heal none"),
        (
            "rebuild",
            "the data was not redundant again within 3 s after rank 2 was excluded; its pool has"
            " self_heal none",
        ),
    ],
)
def test_where_nobody_excludes_or_rebuilds_the_limit_says_so(
    system: Path, never: str, sentence: str
) -> None:
    (system / "never").write_text(never)
    director = begin(system, plan(system, limit_s=3, losses=2))
    run_load(system, "lost.1")
    director.communicate(timeout=60)
    assert line(system).problems == (sentence,)
    assert is_whole(system)
    # No load waits for the second loss.
    assert (system / "stage/back.2.end").exists()


def killed_parent(system: Path, at: str, kind: str) -> None:
    """Kill with -9 what started it, as soon as a load has begun, or one after it."""
    code = (
        "import subprocess, sys, time\n"
        f"d = subprocess.Popen([sys.executable, {str(CHECKS / 'lose_rank.py')!r}], text=True,"
        " stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)\n"
        f"print({plan(system, kind=kind)!r}, file=d.stdin, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        wait_for(system / "failure.json")
        if at != "before":
            (system / "stage/lost.1.end.begun").touch()
            wait_for(system / "stage/raw/system/timeline.1.json")
        if at == "back":
            wait_for(system / "stage/lost.1.end")
            (system / "stage/back.1.end.begun").touch()
        parent.kill()


@pytest.mark.parametrize("kind", ["kill", "drain"])
@pytest.mark.parametrize("at", ["before", "lost", "back"])
def test_if_reframe_is_killed_the_rank_comes_back(system: Path, at: str, kind: str) -> None:
    killed_parent(system, at, kind)
    for _ in range(300):
        if not (system / "failure.json").exists():
            break
        time.sleep(0.1)
    assert not (system / "failure.json").exists()
    assert is_whole(system)
    assert (system / "stage/lost.1.end").exists()


def bring_back(system: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CHECKS / "bring_back.py"), str(system / "failure.json")],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(("kind", "rank"), [("kill", 2), ("leader", 1)])
def test_if_that_is_killed_too_whoever_finds_the_ledger_brings_it_back(
    system: Path, kind: str, rank: int
) -> None:
    director = begin(system, plan(system, kind=kind))
    (system / "stage/lost.1.end.begun").touch()
    while (system / "rank").read_text().strip() == "joined":
        time.sleep(0.1)
    os.kill(director.pid, signal.SIGKILL)
    director.wait()
    assert not is_whole(system)
    done = bring_back(system)
    assert done.returncode == 0, done.stderr
    assert f"rank {rank} of daos_server was taken away by a check that did not end" in done.stdout
    assert "the system daos_server is whole again" in done.stdout
    assert asked(system, f"system start --ranks {rank}") == 1
    assert is_whole(system)
    assert not (system / "failure.json").exists()
    # Once it is back, nothing is done.
    before = (system / "asked").read_text()
    assert bring_back(system).stdout == ""
    assert (system / "asked").read_text() == before


def test_a_drain_that_nobody_ends_goes_with_its_pool(system: Path) -> None:
    director = begin(system, plan(system, kind="drain"))
    (system / "stage/lost.1.end.begun").touch()
    while (system / "targets").read_text().strip() == "6":
        time.sleep(0.1)
    os.kill(director.pid, signal.SIGKILL)
    director.wait()
    done = bring_back(system)
    assert done.returncode == 0, done.stderr
    assert "rank 2 of daos_server was taken away by a check that did not end: drain" in done.stdout
    assert is_whole(system)
    assert asked(system, "pool destroy --recursive --force assay-failure") == 1
    assert asked(system, "system start") == 0


def test_a_ledger_of_an_earlier_version_names_an_engine(system: Path) -> None:
    for name, text in {"rank": "excluded", "targets": "4"}.items():
        (system / name).write_text(text)
    lost = json.loads(plan(system))["lost"]
    del lost["kind"]
    (system / "lost").touch()
    (system / "failure.json").write_text(json.dumps(lost))
    assert bring_back(system).returncode == 0
    assert is_whole(system)


def test_a_ledger_that_cannot_be_read_is_not_passed_over(system: Path) -> None:
    (system / "failure.json").write_text('{"rank": ')
    done = bring_back(system)
    assert done.returncode == 1
    assert "cannot be read, so what is away is unknown" in done.stderr
    assert (system / "failure.json").exists()


def test_nothing_is_taken_away_while_something_is_away(system: Path) -> None:
    ledger = system / "failure.json"
    ledger.write_text("of an earlier run")
    assert refused(system, plan(system)).endswith(
        "failure.json names what is still away: playbooks/stop.yml\n"
    )
    assert ledger.read_text() == "of an earlier run"
    assert not (system / "asked").exists()


@pytest.mark.parametrize("answer", ["", "{}", '{"error": null, "response": {"members": []}}'])
def test_pools_that_are_not_listed_are_not_taken_for_none(answer: str) -> None:
    assert dmg.known_labels(answer) is None


def test_where_nothing_can_be_kept_the_rank_comes_back(system: Path) -> None:
    director = begin(system, plan(system))
    (system / "stage/lost.1.end.begun").touch()
    while (system / "rank").read_text().strip() == "joined":
        time.sleep(0.1)
    kept = system / "stage/raw/system"
    kept.rename(system / "stage/raw/elsewhere")
    kept.write_text("as if the disk were full")
    wait_for(system / "stage/lost.1.end")
    while (system / "failure.json").exists():
        time.sleep(0.1)
    printed, _ = director.communicate(timeout=60)
    assert director.returncode == 0
    assert "problem: lose_rank.py failed: FileExistsError" in printed
    assert "nothing more could be kept" in printed
    assert is_whole(system)


def test_a_signal_to_all_does_not_end_what_brings_the_rank_back(system: Path) -> None:
    director = begin(system, plan(system))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        director.send_signal(number)
    run_load(system, "lost.1")
    run_load(system, "back.1")
    director.communicate(timeout=60)
    assert director.returncode == 0
    assert is_whole(system)


def shell(system: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run campaign.sh or stop.sh where a check has left the ledger."""
    programs = system / "programs"
    programs.mkdir(exist_ok=True)
    python = f'exec {sys.executable} "$@"'
    for name, script in {"reframe": "true", "squeue": "true", "python3": python}.items():
        (programs / name).write_text(f"#!/bin/bash\n{script}\n")
        (programs / name).chmod(0o755)
    path = f"{programs}:{os.environ['PATH']}"
    extra = {"ASSAY_ENVIRONMENT": "/dev/null", "ASSAY_LEDGER": str(system / "failure.json")}
    return subprocess.run(
        [CHECKS / words[0], *words[1:]],
        env={**os.environ, **extra, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


@root_only
@pytest.mark.parametrize("script", ["stop.sh", "campaign.sh"])
def test_scripts_of_campaigns_bring_back_what_is_away(system: Path, script: str) -> None:
    for name, text in {"rank": "excluded", "targets": "4"}.items():
        (system / name).write_text(text)
    lost = json.loads(plan(system))["lost"]
    (system / "failure.json").write_text(json.dumps(lost))
    campaigns = system / "campaigns"
    campaigns.mkdir(mode=0o750)
    words = [str(campaigns)] if script == "stop.sh" else [str(campaigns / "monday"), "quick"]
    done = shell(system, script, *words)
    assert done.returncode == 0, done.stderr
    assert "a check has taken a part of the system away; it comes back now" in done.stderr
    assert "the system daos_server is whole again" in done.stderr
    assert is_whole(system)
    # There is nothing left to do.
    assert "away" not in shell(system, script, *words).stderr


@root_only
def test_no_campaign_begins_beside_a_part_that_does_not_come_back(system: Path) -> None:
    (system / "failure.json").write_text("?")
    campaigns = system / "campaigns"
    campaigns.mkdir(mode=0o750)
    done = shell(system, "campaign.sh", str(campaigns / "monday"), "quick")
    assert done.returncode == 1
    assert "what is away is unknown" in done.stderr
    assert not (campaigns / "monday").exists()
