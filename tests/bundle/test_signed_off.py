"""A sign-off judges a copy of its own, and writes a bundle that follows from it, or nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import datetime, tzinfo
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from assay.bundle import write as writing
from assay.bundle.verify import verify
from assay.campaign.outputs import Outputs
from assay.cli import app
from assay.judge import signoff
from bundles import campaign_in
from clusters import description
from outputs import read_in_half_the_time

RAW = "output/servers/SsdFio/raw/s1"
TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = campaign_in(tmp_path_factory.mktemp("made"))
    (directory / "cluster.json").write_text(json.dumps(description()))
    command = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", "key")
    subprocess.run(command, cwd=directory, check=True)
    return directory


@pytest.fixture
def campaign(tmp_path: Path, made: Path) -> Path:
    """A campaign to do things to, with a description and a key beside it."""
    here = shutil.copytree(made, tmp_path / "campaign")
    report = here / "run-1.json"
    report.write_text(report.read_text().replace(str(made), str(here)))
    return here


def words(campaign: Path, out: Path) -> list[str]:
    return [
        "signoff",
        f"--reports={campaign}/run-1.json",
        f"--outputs={campaign}",
        f"--cluster={campaign}/cluster.json",
        f"--out={out}",
        "--gate=measured",
        "--approver=Ada Byron",
        f"--sign-key={campaign}/key",
    ]


def sign_off(campaign: Path) -> tuple[Result, Path]:
    out = campaign.parent / "signoffs/one"
    return CliRunner().invoke(app, words(campaign, out)), out


def left(out: Path) -> list[str]:
    return [path.name for path in out.parent.iterdir()] if out.parent.exists() else []


def test_what_was_measured_is_signed(campaign: Path) -> None:
    done, out = sign_off(campaign)
    assert done.exit_code == 0, done.output
    assert left(out) == ["one"]
    assert (out / "SHA256SUMS.sig").exists()
    assert verify(out).problems == []


def faster(raw: Path) -> None:
    read_in_half_the_time(raw / "fio.json")


def garbage(raw: Path) -> None:
    for path in raw.iterdir():
        path.write_bytes(b"\0\xff" * 99)


def stopped(raw: Path) -> None:
    record = raw / "steps.tsv"
    record.write_text(record.read_text().replace("\t0\t", "\t124\t"))


def absurd(raw: Path) -> None:
    (raw / "fio.read_bytes").write_text(f"{10**18}\n")


def beyond(raw: Path) -> None:
    (raw / "fio.read_bytes").write_text("9" * 399)


@pytest.mark.parametrize("change", [faster, garbage, stopped, absurd, beyond])
def test_what_contradicts_the_samples_is_not_signed(
    campaign: Path, change: Callable[[Path], None]
) -> None:
    """It was signed, and only `assay verify` noticed."""
    change(campaign / RAW)
    done, out = sign_off(campaign)
    assert done.exit_code == 2
    assert left(out) == []
    first, *_, last = done.stderr.splitlines()
    assert first.startswith("SsdFio on s1: ")
    assert last.startswith("no bundle was written: the raw outputs in ")


def test_samples_that_nothing_printed_are_not_signed(campaign: Path) -> None:
    report = json.loads((campaign / "run-1.json").read_text())
    for case in report["runs"][0]["testcases"]:
        for by_subject in case["samples"].values():
            for subject in by_subject:
                by_subject[subject] = [1.2 * sample for sample in by_subject[subject]]
    (campaign / "run-1.json").write_text(json.dumps(report))
    done, out = sign_off(campaign)
    assert (done.exit_code, left(out)) == (2, [])
    assert len(done.stderr.splitlines()) == 21
    assert "(the first 20 are above)" in done.stderr


@pytest.mark.parametrize(("behind_s", "status"), [(500, 0), (700, 2)])
def test_a_clock_that_is_behind_signs_nothing(
    campaign: Path, monkeypatch: pytest.MonkeyPatch, behind_s: float, status: int
) -> None:
    """The bundle was signed, and no `assay verify` ever took it."""
    report = json.loads((campaign / "run-1.json").read_text())
    ended = report["session_info"]["time_end_unix"]

    class Behind(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return datetime.fromtimestamp(ended - behind_s, tz)

    monkeypatch.setattr(signoff, "datetime", Behind)
    done, out = sign_off(campaign)
    assert done.exit_code == status, done.output
    assert left(out) == ["one"] * (status == 0)
    if status:
        assert "before its measurements ended at" in done.stderr
        assert "is the clock of this host right?" in done.stderr


def test_a_subject_whose_parser_raises_is_of_that_subject_alone(
    campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A count of 399 digits was an OverflowError, and `assay signoff` ended in it."""

    def raising(run: object, subject: object, raw: object) -> object:
        raise OverflowError("integer division result too large for a float")

    monkeypatch.setattr("assay.bundle.raw_samples.samples_of", raising)
    done, out = sign_off(campaign)
    assert (done.exit_code, left(out)) == (2, [])
    assert "its raw outputs cannot be read: OverflowError: integer division" in done.stderr


