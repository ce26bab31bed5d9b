"""A whole campaign with real benchmarks on a real Slurm, from the plan to the sign-off."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from private_slurm import PrivateSlurm
from site_here import BRIEF_PHASES, FEW_FIELDS, FEW_MESSAGES, Campaign, SignedOff, Site

from assay.checks.plan import CHECKS
from assay.tools import PARSERS

OWED_SAMPLES = {"ClientPlacement": 3}
"""Samples of each metric with `-t quick`, where they are not five."""


@pytest.fixture(scope="module")
def site(slurm: PrivateSlurm, fdb: dict[str, Path]) -> Site:
    """Two hosts, clients and servers at once, with all benchmarks but IOR and mdtest."""
    root = slurm.directory / "campaign"
    here = Site(slurm, root, fdb, clients=["c1", "c2"], servers=["c1", "c2"])
    here.use("fio", BRIEF_PHASES)
    here.use("fi_pingpong", FEW_MESSAGES)
    here.program("reframe", FEW_FIELDS)
    return here


@pytest.fixture(scope="module")
def measured(site: Site) -> tuple[Campaign, SignedOff]:
    """A campaign and its sign-off.

    A disk that others share may be twice as fast as a minute before. That is implausible indeed,
    and no fault: then it is measured once more.
    """
    campaign = site.measure("quick")
    signed = campaign.sign_off()
    if any(metric["verdict"] == "implausible" for metric in signed.metrics):
        campaign = site.measure("quick")
        signed = campaign.sign_off()
    return campaign, signed


@pytest.fixture(scope="module")
def campaign(measured: tuple[Campaign, SignedOff]) -> Campaign:
    return measured[0]


@pytest.fixture(scope="module")
def signed(measured: tuple[Campaign, SignedOff]) -> SignedOff:
    return measured[1]


def requirements(site: Site) -> list[dict[str, str]]:
    return list(json.loads(site.assay("plan", "--json").stdout))


def names(metric: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(metric[key] for key in ("check", "partition", "metric", "subject"))


def test_reframe_lists_exactly_the_checks_of_the_plan(site: Site) -> None:
    listed = site.run("reframe", "--list-detailed", "--tag=quick").stdout
    # A name, a variant, and the partitions on which it runs.
    checks = set(re.findall(r"^\s*- (\w+) .*$", listed, re.MULTILINE))
    assert checks == {metric["check"] for metric in requirements(site)}


def test_the_report_has_every_metric_of_the_plan_and_no_other(
    site: Site, campaign: Campaign
) -> None:
    measured = {
        (case["name"].split()[0], case["partition"], *name.split("@"))
        for case in campaign.cases
        for name in (key.rpartition(":")[2] for key in case["perfvalues"])
    }
    assert measured == {names(metric) for metric in requirements(site)}


def test_every_metric_has_the_samples_that_are_required(campaign: Campaign) -> None:
    for case in campaign.cases:
        check = case["name"].split()[0]
        for metric, by_subject in case["samples"].items():
            for subject, values in by_subject.items():
                assert len(values) == OWED_SAMPLES.get(check, 5), (check, metric, subject)
        assert case["problems"] == {}


def test_references_are_the_expectations(site: Site, campaign: Campaign) -> None:
    """Those of the cluster alone: what lower layers were measured to do is for the sign-off."""
    printed = site.assay("expect").stdout
    expected = {}
    for line in printed.splitlines()[1:]:
        key, _, floor, bound, ceiling, _ = re.split(r"\s{2,}", line.strip(), maxsplit=5)
        expected[key] = (floor, bound, ceiling)
    compared = 0
    for case in campaign.cases:
        for name, (_, reference, lower, upper, *_) in case["perfvalues"].items():
            metric, subject = name.rpartition(":")[2].split("@")
            floor, bound, ceiling = expected[f"{case['name'].split()[0]}.{metric} on {subject}"]
            if bound == "-":
                assert (reference, lower, upper) == (0, None, None)
                continue
            compared += 1
            assert reference == pytest.approx(figure(bound), rel=0.01)
            assert reference * (1 + lower) == pytest.approx(figure(floor), rel=0.01)
            assert reference * (1 + upper) == pytest.approx(figure(ceiling), rel=0.01)
    assert compared


def test_any_policy_gives_the_same_references(site: Site, campaign: Campaign) -> None:
    """PosixFio stands on SsdFio, whose job is submitted at the same time by this policy."""
    ran = site.check("(PosixFio|SsdFio|ClientPlacement)", "--exec-policy=async")
    assert ran.returncode == 0, ran.stdout
    report = json.loads((site.root / "report.json").read_text())
    cases = [case for run in report["runs"] for case in run["testcases"]]
    assert {case["name"].split()[0] for case in cases} == {"PosixFio", "SsdFio", "ClientPlacement"}
    serial = references(campaign.cases)
    for key, reference in references(cases).items():
        assert reference == serial[key], key


def references(cases: list[dict[str, Any]]) -> dict[tuple[str, str], list[float | None]]:
    return {
        (case["name"], name): figures[1:4]
        for case in cases
        for name, figures in case["perfvalues"].items()
    }


def figure(shown: str) -> float:
    return float(shown.replace(",", ""))


def test_reframe_shows_each_figure_against_its_reference(campaign: Campaign) -> None:
    shown = campaign.printed.partition("PERFORMANCE REPORT")[2]
    for case in campaign.cases:
        for key in case["perfvalues"]:
            assert key.rpartition(":")[2] in shown, campaign.printed


def test_a_session_is_found_by_its_campaign_cluster_and_daos(campaign: Campaign) -> None:
    (report,) = (campaign.directory / "reports").glob("*.json")
    session = json.loads(report.read_text())["session_info"]
    tags = {key: session.get(key) for key in ("campaign", "system", "daos")}
    assert tags == {"campaign": campaign.directory.name, "system": "here", "daos": "none"}


def test_the_bundle_holds_everything(campaign: Campaign, signed: SignedOff) -> None:
    assert signed.exit_code == 0, signed.summary
    (report,) = (campaign.directory / "reports").iterdir()
    assert files(signed) >= {
        *("report.html", "report.json", "junit.xml", "summary.txt", "cluster.json", "SHA256SUMS"),
        f"reframe/{report.name}",
    }
    for metric in signed.metrics:
        assert metric["raw"], metric["key"]
        assert files(signed) >= set(metric["raw"])
        assert metric["verdict"] not in ("missing", "implausible")
    assert "this is a measurement and not an acceptance" in signed.summary


def files(signed: SignedOff) -> set[str]:
    return {
        str(path.relative_to(signed.bundle)) for path in signed.bundle.rglob("*") if path.is_file()
    }


def test_the_checksums_are_of_every_file(signed: SignedOff) -> None:
    subprocess.run(
        ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=signed.bundle, check=True
    )
    sums = (signed.bundle / "SHA256SUMS").read_text().splitlines()
    assert {line.split("  ", 1)[1] for line in sums} == files(signed) - {"SHA256SUMS"}


def test_what_was_signed_off_follows_from_what_the_tools_printed(
    site: Site, signed: SignedOff
) -> None:
    checked = site.assay("verify", str(signed.bundle))
    assert checked.exit_code == 0, checked.stdout
    assert "ok    the samples of the run reports match the raw outputs" in checked.stdout


@pytest.mark.parametrize(
    ("tool", "pattern"),
    [
        ("fio", "raw/*/*/raw/*/fio.json"),
        ("fi_pingpong", "raw/*/FiPingpong/raw/*/*.out"),
        ("fdb_hammer", "raw/*/FdbHammer/raw/*/*.out"),
    ],
)
def test_saved_outputs_can_be_read_again(
    site: Site, signed: SignedOff, tool: str, pattern: str
) -> None:
    saved = sorted(signed.bundle.glob(pattern))
    for path in saved:
        parsed = PARSERS[tool](path.read_text())
        assert parsed.samples
        assert parsed.problems == ()
    printed = site.assay("parse", "--json", f"--tool={tool}", str(saved[0]))
    assert printed.exit_code == 0, printed.stderr
    (run,) = json.loads(printed.stdout)["runs"]
    assert run["samples"]


def test_nothing_is_left_behind(site: Site, campaign: Campaign) -> None:
    assert campaign.exit_code in (0, 1), campaign.messages
    assert site.left_behind() == []


def test_the_overhead_is_reported(site: Site, campaign: Campaign) -> None:
    printed = site.assay("overhead", f"--reports={campaign.reports}").stdout
    whole, own, ratio = (float(number) for number in re.findall(r"[\d.]+(?= s$|$)", printed, re.M))
    assert ratio == pytest.approx(whole / own, abs=0.01)
    assert whole > own > 0


def test_every_check_of_the_registries_ran(campaign: Campaign) -> None:
    ran = {case["name"].split()[0] for case in campaign.cases}
    # What no registry has.
    elsewhere = {
        *("ior", "mdtest", "io500", "mount", "fio_dfs"),
        *("daos", "daos_perf", "fdb_daos", "shared_fdb_daos"),
    }
    assert ran == {name for name, check in CHECKS.items() if elsewhere.isdisjoint(check.needs)}
