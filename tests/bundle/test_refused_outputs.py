"""One host's outputs that are no outputs: its figures are missing, and the bundle is written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.bundle.verify import verify
from assay.campaign.results import read
from assay.cli import app
from assay.foreign import limits
from assay.foreign.files import Entry, Tree
from assay.judge.verdict import Verdict
from bundles import bundle_of, campaign_in
from clusters import described, description

Put = Callable[[Path], object]


def raw_of(campaign: Path, subject: str = "s1") -> Path:
    return campaign / "output" / "servers" / "SsdFio" / "raw" / subject


def sparse(path: Path, size: int = 300 * 2**20) -> None:
    with path.open("wb") as file:
        file.truncate(size)


def unprintable(raw: Path) -> Path:
    return Path(os.fsdecode(os.fsencode(raw) + b"/caf\xe9"))


def missing(bundle: Path) -> dict[str, str]:
    """The missing metrics of a bundle, each with its reason."""
    metrics = json.loads((bundle / "report.json").read_text())["metrics"]
    return {
        each["key"]: each["reason"] for each in metrics if each["verdict"] == Verdict.MISSING.value
    }


OF_ONE: dict[str, tuple[Put, str]] = {
    "a link": (lambda raw: (raw / "x").symlink_to("/etc/shadow"), "raw/s1/x is a link, but a bun"),
    "a link up": (lambda raw: (raw / "x").symlink_to("/etc"), "raw/s1/x is a link, but a bundle"),
    "a FIFO": (lambda raw: os.mkfifo(raw / "x"), "raw/s1/x is a FIFO, but a bundle holds only"),
    "a sparse file": (lambda raw: sparse(raw / "x"), "x has 314,572,800 bytes, and 268,435,456 is"),
    "ESC": (lambda raw: (raw / "\x1b[2J").write_text(""), "which is not printable: rename"),
    "bidi": (lambda raw: (raw / "ab\u202ecd").write_text(""), "which is not printable: rename"),
    "a line feed": (lambda raw: (raw / "a\nb").write_text(""), "which is not printable: rename"),
    "bytes": (lambda raw: unprintable(raw).write_text(""), "which is not printable: rename"),
    "itself a link": (
        lambda raw: raw.rename(raw.with_name("x")) and raw.symlink_to("x"),
        "raw/s1 is a link, but a bundle holds only regular files: remove it",
    ),
    "itself a FIFO": (
        lambda raw: raw.rename(raw.parents[3] / "x") and os.mkfifo(raw),
        "raw/s1 is a FIFO, but a bundle holds only regular files: remove it",
    ),
    "directories": (
        lambda raw: [(raw / f"d{number}").mkdir() for number in range(10_001)],
        "files and directories of its host, and 10,000 is the limit",
    ),
    "nested": (
        lambda raw: raw.joinpath(*["d"] * 40).mkdir(parents=True),
        "has directories nested more than 32 deep",
    ),
}


@pytest.mark.parametrize(("put", "reason"), OF_ONE.values(), ids=OF_ONE)
def test_one_subject_is_missing_and_the_others_are_signed_off(
    tmp_path: Path, put: Put, reason: str
) -> None:
    campaign = campaign_in(tmp_path)
    put(raw_of(campaign))
    bundle = bundle_of(campaign)
    lacking = missing(bundle)
    assert {key.partition(" on ")[2] for key in lacking} == {"s1"}
    assert {key.partition(".")[0] for key in lacking} == {"SsdFio"}
    assert all(reason in why for why in lacking.values())
    assert not (bundle / "raw/servers/SsdFio/raw/s1").exists()
    assert (bundle / "raw/servers/SsdFio/raw/s2").is_dir()
    assert verify(bundle).problems == []


OF_ALL: dict[str, tuple[Put, str]] = {
    "of nobody": (lambda raw: os.mkfifo(raw.parent / "x"), "raw/x is a FIFO, but a bundle holds"),
    "of the job": (
        lambda raw: os.mkfifo(raw.parents[1] / "rfm_job.out"),
        "SsdFio/rfm_job.out is a FIFO, but a bundle holds only regular files",
    ),
    "all of it": (
        lambda raw: raw.parent.rename(raw.parents[3] / "r") and raw.parent.symlink_to("../../r"),
        "SsdFio/raw: raw is a link or a file, and must be a directory",
    ),
    "above it": (
        lambda raw: (
            raw.parents[2].rename(raw.parents[4] / "o") and raw.parents[2].symlink_to("../o")
        ),
        "servers is a link or a file, and must be a directory",
    ),
}


@pytest.mark.parametrize(("put", "reason"), OF_ALL.values(), ids=OF_ALL)
def test_the_checks_of_nobody_in_particular_are_missing(
    tmp_path: Path, put: Put, reason: str
) -> None:
    campaign = campaign_in(tmp_path)
    put(raw_of(campaign))
    bundle = bundle_of(campaign)
    lacking = missing(bundle)
    assert {"SsdFio.read_1m on s1", "SsdFio.read_1m on s2"} <= lacking.keys()
    assert all(reason in why for why in lacking.values())
    assert not any(" on c1" in key for key in lacking)
    assert verify(bundle).problems == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_hard_link_to_a_file_of_another_user_is_refused(tmp_path: Path) -> None:
    campaign = campaign_in(tmp_path)
    (tmp_path / "secret").write_text("of root")
    for path in (raw_of(campaign).parents[1], *raw_of(campaign).iterdir()):
        os.chown(path, 12345, 12345)
    (raw_of(campaign) / "x").hardlink_to(tmp_path / "secret")
    bundle = bundle_of(campaign)
    assert "of root" not in "".join(path.read_text() for path in bundle.rglob("x"))
    [reason] = set(missing(bundle).values())
    assert "raw/s1/x is a hard link to a file of another user" in reason


@pytest.mark.parametrize(
    ("name", "most", "reason"),
    [
        ("OUTPUT_BYTES", 1000, "bytes, and 1,000 is the limit: remove"),
        ("SOURCE_BYTES", 1200, "s1/c have 1,201 bytes, and 1,200 is the limit: remove"),
        ("SOURCE_FILES", 3, "c is one of 4 files and directories of its host, and 3 is"),
    ],
)
def test_what_one_host_leaves_has_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, most: int, reason: str
) -> None:
    campaign = campaign_in(tmp_path)
    for path in campaign.glob("output/**/*.*"):
        path.unlink()
    (raw_of(campaign) / "a").write_text("a" * 600)
    (raw_of(campaign) / "b").write_text("b" * 600)
    (raw_of(campaign) / "c").write_text("c")
    (raw_of(campaign) / "x").write_text("x" * (1001 if name == "OUTPUT_BYTES" else 1))
    monkeypatch.setattr(limits, name, most)
    cluster = described(description())
    case = read(str(campaign / "run-1.json"), cluster, campaign).cases["SsdFio", "servers"]
    assert list(case.problems) == ["s1"]
    assert reason in case.problems["s1"][0]


def test_a_directory_that_cannot_be_read_is_of_its_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = campaign_in(tmp_path)
    walk = Tree.walk

    def denied(tree: Tree, below: str = ".") -> Iterator[Entry]:
        if below.endswith("SsdFio/raw/s1"):
            raise PermissionError(13, "Permission denied")
        return walk(tree, below)

    monkeypatch.setattr(Tree, "walk", denied)
    results = read(str(campaign / "run-1.json"), described(description()), campaign)
    [problem] = results.cases["SsdFio", "servers"].problems["s1"]
    assert problem.endswith("raw/s1 cannot be read: Permission denied")


def test_as_many_directories_as_a_campaign_allows_fit_into_a_bundle(tmp_path: Path) -> None:
    campaign = campaign_in(tmp_path)
    raw_of(campaign).joinpath(*["d"] * 26).mkdir(parents=True)
    bundle = bundle_of(campaign)
    assert missing(bundle) == {}
    assert verify(bundle).problems == []


def test_the_command_says_what_was_refused(tmp_path: Path) -> None:
    campaign = campaign_in(tmp_path)
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    os.mkfifo(raw_of(campaign) / "x")
    arguments = (
        *("signoff", "--gate=measured", f"--cluster={tmp_path / 'cluster.json'}"),
        *(f"--reports={campaign / 'run-1.json'}", f"--out={tmp_path / 'out'}"),
        *(f"--outputs={campaign}",),
    )
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 1
    assert "s1/x is a FIFO, but a bundle" in " ".join(result.stdout.split())
    assert (tmp_path / "out" / "SHA256SUMS").is_file()
