"""A bundle with evidence: it has every file that it names, no key, and it stands."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import bundles
from assay.bundle import write
from assay.bundle.verify import verify
from assay.campaign import support_logs
from assay.campaign.results import read
from assay.campaign.support_logs import SupportLog
from assay.judge.signoff import Gate, sign_off
from daos_campaigns import CHECK, LOGGED, PARTITION, daos_cluster, failed_campaign, log_errors

BASE64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
PEM = f"-----BEGIN PRIVATE KEY-----\n{BASE64}\n-----END PRIVATE KEY-----"

QUOTED = PEM.replace("\n", "\\n")


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    failed_campaign(tmp_path, daos_cluster())
    log_errors(tmp_path, *LOGGED)
    return tmp_path


def bundle_of(campaign: Path, logs: tuple[SupportLog, ...] = ()) -> Path:
    cluster = daos_cluster()
    results = replace(read(str(campaign / "run-1.json"), cluster, campaign), support_logs=logs)
    signed = sign_off(cluster, results, Gate.MEASURED, made_at=datetime(2026, 3, 2, tzinfo=UTC))
    bundles.write(signed, results, campaign / "bundle")
    return campaign / "bundle"


def test_report_and_page_name_files_that_are_there(campaign: Path) -> None:
    bundle = bundle_of(campaign)
    record = json.loads((bundle / "report.json").read_text())
    (evidence,) = [each for each in record["evidence"] if each["check"] == CHECK]
    named = [
        path
        for kind in ("telemetry", "logs", "devices", "system", "job")
        for path in evidence[kind]
    ]
    assert len(named) == 11
    assert all((bundle / path).stat().st_size for path in named)
    page = (bundle / "report.html").read_text()
    assert all(f'href="./{path}"' in page for path in named)
    assert f'<h3 id="evidence-{CHECK}-{PARTITION}">' in page
    # Each of its figures links there.
    figures = [each for each in record["metrics"] if each["check"] == CHECK]
    assert page.count(f'href="#evidence-{CHECK}-{PARTITION}"') == len(figures)
    assert "dmg support collect-log --host-list=s1 --log-type=server,control" in page


def test_only_bad_figures_link_to_evidence(campaign: Path) -> None:
    page = (bundle_of(campaign) / "report.html").read_text()
    links = set(re.findall(r'href="#(evidence-[^"]+)"', page))
    assert links == set(re.findall(r'<h3 id="(evidence-[^"]+)"', page))
    assert not any("IorHard" in link or "NvmeBandwidth" in link for link in links)


def test_it_stands(campaign: Path) -> None:
    checked = verify(bundle_of(campaign))
    assert "verdicts and pages follow from the run reports" in checked.holds
    assert "no file was changed, removed or added, and no mode was changed" in checked.holds


def test_another_excerpt_is_noticed(campaign: Path) -> None:
    bundle = bundle_of(campaign)
    excerpt = bundle / "evidence" / PARTITION / f"{CHECK}.engine-errors.txt"
    excerpt.write_text("no errors\n")
    write.checksums.seal(bundle)
    name = f"evidence/{PARTITION}/{CHECK}.engine-errors.txt"
    assert f"{name} does not follow from the run reports" in verify(bundle).problems


def test_no_key_gets_into_it(campaign: Path) -> None:
    place = campaign / "output" / PARTITION / CHECK
    planted = [
        place / "rfm_job.out",
        place / "raw" / "system" / "pool.after.json",
        place / "raw" / "clients" / "dfs" / "write.1.err",
    ]
    for path in planted:
        path.write_text(f"before\n{PEM}\nafter\n")
    (campaign / "engine-errors" / "20260101T100000Z.json").unlink()
    (campaign / "engine-errors").rmdir()
    at, facility, message = LOGGED[0]
    log_errors(
        campaign,
        (at, facility, f"{message} {QUOTED}"),
        (at, facility, f"key {BASE64}"),
        (at, facility, "password=hunter2"),
    )
    bundle = bundle_of(campaign)
    for path in bundle.rglob("*"):
        content = path.read_bytes() if path.is_file() else b""
        for secret in (b"BEGIN PRIVATE", BASE64.encode(), b"hunter2"):
            assert secret not in content, path
    job = bundle / "raw" / PARTITION / CHECK / "rfm_job.out"
    assert job.read_text() == "before\n[removed: PRIVATE KEY]\nafter\n"
    excerpt = (bundle / "evidence" / PARTITION / f"{CHECK}.engine-errors.txt").read_text()
    assert f"{message} [removed: PRIVATE KEY]\n" in excerpt
    assert "key [removed]\n" in excerpt
    assert "verdicts and pages follow from the run reports" in verify(bundle).holds


def test_whole_logs_of_servers_that_are_named_are_evidence(campaign: Path) -> None:
    collected = campaign / "collected"
    for host in ("s1.example.org", "s2"):
        log = collected / host / "EngineLogs" / "daos_engine.0.log"
        log.parent.mkdir(parents=True)
        log.write_text(f"an engine's line of {host}\n{PEM}\n" * 20_000)
    bundle = bundle_of(campaign, support_logs.read(collected))
    record = json.loads((bundle / "report.json").read_text())
    (evidence,) = [each for each in record["evidence"] if each["check"] == CHECK]
    # The engine of s1 logged errors.
    assert evidence["support"] == ["support-logs/s1.example.org/EngineLogs/daos_engine.0.log"]
    assert evidence["notes"] == [
        "1 of 1 whole logs were cut: each of these begins with a line that says so"
    ]
    kept = (bundle / evidence["support"][0]).read_text()
    assert kept.startswith("Cut here: the end of a log of ")
    assert BASE64 not in kept
    assert (bundle / "support-logs/s2/EngineLogs/daos_engine.0.log").exists()
    page = (bundle / "report.html").read_text()
    assert f'href="./{evidence["support"][0]}"' in page
    assert "verdicts and pages follow from the run reports" in verify(bundle).holds


def test_a_bundle_from_before_there_was_evidence_stands(campaign: Path) -> None:
    cluster = daos_cluster()
    results = read(str(campaign / "run-1.json"), cluster, campaign)
    made_at = datetime(2026, 3, 2, tzinfo=UTC)
    signed = sign_off(cluster, results, Gate.MEASURED, made_at=made_at)
    bundles.write(replace(signed, evidence=None), results, campaign / "bundle")
    assert "evidence" not in json.loads((campaign / "bundle" / "report.json").read_text())
    assert not (campaign / "bundle" / "evidence").exists()
    assert "verdicts and pages follow from the run reports" in verify(campaign / "bundle").holds