def test_what_changes_after_it_was_copied_is_not_judged(
    campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = Outputs.copy

    def changed_afterwards(outputs: Outputs, target: Path) -> None:
        copy(outputs, target)
        for name, _ in outputs.files:
            (outputs.root / outputs.place / name).write_text("x")

    monkeypatch.setattr(Outputs, "copy", changed_afterwards)
    done, out = sign_off(campaign)
    assert done.exit_code == 0, done.output
    assert verify(out).problems == []


KILLED = """
import os, signal, sys
sys.path.insert(0, {support!r})
from assay.bundle import write
from assay.campaign.results import Results
from assay.cli import app
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
{where} = die
app({words!r})
"""


@pytest.mark.parametrize(
    "where",
    [
        "Results.copy",
        "write.derive.measured",
        "write.texts",
        "write.checksums.seal",
        "write.signature.sign",
        "write.os.rename",
    ],
)
def test_a_sign_off_that_is_killed_leaves_no_bundle_and_the_next_clears_up(
    campaign: Path, where: str
) -> None:
    out = campaign.parent / "signoffs/one"
    script = KILLED.format(support=str(TESTS / "support"), where=where, words=words(campaign, out))
    killed = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not out.exists()
    assert len(left(out)) == 1
    done, _ = sign_off(campaign)
    assert done.exit_code == 0, done.output
    assert left(out) == ["one"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a directory away")
@pytest.mark.parametrize(("owner", "mode"), [(65534, 0o755), (0, 0o757), (0, 0o775)])
def test_root_writes_no_bundle_where_others_could_exchange_it(
    campaign: Path, owner: int, mode: int
) -> None:
    """Whoever owns the directory could put a link in the place of the unfinished bundle."""
    signoffs = campaign.parent / "signoffs"
    signoffs.mkdir()
    os.chown(signoffs, owner, 65534)
    signoffs.chmod(mode)
    done, out = sign_off(campaign)
    assert (done.exit_code, left(out)) == (2, [])
    assert "others could exchange what root writes there" in done.stderr


def test_an_unfinished_sign_off_is_left_alone_by_another(
    campaign: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = writing.texts

    def another(signed: object) -> dict[str, str]:
        monkeypatch.setattr(writing, "texts", texts)
        done = CliRunner().invoke(app, words(campaign, campaign.parent / "signoffs/two"))
        assert done.exit_code == 0, done.output
        return texts(signed)  # type: ignore[arg-type]

    monkeypatch.setattr(writing, "texts", another)
    done, out = sign_off(campaign)
    assert done.exit_code == 0, done.output
    assert sorted(left(out)) == ["one", "two"]


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is not installed")
def test_nothing_signs_on_when_the_sign_off_was_killed(campaign: Path) -> None:
    programs = campaign.parent / "bin"
    programs.mkdir()
    waits = programs / "ssh-keygen"
    waits.write_text(f"#!/bin/sh\necho $$ >{programs}/began\nexec sleep 300\n")
    waits.chmod(0o755)
    out = campaign.parent / "signoffs/one"
    process = subprocess.Popen(
        [Path(sys.executable).with_name("assay"), *words(campaign, out)],
        env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
    )
    began = programs / "began"
    deadline = time.monotonic() + 120
    while not (began.exists() and began.read_text().strip()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.kill()
    process.wait()
    while Path(f"/proc/{int(began.read_text())}").exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not out.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
@pytest.mark.parametrize("share", [0.02, 0.5, 0.95])
def test_a_disk_that_fills_while_it_signs_off(campaign: Path, tmp_path: Path, share: float) -> None:
    done, out = sign_off(campaign)
    assert done.exit_code == 0
    size = sum(-(-path.stat().st_size // 4096) * 4096 for path in out.rglob("*") if path.is_file())
    disk = tmp_path / "disk"
    disk.mkdir()
    command = [str(Path(sys.executable).with_name("assay")), *words(campaign, disk / "one")]
    mount = f"mount -t tmpfs -o size={int(size * share)} tmpfs {disk}"
    script = f'{mount} && "$@"; s=$?; ls -A {disk}; exit $s'
    full = subprocess.run(
        ["unshare", "--mount", "bash", "-c", script, "bash", *command],
        capture_output=True,
        text=True,
        check=False,
    )
    assert full.returncode == 2
    assert full.stdout == ""
    (sentence,) = full.stderr.splitlines()
    assert sentence == f"{disk}/one cannot be written: No space left on device"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_disk_without_room_for_the_copy_of_a_bundle(campaign: Path, tmp_path: Path) -> None:
    done, out = sign_off(campaign)
    assert done.exit_code == 0
    disk = tmp_path / "disk"
    disk.mkdir()
    command = f"TMPDIR={disk} {Path(sys.executable).with_name('assay')} verify {out}"
    script = f"mount -t tmpfs -o size=64k tmpfs {disk} && {command}; s=$?; ls -A {disk}; exit $s"
    full = subprocess.run(
        ["unshare", "--mount", "bash", "-c", script], capture_output=True, text=True, check=False
    )
    assert (full.returncode, full.stdout) == (2, "")
    assert full.stderr.startswith(f"{out} is not a bundle of `assay signoff`: {disk} has room for ")
    assert full.stderr.count("\n") == 1
