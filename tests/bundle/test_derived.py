"""All that a bundle says follows from its raw outputs: whoever changes either is found."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from assay.bundle import checksums, signature
from assay.bundle.verify import NoBundleError, verify
from assay.checks import plan
from assay.cli import app
from assay.foreign import limits
from assay.foreign.copy import Copy
from assay.foreign.files import Copied, Tree
from bundles import bundle_of, campaign_in
from outputs import read_in_half_the_time

DISK = "raw/servers/SsdFio/raw/s1"


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign's directory: what the tools left, and ReFrame's run report."""
    return campaign_in(tmp_path_factory.mktemp("campaign"))


@pytest.fixture(scope="module")
def made(campaign: Path) -> Path:
    return bundle_of(campaign)


@pytest.fixture
def written(tmp_path: Path, made: Path) -> Path:
    """A copy of it, to do things to."""
    return shutil.copytree(made, tmp_path / "bundle")


def problems(directory: Path) -> list[str]:
    """What is found where the checksums are those of the changed files."""
    checksums.seal(directory)
    return verify(directory).problems


def has(reported: list[str], message: str) -> bool:
    return any(message in problem for problem in reported)


def test_what_was_measured_is_derived_again(written: Path) -> None:
    checked = verify(written)
    assert checked.problems == []
    assert "its times are in order" in checked.holds
    assert "the samples of the run reports match the raw outputs" in checked.holds


def test_raw_outputs_that_were_all_replaced(written: Path) -> None:
    """Each of them was `x`, and `assay verify` said: intact."""
    for path in (written / "raw").rglob("*"):
        if path.is_file():
            path.write_text("x")
    reported = problems(written)
    assert has(reported, "it has samples, but no record of its steps")
    assert has(reported, "it has samples, but its raw outputs have none: ")
    assert not has(reported, "Traceback")


CHECKS = ("ScmFio", "SsdFio", "PosixFio", "FiPingpong", "FdbHammer", "ClientPlacement")


@pytest.mark.parametrize("check", CHECKS)
def test_the_outputs_of_each_tool_are_read_again(written: Path, check: str) -> None:
    (raw,) = list((written / "raw").glob(f"*/{check}/raw/*"))[:1]
    for path in raw.rglob("*"):
        if path.suffix in (".json", ".out"):
            path.write_text("x")
    assert has(problems(written), f"{check} on ")


def test_a_faster_output(written: Path) -> None:
    read_in_half_the_time(written / DISK / "fio.json")
    assert problems(written) == [
        "SsdFio on s1: the samples of read_1m differ from those of its raw outputs"
    ]


def test_faster_samples_judged_anew(tmp_path: Path, campaign: Path) -> None:
    """Run report, verdicts and pages agree; only what the tools printed says otherwise."""
    forged = shutil.copytree(campaign, tmp_path / "campaign", ignore=lambda *_: ["bundle"])
    document: dict[str, Any] = json.loads((forged / "run-1.json").read_text())
    for case in document["runs"][0]["testcases"]:
        for directory in ("outputdir", "stagedir"):
            case[directory] = case[directory].replace(str(campaign), str(forged))
        if case["name"].startswith("SsdFio ") and case["partition"] == "servers":
            for by_subject in case["samples"].values():
                by_subject["s1"] = [1.2 * sample for sample in by_subject["s1"]]
    (forged / "run-1.json").write_text(json.dumps(document))
    assert [problem.partition(":")[0] for problem in verify(bundle_of(forged)).problems] == [
        "SsdFio on s1"
    ] * 4


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("", "it has samples, but no record of its steps"),
        ("fio\t1\t1000000001.0\t1000000002.0\n", "its step fio ended with 1"),
        ("fio\t0\t1000000003.0\t1000000002.0\n", "its step fio ended before it started"),
        (
            "fio\t0\t1100000001.0\t1100000002.0\n",
            "its step fio did not run within the session of its run report, 2001-09-09 01:46 to"
            " 2001-09-09 01:47 UTC",
        ),
        ("fio\t0\t999999999999.0\t999999999999.0\n", "did not run within the session"),
    ],
)
def test_the_record_of_the_steps(written: Path, record: str, message: str) -> None:
    (written / DISK / "steps.tsv").write_text(record)
    reported = problems(written)
    assert reported[0].startswith("SsdFio on s1: ")
    assert message in reported[0]


