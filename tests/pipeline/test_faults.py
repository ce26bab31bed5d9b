"""What happens when something breaks: a reason in the report, and nothing left behind."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from daos_here import fails
from private_slurm import PrivateSlurm, wait_for
from site_here import Campaign, SignedOff, Site

MakeSite = Callable[..., Site]

ONE_HOST = {"clients": ["s1"], "servers": ["s1"]}
TWO_HOSTS = {"clients": ["s1", "s2"], "servers": ["s1", "s2"]}
FOUR_HOSTS = {"clients": ["c1", "c2", "s1", "s2"], "servers": ["c1", "c2", "s1", "s2"]}
ENDED_EARLY = r"the job ended before fio \(fio\) did: the node went down, the job was cancelled"

# The last argument is the job file.
SMALL = """
sed 's/^size=.*/size=64m/; s/^runtime=1$/runtime=200ms/' "${@: -1}" >"$SCRATCH/small.fio"
/usr/bin/fio "${@:1:$#-1}" "$SCRATCH/small.fio" || exit
"""
"""The real fio on a small file, for a short time."""

TIMEOUT = '/usr/bin/timeout "$@"'

CHANGED = """
python3 - "${2#--output=}" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
for job in report["jobs"]:
    for done in job["read"], job["write"]:
        %s
json.dump(report, open(sys.argv[1], "w"))
END
"""
SLOW = 'done["runtime"] *= 10**6'
"""A disk that other tests also use may be a thousand times slower than its model."""
FAST = """
        done["total_ios"] *= 10**6
        if "runtime" not in job["job options"]:
            done["runtime"] = min(done["runtime"], 1)
"""
"""A file in a millisecond; timed jobs have to take their time, and the kernel counts the bytes."""

FROM_CACHE = """
sed -i 's/^randrepeat=0/&\\ninvalidate=0/' samples.fio
exec /usr/bin/fio "$@"
"""
"""The real fio, which reads pages that it has just written."""


def missing_with(campaign: Campaign, check: str, reason: str) -> SignedOff:
    """Require that every metric of a check is missing for a reason, which the summary tells."""
    assert campaign.exit_code == 1, campaign.printed
    assert campaign.site.left_behind() == []
    signed = campaign.sign_off()
    assert signed.exit_code == 1
    for metric in signed.of(check):
        assert metric["verdict"] == "missing"
        assert metric["samples"] == []
        assert re.search(reason, metric["reason"]), metric["reason"]
    assert re.search(reason, signed.summary), signed.summary
    assert list(signed.bundle.parent.glob(".assay.*")) == []
    return signed


def test_a_benchmark_that_is_not_there(make_site: MakeSite) -> None:
    site = make_site({"fio": "/nowhere/fio"}, **ONE_HOST)
    reason = r"/nowhere/fio \(fio\) is missing or cannot be run: is it installed there\?"
    missing_with(site.measure("quick", "ssd"), "SsdFio", reason)


def by_host(**scripts: str) -> str:
    """A stand-in that runs another script on each host; no script runs the real fio."""
    cases = "".join(f"{host})\n{script}\n;;\n" for host, script in scripts.items())
    return f"case $SLURMD_NODENAME in\n{cases}esac\n{SMALL}"


def test_a_benchmark_that_fails_on_each_host_in_another_way(make_site: MakeSite) -> None:
    site = make_site({}, **FOUR_HOSTS)
    ways = by_host(
        c1="echo allocating >&2; kill -SEGV $$",
        c2="touch $SCRATCH/file; sleep 300",
        s1='echo "Segmentation fault" >"${2#--output=}"; exit 0',
        s2="exit 0",
    )
    site.use("fio", ways)
    brief = 'shift 2; exec /usr/bin/timeout --kill-after=1 1 "$@"'
    site.program("timeout", f"[[ $SLURMD_NODENAME != c2 ]] || {{ {brief}; }}\nexec {TIMEOUT}")
    done = site.check("SsdFio")
    assert done.returncode == 1
    (reason,) = re.findall(r"^  \* Reason: (.*)$", done.stdout, re.MULTILINE)
    assert "c1: fio (fio) failed with exit status 139: " in reason
    assert "c2: fio (fio) hung: it was stopped after " in reason
    assert "s1: no JSON report from fio" in reason
    assert "s2: no JSON report from fio" in reason
    assert site.left_behind() == []


def test_hosts_that_leave_what_they_should_not_harm_no_other(
    make_site: MakeSite, tmp_path: Path
) -> None:
    """20,000 problems of one host were more than a run report may have, and nobody's was read."""
    secret = tmp_path / "secret"
    secret.write_text("of the host that measures")
    errors = "seq --format='fio: pid=%g, got signal' 1 20000 >>\"${2#--output=}\""
    site = make_site({}, **FOUR_HOSTS)
    ways = by_host(
        c1=f"ln -s {secret} raw/c1/fio.log",
        c2="mkfifo raw/c2/fio.log",
        s2=f"{SMALL}\n{errors}\nexit 0",
    )
    site.use("fio", ways)
    campaign = site.measure("quick", "ssd")
    (case,) = campaign.cases
    problems = case["problems"]
    assert sorted(problems) == ["c1", "c2", "s2"]
    assert "raw/c1/fio.log is a link, but a bundle holds only regular files" in problems["c1"][0]
    assert "raw/c2/fio.log is a FIFO, but a bundle holds only regular files" in problems["c2"][0]
    tricks = [*campaign.directory.rglob("fio.log")]
    assert not [path for path in tricks if path.is_file() and not path.is_symlink()]
    assert problems["s2"][-1].endswith(" more problems")
    assert len("".join(problems["s2"])) < 2_000
    judged = {metric["subject"]: metric["samples"] for metric in campaign.sign_off().of("SsdFio")}
    assert {host for host, samples in judged.items() if samples} == {"s1"}


