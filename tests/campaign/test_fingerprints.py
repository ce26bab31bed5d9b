"""What changed on the hosts between the first and the last fingerprint of a campaign."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

import bundles
from assay.bundle.verify import verify
from assay.campaign.fingerprints import DIRECTORY
from assay.campaign.results import read
from assay.campaign.run_report import ReportError
from assay.cluster.description import Cluster
from assay.cluster.fingerprint import HostChange
from assay.judge.signoff import Gate, sign_off
from assay.report import html, junit, record, summary

BEFORE, AFTER = "20260101T100000Z-before.json", "20260101T180000Z-after.json"
CHANGE = HostChange("s1", "BIOS", "1.2", "1.4")


def keep(campaign: Path, name: str, bios: str, host: str = "s1") -> None:
    directory = campaign / DIRECTORY
    directory.mkdir(exist_ok=True)
    document = {host: {"traits": {"BIOS": bios}, "readings": {"wear": bios}}}
    (directory / name).write_text(json.dumps(document))


def test_a_change_is_a_deviation_that_stops_an_acceptance_and_is_shown_everywhere(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    pattern = campaign()
    keep(tmp_path, BEFORE, "1.2")
    keep(tmp_path, AFTER, "1.4")
    signed = sign_off(cluster, read(pattern, cluster, tmp_path), Gate.MEASURED)
    assert signed.host_changes == (CHANGE,)
    assert signed.passed
    assert "s1: BIOS was 1.2, and is 1.4" in summary.render(signed)
    refused = replace(signed, gate=Gate.ACCEPTANCE)
    assert not refused.passed
    assert "changed during the campaign: s1" in refused.headline
    assert "deviation: s1: BIOS was 1.2, and is 1.4" in summary.render(refused)
    (change,) = json.loads(record.render(refused))["host_changes"]
    assert change == {"host": "s1", "what": "BIOS", "before": "1.2", "after": "1.4", "stops": True}
    assert 'id="host-changes"' in html.render(refused)
    failure = ElementTree.fromstring(junit.render(refused)).find(
        "testsuite[@name='hosts']/testcase[@name='BIOS']/failure"
    )
    assert failure is not None
    assert failure.get("message") == str(CHANGE)


def test_hosts_that_stay_what_they_are_are_not_mentioned(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    pattern = campaign()
    keep(tmp_path, BEFORE, "1.2")
    keep(tmp_path, AFTER, "1.2")
    signed = sign_off(cluster, read(pattern, cluster, tmp_path), Gate.MEASURED)
    assert signed.host_changes == ()
    assert 'id="host-changes"' not in html.render(signed)
    assert json.loads(record.render(signed))["host_changes"] == []


def test_a_bundle_has_them_and_does_not_verify_without_their_change(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    pattern = campaign()
    keep(tmp_path, BEFORE, "1.2")
    keep(tmp_path, AFTER, "1.4")
    results = read(pattern, cluster, tmp_path)
    bundle = tmp_path / "bundle"
    bundles.write(sign_off(cluster, results, Gate.MEASURED), results, bundle)
    assert sorted(path.name for path in (bundle / DIRECTORY).iterdir()) == [BEFORE, AFTER]
    assert not [p for p in verify(bundle).problems if "follow" in p or "summary" in p]
    (bundle / DIRECTORY / AFTER).write_text((bundle / DIRECTORY / BEFORE).read_text())
    problems = verify(bundle).problems
    assert any("summary.txt" in problem for problem in problems), problems


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a file of fingerprints"),
        ('{"s1": {"traits": {"BIOS": 1}}}', "is not a file of fingerprints: s1/traits/BIOS"),
        ('{"s1": {"more": {}}}', "is not a file of fingerprints"),
        ('{"s9": {}}', "has s9, which is not a host of this cluster"),
        ('{"s1": {"traits": {"BIOS": "\\u001b[2J"}}}', "is not a file of fingerprints"),
    ],
)
def test_a_file_that_is_none_of_these_hosts_is_refused(
    content: str, message: str, cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    pattern = campaign()
    keep(tmp_path, BEFORE, "1.2")
    (tmp_path / DIRECTORY / AFTER).write_text(content)
    with pytest.raises(ReportError) as refused:
        read(pattern, cluster, tmp_path)
    assert message in str(refused.value)


def test_a_link_in_its_place_is_refused(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    pattern = campaign()
    (tmp_path / DIRECTORY).mkdir()
    (tmp_path / DIRECTORY / BEFORE).symlink_to("/etc/passwd")
    with pytest.raises(ReportError, match="not a regular file"):
        read(pattern, cluster, tmp_path)
