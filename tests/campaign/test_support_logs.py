"""The whole logs of servers: bounded, without secrets, and the same when they are read again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.campaign.support_logs import files, read
from assay.foreign import limits
from assay.foreign.files import ForeignError

KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"


def write_logs(root: Path, logs: Mapping[str, str]) -> None:
    """Write logs below a directory."""
    for name, text in logs.items():
        path = root / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def again(root: Path, logs: object) -> object:
    """What is read of the logs in a bundle."""
    for path, content in files(logs):  # type: ignore[arg-type]
        target = root / "bundle" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return read(root / "bundle", "support-logs")


def test_logs_are_kept_by_server_without_keys(tmp_path: Path) -> None:
    write_logs(
        tmp_path,
        {
            "s1.example.org/EngineLogs/daos_engine.0.log": f"one\nkey {KEY}\n",
            "s2/ControlLogs/daos_server.log": "password: hunter2\n",
        },
    )
    logs = read(tmp_path / "logs")
    assert [(log.host, log.content, log.is_cut) for log in logs] == [
        ("s1", b"one\nkey [removed]\n", False),
        ("s2", b"password: [removed]\n", False),
    ]
    assert again(tmp_path, logs) == logs


@pytest.mark.parametrize(("more", "cut"), [(0, False), (1, True)])
def test_of_a_long_log_the_end_is_kept_by_whole_lines(tmp_path: Path, more: int, cut: bool) -> None:
    lines = "".join(f"line {number:010}\n" for number in range(limits.SUPPORT_LOG_BYTES // 16))
    assert len(lines) == limits.SUPPORT_LOG_BYTES
    write_logs(tmp_path, {"s1/a.log": "x" * more + lines})
    (log,) = logs = read(tmp_path / "logs")
    assert log.is_cut is cut
    assert len(log.content) <= limits.SUPPORT_LOG_BYTES
    assert log.content.endswith(lines.encode()[-16:])
    if cut:
        head, first, _ = log.content.decode().split("\n", 2)
        assert head == f"Cut here: the end of a log of {len(lines) + 1:,} bytes follows."
        assert len(first) == 15
    assert again(tmp_path, logs) == logs


def test_a_text_that_grows_when_it_is_made_printable_is_cut(tmp_path: Path) -> None:
    write_logs(tmp_path, {"s1/a.log": ("\x01" * 79 + "\n") * (limits.SUPPORT_LOG_BYTES // 80)})
    (log,) = logs = read(tmp_path / "logs")
    assert log.is_cut
    assert len(log.content) <= limits.SUPPORT_LOG_BYTES
    assert again(tmp_path, logs) == logs


def test_an_archive_is_refused_since_keys_may_be_in_it(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "s1" / "logs.tar.gz"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\x1f\x8b\0\0")
    with pytest.raises(ForeignError, match=r"logs\.tar\.gz is not a text, so keys in it"):
        read(tmp_path / "logs")


@pytest.mark.parametrize(("count", "is_refused"), [(100, False), (101, True)])
def test_there_are_only_so_many(tmp_path: Path, count: int, is_refused: bool) -> None:
    write_logs(tmp_path, {f"s1/{number}.log": "x" for number in range(count)})
    if is_refused:
        with pytest.raises(ForeignError, match="has more than 100 files"):
            read(tmp_path / "logs")
    else:
        assert len(read(tmp_path / "logs")) == count


def test_without_the_directory_there_are_none(tmp_path: Path) -> None:
    assert read(tmp_path, "support-logs") == ()
