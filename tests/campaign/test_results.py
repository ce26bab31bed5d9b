"""Run reports and the sign-off: what was measured is found, and what was not is sentence."""

import errno
import hashlib
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bundles
from assay.bundle import write as bundle
from assay.campaign.results import _beside, read
from assay.campaign.run_report import ReportError
from assay.checks.plan import CHECKS
from assay.cluster.description import Cluster
from assay.judge.signoff import Gate, sign_off
from assay.judge.verdict import Verdict
from assay.tools.output import ALLOWED
from clusters import described, description
from runs import report


def drop(check: str) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        run = document["runs"][0]
        run["testcases"] = [c for c in run["testcases"] if check not in ("", c["name"].split()[0])]

    return change


def alter(check: str, **values: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        cases = document["runs"][0]["testcases"]
        # The last is that of the servers.
        [case for case in cases if case["name"].split()[0] == check][-1].update(values)

    return change


def test_what_was_measured_is_not_missing(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    signed = sign_off(cluster, read(campaign(), cluster, tmp_path), Gate.MEASURED)
    assert signed.counts[Verdict.MISSING] == 0
    assert signed.passed
    assert signed.headline.startswith(f"MEASURED {cluster.name}: ")
    assert all(judgement.raw for judgement in signed.judgements)


def test_a_figure_that_no_output_shows_is_missing(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    """A check that passed and had left nothing counted."""
    pattern = campaign()
    (left,) = tmp_path.glob("output/servers/SsdFio/raw/s1/*")
    left.unlink()
    signed = sign_off(cluster, read(pattern, cluster, tmp_path), Gate.MEASURED)
    missing = [each for each in signed.judgements if each.verdict is Verdict.MISSING]
    assert {each.requirement.figure for each in missing} == {
        f"SsdFio.{metric.name}" for metric in CHECKS["SsdFio"].metrics
    }
    assert {str(each.requirement.subject) for each in missing} == {"s1"}
    assert (
        "SsdFio left no raw output of s1, and a figure without raw output does not"
        in missing[0].reason
    )
    assert not signed.passed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (drop("SsdFio"), "not run on servers: it is in no run report"),
        (
            alter("SsdFio", samples={}, result="fail", fail_phase="sanity", fail_reason="it broke"),
            "failed in its sanity phase: it broke",
        ),
        *(
            (alter("SsdFio", result="fail", fail_phase=phase, fail_reason="it broke"), sentence)
            for phase, sentence in (
                ("run", "failed in its run phase: it broke"),
                ("sanity", "failed in its sanity phase: it broke"),
            )
        ),
        (
            alter(
                "SsdFio",
                result="fail",
                fail_phase="run",
                fail_reason="reframe error: rank 1 at 127.0.0.1:10001 is adminexcluded",
            ),
            "rank 1 at 127.0.0.1:10001 is adminexcluded",
        ),
        (alter("SsdFio", result="abort"), "interrupted: run the campaign again"),
        (
            alter("SsdFio", problems={"s1": ["fio is missing"], "s2": ["fio is missing"]}),
            "fio is missing",
        ),
        (alter("SsdFio", samples={}), "SsdFio ran but left no samples"),
        *(
            (
                alter("SsdFio", samples={"read_1m": {"s1": [2000.0, bad, 2000.0]}}),
                f"run-1.json: a sample is {bad:g} MiB/s, and {ALLOWED}: measure",
            )
            for bad in (float("nan"), float("inf"), 0.0, -3.0, 1e308, 5e-324)
        ),
    ],
)
def test_what_was_not_measured_is_missing_and_stops_every_gate(
    cluster: Cluster,
    campaign: Callable[..., str],
    change: Callable[[dict[str, Any]], None],
    message: str,
) -> None:
    for gate in Gate:
        signed = sign_off(cluster, read(campaign(change), cluster), gate)
        judged = {j.requirement.key: j for j in signed.judgements}["SsdFio.read_1m on s1"]
        assert judged.verdict is Verdict.MISSING
        assert message in judged.reason
        assert not signed.passed


def test_a_problem_of_one_host_leaves_the_others_their_figures(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    change = alter(
        "SsdFio", problems={"s1": ["the disk is gone"]}, result="fail", fail_phase="sanity"
    )
    signed = sign_off(cluster, read(campaign(change), cluster), Gate.MEASURED)
    verdicts = {j.requirement.key: j.verdict for j in signed.judgements}
    assert verdicts["SsdFio.read_1m on s1"] is Verdict.MISSING
    assert verdicts["SsdFio.read_1m on s2"] is Verdict.UNRATED


def test_a_figure_that_reframe_fails_is_judged_and_not_missing(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    change = alter("ClientPlacement", result="fail", fail_phase="performance", fail_reason="slow")
    signed = sign_off(cluster, read(campaign(change), cluster), Gate.MEASURED)
    verdicts = {j.requirement.key: j.verdict for j in signed.judgements}
    assert verdicts["ClientPlacement.bound_processes on c1"] is Verdict.PASS


def test_a_slow_figure_is_measured_and_not_accepted(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    bound = {"c1": [3.0] * 3, "c2": [4.0] * 3}
    change = alter("ClientPlacement", samples={"bound_processes": bound})
    results = read(campaign(change), cluster)
    assert sign_off(cluster, results, Gate.MEASURED).passed
    refused = sign_off(cluster, results, Gate.ACCEPTANCE)
    assert not refused.passed
    stopping = {judgement.requirement.key for judgement in refused.stopped_by}
    assert "ClientPlacement.bound_processes on c1" in stopping
    assert "ClientPlacement.bound_processes on c2" not in stopping


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"is not JSON .*; was the run interrupted\?"),
        ("[]", "is not a run report of ReFrame"),
        ('{"session_info": {}}', "is not a run report of ReFrame"),
        ("\xff", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_an_unreadable_report_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(ReportError, match=rf"run\.json {message}"):
        read(str(tmp_path / "*.json"), described(description()))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            alter("SsdFio", checks_version="0.0.9"),
            "SsdFio was measured by the checks of daos-assay 0.0.9, but this is",
        ),
        (
            alter("SsdFio", checks_version=None),
            "SsdFio was measured by checks that report no version, but this is",
        ),
        (
            alter("SsdFio", units={"write_1m": "GB/s"}),
            "SsdFio.write_1m is in GB/s, and must be in MiB/s: ",
        ),
        (
            alter("SsdFio", samples={"seek_1m": {}}),
            "does not know the metric SsdFio.seek_1m: ",
        ),
        (
            alter("SsdFio", samples={"read_1m": {"s1": ["fast"]}}),
            "samples.read_1m.s1[0] = fast: should be a number",
        ),
        (
            alter("SsdFio", scale="quick\nACCEPTED"),
            "scale = quick ACCEPTED: should be 'quick' or 'acceptance'",
        ),
        (alter("SsdFio", samples=None), "samples: should be keys and values"),
        (
            lambda document: document["session_info"].pop("time_elapsed"),
            "session_info.time_elapsed: is missing",
        ),
    ],
)
def test_a_report_that_cannot_be_judged_is_named(
    cluster: Cluster,
    campaign: Callable[..., str],
    change: Callable[[dict[str, Any]], None],
    message: str,
) -> None:
    with pytest.raises(ReportError, match=rf"run-1\.json.*{re.escape(message)}"):
        read(campaign(change), cluster)


def test_a_truncated_report_is_named(cluster: Cluster, campaign: Callable[..., str]) -> None:
    path = Path(campaign()).parent / "run-1.json"
    text = path.read_bytes()
    for length in range(0, len(text), len(text) // 20):
        path.write_bytes(text[:length])
        with pytest.raises(ReportError, match=r"run-1\.json is not JSON .*interrupted"):
            read(str(path), cluster)


def test_without_a_report_there_is_no_campaign(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="no run report matches"):
        read(str(tmp_path / "*.json"), described(description()))


def test_a_report_of_another_cluster_is_refused(campaign: Callable[..., str]) -> None:
    with pytest.raises(ReportError, match="of the cluster 'proving-ground', but this one is 'x'"):
        read(campaign(), described(description() | {"name": "x"}))


def test_a_check_in_two_reports_is_refused(
    tmp_path: Path, cluster: Cluster, campaign: Callable[..., str]
) -> None:
    pattern = campaign()
    (tmp_path / "reports" / "run-2.json").write_text(json.dumps(report(cluster, tmp_path)))
    with pytest.raises(ReportError, match=r"run-2\.json: .* is also in .*run-1\.json"):
        read(pattern, cluster)


def test_the_bundle_holds_everything_and_its_checksums(
    tmp_path: Path, cluster: Cluster, campaign: Callable[..., str]
) -> None:
    results = read(campaign(), cluster, tmp_path)
    signed = sign_off(cluster, results, Gate.MEASURED)
    out = tmp_path / "signoff"
    bundles.write(signed, results, out)
    names = {path.name for path in out.iterdir()}
    assert names == {
        *("report.html", "report.json", "junit.xml", "summary.txt", "cluster.json"),
        *("reframe", "raw", "SHA256SUMS", "LISTING"),
    }
    sums = dict(
        reversed(line.split("  ", 1)) for line in (out / "SHA256SUMS").read_text().splitlines()
    )
    files = {str(p.relative_to(out)) for p in out.rglob("*") if p.is_file()} - {"SHA256SUMS"}
    assert set(sums) == files
    for name, digest in sums.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
    for judgement in signed.judgements:
        assert all((out / path).is_file() for path in judgement.raw)


def test_a_bundle_that_is_there_is_left_alone(
    tmp_path: Path, cluster: Cluster, campaign: Callable[..., str]
) -> None:
    results = read(campaign(), cluster)
    out = tmp_path / "signoff"
    out.mkdir()
    with pytest.raises(bundle.BundleError, match="already exists"):
        bundles.write(sign_off(cluster, results, Gate.MEASURED), results, out)
    assert not list(out.iterdir())


@pytest.mark.parametrize(
    ("put", "message"),
    [
        (
            lambda raw: Path(os.fsdecode(os.fsencode(raw) + b"/caf\xe9")).write_text(""),
            r"SsdFio/raw/caf\xe9', which is not printable: rename or remove it",
        ),
        (lambda raw: (raw / "gone").symlink_to("/nowhere"), "SsdFio/raw/gone is a link, but a"),
    ],
)
def test_a_raw_output_that_cannot_be_kept_is_named(
    tmp_path: Path,
    cluster: Cluster,
    campaign: Callable[..., str],
    put: Callable[[Path], object],
    message: str,
) -> None:
    pattern = campaign()
    put(tmp_path / "output" / "servers" / "SsdFio" / "raw")
    case = read(pattern, cluster, tmp_path).cases["SsdFio", "servers"]
    assert sorted(case.problems) == ["s1", "s2"]
    for [problem] in case.problems.values():
        assert message in problem


@pytest.mark.parametrize("name", ["fingerprints/a.json", None])
def test_what_lies_beside_the_outputs_and_cannot_be_read_is_named(
    tmp_path: Path, name: str | None
) -> None:
    def read_beside(root: Path) -> tuple[()]:
        raise OSError(errno.EIO, "Input/output error", name and str(root / name))

    with pytest.raises(ReportError) as caught:
        _beside(tmp_path, read_beside)
    assert str(caught.value) == f"{tmp_path / (name or '')}: Input/output error"


def test_a_bundle_that_fails_half_way_leaves_nothing(
    tmp_path: Path,
    cluster: Cluster,
    campaign: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    results = read(campaign(), cluster, tmp_path)
    signed = sign_off(cluster, results, Gate.MEASURED)

    def full(*_: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bundle.checksums, "sums", full)
    parent = tmp_path / "signoffs"
    with pytest.raises(bundle.BundleError, match="No space left on device"):
        bundles.write(signed, results, parent / "one")
    assert not list(parent.iterdir())


def test_a_plan_that_requires_nothing_is_not_a_pass(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    empty = sign_off(cluster, read(campaign(), cluster), Gate.MEASURED)
    object.__setattr__(empty, "judgements", ())
    assert not empty.passed
    assert empty.headline.startswith("REFUSED")


def test_a_later_run_of_a_session_counts(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    def rerun(document: dict[str, Any]) -> None:
        document["runs"].insert(0, {"testcases": []})
        first = json.loads(json.dumps(document["runs"][1]["testcases"][0]))
        first.update(samples={}, result="fail", fail_phase="sanity", fail_reason="at first")
        document["runs"][0]["testcases"].append(first)

    signed = sign_off(cluster, read(campaign(rerun), cluster), Gate.MEASURED)
    assert signed.counts[Verdict.MISSING] == 0


def test_a_campaign_has_the_scale_of_its_checks(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    def scale(change: Callable[[dict[str, Any]], None]) -> str:
        return read(campaign(change), cluster).scale

    assert scale(lambda _: None) == "quick"
    assert scale(alter("SsdFio", scale="acceptance")) == "acceptance and quick"
    assert scale(drop("")) == "none"
