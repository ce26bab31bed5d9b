"""The result directory of IO500: its summary beside the outputs of its phases."""

from pathlib import Path

import pytest

import recordings
from assay.saved.reading import read
from assay.saved.results import result_directories

SUMMARY = "[RESULT]       ior-hard-write     4216.340094 GiB/s : time 320.407 seconds\n"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A directory with a part of a summary, the phase that it reports, and its configuration."""
    (tmp_path / "result_summary.txt").write_text(f"IO500 version sc23_v1 (standard)\n{SUMMARY}")
    phase = recordings.recorded("ior", "posted/ior_dfs_io500_hard_write.txt")
    (tmp_path / "ior-hard-write.txt").write_text(phase)
    (tmp_path / "config.ini").write_text("[ior-easy-write]\nrun = TRUE\n")
    return tmp_path


def test_a_directory_is_read_whole(results: Path) -> None:
    found = read([results])
    names = [(run.path.name, run.parsed.tool) for run in found.runs]
    assert names == [("ior-hard-write.txt", "ior"), ("result_summary.txt", "io500")]
    assert (found.not_read, found.passed_over) == ((), 1)


def test_what_a_summary_reports_is_that_of_its_phases(results: Path) -> None:
    (directory,) = result_directories(read([results]).runs)
    assert list(directory.phases) == ["ior-hard-write"]
    assert list(directory.differences()) == []


def test_a_figure_that_differs_is_named(results: Path) -> None:
    summary = results / "result_summary.txt"
    summary.write_text(summary.read_text().replace("4216.340094", "4317.532000"))
    (directory,) = result_directories(read([results]).runs)
    assert list(directory.differences()) == [
        f"{summary}: ior_hard_write is 4317.53 GiB/s, but ior-hard-write.txt has 4216.34"
    ]
