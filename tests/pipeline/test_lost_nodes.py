"""A node that is lost: its own figures are missing with Slurm's reason; the rest goes on."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from private_slurm import NODE_TIMEOUT_S, NODES, PrivateSlurm, wait_for
from site_here import Site

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


def test_a_node_that_is_drained_loses_its_own_figures_alone(
    make_site: MakeSite, slurm: PrivateSlurm
) -> None:
    site = make_site({}, clients=["s1", "s2"], servers=["s1", "s2"])
    site.use("fio", FAST)
    drain = ("scontrol", "update", "nodename=s1")
    slurm.output(*drain, "state=drain", "reason=a DIMM fails")
    try:
        campaign = site.measure("quick", "ssd")
    finally:
        slurm.output(*drain, "state=resume")
    (case,) = campaign.cases
    sentence = "s1 is drained in Slurm (a DIMM fails); nothing was queued for it"
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
