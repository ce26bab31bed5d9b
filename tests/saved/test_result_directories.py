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


def test_of_an_old_mdtest_io500_took_the_fastest_rank(tmp_path: Path) -> None:
    # The figures of IO500's submission 106, with the row of its mdtest_easy_stat.txt.
    text = recordings.recorded("mdtest", "posted/mdtest_193_2018.txt")
    row = "28172.482      28172.482      28172.482          0.000"
    assert row in text
    (tmp_path / "mdtest_easy_stat.txt").write_text(
        text.replace(row, "3380210.000    3280210.000    3322710.000      10000.000")
    )
    (tmp_path / "result_summary.txt").write_text(
        "[RESULT] IOPS phase 4          mdtest_easy_stat             3380.210 kiops"
        " : time   9.52 seconds\n"
    )
    found = read([tmp_path])
    (directory,) = result_directories(found.runs)
    assert list(directory.differences()) == []
    (mean,) = found.runs[0].parsed.samples
    assert (mean.value, mean.labels["statistic"]) == (3322710, "mean of its ranks")


def test_a_log_of_another_run_is_not_compared(results: Path) -> None:
    (results / "io-500-summary.txt").write_text((results / "result_summary.txt").read_text())
    (directory,) = result_directories(read([results]).runs)
    assert [run.path.name for run in directory.summaries] == ["result_summary.txt"]
