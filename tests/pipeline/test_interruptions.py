"""A campaign that is interrupted, one that is started again, and two at once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Callable

import pytest
from private_slurm import children, wait_for
from site_here import CHECKS, FEW_MESSAGES, Campaign, Site

MakeSite = Callable[..., Site]

HANG = "sleep 300"


@pytest.fixture
def site(make_site: MakeSite) -> Site:
    """One host, client and server at once; fi_pingpong hangs there."""
    here = make_site({}, clients=["s1"], servers=["s1"])
    here.use("fi_pingpong", HANG)
    return here


def running(site: Site) -> list[str]:
    """The ids of the jobs that run."""
    return site.slurm.output("squeue", "--noheader", "--states=running", "--format=%i").split()


def hangs(site: Site) -> bool:
    """Whether a benchmark hangs by now; a job that Slurm calls running may not have begun."""
    return HANG in site.slurm.others()


def stop(site: Site) -> subprocess.CompletedProcess[str]:
    """End whatever a campaign has left, as playbooks/stop.yml does it."""
    return site.slurm.run(
        str(CHECKS / "stop.sh"),
        str(site.root / "campaigns"),
        extra={"ASSAY_ENVIRONMENT": str(site.root / "environment.sh")},
    )


def interrupt(
    site: Site, number: signal.Signals, *, of_reframe: bool = False
) -> tuple[Campaign, str]:
    """Start a campaign and end it by a signal while its first job runs; give the job's id, too."""
    started = site.start("quick")
    wait_for(lambda: hangs(site), "benchmark that hangs")
    (job,) = running(site)
    process = started[0].pid
    if of_reframe:
        (process,) = children(process)
    os.kill(process, number)
    campaign = site.finish(started)
    assert campaign.exit_code != 0
    return campaign, job


def complete(site: Site) -> None:
    """Measure again, with a benchmark that works."""
    site.use("fi_pingpong", FEW_MESSAGES)
    campaign = site.measure("quick")
    signed = campaign.sign_off()
    assert signed.exit_code == 0, signed.summary
    assert site.left_behind() == []


# SIGHUP is what a lost login sends.
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_interrupted_campaign_takes_its_job_along(site: Site, number: signal.Signals) -> None:
    campaign, _ = interrupt(site, number)
    last = campaign.messages.splitlines()[-1]
    assert last == "interrupted; the same command measures the rest"
    assert site.left_behind() == []
    signed = campaign.sign_off()
    assert signed.exit_code == 1
    assert {metric["verdict"] for metric in signed.metrics} == {"missing"}
    reason = "interrupted: run the campaign again"
    assert {metric["reason"] for metric in signed.of("FiPingpong")} == {reason}
    assert reason in signed.summary


def test_a_campaign_is_ended_from_elsewhere_with_its_job(site: Site) -> None:
    """As playbooks/stop.yml does it when ansible-playbook was interrupted."""
    started = site.start("quick")
    wait_for(lambda: hangs(site), "benchmark that hangs")
    stopped = stop(site)
    assert (stopped.returncode, stopped.stdout) == (0, f"{started[1].name}\n"), stopped.stderr
    assert site.finish(started).exit_code != 0
    assert site.left_behind() == []
    again = stop(site)
    nothing = f"no campaign is running in {site.root / 'campaigns'}\n"
    assert (again.returncode, again.stdout, again.stderr) == (0, "", nothing)


def test_a_campaign_is_ended_where_it_was_started(site: Site) -> None:
    """The number of its process names another process, or none, on another login host."""
    started = site.start("quick")
    wait_for(lambda: hangs(site), "benchmark that hangs")
    campaigns = site.root / "campaigns"
    holder = campaigns / ".campaign/holder"
    ours = holder.read_text()
    holder.write_text(f"host login2\nscript {os.getpid()} 1\ncampaign 1\n")
    stopped = stop(site)
    assert (stopped.returncode, stopped.stderr) == (
        75,
        f"the campaign in {campaigns} was started on login2: end it there\n",
    )
    holder.write_text(ours)
    started[0].terminate()
    assert site.finish(started).exit_code != 0
    assert site.left_behind() == []


def test_a_campaign_is_taken_up_where_it_was_interrupted(site: Site) -> None:
    site.use("fi_pingpong", FEW_MESSAGES)
    site.use("fio", HANG)
    started = site.start("quick", "raw")
    wait_for(lambda: hangs(site), "benchmark that hangs")
    started[0].send_signal(signal.SIGTERM)
    first = site.finish(started)
    site.use("fio", "exit 1")
    second = site.finish(site.start("quick", "raw", into=first.directory))
    results = [(case["name"].split()[0], case["result"]) for case in second.cases]
    assert sorted(results) == [
        ("ClientPlacement", "pass"),
        *(("FiPingpong", "pass"), ("FiPingpong", "skip")),
        ("PosixFio", "fail"),
        *(("SsdFio", "abort"), ("SsdFio", "fail")),
    ]
    # What the first session left is not in the place of what the second skipped.
    signed = second.sign_off()
    for metric in signed.of("FiPingpong"):
        assert len(metric["samples"]) == 5
        assert metric["verdict"] != "missing", metric["reason"]
        assert metric["raw"]
    assert site.left_behind() == []


