"""The bulk trial by hand: what it counts, and when it is a no."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

import recordings

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def trial() -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "submissions", REPOSITORY / "bench" / "submissions.py"
    )
    assert specification
    assert specification.loader
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_it_counts_runs_reasons_and_differences(
    trial: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    posted = recordings.ROOT / "io500" / "posted"
    shutil.copy(posted / "io500sh_2018.txt", tmp_path / "result_summary.txt")
    shutil.copy(recordings.ROOT / "ior" / "data_check_error.txt", tmp_path)
    (tmp_path / "notes").write_text("nothing\n")
    assert trial.main(tmp_path) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "3 files, 1 of no known program, 2 runs: 1 of ior, 1 of io500"
    assert printed[1].startswith("1 sound, 1 refused, 0 not known; ")
    assert printed[-2:] == ["1 result directories, 0 phases: 0 differ", "0 readers raised"]


def test_a_figure_that_differs_is_a_no(
    trial: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    posted = recordings.ROOT / "io500" / "posted"
    shutil.copy(posted / "io500sh_2018.txt", tmp_path / "result_summary.txt")
    phase = recordings.ROOT / "ior" / "posted" / "ior_33dev_without_nodes.txt"
    shutil.copy(phase, tmp_path / "ior_easy_read.txt")
    assert trial.main(tmp_path) == 1
    assert "result_summary.txt: ior_easy_read is 145.395 GiB/s" in capsys.readouterr().out


def test_a_trial_that_is_stopped_prints_what_it_has(
    trial: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shutil.copy(recordings.ROOT / "ior" / "posix_repeat3.txt", tmp_path / "1.txt")
    (tmp_path / "2.txt").write_text("slow\n")
    read = trial.read

    def stopped(paths: list[Path]) -> object:
        if paths[0].name == "2.txt":
            raise KeyboardInterrupt
        return read(paths)

    monkeypatch.setattr(trial, "read", stopped)
    assert trial.main(tmp_path) == 2
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "stopped after 1 of 2 files"
    assert printed[1] == "1 files, 0 of no known program, 1 runs: 1 of ior"
    assert printed[2].startswith("1 sound, ")
