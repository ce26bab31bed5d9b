"""What ReFrame would run is what the plan requires, on every kind of cluster."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from run_reframe import reframe

from assay.checks.plan import CHECKS, PHASES, features, requirements
from clusters import described
from sites import LAYOUTS, site


def listed(document: dict[str, Any], directory: Path) -> set[str]:
    """The names of the checks that ReFrame lists."""
    printed = reframe(document, directory, "--list", "--tag=quick")
    assert "WARNING" not in printed, printed
    return set(re.findall(r"^- (\w+) ", printed, re.MULTILINE))


def tagged(document: dict[str, Any], directory: Path) -> dict[str, set[str]]:
    """The same checks, each with the tags by which it can be selected."""
    printed = reframe(document, directory, "--describe", "--tag=quick")
    described = json.loads(printed[printed.index("[\n") :])
    return {check["@class"]: set(check["tags"]) for check in described}


def cluster(layout: str, scheduler: str = "slurm") -> dict[str, Any]:
    document = site(layout, servers=2, engines=2, clients=2)
    document["servers_scheduler"] = scheduler
    document["benchmarks"] = {
        **{tool: f"/usr/bin/{tool}" for tool in ("fio", "fi_pingpong", "fio_dfs")},
        **{tool: f"/usr/bin/{tool}" for tool in ("ior", "mdtest", "io500")},
        "ior_apis": ["DFS"],
        "fdb_hammer_daos": "/opt/fdb/bin/fdb-hammer",
        "fdb_share": "/opt/fdb/share",
        "shared_directory": "/share",
    }
    document["daos"] |= {
        "pool": "tank",
        "container": "posix",
        "mount": "/mnt/dfuse",
        "perf_pool": "perf",
    }
    for name in document["servers"]:
        document["hosts"][name]["server"]["eadr"] = True
    return document


DISTINCT = ("pmem", "ephemeral", "file")
"""A layout for each set of features, by which ReFrame selects the checks of a partition."""


def features_of(layout: str) -> tuple[frozenset[str], ...]:
    listed = described(cluster(layout))
    return tuple(frozenset(features(listed, name)) for name in ("clients", "servers"))


def test_every_layout_has_the_features_of_one_that_is_listed() -> None:
    distinct = {features_of(layout) for layout in DISTINCT}
    assert len(distinct) == len(DISTINCT)
    assert {features_of(layout) for layout in LAYOUTS} == distinct


@pytest.mark.parametrize("layout", DISTINCT)
def test_the_list_is_the_plan(layout: str, tmp_path: Path) -> None:
    document = cluster(layout)
    assert listed(document, tmp_path) == {
        metric.check for metric in requirements(described(document))
    }


def test_servers_over_ssh_have_a_list_and_a_plan_of_their_own(tmp_path: Path) -> None:
    document = cluster("pmem", "ssh")
    plan = requirements(described(document))
    assert listed(document, tmp_path) == {metric.check for metric in plan}
    assert {metric.partition for metric in plan if metric.check == "FiPingpong"} == {"clients"}


def test_the_phases_together_are_the_plan(tmp_path: Path) -> None:
    document = cluster("pmem")
    listed = tagged(document, tmp_path)
    assert listed.keys() == {metric.check for metric in requirements(described(document))}
    assert all(len(tags.intersection(PHASES)) == 1 for tags in listed.values())


def test_what_needs_root_is_what_drives_engines_devices(tmp_path: Path) -> None:
    document = cluster("ephemeral")
    of_root = {name for name, tags in tagged(document, tmp_path).items() if "root" in tags}
    assert of_root >= {"VosPerfRate", "NvmeBandwidth"}
    plan = requirements(described(document))
    phases = {metric.check: CHECKS[metric.check].phase for metric in plan}
    assert {phases[name] for name in of_root} <= {"raw", "scm"}
    assert {name for name, phase in phases.items() if phase == "scm"} <= of_root


def test_reframe_leaves_no_log_of_its_own_in_tmp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    printed = reframe(cluster("file"), tmp_path, "--list", "--name=SsdFio")
    assert "SsdFio" in printed
    assert not list((tmp_path / "tmp").glob("rfm-*"))