def test_a_killed_script_takes_reframe_and_its_job_along(site: Site) -> None:
    started = site.start("quick")
    wait_for(lambda: hangs(site), "benchmark that hangs")
    started[0].kill()
    assert site.finish(started).exit_code == -signal.SIGKILL
    assert site.left_behind() == []


def orphaned(site: Site, *, reframe: bool) -> str:
    """Kill campaign.sh, of which the kernel tells ReFrame nothing, or both; give the job's id."""
    site.program("setpriv", "exit 1")
    process, directory = site.start("quick")
    wait_for(lambda: hangs(site), "benchmark that hangs")
    (job,) = running(site)
    (session,) = children(process.pid)
    process.kill()
    if reframe:
        os.kill(session, signal.SIGKILL)
    campaign = site.finish((process, directory))
    assert campaign.exit_code == -signal.SIGKILL
    assert running(site) == [job]
    return job


@pytest.mark.parametrize("reframe", [False, True])
def test_what_a_killed_campaign_left_is_ended_from_elsewhere(site: Site, *, reframe: bool) -> None:
    """The job went on for as long as its limit allowed."""
    job = orphaned(site, reframe=reframe)
    stopped = stop(site)
    assert (stopped.returncode, stopped.stdout) == (0, "1\n"), stopped.stderr
    assert stopped.stderr == "the campaign was ended, at the scale quick:\n"
    assert running(site) == []
    assert site.left_behind() == []
    assert "JobState=CANCELLED" in site.slurm.output("scontrol", "show", "job", job)


def test_a_job_that_a_killed_campaign_left_is_ended_by_the_next(site: Site) -> None:
    job = orphaned(site, reframe=True)
    complete(site)
    assert "JobState=CANCELLED" in site.slurm.output("scontrol", "show", "job", job)


def test_a_killed_reframe_takes_its_job_along(site: Site) -> None:
    campaign, job = interrupt(site, signal.SIGKILL, of_reframe=True)
    assert campaign.messages.splitlines()[-1] == (
        "ReFrame was ended by SIGKILL, and its job with it; the same command measures the rest"
    )
    assert site.left_behind() == []
    assert "JobState=CANCELLED" in site.slurm.output("scontrol", "show", "job", job)
    bundle = site.root / "bundle"
    refused = site.assay("signoff", f"--reports={campaign.reports}", f"--out={bundle}")
    assert refused.exit_code == 2
    assert "no run report matches" in refused.stderr
    assert not bundle.exists()
    complete(site)


def test_a_killed_job_is_missing_and_leaves_nothing(site: Site) -> None:
    started = site.start("quick", "network")
    wait_for(lambda: hangs(site), "benchmark that hangs")
    (job,) = running(site)
    site.slurm.output("scancel", "--signal=KILL", "--full", job)
    campaign = site.finish(started)
    signed = campaign.sign_off()
    assert {metric["verdict"] for metric in signed.metrics} == {"missing"}
    for metric in signed.of("FiPingpong"):
        assert "fi_pingpong (" in metric["reason"]
        assert "\n" not in metric["reason"]
    assert site.left_behind() == []


def test_jobs_of_others_are_not_ended(make_site: MakeSite) -> None:
    site = make_site({}, clients=["c1"], servers=["s1"])
    other = site.slurm.popen(
        *("srun", "--partition=servers", "--comment=mine", "sleep", "300"),
        stderr=subprocess.DEVNULL,
    )
    wait_for(lambda: running(site), "running job")
    (job,) = running(site)
    assert site.measure("quick", "client").exit_code == 0
    assert running(site) == [job]
    other.terminate()
    other.wait()
    assert site.left_behind() == []


def test_two_campaigns_at_once(site: Site) -> None:
    first, _ = site.start("quick")
    wait_for(lambda: hangs(site), "benchmark that hangs")
    jobs = running(site)
    second = site.measure("quick")
    assert second.exit_code == 75
    environment = f"ASSAY_ENVIRONMENT={site.root / 'environment.sh'}"
    stop = f"{environment} {CHECKS / 'stop.sh'} {second.directory.parent}"
    assert second.messages == (
        f"another campaign is running (process {first.pid} on {socket.gethostname()}); wait for it,"
        f" or end it there with: {stop}\n"
    )
    assert not second.directory.exists()
    assert running(site) == jobs
    first.terminate()
    first.communicate()
    assert site.left_behind() == []
