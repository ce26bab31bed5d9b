"""Files of others: regular ones, within a limit, and through no link of theirs."""

import os
import sys
import time
from pathlib import Path

import pytest

from assay.foreign import owners
from assay.foreign.files import ForeignError, Tree, read
from assay.foreign.owners import warning


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("text")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "a" / "out").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "fifo")
    return tmp_path


def test_a_file_is_read(root: Path) -> None:
    assert Tree(root).read("a/b/file", 4) == read(root / "a/b/file", 4) == b"text"


@pytest.mark.parametrize(
    "name", ["link/b/file", "a/out", "../x", "a/../a/b/file", "/etc/passwd", "fifo", "a", "x\0y"]
)
def test_nothing_else_is(root: Path, name: str) -> None:
    with pytest.raises((ForeignError, OSError)):
        Tree(root).read(name, 100)


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/stdin", "/dev/null", "fifo", "a"])
def test_no_device_is_read(root: Path, name: str) -> None:
    """`assay parse fio /dev/zero` ran out of memory."""
    start = time.monotonic()
    with pytest.raises(ForeignError, match="is not a regular file"):
        read(root / name, 100)
    assert time.monotonic() - start < 10


def test_a_file_that_says_that_it_is_empty_is_bounded() -> None:
    """The size of a file of /proc is 0, whatever it holds."""
    with pytest.raises(ForeignError, match="has more than 3 bytes, which is the limit"):
        read(Path("/proc/self/status"), 3)


def test_a_large_file_is_not_read(root: Path) -> None:
    os.truncate(root / "a/b/file", 2**40)
    with pytest.raises(ForeignError, match="has more than 1,000 bytes, which is the limit"):
        read(root / "a/b/file", 1000)


def test_a_walk_follows_no_link(root: Path) -> None:
    kinds = {entry.name: entry.kind for entry in Tree(root).walk()}
    assert kinds == {
        "a": "a directory",
        "a/b": "a directory",
        "a/b/file": "a file",
        "a/out": "a link",
        "fifo": "a FIFO",
        "link": "a link",
    }


@pytest.mark.skipif(os.geteuid() != 0, reason="it is root who is warned")
def test_root_is_warned_of_files_of_others(root: Path) -> None:
    file = root / "a/b/file"
    assert warning([file]) is None
    file.chmod(0o666)
    assert "everybody can write" in (warning([file]) or "")
    assert "everybody can write" in (warning([file]) or "")
    assert warning([root / "none"]) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="it is root who is warned")
def test_root_is_warned_of_an_owner_once_with_a_command_that_every_linux_has(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owners, "WARNED", root / "run/warned")
    monkeypatch.setattr(sys, "argv", ["/opt/assay/bin/assay", "progress", "it's"])
    file, assay = root / "a/b/file", """/opt/assay/bin/assay progress 'it'"'"'s'"""
    for owner, who, become in (
        (12345, "the user 12345", "setpriv --reuid=12345 --regid=12345 --clear-groups"),
        (65534, "nobody", "runuser --user=nobody --"),
    ):
        os.chown(root / "a/b", owner, 0)
        assert warning([file]) == (
            f"warning: root reads {root / 'a/b'}, which {who} owns; as that user: {become} {assay}"
        )
        assert warning([file]) is None


def test_nobody_else_is_warned(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "a/b/file").chmod(0o666)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert warning([root / "a/b/file"]) is None


def test_what_lies_where_a_file_is_written_is_replaced(root: Path) -> None:
    """A job could leave a link, and the controller then wrote to any file of its user."""
    (root / "secret").write_text("kept")
    (root / "a" / "answer").symlink_to(root / "secret")
    os.mkfifo(root / "a" / "fifo")
    for name in ("a/answer", "a/fifo", "a/b/new/file"):
        Tree(root).write(name, b"answer")
        assert Tree(root).read(name, 6) == b"answer"
    assert (root / "secret").read_text() == "kept"
    assert sorted(path.name for path in (root / "a").iterdir()) == ["answer", "b", "fifo", "out"]


@pytest.mark.parametrize("name", ["link/x", "../x", "fifo/x", "a"])
def test_nothing_is_written_elsewhere(root: Path, name: str) -> None:
    with pytest.raises((ForeignError, OSError)):
        Tree(root).write(name, b"answer")
    assert not list(root.rglob("x"))
    assert not (root.parent / "x").exists()
