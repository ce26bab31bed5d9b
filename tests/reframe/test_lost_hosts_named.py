"""Which hosts take no jobs, from a sinfo that anybody may have filled with reasons."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType

import pytest

CHECKS = Path(__file__).parents[2] / "reframe-checks"


@pytest.fixture
def lost_hosts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(CHECKS))
    return importlib.import_module("lost_hosts")


def sinfo(directory: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    mark = "for word; do mark=${word#--format=}; done; mark=${mark%%|*}"
    (directory / "sinfo").write_text(f"#!/bin/sh\n{mark}\n{script}\n")
    (directory / "sinfo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")


def test_a_byte_that_is_no_utf8_costs_no_other_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost_hosts: ModuleType
) -> None:
    """It raised within ReFrame, in each check."""
    lines = r"$mark|s1|down|bad\377byte\n$mark|s2|drained|memory\n"
    sinfo(tmp_path, monkeypatch, f'printf "{lines}"')
    assert lost_hosts.among("servers", ["s1", "s2"]) == {
        "s1": "s1 is down in Slurm (bad\ufffdbyte)",
        "s2": "s2 is drained in Slurm (memory)",
    }


def test_a_line_feed_in_a_reason_names_no_other_node(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost_hosts: ModuleType
) -> None:
    lines = r"$mark|s1|down|x\ns2|down|y\n|s2|down|y\n$mark|s2|idle|none\n"
    sinfo(tmp_path, monkeypatch, f'printf "{lines}"')
    assert list(lost_hosts.among("servers", ["s1", "s2"])) == ["s1"]


@pytest.mark.parametrize("script", ["exec yes", "exec cat /dev/zero", "exit 1"])
def test_no_answer_names_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost_hosts: ModuleType, script: str
) -> None:
    sinfo(tmp_path, monkeypatch, script)
    assert lost_hosts.among("servers", ["s1", "s2"]) == {}
