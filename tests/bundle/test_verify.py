"""A bundle after it was written: whatever is done to it is found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bundles
from assay.bundle import checksums
from assay.bundle import write as bundle
from assay.bundle.verify import NoBundleError, verify
from assay.campaign.results import read
from assay.cli import app
from assay.cluster.description import Cluster
from assay.foreign.copy import copied
from assay.judge.signoff import Gate, sign_off
from assay.judge.waivers import Waiver
from bundles import bundle_of, campaign_in
from clusters import described, description
from outputs import report_with_outputs

Change = Callable[[Path], object]
WAIVER = Waiver(
    metric="ScmFio.read_4k on *",
    reason="a reason",
    owner="somebody",
    expires=datetime.now(UTC).date() + timedelta(days=100),
)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Keys of Ada and of Eve, and a file that knows Ada's."""
    directory = tmp_path_factory.mktemp("keys")
    for name in ("ada", "eve"):
        command = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", name)
        subprocess.run(command, cwd=directory, check=True)
    kind, key, _ = (directory / "ada.pub").read_text().split()
    (directory / "allowed").write_text(f'"Ada Byron" namespaces="daos-assay" {kind} {key}\n')
    return directory


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, keys: Path) -> Path:
    """A bundle that Ada has signed."""
    here, cluster = tmp_path_factory.mktemp("made"), described(description())
    (here / "run-1.json").write_text(json.dumps(report_with_outputs(cluster, here)))
    results = read(str(here / "run-1.json"), cluster, here)
    signed = sign_off(cluster, results, Gate.MEASURED, [WAIVER], "Ada Byron")
    bundles.write(signed, results, here / "bundle", keys / "ada")
    return here / "bundle"


@pytest.fixture
def written(tmp_path: Path, made: Path) -> Path:
    """A copy of it, to do things to."""
    return shutil.copytree(made, tmp_path / "bundle")


def sum_up(directory: Path) -> None:
    """Give a changed bundle fitting checksums, as one who means it would."""
    checksums.seal(directory)


def edit(change: Callable[[dict[str, Any]], object]) -> Change:
    def edited(directory: Path) -> None:
        path = directory / "report.json"
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))
        sum_up(directory)

    return edited


def test_a_bundle_stands(written: Path, keys: Path) -> None:
    checked = verify(written, keys / "allowed")
    assert checked.problems == []
    assert ": MEASURED proving-ground: " in checked.says
    assert any(
        sentence.startswith('Good "daos-assay" signature for Ada') for sentence in checked.holds
    )


def test_a_bundle_with_what_engines_logged_stands(tmp_path: Path) -> None:
    campaign = campaign_in(tmp_path)
    errors = campaign / "engine-errors" / "20260101T100000Z.json"
    errors.parent.mkdir()
    errors.write_text("{}")
    bundle = bundle_of(campaign)
    assert (bundle / "engine-errors" / errors.name).exists()
    assert verify(bundle).problems == []


