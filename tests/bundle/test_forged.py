"""Bundles that somebody else has changed and given fitting checksums."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.bundle import checksums
from assay.bundle.verify import NoBundleError, verify
from assay.cli import app
from bundles import bundle_of, campaign_in


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_of(campaign_in(tmp_path_factory.mktemp("made")))


@pytest.fixture
def written(tmp_path: Path, made: Path) -> Path:
    """A copy of it, to do things to."""
    return shutil.copytree(made, tmp_path / "bundle")


@pytest.mark.parametrize("name", ["report.html", "summary.txt", "cluster.json", "junit.xml"])
def test_what_people_read_follows_from_the_figures(written: Path, name: str) -> None:
    """All four were rewritten, and `assay verify` said: intact."""
    path = written / name
    path.write_text(path.read_text().replace("MEASURED", "ACCEPTED") + " ")
    checksums.seal(written)
    assert f"{name} does not follow from the run reports" in verify(written).problems


@pytest.mark.parametrize(
    ("name", "stray"),
    [
        ("ACCEPTED.txt", "ACCEPTED.txt"),
        ("Report.html", "Report.html"),
        ("reframe/run-2.txt", "reframe/run-2.txt"),
        ("raw/servers/Other/raw/s1/fio.json", "raw/servers/Other"),
    ],
)
def test_what_no_sign_off_writes_is_not_part_of_it(written: Path, name: str, stray: str) -> None:
    path = written / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("ACCEPTED\n")
    checksums.seal(written)
    assert verify(written).problems[0] == f"{stray} is not part of a sign-off"


def test_a_page_with_other_charts_is_told_apart(written: Path) -> None:
    page = (written / "report.html").read_text()
    start = page.index("<svg")
    (written / "report.html").write_text(
        page[:start] + "<svg></svg>" + page[page.index("</svg>") + 6 :]
    )
    checksums.seal(written)
    (problem,) = verify(written).problems
    assert problem.startswith("report.html: its charts differ from those drawn from")


def test_a_page_of_charts_without_end_is_read_in_no_time(written: Path) -> None:
    """Each chart was looked for to the end of the page: 1 MB took minutes."""
    (written / "report.html").write_text("<svg" * 250_000)
    checksums.seal(written)
    start = time.process_time()
    assert "report.html does not follow from the run reports" in verify(written).problems
    assert time.process_time() - start < 30


@pytest.mark.parametrize("name", ["../../../../../../../etc/passwd", "/etc/passwd", "raw"])
def test_raw_outputs_are_files_of_the_bundle(written: Path, name: str) -> None:
    document: dict[str, Any] = json.loads((written / "report.json").read_text())
    document["metrics"][0]["raw"] = [name]
    (written / "report.json").write_text(json.dumps(document))
    checksums.seal(written)
    key = document["metrics"][0]["key"]
    assert f"{key}: its raw output {name} is missing" in verify(written).problems


def test_a_fifo_for_checksums_does_not_hang(written: Path) -> None:
    (written / "SHA256SUMS").unlink()
    os.mkfifo(written / "SHA256SUMS")
    start = time.monotonic()
    with pytest.raises(NoBundleError, match="SHA256SUMS is not a regular file"):
        verify(written)
    assert time.monotonic() - start < 30


def test_a_link_for_checksums_is_not_followed(written: Path, tmp_path: Path) -> None:
    (written / "SHA256SUMS").rename(tmp_path / "sums")
    (written / "SHA256SUMS").symlink_to(tmp_path / "sums")
    with pytest.raises(NoBundleError, match="SHA256SUMS is not a regular file"):
        verify(written)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: (d / "empty").mkdir(), "empty was added"),
        (
            lambda d: (d / "summary.txt").chmod(0o4755),
            "summary.txt had the mode -rw-r--r--, and now has -rwsr-xr-x",
        ),
        (
            lambda d: (
                (d / "summary.txt").chmod(0o4755),
                (d / "LISTING").write_text(
                    (d / "LISTING").read_text().replace("-rw-r--r--  summary.txt\n", "")
                ),
                (d / "SHA256SUMS").write_text(checksums.sums(d)),
            ),
            "summary.txt is executable (-rwsr-xr-x), but not in LISTING",
        ),
        (
            lambda d: (d / "SHA256SUMS").chmod(0o755),
            "SHA256SUMS is executable (-rwxr-xr-x), and must",
        ),
        (lambda d: (d / "LISTING").unlink(), "LISTING is missing: its modes"),
        (
            lambda d: (
                (d / "LISTING").write_text((d / "LISTING").read_text() + "drwxr-xr-x  gone\n"),
                (d / "SHA256SUMS").write_text(checksums.sums(d)),
            ),
            "gone is missing",
        ),
    ],
)
def test_directories_and_modes_are_covered(
    written: Path, change: Callable[[Path], object], message: str
) -> None:
    for path in (written, *written.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    checksums.seal(written)
    assert verify(written).problems == []
    change(written)
    assert any(problem.startswith(message) for problem in verify(written).problems)


def test_who_may_read_is_the_readers_own_matter(written: Path) -> None:
    """A bundle is unpacked under another umask."""
    for path in written.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    assert verify(written).problems == []


def test_the_last_line_names_what_it_speaks_of(written: Path) -> None:
    """An old bundle passed for a new one."""
    printed = CliRunner().invoke(app, ["verify", str(written)]).stdout.splitlines()
    assert printed[-1].startswith(
        f"{written} is intact: proving-ground, measured 2001-09-09 01:46 to 2001-09-09"
        " 01:47 UTC, gate measured: MEASURED proving-ground: "
    )
    assert printed[-1].endswith("; not signed")


def allowed(directory: Path, options: str) -> Path:
    kind, key, _ = (directory / "key.pub").read_text().split()
    path = directory / "allowed"
    path.write_text(f'"Ada Byron" {options} {kind} {key}\n')
    return path


@pytest.fixture
def key(tmp_path: Path) -> Path:
    command = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", "key")
    subprocess.run(command, cwd=tmp_path, check=True)
    return tmp_path / "key"


def test_a_key_that_has_expired_since_is_reported(written: Path, key: Path) -> None:
    from assay.bundle import signature

    signature.sign(written / "SHA256SUMS", key)
    signers = allowed(key.parent, 'valid-before="20260401"')
    checked = verify(written, signers)
    assert checked.problems == []
    assert any("the key is not valid today (" in sentence for sentence in checked.holds)
    assert any(", but was on 2026-03-02, when" in sentence for sentence in checked.holds)
    assert checked.says.endswith(
        "; signed by Ada Byron if it was signed on 2026-03-02, as it claims: the key is not valid"
        " today, and whoever has it can sign with any date"
    )
    signers = allowed(key.parent, 'valid-before="20260201"')
    (problem,) = verify(written, signers).problems
    assert problem.startswith("the signature is not valid for Ada Byron: ")


def test_without_signers_it_is_said_that_nobody_is_checked(written: Path, key: Path) -> None:
    from assay.bundle import signature

    signature.sign(written / "SHA256SUMS", key)
    checked = verify(written)
    assert checked.says.endswith(", signer not checked: pass --allowed-signers")
    assert "; signed with ED25519 key SHA256:" in checked.says


def test_too_many_samples_are_refused(written: Path) -> None:
    """5 million allocated their square."""
    document: dict[str, Any] = json.loads((written / "report.json").read_text())
    document["metrics"][0]["samples"] = [1.0] * 5_000_000
    (written / "report.json").write_text(json.dumps(document))
    result = CliRunner().invoke(app, ["compare", str(written), str(written)])
    assert result.exit_code == 2
    assert "has 5,000,000 samples, and 250 is the limit" in result.stderr


@pytest.mark.parametrize("sample", [0.0, 5e-324, 1e308, -1.0])
def test_no_baseline_has_a_figure_that_is_not_a_measurement(written: Path, sample: float) -> None:
    """Compared with it, a campaign ended in a ZeroDivisionError."""
    baseline = shutil.copytree(written, written.parent / "baseline")
    document = json.loads((baseline / "report.json").read_text())
    for metric in document["metrics"]:
        metric["samples"] = [sample] * 7
    (baseline / "report.json").write_text(json.dumps(document))
    for pair in ((baseline, written), (written, baseline)):
        done = CliRunner().invoke(app, ["compare", *map(str, pair)])
        assert done.exit_code == 2
        assert f"has a sample of {sample:g}, and a measurement is above zero" in done.stderr


def test_a_problem_is_not_printed_at_any_length(written: Path) -> None:
    """A version of 5 MB, quoted, went to the terminal."""
    document = json.loads((written / "report.json").read_text())
    document["versions"]["daos-assay"] = "9" * 5_000_000
    (written / "report.json").write_text(json.dumps(document))
    checksums.seal(written)
    done = CliRunner().invoke(app, ["verify", str(written)])
    assert done.exit_code == 1
    assert "it was made by daos-assay 999" in done.stdout
    assert len(done.stdout) < 10_000