def test_reads_of_pages_that_are_still_in_memory(make_site: MakeSite) -> None:
    site = make_site({}, **ONE_HOST)
    site.use("fio", FROM_CACHE)
    done = site.check("PosixFio")
    assert done.returncode == 1
    # Some of it are the pages of fio itself.
    assert re.search(r"\b\d{1,3} of 2,560 MiB were read from the disk, by the ker", done.stdout)
    assert site.left_behind() == []


def test_a_job_that_is_cancelled(make_site: MakeSite) -> None:
    site = make_site({}, **ONE_HOST)
    site.use("fio", "touch $SCRATCH/file; sleep 300")
    started = site.start("quick", "ssd")
    wait_for(site.files, "file in scratch")
    site.slurm.output("scancel", "--partition=servers")
    missing_with(site.finish(started), "SsdFio", ENDED_EARLY)


def test_a_scratch_directory_without_room(make_site: MakeSite, slurm: PrivateSlurm) -> None:
    small = slurm.tmpfs(slurm.directory / "small", 64)
    site = make_site({}, scratch=small, **ONE_HOST)
    started = site.root / "started"
    site.use("fio", f"touch {started}")
    reason = f"{small} has room for 64 MiB, but 576 MiB are needed; free some, or name another"
    fails(site, "SsdFio", reason)
    assert not started.exists()


def test_a_figure_that_cannot_stand_fails_in_reframe_too(
    make_site: MakeSite, tmp_path: Path
) -> None:
    """The scratch directories have a space in their name."""
    disk = tmp_path / "our disk"
    site = make_site({}, ssd="Intel D7-P5500 3.84TB", scratch=disk, **TWO_HOSTS)
    slow, too_good = (SMALL + CHANGED % change for change in (SLOW, FAST))
    site.use("fio", by_host(s1=f"{slow}\nexit 0", s2=f"{too_good}\nexit 0"))
    campaign = site.measure("quick", "ssd")
    assert campaign.exit_code == 1
    (case,) = campaign.cases
    assert (case["result"], case["fail_phase"]) == ("fail", "performance"), case["fail_reason"]
    signed = campaign.sign_off(gate="acceptance")
    assert signed.exit_code == 1
    verdicts = [(metric["subject"], metric["verdict"]) for metric in signed.of("SsdFio")]
    assert Counter(verdicts) == {("s1", "below"): 4, ("s2", "implausible"): 4}
    for verdict in ("below", "implausible"):
        assert f"{verdict}: SsdFio." in signed.summary
    assert site.left_behind() == []


RAISING = """
from assay.campaign import samples

read = samples.samples_of


def samples_of(run, subject, raw):
    if str(subject) == "c1":
        raise OverflowError("integer division result too large for a float")
    return read(run, subject, raw)


samples.samples_of = samples_of
"""
"""A parser that raises, as one did at a count of 399 digits."""


def test_a_parser_that_raises_costs_its_own_subject(make_site: MakeSite) -> None:
    """The check failed as a whole, so no host had a figure."""
    site = make_site({}, clients=["c1", "c2"], servers=["s1"])
    python = site.root / "python"
    python.mkdir()
    (python / "sitecustomize.py").write_text(RAISING)
    environ = site.slurm.environment
    try:
        site.slurm.environment = environ | {"PYTHONPATH": str(python)}
        site.check("ClientPlacement")
    finally:
        site.slurm.environment = environ
    (case,) = json.loads((site.root / "report.json").read_text())["runs"][0]["testcases"]
    assert case["problems"] == {
        "c1": [
            "what c1 left cannot be read: OverflowError: integer division result too large for a"
            " float"
        ]
    }
    assert {*case["samples"]["bound_processes"]} == {"c2"}
    assert site.left_behind() == []