def test_clocks_may_differ_a_little(written: Path) -> None:
    late = 1e9 + 60 + 590
    (written / DISK / "steps.tsv").write_text(f"fio\t0\t{late:.1f}\t{late + 5:.1f}\n")
    assert problems(written) == []


def test_a_job_that_refused(written: Path) -> None:
    (written / DISK / "refusal").write_text("no room in /scratch\n")
    reported = problems(written)
    assert has(reported, "SsdFio on s1: it has samples, but its job refused to measure: no room in")


def test_an_output_larger_than_any(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checksums.seal(written)
    size = (written / DISK / "fio.json").stat().st_size
    monkeypatch.setattr("assay.checks.raw.OUTPUT_BYTES", size - 1)
    assert has(verify(written).problems, "SsdFio on s1: its raw outputs cannot be read: ")


@pytest.mark.parametrize("repetitions", [0, -1, limits.SAMPLES + 1, limits.NUMBER])
def test_a_number_of_samples_that_nobody_takes(written: Path, repetitions: int) -> None:
    """It is counted up to: 2**53 would take for ever."""
    (path,) = (written / "reframe").iterdir()
    document = json.loads(path.read_text())
    for case in document["runs"][0]["testcases"]:
        asked = plan.CHECKS[case["name"].partition(" ")[0]].scales["quick"]["repetitions"]
        case["deviations"] = {"repetitions": {"asked": asked, "was": repetitions}}
    path.write_text(json.dumps(document))
    assert has(problems(written), f"repetitions = {repetitions}: should be 1 to {limits.SAMPLES}")


def test_a_figure_without_raw_output_does_not_count(written: Path) -> None:
    shutil.rmtree(written / DISK)
    assert has(problems(written), "SsdFio.read_1m on s1 is ")


def edited(directory: Path, change: Callable[[dict[str, Any]], object]) -> list[str]:
    path = directory / "report.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document, indent=2))
    return problems(directory)


def test_a_reason_that_was_rewritten(written: Path) -> None:
    reported = edited(written, lambda r: r["metrics"][0].update(reason="all is well"))
    assert reported == ["report.json does not follow from the run reports"]


@pytest.mark.parametrize("name", ["measured_from", "measured_to"])
def test_a_date_that_was_rewritten(written: Path, name: str) -> None:
    reported = edited(written, lambda r: r.update({name: "2019-01-01T00:00:00Z"}))
    assert "report.json does not follow from the run reports" in reported


def test_a_bundle_that_was_made_before_it_was_measured(written: Path) -> None:
    reported = edited(written, lambda r: r.update(made_at="2001-09-09T01:00:00Z"))
    assert has(
        reported,
        "it was made at 2001-09-09 01:00 UTC, before its measurements ended at 2001-09-09 01:47",
    )


def test_a_bundle_that_was_made_in_the_future(written: Path) -> None:
    then = datetime.now(UTC) + timedelta(days=400)
    reported = edited(written, lambda r: r.update(made_at=then.isoformat()))
    assert has(reported, f"it was made at {then:%Y-%m-%d %H:%M} UTC, in the future")


def test_a_signature_can_be_required(written: Path, tmp_path: Path) -> None:
    checksums.seal(written)
    run = CliRunner().invoke
    unsigned = run(app, ["verify", str(written)])
    assert unsigned.exit_code == 0
    assert unsigned.stdout.splitlines()[-1].endswith("; not signed")
    required = run(app, ["verify", str(written), "--require-signature"])
    assert required.exit_code == 1
    assert "BAD   it is not signed: SHA256SUMS.sig is missing\n" in required.stdout
    command = ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", "key")
    subprocess.run(command, cwd=tmp_path, check=True)
    signature.sign(written / "SHA256SUMS", tmp_path / "key")
    signed = run(app, ["verify", str(written), "--require-signature"])
    assert signed.exit_code == 0
    assert "; signed with ED25519 key SHA256:" in signed.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", ["SHA256SUMS", "summary.txt", f"{DISK}/fio.json", "report.json"])
@pytest.mark.parametrize("forged_first", [True, False])
def test_what_is_exchanged_meanwhile_is_not_judged(
    written: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, forged_first: bool
) -> None:
    """A file was hashed, and then opened by its name again: two contents passed for one."""
    checksums.seal(written)
    good = (written / name).read_bytes()
    forged = good.replace(b"1", b"2")
    assert forged != good
    if forged_first:
        (written / name).write_bytes(forged)
    read = checksums.read

    def exchange(copy: Copy) -> bytes:
        # All that it reads was read.
        (written / name).write_bytes(good if forged_first else forged)
        return read(copy)

    monkeypatch.setattr(checksums, "read", exchange)
    assert bool(verify(written).problems) == forged_first


def test_a_file_that_grows_while_it_is_read(written: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = Tree.copy

    def growing(tree: Tree, name: str, target: Path, most: int) -> Copied:
        with (tree.root / name).open("a") as file:
            file.write("more")
        return copy(tree, name, target, most)

    monkeypatch.setattr(Tree, "copy", growing)
    with pytest.raises(NoBundleError, match=r"changed while it was read$"):
        verify(written)


def test_the_copy_is_gone_afterwards(
    written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    assert verify(written).problems == []
    assert list((tmp_path / "own").iterdir()) == []


def test_problems_name_the_bundle_and_not_its_copy(written: Path) -> None:
    (written / "report.json").write_text("{")
    reported = problems(written)
    assert any(problem.startswith(f"{written}/report.json is not JSON") for problem in reported)


RECORDS: dict[str, Callable[[list[str]], list[str]]] = {
    "has no first step": lambda lines: lines[1:],
    "has no last step": lambda lines: lines[:-1],
    "has a step twice": lambda lines: [*lines, lines[-1]],
    "has another step": lambda lines: [*lines, lines[-1].replace(".", "x.", 1)],
    "has a step that was stopped": lambda lines: [
        *lines[:-1],
        lines[-1].replace("\t0\t", "\t124\t"),
    ],
    "has a step that has no times": lambda lines: [
        *lines[:-1],
        lines[-1].replace("\t0\t", "\t124 \t"),
    ],
    "is in another order": lambda lines: [*lines[:-2], lines[-1], lines[-2]],
    "is of another step": lambda _: ["made_up\t0\t1000000001.0\t1000000002.0"],
    "is no text": lambda _: ["\0\udcff".encode("utf-8", "surrogateescape").decode("latin-1")],
    "runs all at once": lambda lines: [
        "\t".join([*line.split("\t")[:2], "1000000001.0", "1000000031.0"]) for line in lines
    ],
}


@pytest.mark.parametrize("check", ["FiPingpong", "ClientPlacement"])
@pytest.mark.parametrize("what", RECORDS)
def test_a_record_of_steps_that_was_changed(written: Path, check: str, what: str) -> None:
    """All of these passed once the lists were sealed again."""
    (path,) = list((written / "raw").glob(f"*/{check}/raw/*/steps.tsv"))[:1]
    lines = path.read_text().splitlines()
    path.write_text("".join(f"{line}\n" for line in RECORDS[what](lines)))
    reported = problems(written)
    assert reported
    assert all(problem.startswith(f"{check} on ") for problem in reported)


@pytest.mark.parametrize("count", [10**12, 10**18, 2**63, 10**40])
def test_more_than_a_disk_can_give(written: Path, count: int) -> None:
    (written / DISK / "fio.read_bytes").write_text(f"{count}\n")
    (problem,) = problems(written)
    assert problem.startswith("SsdFio on s1: it has samples, but its raw outputs have none: ")
