"""A campaign that stops when decided, on a real Slurm: a second round of what is open."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable

from site_here import BRIEF_PHASES, Site

from assay.bundle.verify import verify

MakeSite = Callable[..., Site]

FIRST_AGAIN = """
import json, pathlib, sys
path = pathlib.Path(sys.argv[1])
said = json.loads(path.read_text())
first = {job["jobname"]: job for job in said["jobs"]}
said["jobs"] = [
    first.get(f"{name.partition('.')[0]}.1", job) | {"jobname": name}
    for job in said["jobs"]
    for name in [job["jobname"]]
]
path.write_text(json.dumps(said))
"""

STEADY = f"""
({BRIEF_PHASES}) || exit
for word in "$@"; do [[ $word != --output=* ]] || output=${{word#*=}}; done
{sys.executable} -c {shlex.quote(FIRST_AGAIN)} "$output"
"""
"""The real fio, and the first sample of each phase again as its others: no disk is so steady."""


def test_what_is_open_takes_a_second_round(make_site: MakeSite) -> None:
    """No disk here does what this one promises, and one disk has no peers: three are too few."""
    site = make_site({}, clients=["s1"], servers=["s1"], ssd="Intel D7-P5500 3.84TB")
    site.use("fio", BRIEF_PHASES)
    campaign = site.measure("--until-decided", "quick", "ssd")
    ran = [(case["round"], case["fail_phase"]) for case in campaign.cases]
    # It is slow, and that is a figure.
    assert ran == [(1, "performance"), (2, "performance")], campaign.printed
    signed = campaign.sign_off()
    for metric in signed.of("SsdFio"):
        assert len(metric["samples"]) == 5
        assert metric["verdict"] != "missing", metric["reason"]
    assert [name for name in signed.summary.split() if name.startswith("SsdFio.rep")] == []
    for place in ("SsdFio", "SsdFio.2"):
        assert (signed.bundle / "raw/servers" / place / "raw/s1/fio.json").is_file()
    assert verify(signed.bundle).problems == []
    assert site.left_behind() == []


def test_what_is_decided_takes_no_further_round(make_site: MakeSite) -> None:
    """What does not scatter is what it is after any number of samples."""
    site = make_site({}, clients=["s1"], servers=["s1"], ssd="Intel D7-P5500 3.84TB")
    site.use("fio", STEADY)
    campaign = site.measure("--more-hours=0.2", "quick", "ssd")
    assert [case["round"] for case in campaign.cases if case["result"] != "skip"] == [1]
    # The round that had nothing to measure is the last one.
    assert campaign.printed.count("Ran 0/") == 1
    assert campaign.printed.count("[ReFrame Setup]") == 2
    signed = campaign.sign_off()
    for metric in signed.of("SsdFio"):
        assert len(metric["samples"]) == 5
        assert len({json.dumps(sample) for sample in metric["samples"]}) == 1
    assert site.left_behind() == []
