"""What root asks dmg for, and of which dmg it asks nothing."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.tools.host import trusted

MODULE = Path(__file__).parents[2] / "roles/cluster/library/cluster_scan.py"


@pytest.fixture
def scan(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    monkeypatch.setitem(sys.modules, "ansible.module_utils.trusted", trusted)
    module = runpy.run_path(str(MODULE))
    monkeypatch.setitem(module["scan"].__globals__, "ANSWER_S", 1)
    asked: Callable[[str], str] = module["scan"]
    return asked


@pytest.fixture
def dmg(tmp_path: Path) -> Path:
    program = tmp_path / "bin/dmg"
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho "asked for $*"\n')
    program.chmod(0o755)
    return program


@pytest.mark.skipif(os.getuid() != 0, reason="only what is root's is run")
def test_a_dmg_that_others_may_write_is_not_run(scan: Callable[[str], str], dmg: Path) -> None:
    assert scan(str(dmg)) == "asked for -j storage scan --verbose\n"
    dmg.chmod(0o757)
    assert scan(str(dmg)) == ""
    dmg.chmod(0o755)
    dmg.parent.chmod(0o777)
    assert scan(str(dmg)) == ""


@pytest.mark.skipif(os.getuid() != 0, reason="only what is root's is run")
def test_a_dmg_that_hangs_or_is_absent_lists_nothing(scan: Callable[[str], str], dmg: Path) -> None:
    dmg.write_text("#!/bin/sh\nexec sleep 100\n")
    assert scan(str(dmg)) == ""
    assert scan(str(dmg.with_name("none"))) == ""
