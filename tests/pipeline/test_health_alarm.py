"""`assay health` on a real Slurm: a latency above its limit, measured twice, is an alarm."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from site_here import Site

from assay.health.nights import Nights

MakeSite = Callable[..., Site]

HEALTH = Path(__file__).parents[2] / "docs" / "health.md"

SLOW_ANSWERS = r"""
# As fi_pingpong prints, with a latency that no network of today has; its server prints nothing.
while [[ $1 == -* ]]; do
    case $1 in
        -S) size=$2 ;;
        -I) count=$((${2} / 1000))k ;;
    esac
    shift 2
done
[[ $# == 1 ]] || exit 0
((size == 64)) || size=1m
echo 'bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec'
printf '%s      %s      =%s      4.8g        1.80s   2914.%02d     8359.%02d       0.00\n' \
    "$size" "$count" "$count" $((RANDOM % 100)) $((10 + RANDOM % 40))
"""


def test_what_is_slow_twice_is_an_alarm_that_is_remembered(make_site: MakeSite) -> None:
    site = make_site({}, clients=["c1", "c2"], servers=["c1"])
    site.use("fi_pingpong", SLOW_ANSWERS)
    for partition in site.slurm.partitions:
        site.slurm.set_partition(partition, site.members(partition))
    environment, kept, prom = (
        site.root / name for name in ("environment.sh", "health", "assay.prom")
    )
    environment.write_text("")
    night = site.slurm.run(
        *("assay", "health", str(kept), "--minutes=15", f"--textfile={prom}", "--json"),
        extra=site.environment | {"ASSAY_ENVIRONMENT": str(environment)},
    )
    assert night.returncode == 1, (night.stdout, night.stderr)
    printed = json.loads(night.stdout)
    assert (printed["checks"], printed["gaps"]) == (["FiPingpong"], [])
    (finding,) = printed["findings"]
    assert (finding["layer"], finding["hosts"]) == ("network", ["c1", "c2"])
    assert finding["what"] == "FiPingpong.latency_64b"
    assert finding["reason"].startswith("below: 8,359 us is above the ceiling of ")
    campaigns = sorted(path.name for path in (kept / "campaigns").glob("2*"))
    assert campaigns == [campaigns[0], f"{campaigns[0]}-again"]
    (remembered,) = Nights(kept).read()
    assert set(remembered.medians) == {
        f"FiPingpong.{metric} on c1>c2" for metric in ("bandwidth_1m", "latency_64b")
    }
    assert 'assay_health_state{cluster="here",state="alarm"} 1.0' in prom.read_text()
    assert site.left_behind() == []
    drained_by_the_script(site, kept)


def drained_by_the_script(site: Site, kept: Path) -> None:
    """Run what docs/health.md has for `HealthCheckProgram`, as slurmd of one node does."""
    (script,) = re.findall(r"```sh\n(#!/bin/bash\nalarms=.*?)```", HEALTH.read_text(), re.DOTALL)
    seen = site.root / "seen"
    for path, ours in (("/var/lib/assay/shared/health", kept), ("/run/assay-health", seen)):
        assert path in script
        script = script.replace(path, str(ours))
    program = site.program("health-check", script)

    def state() -> str:
        asked = site.slurm.run("sinfo", "--noheader", "--Node", "--format=%N %t %E")
        return " ".join(dict.fromkeys(re.findall(r"^c1 (.*)$", asked.stdout, re.MULTILINE)))

    def check() -> None:
        done = site.slurm.run(str(program), extra={"SLURMD_NODENAME": "c1"})
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    check()
    assert state().startswith("drain ALARM here: network: FiPingpong.latency_64b"), state()
    site.slurm.output("scontrol", "update", "NodeName=c1", "State=RESUME")
    check()
    # Whoever resumes a node knows of the last night. (A star: it has not answered yet.)
    assert state().replace("*", "") == "idle none"
