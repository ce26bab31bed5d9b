"""What an Open MPI that a signal has ended leaves in the memory of a host."""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs import Job

HOST = f"assay-{os.getpid()}"


@pytest.fixture
def segment() -> Iterator[Path]:
    path = Path(f"/dev/shm/vader_segment.{HOST}.{os.getuid()}.7.0")
    path.write_bytes(b"shared")
    yield path
    path.unlink(missing_ok=True)


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Of an mpirun that has ended: no process has such a number."""
    path = tmp_path / f"ompi.{HOST}.{os.getuid()}" / "pid.99999999"
    path.mkdir(parents=True)
    (path / "contact.txt").touch()
    return path


def forget(tmp_path: Path, since: float) -> None:
    Job(tmp_path, tmp_path).run(f"TMPDIR={tmp_path} forget_openmpi {since:.0f}")


def test_it_is_removed(tmp_path: Path, session: Path, segment: Path) -> None:
    forget(tmp_path, time.time() - 60)
    assert not session.parent.exists()
    assert not segment.exists()


def test_what_is_older_than_the_job_stays(tmp_path: Path, session: Path, segment: Path) -> None:
    forget(tmp_path, time.time() + 60)
    assert session.exists()
    assert segment.exists()


def test_what_another_job_of_the_user_has_stays(
    tmp_path: Path, session: Path, segment: Path
) -> None:
    mine = session.with_name(f"pid.{os.getpid()}")
    mine.mkdir()
    with segment.open("r+b") as file, mmap.mmap(file.fileno(), 0):
        forget(tmp_path, 0)
    assert mine.exists()
    assert not session.exists()
    assert segment.exists()
