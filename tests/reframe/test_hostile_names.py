"""Scripts of the checks of a site whose paths are hostile, run by a real bash."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from run_reframe import scripts

from sites import site

DIRECTORY = '$(touch canary)`touch canary`\'a";touch canary;"ü\\#-'
"""A part of paths: what it would run leaves a file."""

STAND_IN = """#!/bin/bash
printf '%s\\0' "$0" "$@" >"$(mktemp "$RECORDS/{}.XXXXXX")"
{}
"""


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What ReFrame would run, of nearly all checks."""
    root = tmp_path_factory.mktemp("site")
    document = site(clients=2)
    plain = DIRECTORY.replace("$", "")
    for name, host in document["hosts"].items():
        host["scratch"]["directory"] = str(root / plain / "scratch" / name)
        host["interface"] = "$(touch canary)"
        host["interfaces"]["$(touch canary)"] = {}
        host["cores"] = max(2, host["cores"])
    document["daos"] |= {"pool": "POOL", "container": "CONT", "perf_pool": "PERF"}
    programs = ("fio", "ior", "mdtest", "io500", "fi_pingpong", "fdb_hammer", "fdb_hammer_daos")
    document["benchmarks"] = {name: str(root / DIRECTORY / name) for name in programs} | {
        "fdb_share": str(root / DIRECTORY / "share"),
        "ior_apis": ["DFS", "MPIIO"],
    }
    scripts(document, root, "--tag=quick")
    return root


def test_nothing_runs_but_the_steps(stages: Path, tmp_path: Path) -> None:
    records, programs = tmp_path / "records", tmp_path / "bin"
    records.mkdir()
    programs.mkdir()
    answers = {
        "srun": (
            "[[ $* != *pgrep* ]] || echo 0\n"
            "[[ $* != *attach.py* ]] || printf 'as described: %s\\n' c1 c2\n"
            "[[ $* != *daos_agent.sock* ]] || printf '%s none\\n' c1 c2"
        ),
        "unshare": "",
        "pgrep": "echo 0; exit 1",
        "taskset": "",
        "mountpoint": "",
    }
    for name, answer in answers.items():
        (programs / name).write_text(STAND_IN.format(name, answer))
        (programs / name).chmod(0o755)
    paths = [
        *stages.rglob("partition.sh"),
        *(path for path in stages.rglob("*.sh") if path.stem in ("c1", "c2", "s1")),
    ]
    assert len(paths) > 10
    for path in paths:
        subprocess.run(
            ["bash", path.name],
            cwd=path.parent,
            env={
                **os.environ,
                "PATH": f"{programs}:{os.environ['PATH']}",
                "RECORDS": str(records),
                "SLURM_JOB_ID": "7",
                "SLURMD_NODENAME": path.stem,
            },
            check=False,
            capture_output=True,
            timeout=120,
        )
    assert not list(stages.rglob("canary"))
    assert not list(tmp_path.rglob("canary"))
    words = {
        word for record in records.iterdir() for word in record.read_bytes().decode().split("\0")
    }
    for program in ("fi_pingpong", "ior", "mdtest"):
        assert str(stages / DIRECTORY / program) in words
    assert "FI_TCP_IFACE=$(touch canary)" in words
