"""Which program wrote an output, and where its runs begin."""

import time
from pathlib import Path

import pytest

import recordings
from assay.saved.recognition import program, runs
from assay.tools.launcher_output import without_prefixes

GOOD = [
    ("ior", "posix_repeat3.txt"),
    ("ior", "posix_json.json"),
    ("ior", "dfs_json_stdout.txt"),
    ("ior", "dfs_summary.csv"),
    ("ior", "posted/ior_310_mpiio_read.txt"),
    ("mdtest", "dfs_easy.txt"),
    ("mdtest", "posted/mdtest_193_2018.txt"),
    ("io500", "valid.txt"),
    ("io500", "posted/io500sh_2018.txt"),
    ("io500", "posted/io500_2023_result_ini.txt"),
    ("io500", "posted/io500_no_version.txt"),
    ("fio", "dfs_normal.txt"),
    ("fio", "dfs_terse.txt"),
    ("fio", "dfs_rendered.json"),
    ("fio", "posted/fio_2015_iometer.txt"),
    ("fi_pingpong", "client_rdm_64.txt"),
    ("self_test", "get.txt"),
    ("net_test", "two_ranks.txt"),
    ("net_test", "text.txt"),
    ("spdk_nvme_perf", "read_4k.txt"),
    ("vos_perf", "rate.txt"),
    ("daos_perf", "two_hosts.txt"),
    ("fdb_hammer", "write-4.txt"),
    ("container", "posix.txt"),
    ("dmg", "pool_query.txt"),
    ("dmg", "posted/dmg_22_pool_list_verbose.json"),
    ("findmnt", "dfuse.txt"),
    ("agent_log", "one_node.log"),
]


@pytest.mark.parametrize(("tool", "name"), GOOD)
def test_the_program_is_known_by_its_output(tool: str, name: str) -> None:
    text = recordings.recorded(tool, name)
    assert program(text) == tool
    assert program(without_prefixes(text)) == tool


@pytest.mark.parametrize(
    ("tool", "text"),
    [
        ("dmg", '{"response": {"host_errors": {}}, "error": null}\n'),
        ("container", '{"response": {"pool_uuid": "1", "container_uuid": "2"}, "error": null}\n'),
        ("mdtest", "SUMMARY rate: (of 3 iterations)\n"),
        ("mdtest", "SUMMARY rate (in ops/sec): (of 1 iterations)\n"),
        ("ior", "access    bw(MiB/s)  block(KiB)\n------    ---------  ----------\nwrite  1.0\n"),
        ("ior", "test,threads,access,bw(MiB/s),IOPS\n"),
    ],
)
def test_a_part_of_an_output_shows_its_program(tool: str, text: str) -> None:
    assert program(text) == tool


@pytest.mark.parametrize("text", ["", "Segmentation fault\n", "[ior-easy-write]\nrun = TRUE\n"])
def test_others_are_of_no_program(text: str) -> None:
    assert program(text) is None


def test_the_readme_of_this_project_is_of_no_program() -> None:
    assert program((Path(__file__).parents[2] / "README.md").read_text()) is None


def test_runs_that_ended_are_told_apart() -> None:
    sweep = recordings.recorded("ior", "posted/ior_330_sweep_4_16_32.txt")
    parts = runs(sweep)
    assert [part.count("MPI Coordinated Test") for part in parts] == [1, 1, 1]
    assert "".join(parts) == sweep


def test_runs_of_two_programs_are_told_apart() -> None:
    both = recordings.recorded("ior", "posix_repeat3.txt") + recordings.recorded(
        "mdtest", "posix_easy.txt"
    )
    assert [program(part) for part in runs(both)] == ["ior", "mdtest"]


def test_ranks_that_ran_alone_stay_together() -> None:
    alone = recordings.recorded("ior", "singletons.txt")
    assert runs(alone) == [alone]
    assert len(runs(alone, whole_unless_complete=False)) == 2


def test_jobs_of_one_run_of_fio_are_one_run() -> None:
    one = recordings.recorded("fio", "dfs_normal.txt")
    assert runs(one) == [one]
    assert len(runs(one + one)) == 2


@pytest.mark.parametrize(
    "repeated", ["\n", " ", "{\n", "Test :\n", "a: (g=0): rw=\n", "[ior-easy-write]\n", '"', "}\n"]
)
def test_an_output_of_one_thing_alone_is_recognized_in_no_time(repeated: str) -> None:
    text = repeated * (80_000 // len(repeated))
    start = time.process_time()
    program(text)
    runs(text)
    assert time.process_time() - start < 5
