"""A node that is lost: its own figures are missing with Slurm's reason; the rest goes on."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable, Iterator

import pytest
from private_slurm import NODE_TIMEOUT_S, NODES, PrivateSlurm, wait_for
from site_here import FEW_MESSAGES, Site

MakeSite = Callable[..., Site]

FAST = """
sed 's/^size=.*/size=64m/; s/^runtime=.*/runtime=200ms/' "${@: -1}" >"$SCRATCH/small.fio"
/usr/bin/fio "${@:1:$#-1}" "$SCRATCH/small.fio" || exit
"""
NOTICED_S = 60
"""What a node that is lost may cost the campaign, beside what Slurm takes to notice."""


def test_a_campaign_queues_nothing_for_a_node_that_is_down(
    make_site: MakeSite, slurm: PrivateSlurm
) -> None:
    site = make_site({}, clients=["s1"], servers=["s1"])
    site.use("fio", "touch $SCRATCH/file; sleep 300")
    started = site.start("quick")
    wait_for(site.files, "file in scratch")
    lost = time.monotonic()
    with slurm.without("s1"):
        campaign = site.finish(started)
        took_s = time.monotonic() - lost
        signed = campaign.sign_off()
        # The fixture waits for all of its nodes.
        for partition, nodes in NODES.items():
            slurm.set_partition(partition, nodes)
    print(f"{took_s:.0f} s from the loss to the end\n{signed.summary}")
    assert took_s < NODE_TIMEOUT_S + NOTICED_S
    reasons = {metric["check"]: metric["reason"] for metric in signed.metrics}
    assert len(reasons) > 2
    for reason in reasons.values():
        assert re.search(r"s1 is down in Slurm \(Not responding\)", reason), reason
    queued = sum("was not queued" in reason for reason in reasons.values())
    assert queued == len(reasons) - 1, reasons


@pytest.mark.parametrize("dies", ["s1", "s2"], ids=["first", "other"])
def test_a_node_that_dies_within_a_job_loses_its_own_figures_alone(
    make_site: MakeSite, slurm: PrivateSlurm, dies: str
) -> None:
    site = make_site({}, clients=["s1", "s2"], servers=["s1", "s2"])
    (lives,) = {"s1", "s2"} - {dies}
    waiting, dead = site.root / "waiting", site.root / "dead"
    hangs = f"touch {waiting} $SCRATCH/file; sleep 300"
    waits = f"until [[ -e {dead} ]]; do sleep 0.1; done"
    site.use("fio", f"if [[ $SLURMD_NODENAME == {dies} ]]; then {hangs}; fi\n{waits}\n{FAST}")
    started = site.start("quick", "ssd")
    wait_for(waiting.exists, f"fio on {dies}")
    lost = time.monotonic()
    with slurm.without(dies):
        dead.touch()
        campaign = site.finish(started)
        took_s = time.monotonic() - lost
        # What a host without power leaves on its disk goes away with the next job there.
        (left,) = site.files()
        assert str(site.scratches[dies]) in left
    (case,) = campaign.cases
    print(f"{took_s:.0f} s from the loss to the end\n{case['problems']}")
    assert took_s < NODE_TIMEOUT_S + NOTICED_S
    assert set(case["samples"]["write_1m"]) == {lives}
    assert set(case["problems"]) == {dies}
    sentence = f"{dies} is down in Slurm (Not responding) since the job began"
    assert sentence in case["problems"][dies][0]
    for metric in campaign.sign_off().of("SsdFio"):
        assert (metric["verdict"] == "missing") is (metric["subject"] == dies), metric

    site.use("fio", FAST)
    (again,) = site.measure("quick", "ssd").cases
    assert again["problems"] == {}
    assert set(again["samples"]["write_1m"]) == {"s1", "s2"}
    assert site.left_behind() == []


@contextlib.contextmanager
def drained(slurm: PrivateSlurm, node: str) -> Iterator[str]:
    """A node that takes no jobs, and the sentence about it."""
    drain = ("scontrol", "update", f"nodename={node}")
    slurm.output(*drain, "state=drain", "reason=a DIMM fails")
    try:
        yield f"{node} is drained in Slurm (a DIMM fails); nothing was queued for it"
    finally:
        slurm.output(*drain, "state=resume")


def test_pairs_and_placement_go_on_without_a_node(make_site: MakeSite, slurm: PrivateSlurm) -> None:
    site = make_site({}, clients=["c1", "c2", "s1"], servers=["s2"])
    site.use("fi_pingpong", FEW_MESSAGES)
    with drained(slurm, "s1") as sentence:
        done = site.check("FiPingpong|ClientPlacement", "--system=here:clients")
    cases = json.loads((site.root / "report.json").read_text())["runs"][-1]["testcases"]
    measured = {}
    for case in cases:
        (figures, *_) = case["samples"].values()
        measured |= dict.fromkeys(figures, "measured")
        measured |= {subject: reason for subject, (reason,) in case["problems"].items()}
    assert measured == {
        **dict.fromkeys(("c1", "c2", "c1>c2"), "measured"),
        **dict.fromkeys(("s1", "c2>s1", "s1>c1"), sentence),
    }, done.stdout


def test_a_node_that_is_drained_loses_its_own_figures_alone(
    make_site: MakeSite, slurm: PrivateSlurm
) -> None:
    site = make_site({}, clients=["s1", "s2"], servers=["s1", "s2"])
    site.use("fio", FAST)
    with drained(slurm, "s1") as sentence:
        campaign = site.measure("quick", "ssd")
    (case,) = campaign.cases
    assert case["problems"] == {"s1": [sentence]}
    assert set(case["samples"]["write_1m"]) == {"s2"}
    for metric in campaign.sign_off().of("SsdFio"):
        assert (metric["verdict"] == "missing") is (metric["subject"] == "s1"), metric
        assert (sentence in metric["reason"]) is (metric["subject"] == "s1"), metric
    # The campaign is taken up again when the node is back.
    again = site.finish(site.start("quick", "ssd", into=campaign.directory))
    assert again.cases[-1]["problems"] == {}
    assert set(again.cases[-1]["samples"]["write_1m"]) == {"s1", "s2"}
    assert site.left_behind() == []
