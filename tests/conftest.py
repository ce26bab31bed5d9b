"""Clusters to test with."""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from assay.cluster.description import Cluster
from clusters import described, description
from runs import report
from signals import own_dispositions

own_dispositions()

# A module is compiled once, and not by each of the programs that the tests start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Thousands of tests stay in memory; to look at them for garbage again and again takes a tenth of
# the time.
gc.set_threshold(200_000)

# How long an example takes says how busy the machine is, and nothing of what is tested.
settings.register_profile("assay", deadline=None)
settings.load_profile("assay")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long: a Slurm is waited for, and what would be last would be alone."""
    items.sort(key=lambda item: {"pipeline", "test_wrong_uses.py"}.isdisjoint(item.path.parts))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show why a test failed before it was run again, so that its cause can be mended."""
    for failed in terminalreporter.stats.get("rerun", []):
        terminalreporter.write_sep("_", f"first run of {failed.nodeid}")
        terminalreporter.write_line(failed.longreprtext)


@pytest.fixture
def cluster() -> Cluster:
    """Two clients and two servers."""
    return described(description())


@pytest.fixture
def one_machine() -> Cluster:
    """One host that is client and server at once."""
    document = description(clients=1, servers=1)
    host = {**document["hosts"]["s1"], "interface": "lo", "interfaces": {"lo": {}, "eth0": {}}}
    document |= {
        "controller": "here",
        "clients": ["here"],
        "servers": ["here"],
        "colocated": True,
        "hosts": {"here": host},
    }
    return described(document)


@pytest.fixture
def campaign(tmp_path: Path, cluster: Cluster) -> Callable[..., str]:
    """Write a run report, after a change to it, and give the pattern that finds it."""

    def write(change: Callable[[dict[str, Any]], None] = lambda _: None) -> str:
        document = report(cluster, tmp_path)
        change(document)
        path = tmp_path / "reports" / "run-1.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document))
        return str(path.parent / "*.json")

    return write
