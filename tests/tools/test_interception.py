"""The interception libraries: calls that were not taken."""

import pytest

from assay.tools.daos.interception import environment, problems
from recordings import recorded


def reported(name, library, processes=1, tool="ior", **options):
    return list(problems(recorded(tool, name), library, processes, **options))


def test_each_rank_loads_the_library_and_reports():
    assert environment("pil4dfs", "/usr/lib64") == {
        "LD_PRELOAD": "/usr/lib64/libpil4dfs.so",
        "D_IL_REPORT": "1",
    }


@pytest.mark.parametrize(
    ("name", "library"),
    [("dfuse_ioil_report.txt", "ioil"), ("dfuse_pil4dfs_report.txt", "pil4dfs")],
)
def test_a_library_that_took_calls_has_no_problem(name, library):
    assert reported(name, library) == []


def test_the_reports_of_two_ranks_run_into_each_other():
    assert reported("dfuse_pil4dfs_2ranks.txt", "pil4dfs", processes=2) == []


def test_of_files_without_bytes_libioil_takes_the_opens_alone():
    assert reported("dfuse_ioil_report.txt", "ioil", processes=2, tool="mdtest", data=False) == []
    assert reported("dfuse_ioil_report.txt", "ioil", processes=2, tool="mdtest")


def test_a_process_of_fio_does_not_report_what_it_read():
    text = recorded("fio", "dfuse_pil4dfs_processes.txt")
    assert "[op_sum ]  11" in text
    assert list(problems(text, "pil4dfs", 1)) == [NONE]


@pytest.mark.parametrize("library", ["ioil", "pil4dfs"])
def test_threads_of_fio_report_as_one_process(library):
    assert reported(f"dfuse_{library}_threads.txt", library, tool="fio") == []


def test_of_libaio_nothing_is_reported():
    assert reported("dfuse_pil4dfs_libaio.txt", "pil4dfs", tool="fio") == [NONE]


def test_one_library_is_not_the_other():
    assert reported("dfuse_ioil_report.txt", "pil4dfs")


NONE = (
    "libpil4dfs took no calls: was it loaded, was D_IL_REPORT set, and is the path on a dfuse"
    " mount?"
)


def test_without_a_mount_nothing_is_taken():
    assert reported("dfuse_pil4dfs_unmounted.txt", "pil4dfs") == [NONE]


def test_a_library_that_is_missing_is_named():
    assert reported("dfuse_preload_missing.txt", "pil4dfs") == [
        "/usr/lib64/libpil4dfs.so was not loaded: is it installed on this host?",
        NONE,
    ]


def test_every_process_has_to_report():
    assert reported("dfuse_pil4dfs_report.txt", "pil4dfs", processes=16) == [
        "libpil4dfs took calls in 1 of 16 processes"
    ]


def test_one_call_is_taken():
    one = "[read   ]  1\n[write  ]  0\n"
    assert list(problems(one, "pil4dfs", 1)) == []
    assert list(problems(one.replace("1", "0"), "pil4dfs", 1)) == [NONE]


def test_a_program_that_is_bypassed_is_named():
    text = recorded("ior", "dfuse_pil4dfs_report.txt").replace("ception ON", "ception OFF")
    assert next(problems(text, "pil4dfs", 1)) == (
        "libpil4dfs bypasses ior: it is in its bypass list"
    )
