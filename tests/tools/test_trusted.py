"""Programs that are run as root only if nobody else can change them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from assay.tools.host import trusted
from assay.tools.host.trusted import NotRunError, require_trusted, run_trusted


@pytest.fixture
def script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program whose directories are taken for root's alone."""
    monkeypatch.setattr(trusted, "writable", lambda _: [])
    path = tmp_path / "script"
    path.write_text("#!/bin/sh\nprintf 'a\\377b'; cat; echo error >&2; exit 3\n")
    path.chmod(0o755)
    return path


def test_what_a_program_prints_is_kept_though_it_fails(script: Path) -> None:
    run = run_trusted(str(script), limit_s=30)
    assert (run.stdout, run.stderr, run.returncode) == ("a\N{REPLACEMENT CHARACTER}b", "error\n", 3)


def test_a_program_that_does_not_end_is_named(script: Path) -> None:
    script.write_text("#!/bin/sh\nexec sleep 60\n")
    with pytest.raises(NotRunError, match=r"script did not end within 1 s$"):
        run_trusted(str(script), limit_s=1)


def test_a_program_that_cannot_be_run_is_named(script: Path) -> None:
    script.write_text("#!/none/here\n")
    with pytest.raises(NotRunError, match=r"script cannot be run: No such file or directory$"):
        run_trusted(str(script), limit_s=30)
    script.chmod(0o644)
    with pytest.raises(NotRunError, match=r"script is absent or not executable$"):
        require_trusted(str(script))


def test_a_program_that_others_may_write_is_not_run(tmp_path: Path) -> None:
    path = tmp_path / "script"
    path.write_text("#!/bin/sh\n")
    os.chmod(path, 0o777)
    with pytest.raises(NotRunError, match=r"was not run as root, since others may write .*script"):
        require_trusted(str(path))
