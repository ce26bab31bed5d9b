"""What the tests of commands share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clusters import description


@pytest.fixture
def cluster_file(tmp_path: Path) -> Path:
    """The description of two clients and two servers."""
    path = tmp_path / "cluster.json"
    path.write_text(json.dumps(description()))
    return path
