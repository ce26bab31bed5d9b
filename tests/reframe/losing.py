"""A stand-in of a system of three engines, and what takes a part of it away."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from run_reframe import CHECKS

from assay.tools.daos.timeline import Timeline, parse

DMG = """#!/bin/bash
# The states of a system are files: rank, targets, pools, and leader and replicas of the service of
# the check's pool; `never` has what does not happen, `total` how many targets that pool was made
# with, if not with all, and `which` the rank that was stopped, if not 2.
cd {directory} || exit
echo "$*" >>asked
never() {{ grep -qw "$1" never 2>/dev/null; }}
# Whole, or not yet: another one may read it at this moment.
put() {{ echo "$2" >"$1.$$" && mv "$1.$$" "$1"; }}
pool() {{
    active=$(<targets)
    degraded=false
    [[ $active = 6 ]] || ! never rebuild || degraded=true
    state=idle
    [[ ! -e busy ]] || state=busy
    rm -f busy
    total=$(cat total 2>/dev/null || echo 6)
    ((active < total)) || active=$total
    echo '{{"response": {{"total_targets": '$total', "active_targets": '$active','
    echo ' "rebuild": {{"state": "'$state'", "degraded": '$degraded'}}}}, "error": null}}'
}}
ok='{{"response": {{}}, "error": null, "status": 0}}'
case "$*" in
    *"system query"*)
        echo '{{"response": {{"members": [{{"addr": "s3",'
        echo ' "rank": '$(cat which 2>/dev/null || echo 2)','
        echo ' "state": "'$(<rank)'"}}]}}, "error": null}}'
        ;;
    *"system stop"*)
        touch lost
        put which "${{@: -1}}"
        never elect || put leader 0
        put rank stopped
        never exclude || {{ put rank excluded; put targets 4; }}
        echo "$ok"
        ;;
    *"system start"*) put rank joined; echo "$ok" ;;
    *"pool extend"*) never extend || {{ put total 6; touch busy; }}; echo "$ok" ;;
    *"pool create"*)
        if never create; then
            echo '{{"response": null, "error": "no space", "status": -1007}}'
        else
            put total 4
            put pools '{both}'
            echo "$ok"
        fi
        ;;
    *"pool drain"*) never drain || {{ touch busy; put targets 4; }}; echo "$ok" ;;
    *"pool exclude"*) put targets 5; echo "$ok" ;;
    *reintegrate*) touch busy; put targets 6; echo "$ok" ;;
    *"pool query --health-only"*)
        # What was sent to the lost leader waits.
        [[ ! -e lost || -e waits ]] || {{ touch waits; sleep 20; }}
        echo '{{"response": {{"svc_ldr": '$(<leader)','
        echo ' "svc_reps": ['$(<replicas)']}}, "error": null}}'
        ;;
    *"pool query"*) pool ;;
    *"pool list"*) echo '{{"response": {{"pools": ['"$(<pools)"']}}, "error": null}}' ;;
    *"pool destroy"*)
        put pools '{{"uuid": "1", "label": "tank"}}'
        # What the pool alone had lost goes with it.
        [[ -e lost ]] || put targets 6
        echo "$ok"
        ;;
    *"get-prop"*) echo '{{"response": [{{"name": "self_heal", "value": "none"}}]}}' ;;
    *) echo "$ok" ;;
esac
"""
BOTH = '{"uuid": "1", "label": "tank"}, {"uuid": "2", "label": "assay-failure"}'


def stand_in(place: Path) -> Path:
    """Make a stand-in of a system of three engines, with its programs and a stage directory."""
    for name in ("bin", "stage"):
        (place / name).mkdir()
    states = {"rank": "joined", "targets": "6", "pools": BOTH, "leader": "1", "replicas": "0, 1, 2"}
    for name, text in states.items():
        (place / name).write_text(text)
    for name in ("dmg", "daos"):
        program = place / "bin" / name
        program.write_text(DMG.format(directory=place, both=BOTH))
        program.chmod(0o755)
    return place


def plan(system: Path, *, losses: int = 1, limit_s: int = 20, kind: str = "kill") -> str:
    lost = {
        "kind": kind,
        "system": "daos_server",
        "rank": 2,
        "pool": "assay-failure",
        "control": "/etc/control.yml",
        "prefix": str(system),
    }
    return json.dumps(
        {
            "lost": lost,
            "pool": [
                *("dmg", "-j", "-o", "/etc/control.yml", "pool", "create"),
                *("--ranks", "0,1", "assay-failure"),
            ],
            "ledger": str(system / "failure.json"),
            "stage": str(system / "stage"),
            "losses": losses,
            "window_s": 1,
            "limit_s": limit_s,
        }
    )


def begin(system: Path, text: str) -> subprocess.Popen[str]:
    director = subprocess.Popen(
        [sys.executable, str(CHECKS / "lose_rank.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert director.stdin
    assert director.stdout
    director.stdin.write(text + "\n")
    director.stdin.flush()
    assert director.stdout.readline() == "ready\n"
    assert (system / "failure.json").exists()
    return director


def refused(system: Path, text: str) -> str:
    """What it says that does not begin."""
    done = subprocess.run(
        [sys.executable, str(CHECKS / "lose_rank.py")],
        input=text + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    return done.stdout


def wait_for(path: Path) -> None:
    for _ in range(300):
        if path.exists():
            return
        time.sleep(0.1)
    raise AssertionError(f"there is no {path}")


def asked(system: Path, words: str) -> int:
    return sum(words in line for line in (system / "asked").read_text().splitlines())


def is_whole(system: Path) -> bool:
    states = [(system / name).read_text().strip() for name in ("rank", "targets")]
    return states == ["joined", "6"] and "assay-failure" not in (system / "pools").read_text()


def line(system: Path, number: int = 1) -> Timeline:
    return parse((system / f"stage/raw/system/timeline.{number}.json").read_text())


def run_load(system: Path, name: str) -> None:
    """As load.sh does: say that it runs, and go on until it is told to end."""
    (system / "stage" / f"{name}.end.begun").touch()
    wait_for(system / "stage" / f"{name}.end")
