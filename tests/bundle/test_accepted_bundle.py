"""A sign-off with an accepted campaign as its floor, from the bundle and back to it."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import bundles
from assay.bundle import verify as verification
from assay.bundle.compare import accepted, compare
from assay.bundle.verify import verify
from assay.campaign.results import read
from assay.checks import renamed
from assay.checks.renamed import Renamed
from assay.cli import app
from assay.commands.inputs import verified
from assay.judge.signoff import Gate, sign_off
from assay.judge.verdict import Verdict
from assay.report.reader import read as read_record
from clusters import described, description
from outputs import report_with_outputs

CLUSTER = described(description())


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("campaign")
    (here / "run-1.json").write_text(json.dumps(report_with_outputs(CLUSTER, here)))
    return here


def test_a_bundle_with_a_baseline_verifies_and_has_its_floors(campaign: Path) -> None:
    results = read(str(campaign / "run-1.json"), CLUSTER, campaign)
    plain = sign_off(CLUSTER, results, Gate.MEASURED)
    bundles.write(plain, results, campaign / "first")
    first = read_record(campaign / "first" / "report.json")
    earlier = {"measured_to": first.measured_from - timedelta(days=1)}
    taken = first.model_copy(update={"gate": Gate.ACCEPTANCE, "passed": True, **earlier})
    floors = accepted(taken, b"", CLUSTER, first.measured_from)
    signed = sign_off(CLUSTER, results, Gate.MEASURED, baseline=floors)
    bundles.write(signed, results, campaign / "second")
    second = read_record(campaign / "second" / "report.json")
    assert verify(campaign / "second").problems == []
    assert second.baseline == floors
    required = [m for m in second.metrics if "that were accepted" in m.expectation.derivation]
    assert required
    assert signed.counts[Verdict.UNRATED] < plain.counts[Verdict.UNRATED]


def test_no_campaign_is_its_own_baseline(campaign: Path) -> None:
    """Accepted once under a waiver, all of its unrated figures would be judged by themselves."""
    results = read(str(campaign / "run-1.json"), CLUSTER, campaign)
    bundles.write(sign_off(CLUSTER, results, Gate.MEASURED), results, campaign / "own")
    own = read_record(campaign / "own" / "report.json")
    own = own.model_copy(update={"gate": Gate.ACCEPTANCE, "passed": True})
    message = "until 2001-09-09 01:47 UTC, and this campaign began at 2001-09-09 01:46 UTC: no camp"
    with pytest.raises(ValueError, match=message):
        accepted(own, b"", CLUSTER, results.started)
    floors = accepted(own, b"", CLUSTER, own.measured_to)
    signed = sign_off(CLUSTER, results, Gate.MEASURED, baseline=floors)
    bundles.write(signed, results, campaign / "forged")
    assert verify(campaign / "forged").problems == [
        "report.json: its baseline was measured until 2001-09-09 01:47 UTC, after its measurements"
        " began at 2001-09-09 01:46 UTC"
    ]


def test_a_campaign_that_was_not_accepted_is_not_a_floor(campaign: Path) -> None:
    results = read(str(campaign / "run-1.json"), CLUSTER, campaign)
    bundles.write(sign_off(CLUSTER, results, Gate.MEASURED), results, campaign / "measured")
    (campaign / "cluster.json").write_text(json.dumps(description()))
    done = CliRunner().invoke(
        app,
        [
            "signoff",
            f"--reports={campaign / 'run-1.json'}",
            f"--out={campaign / 'third'}",
            f"--outputs={campaign}",
            f"--cluster={campaign / 'cluster.json'}",
            f"--baseline={campaign / 'measured'}",
        ],
    )
    assert done.exit_code == 2
    assert "it was not accepted: MEASURED" in done.stderr
    assert not (campaign / "third").exists()


def test_a_baseline_of_another_release_is_read_with_a_warning(
    campaign: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only that release can judge its figures again; as floors they are good all the same."""
    results = read(str(campaign / "run-1.json"), CLUSTER, campaign)
    bundles.write(sign_off(CLUSTER, results, Gate.MEASURED), results, campaign / "older")
    monkeypatch.setattr(verification, "__version__", "9.9.9")
    assert len(verify(campaign / "older").problems) == 1
    record, _ = verified(campaign / "older", earlier=True)
    assert record.cluster == CLUSTER
    assert capsys.readouterr().err.endswith("; its figures are taken as they are\n")
    with pytest.raises(typer.Exit):  # what is judged has to be of this release
        verified(campaign / "older")
    assert "only that version can judge" in capsys.readouterr().err
    (campaign / "older" / "summary.txt").write_text("ACCEPTED")
    with pytest.raises(typer.Exit):
        verified(campaign / "older", earlier=True)
    assert "does not verify" in capsys.readouterr().err


def test_a_metric_with_another_name_by_now_is_compared_under_the_present_one(
    campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = read(str(campaign / "run-1.json"), CLUSTER, campaign)
    bundles.write(sign_off(CLUSTER, results, Gate.MEASURED), results, campaign / "named")
    old = read_record(campaign / "named" / "report.json")
    renames = {
        "SsdFio.read_1m": Renamed("SsdFio.new_read", "0.2.0"),
        "SsdFio.write_1m": Renamed("SsdFio.new_write", "0.2.0", is_same=False),
    }
    monkeypatch.setattr(renamed, "RENAMED", renames)
    taken = old.model_copy(update={"gate": Gate.ACCEPTANCE, "passed": True})
    medians = accepted(taken, b"", CLUSTER, old.measured_to).medians
    figures = {key.partition(" on ")[0] for key in medians}
    assert "SsdFio.new_read" in figures
    assert "SsdFio.read_1m" not in figures
    # What is measured otherwise keeps its name, so that nothing is held against its figures.
    assert "SsdFio.write_1m" in figures
    assert "SsdFio.new_write" not in figures
    keys = {row.key for row in compare([old], [old]).rows}
    assert not any(key.startswith("SsdFio.write_1m") for key in keys)