def test_its_checksums_are_those_of_sha256sum(written: Path) -> None:
    for name in ("a\\name\nof two lines", "of\u2028one line"):
        (written / "raw" / name).write_text("")
    sum_up(written)
    subprocess.run(("sha256sum", "--check", "--quiet", "SHA256SUMS"), cwd=written, check=True)
    with copied(written) as copy:
        assert checksums.differences(copy, checksums.read(copy)) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: (d / "summary.txt").write_text("ACCEPTED"), "summary.txt has changed"),
        (lambda d: (d / "junit.xml").unlink(), "junit.xml is missing"),
        (lambda d: (d / "raw" / "more").write_text(""), "raw/more was added"),
        (lambda d: (d / "here").symlink_to("/"), "here was added"),
        (
            lambda d: ((d / "junit.xml").unlink(), os.mkfifo(d / "junit.xml")),
            "junit.xml is a FIFO, but a bundle holds only regular files",
        ),
        (
            # The same text, which another may change: the checksum still fits.
            lambda d: (d / "junit.xml").symlink_to((d / "junit.xml").rename(f"{d}.xml")),
            "junit.xml is a link, but a bundle holds only regular files",
        ),
        (
            lambda d: (d / "SHA256SUMS").write_text("0" * 64 + "  ../x\n"),
            "SHA256SUMS, line 1, names no file of the bundle",
        ),
        (lambda d: (d / "SHA256SUMS").write_text(""), "SHA256SUMS is empty"),
        (lambda d: (d / "SHA256SUMS.sig").unlink(), "it is not signed: SHA256SUMS.sig is missing"),
        (sum_up, None),
        (
            lambda d: (d / "SHA256SUMS").write_text((d / "SHA256SUMS").read_text() + "\n"),
            "the signature is not valid for Ada Byron: ",
        ),
        (
            edit(lambda r: r.pop("gate")),
            'does not match the schema: the whole: "gate" is a required',
        ),
        (edit(lambda r: r["metrics"].pop()), "is required but has no verdict"),
        (edit(lambda r: r["metrics"].append(r["metrics"][0])), "has a verdict but is not required"),
        (
            edit(lambda r: r["metrics"][0]["samples"].append(9.0)),
            "its samples differ from those of the run reports",
        ),
        (
            edit(lambda r: r["metrics"][0].update(verdict="unsteady")),
            "is unsteady here, but its samples give pass",
        ),
        *(
            (edit(change), "its unit, median or limits do not follow from the run reports")
            for change in (
                lambda r: r["metrics"][0].update(unit="GB/s"),
                lambda r: r["metrics"][0]["summary"].update(median=9e9),
                lambda r: r["metrics"][0]["expectation"].update(floor=1.0),
            )
        ),
        (
            edit(lambda r: r["cluster"]["hosts"].pop("c1")),
            "report.json: its cluster: host c1: clients = c1: should be one of the hosts described",
        ),
        (edit(lambda r: r.update(passed=False)), "passed does not follow from the verdicts"),
        (
            edit(lambda r: r["metrics"][0]["raw"].append("raw/none")),
            "raw output raw/none is missing",
        ),
        (edit(lambda r: r["waivers"].clear()), "is waived here, but its samples give"),
        (
            edit(lambda r: r["waivers"][0].update(expires="2001-01-01")),
            "expired on 2001-01-01",
        ),
        (
            edit(lambda r: r["versions"].update({"daos-assay": "0.0.1"})),
            "it was made by daos-assay 0.0.1, but this is",
        ),
        (lambda d: (d / "report.json").write_text("{"), "report.json is not JSON"),
    ],
)
def test_whatever_is_done_to_it_is_reported(
    written: Path, keys: Path, change: Change, message: str | None
) -> None:
    change(written)
    problems = verify(written, keys / "allowed").problems
    assert any(message in problem for problem in problems) if message else problems == []


def test_the_signature_must_be_the_approvers(tmp_path: Path, cluster: Cluster, keys: Path) -> None:
    (tmp_path / "run-1.json").write_text(json.dumps(report_with_outputs(cluster, tmp_path)))
    results = read(str(tmp_path / "run-1.json"), cluster, tmp_path)
    signed = sign_off(cluster, results, Gate.MEASURED, approver="Ada Byron")
    bundles.write(signed, results, tmp_path / "bundle", keys / "eve")
    (problem,) = verify(tmp_path / "bundle", keys / "allowed").problems
    assert problem.startswith("the signature is not valid for Ada Byron: ")
    assert verify(tmp_path / "bundle").problems == []


def test_a_key_that_does_not_sign_leaves_no_bundle(
    tmp_path: Path, cluster: Cluster, campaign: Callable[..., str]
) -> None:
    results = read(campaign(), cluster, tmp_path)
    signed = sign_off(cluster, results, Gate.MEASURED, approver="Ada Byron")
    with pytest.raises(bundle.BundleError, match=r"cannot sign with .*nokey: .*; should be a priv"):
        bundles.write(signed, results, tmp_path / "bundle", tmp_path / "nokey")
    assert not (tmp_path / "bundle").exists()


def test_a_directory_without_checksums_is_not_a_bundle(tmp_path: Path) -> None:
    with pytest.raises(NoBundleError, match="is not a bundle of `assay signoff`"):
        verify(tmp_path)


def test_the_command_ends_with_1_where_something_is_wrong(written: Path, keys: Path) -> None:
    arguments = ["verify", str(written), f"--allowed-signers={keys / 'allowed'}"]
    good = CliRunner().invoke(app, arguments)
    assert (good.exit_code, good.stdout.splitlines()[-1][: len(str(written)) + 10]) == (
        0,
        f"{written} is intact",
    )
    (written / "report.html").write_text("")
    Path(os.fsdecode(os.fsencode(written) + b"/caf\xe9\x1b")).write_text("")
    bad = CliRunner().invoke(app, arguments)
    assert bad.exit_code == 1
    assert "BAD   report.html has changed\n" in bad.stdout
    assert "BAD   caf\ufffd\ufffd was added\n" in bad.stdout
    assert CliRunner().invoke(app, ["verify", "/nowhere"]).exit_code == 2
