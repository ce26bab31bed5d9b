"""What a host under test returns, unpacked without trust."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

import pytest

from assay.campaign.unpack import ArchiveMember, RefusedError, main, unpack
from returned import archive

OWN = ["evil/engine0", "evil/engine1"]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (archive(("raw/evil/engine0/x", "/etc"), kind=tarfile.SYMTYPE), "a symbolic link"),
        (archive(("raw/evil/engine0/x", "/etc/passwd"), kind=tarfile.LNKTYPE), "a hard link"),
        (archive(("raw/evil/engine0/x", ""), kind=tarfile.CHRTYPE), "a device"),
        (archive(("raw/evil/engine0/x", ""), kind=tarfile.FIFOTYPE), "a FIFO"),
        (archive(("raw/evil/engine0/x", "#!/bin/sh"), mode=0o4755), "setuid"),
        (archive(("raw/evil/engine0/x", "#!/bin/sh"), mode=0o2755), "setgid"),
        (archive(("raw/evil/engine0/x", "#!/bin/sh"), mode=0o1755), "sticky"),
        (archive(("raw/evil/engine0/../../../x", "")), "a path that leads outside"),
        (archive(("/raw/evil/engine0/x", "")), "a path that leads outside"),
        (archive(("raw/evil/engine0/\x1b[2Jx", "")), "a name that is not printable"),
        (archive(("raw/evil/engine0", "/etc"), kind=tarfile.SYMTYPE), "a symbolic link"),
        (archive(("../x", "")), "a path that leads outside"),
        (archive(("good.sh", "")), "a path that belongs to none of its subjects"),
        (
            archive(("raw/system/system.before.json", "")),
            "a path that belongs to none of its subjects",
        ),
        (archive(("raw/evil/engine01/x", "")), "a path that belongs to none of its subjects"),
        (archive(("raw/evil/engine0", "")), "a path that belongs to none of its subjects"),
        (archive(("raw/evil/engine0/" + "x" * 300, "")), "OSError"),
        (archive(("raw/evil/engine0/a\U000e0100", "")), "a name that is not printable"),
        (archive(("raw/evil/engine0" + 14 * "/x", "")), "more than 500 characters or 16 parts"),
        (archive(("raw/evil/engine0/" + "/".join(["x" * 250] * 2), "")), "500 characters"),
        (archive(("raw/evil/engine0/x/y", ""), ("raw/evil/engine0/x", "")), "IsADirectoryError"),
        (archive(("raw/evil/engine0/x", "x" * (65 * 2**20))), "more than 64 MiB"),
    ],
)
def test_what_is_not_ordinary_evidence_is_refused(
    tmp_path: Path, returned: bytes, message: str
) -> None:
    raw = tmp_path / "raw"
    unpack(io.BytesIO(returned), "evil", raw, ["evil/engine0"])
    refusal = (raw / "evil/engine0/refusal").read_text()
    assert refusal.startswith("evil returned ")
    assert message in refusal
    assert refusal.isascii()
    assert refusal.rstrip("\n").isprintable()
    assert len(refusal) < 1000
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == [
        *("raw", "raw/evil", "raw/evil/engine0", "raw/evil/engine0/refusal")
    ]


def test_the_directories_that_tar_returns_beside_the_files_are_taken(tmp_path: Path) -> None:
    (tmp_path / "there/raw/evil/engine0/deep").mkdir(parents=True)
    (tmp_path / "there/raw/evil/engine0/deep/fio.json").write_text("{}")
    made = subprocess.run(
        ["tar", "--create", "raw"], cwd=tmp_path / "there", capture_output=True, check=True
    ).stdout
    unpack(io.BytesIO(made), "evil", tmp_path / "raw", ["evil/engine0"])
    assert [path.name for path in (tmp_path / "raw/evil/engine0").iterdir()] == ["deep"]
    assert (tmp_path / "raw/evil/engine0/deep/fio.json").read_text() == "{}"


def refusal(tmp_path: Path, returned: bytes) -> str | None:
    """Why what a host returned is refused; None if it is kept."""
    unpack(io.BytesIO(returned), "evil", tmp_path / "raw", OWN)
    sentence = tmp_path / "raw/evil/engine0/refusal"
    return sentence.read_text() if sentence.exists() else None


@pytest.mark.parametrize(("limit", "refused"), [(101, False), (100, True)])
def test_so_many_files_are_not_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, *, refused: bool
) -> None:
    monkeypatch.setattr("assay.campaign.unpack.MAX_FILES", limit)
    returned = archive(*((f"raw/evil/engine0/{n}", "") for n in range(101)))
    sentence = refusal(tmp_path, returned)
    assert (sentence is not None) == refused
    assert not sentence or "more than 100 files" in sentence


@pytest.mark.parametrize(("limit", "refused"), [(10_240, False), (10_239, True)])
def test_an_archive_has_at_most_so_many_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, *, refused: bool
) -> None:
    monkeypatch.setattr("assay.campaign.unpack.MAX_BYTES", limit)
    returned = archive(("raw/evil/engine0/x", "1"))
    assert len(returned) == 10_240
    assert (refusal(tmp_path, returned) is not None) == refused


def test_headers_count_as_well_as_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.campaign.unpack.MAX_BYTES", 2**20)
    sentence = refusal(tmp_path, archive(("raw/evil/engine0/x", "x" * 2**20)))
    assert sentence == "evil returned more than 1 MiB; nothing that it returned is kept\n"


@pytest.mark.parametrize(
    ("path", "refused"),
    [
        ("x" + 12 * "/x", False),
        ("x" + 13 * "/x", True),
        ("x" * 241 + "/" + "x" * 241, False),
        ("x" * 241 + "/" + "x" * 242, True),
    ],
)
def test_a_path_has_at_most_16_parts_and_500_characters(
    tmp_path: Path, path: str, *, refused: bool
) -> None:
    sentence = refusal(tmp_path, archive((f"raw/evil/engine0/{path}", "")))
    assert (sentence is not None) == refused
    assert not sentence or "more than 500 characters or 16 parts" in sentence


@pytest.mark.parametrize(("bad", "named"), [(2, 2), (3, 3), (4, 3)])
def test_a_refusal_names_three_problems(tmp_path: Path, bad: int, named: int) -> None:
    sentence = refusal(tmp_path, archive(*((f"elsewhere/{n}", "") for n in range(bad))))
    assert sentence is not None
    assert sentence.count("belongs to none of its subjects") == named


@pytest.mark.parametrize(("size", "refused"), [(2**16, False), (2**16 + 1, True)])
def test_a_header_has_at_most_64_kib(size: int, *, refused: bool) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, size
    block = header.tobuf(tarfile.GNU_FORMAT)
    if refused:
        with pytest.raises(RefusedError, match="a header of 65,537 bytes"):
            ArchiveMember.frombuf(block, "utf-8", "strict")
    else:
        assert ArchiveMember.frombuf(block, "utf-8", "strict").size == size


def sparse(directory: Path, size: int) -> bytes:
    """An archive with one file, which is nothing but a hole of so many bytes."""
    with (directory / "x").open("wb") as file:
        file.truncate(size)
    return subprocess.run(
        ["tar", "--create", "--sparse", "--transform=s,^,raw/evil/engine0/,", "x"],
        cwd=directory,
        capture_output=True,
        check=True,
    ).stdout


def test_a_sparse_file_counts_as_large_as_it_becomes(tmp_path: Path) -> None:
    made = sparse(tmp_path, 2**40)
    assert len(made) < 2**20
    unpack(io.BytesIO(made), "evil", tmp_path / "raw", ["evil/engine0"])
    refusal = (tmp_path / "raw/evil/engine0/refusal").read_text()
    assert refusal == "evil returned more than 64 MiB; nothing that it returned is kept\n"


@pytest.mark.parametrize(("limit", "refused"), [(2**20, False), (2**20 - 1, True)])
def test_files_have_at_most_so_many_bytes_outside_of_the_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, *, refused: bool
) -> None:
    monkeypatch.setattr("assay.campaign.unpack.MAX_BYTES", limit)
    made = sparse(tmp_path, 2**20)
    assert (refusal(tmp_path, made) is not None) == refused


def test_a_header_counts_too(tmp_path: Path) -> None:
    """The library reads a long name into memory, however long it is said to be."""
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 2**36
    stream = io.BufferedReader(Endless(header.tobuf(tarfile.GNU_FORMAT)))
    unpack(stream, "evil", tmp_path / "raw", ["evil/engine0"])
    assert "a header of 68,719,476,736 bytes" in (tmp_path / "raw/evil/engine0/refusal").read_text()


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE])
def test_headers_for_all_that_follow_are_short(tmp_path: Path, kind: bytes) -> None:
    """The library copies the words of a global header for every member that has its own."""
    words = b"".join(b"11 %06x=\n" % number for number in range(10_000))
    header = tarfile.TarInfo("words")
    header.type, header.size = kind, len(words)
    made = header.tobuf(tarfile.USTAR_FORMAT) + words.ljust(-(-len(words) // 512) * 512, b"\0")
    returned = made + archive(("raw/evil/engine0/x", "1"))
    unpack(io.BytesIO(returned), "evil", tmp_path / "raw", ["evil/engine0"])
    assert "a header of 110,000 bytes" in (tmp_path / "raw/evil/engine0/refusal").read_text()


def test_an_archive_that_takes_too_long_is_not_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.campaign.unpack.MAX_CPU_S", -1)
    unpack(io.BytesIO(archive(("raw/evil/engine0/x", "1"))), "evil", tmp_path / "raw", OWN)
    assert "takes more than -1 s" in (tmp_path / "raw/evil/engine0/refusal").read_text()


class Endless(io.RawIOBase):
    """A stream that begins with something and never ends."""

    def __init__(self, start: bytes) -> None:
        super().__init__()
        self.start = start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        part, self.start = self.start[: len(buffer)], self.start[len(buffer) :]
        buffer[: len(part)] = part
        return len(part) if part else len(buffer)


def test_ordinary_evidence_is_kept_with_the_modes_of_here(tmp_path: Path) -> None:
    raw, plain = tmp_path / "raw", tmp_path / "plain"
    plain.touch()
    returned = archive(("raw/evil/engine0/x", "1"), ("./raw/evil/engine1/1/y", "2"), mode=0o777)
    unpack(io.BytesIO(returned), "evil", raw, OWN)
    assert (raw / "evil/engine0/x").read_text() == "1"
    assert (raw / "evil/engine1/1/y").read_text() == "2"
    assert (raw / "evil/engine0/x").stat().st_mode == plain.stat().st_mode
    assert (raw / "evil/engine0").stat().st_mode == raw.stat().st_mode
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("returned", [b"no archive", archive(("raw/evil/engine0/x", "1"))[:600]])
def test_an_archive_that_is_damaged_is_not_evidence(
    tmp_path: Path,
    returned: bytes,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(returned)))
    assert main(["evil", str(tmp_path / "raw"), "evil/engine0"]) == 1
    assert "what evil returned is not a complete archive: " in capsys.readouterr().err
    assert list((tmp_path / "raw").iterdir()) == []


def test_the_message_on_a_damaged_archive_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"no archive")))
    assert main(["e" * 300, str(tmp_path / "raw"), "evil/engine0"]) == 1
    assert capsys.readouterr().err == f"what {'e' * 195}\n"


@pytest.mark.parametrize(
    ("returned", "status", "kept"),
    [(archive(("raw/evil/engine0/x", "1")), 0, ["evil"]), (b"", 1, [])],
)
def test_a_host_that_returned_nothing_needs_no_second_message(
    tmp_path: Path,
    returned: bytes,
    status: int,
    kept: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of a host that cannot be reached, ssh says why."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(returned)))
    assert main(["evil", str(tmp_path / "raw"), "evil/engine0"]) == status
    assert capsys.readouterr().err == ""
    assert [path.name for path in (tmp_path / "raw").iterdir()] == kept
