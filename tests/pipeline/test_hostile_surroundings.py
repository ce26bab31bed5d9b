"""A campaign where the environment names programs, the disk fills, or a clock is set meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from private_slurm import PrivateSlurm
from site_here import FEW_MESSAGES, Site

MakeSite = Callable[..., Site]

ONE_HOST = {"clients": ["s1"], "servers": ["s1"]}


@pytest.mark.parametrize("by_hand", [False, True])
def test_what_whoever_starts_it_has_set_runs_in_no_job(
    make_site: MakeSite, *, by_hand: bool
) -> None:
    site = make_site({}, **ONE_HOST)
    ran, seen = site.root / "ran", site.root / "seen"
    first = site.root / "first.sh"
    first.write_text(f"echo $$ >>{ran}\n")
    site.use("fi_pingpong", f"env >>{seen}; bash -c :; exit 1")
    strange = {
        "BASH_ENV": str(first),
        "ENV": str(first),
        "LD_PRELOAD": "/nowhere/fast.so",
        "LD_AUDIT": "/nowhere/fast.so",
        "PYTHONPATH": str(site.root / "python"),
        "IFS": "/",
        "BASH_FUNC_timeout%%": f"() {{ echo timeout >>{ran}; }}",
    }
    (site.root / "python").mkdir()
    (site.root / "python/assay.py").write_text(f"open({str(ran)!r}, 'a').write('python')\n")
    environ = site.slurm.environment
    try:
        if by_hand:
            # What bash reads before it starts ReFrame is the business of who starts it.
            site.slurm.environment = environ | {**strange, "PYTHONPATH": "", "BASH_ENV": ""}
            site.check("FiPingpong")
        else:
            site.slurm.environment = environ | strange
            site.measure("quick", "network")
    finally:
        site.slurm.environment = environ
    names = {line.partition("=")[0] for line in seen.read_text().splitlines()}
    assert not names & {"BASH_ENV", "ENV", "LD_PRELOAD", "LD_AUDIT", "PYTHONPATH"}
    assert not ran.exists(), ran.read_text()
    assert site.left_behind() == []


def test_a_disk_that_fills_while_it_measures(make_site: MakeSite, slurm: PrivateSlurm) -> None:
    site = make_site({}, **ONE_HOST)
    small = slurm.tmpfs(site.root / "campaigns", 6)
    slurm.output("chmod", "750", str(small))
    site.use("fi_pingpong", "head --bytes=20M /dev/zero")
    process, directory = site.start("quick", "network")
    messages, _ = process.communicate()
    assert process.returncode != 0
    assert "Traceback" not in messages
    assert site.left_behind() == []
    assert slurm.seen(directory).is_dir()
    slurm.output("umount", str(small))


@pytest.mark.parametrize(
    ("times", "why"),
    [
        ("1000000009.0\\t1000000001.0", "ended before it started: was the clock set there?"),
        ("1000000001.0\\t1000000002.0", "did not run within the session of its run report, "),
    ],
    ids=["back", "elsewhere"],
)
def test_a_clock_that_is_set_meanwhile_is_missing(
    make_site: MakeSite, times: str, why: str
) -> None:
    """Only `assay verify` noticed; a sign-off that does would refuse everybody's figures."""
    site = make_site({}, **ONE_HOST)
    set_back = f"sed -i -E 's/\\t[0-9.]+\\t[0-9.]+$/\\t{times}/' raw/*/steps.tsv 2>/dev/null"
    site.use("fi_pingpong", f"{set_back}\n{FEW_MESSAGES}")
    signed = site.measure("quick", "network").sign_off()
    metrics = signed.of("FiPingpong")
    assert {metric["verdict"] for metric in metrics} == {"missing"}
    for metric in metrics:
        assert why in metric["reason"]
    assert site.left_behind() == []
