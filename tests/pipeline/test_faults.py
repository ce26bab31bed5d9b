"""What happens when something breaks: a reason in the report, and nothing left behind."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from daos_here import fails
from private_slurm import PrivateSlurm, wait_for
from site_here import Campaign, SignedOff, Site

MakeSite = Callable[..., Site]

ONE_HOST = {"clients": ["s1"], "servers": ["s1"]}
TWO_HOSTS = {"clients": ["s1", "s2"], "servers": ["s1", "s2"]}
ENDED_EARLY = r"the job ended before fio \(fio\) did: the node went down, the job was cancelled"

# The last argument is the job file.
SMALL = """
sed 's/^size=.*/size=64m/; s/^runtime=1$/runtime=200ms/' "${@: -1}" >"$SCRATCH/small.fio"
/usr/bin/fio "${@:1:$#-1}" "$SCRATCH/small.fio" || exit
"""
"""The real fio on a small file, for a short time."""

CHANGED = """
python3 - "${2#--output=}" <<'END'
import json, sys
report = json.load(open(sys.argv[1]))
for job in report["jobs"]:
    for done in job["read"], job["write"]:
        for key in %r:
            done[key] *= 1_000_000
json.dump(report, open(sys.argv[1], "w"))
END
"""
"""By a million: a disk that other tests also use may be a thousand times slower than its model."""


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


def test_a_benchmark_that_crashes(make_site: MakeSite) -> None:
    site = make_site({}, **ONE_HOST)
    site.use("fio", "echo allocating >&2; kill -SEGV $$")
    fails(site, "SsdFio", "fio (fio) failed with exit status 139: ")


def test_a_benchmark_that_hangs(make_site: MakeSite) -> None:
    site = make_site({}, **ONE_HOST)
    site.use("fio", "touch $SCRATCH/file; sleep 300")
    site.program("timeout", 'shift 2; exec /usr/bin/timeout --kill-after=1 1 "$@"')
    fails(site, "SsdFio", "fio (fio) hung: it was stopped after ")


def test_a_benchmark_that_prints_rubbish(make_site: MakeSite) -> None:
    site = make_site({}, **ONE_HOST)
    site.use("fio", 'echo "Segmentation fault" >"${2#--output=}"')
    fails(site, "SsdFio", "no JSON report from fio")


def test_a_benchmark_that_leaves_no_report(make_site: MakeSite) -> None:
    site = make_site({}, **TWO_HOSTS)
    report = r"""[[ $SLURMD_NODENAME != s2 ]] || exit 0"""
    site.use("fio", report + SMALL)
    campaign = site.measure("quick", "ssd")
    (case,) = campaign.cases
    assert list(case["problems"]) == ["s2"]
    assert case["problems"]["s2"][0].startswith("no JSON report from fio: ")
    assert set(case["samples"]["write_1m"]) == {"s1"}


def test_a_host_that_prints_errors_without_end(make_site: MakeSite) -> None:
    """Its 20,000 problems were more than a run report may have, and nobody's was read."""
    site = make_site({}, **TWO_HOSTS)
    errors = "seq --format='fio: pid=%g, got signal' 1 20000 >>\"${2#--output=}\""
    site.use("fio", f"{SMALL}\n[[ $SLURMD_NODENAME != s2 ]] || {errors}")
    campaign = site.measure("quick", "ssd")
    (case,) = campaign.cases
    assert list(case["problems"]) == ["s2"]
    assert case["problems"]["s2"][-1].endswith(" more problems")
    assert len("".join(case["problems"]["s2"])) < 2_000
    judged = {metric["subject"]: metric["samples"] for metric in campaign.sign_off().of("SsdFio")}
    assert judged["s1"]
    assert not judged["s2"]


@pytest.mark.parametrize(
    "trick",
    ["ln -s {secret} raw/s2/fio.log", "mkfifo raw/s2/fio.log"],
    ids=["link", "fifo"],
)
def test_a_link_that_a_host_leaves_is_not_followed(
    make_site: MakeSite, tmp_path: Path, trick: str
) -> None:
    site = make_site({}, **TWO_HOSTS)
    secret = tmp_path / "secret"
    secret.write_text("of the host that measures")
    command = trick.format(secret=secret)
    site.use("fio", f"[[ $SLURMD_NODENAME != s2 ]] || {command}\n{SMALL}")
    campaign = site.measure("quick", "ssd")
    (case,) = campaign.cases
    assert list(case["problems"]) == ["s2"]
    assert re.match(r"the job left a (link|FIFO) \(raw/s2/fio.log\)", case["problems"]["s2"][0])
    assert set(case["samples"]["write_1m"]) == {"s1"}
    left = (path for path in campaign.directory.rglob("fio.log") if path.is_file())
    assert not [path for path in left if not path.is_symlink()]


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


def test_a_scratch_directory_with_a_space_in_its_name(make_site: MakeSite, tmp_path: Path) -> None:
    site = make_site({}, scratch=tmp_path / "our disk", **ONE_HOST)
    site.use("fio", SMALL)
    (case,) = site.measure("quick", "ssd").cases
    assert case["problems"] == {}
    assert set(case["samples"]["write_1m"]) == {"s1"}
    assert site.left_behind() == []


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [(["runtime"], "below"), (["io_bytes", "total_ios"], "implausible")],
    ids=["slow", "too-good"],
)
def test_a_figure_that_cannot_stand_fails_in_reframe_too(
    make_site: MakeSite, changed: list[str], verdict: str
) -> None:
    site = make_site({}, ssd="Intel D7-P5500 3.84TB", **ONE_HOST)
    site.use("fio", SMALL + CHANGED % changed)
    campaign = site.measure("quick", "ssd")
    assert campaign.exit_code == 1
    (case,) = campaign.cases
    assert (case["result"], case["fail_phase"]) == ("fail", "performance"), case["fail_reason"]
    signed = campaign.sign_off(gate="acceptance")
    assert signed.exit_code == 1
    assert [metric["verdict"] for metric in signed.of("SsdFio")] == [verdict] * 4
    assert f"{verdict}: SsdFio." in signed.summary
    assert site.left_behind() == []
