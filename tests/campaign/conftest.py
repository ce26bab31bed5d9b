"""What the tests of job scripts share."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from jobs import Job


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    # Not below /tmp, which may be a tmpfs: the page cache is that of a disk.
    with tempfile.TemporaryDirectory(prefix="assay-steps.", dir="/var/tmp") as scratch:
        yield Job(tmp_path, Path(scratch))
