"""IOR: its JSON summary and its table."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recordings
from assay.tools.ior import moved, moving, parse

recorded = partial(recordings.recorded, "ior")


def figures(parsed):
    return [(s.metric, s.labels["iteration"], s.value) for s in parsed.samples]


def test_each_repetition_in_the_summary_is_a_sample():
    parsed = parse(recorded("posix_json.json"), expected_tasks=2, expected_nodes=1)
    assert parsed.problems == ()
    assert figures(parsed) == [
        ("write_bandwidth", "0", 1032.6903),
        ("read_bandwidth", "0", 13763.0976),
        ("write_bandwidth", "1", 666.3343),
        ("read_bandwidth", "1", 1608.1105),
        ("write_bandwidth", "2", 1140.3763),
        ("read_bandwidth", "2", 12594.3256),
    ]
    assert {sample.unit for sample in parsed.samples} == {"MiB/s"}
    assert parsed.samples[0].labels == {
        "iteration": "0",
        "tasks": "2",
        "nodes": "1",
        "api": "POSIX",
        "transfer": "1 MiB",
        "block": "16 MiB",
    }


def test_each_repetition_in_the_table_is_a_sample():
    parsed = parse(recorded("posix_repeat3.txt"), expected_tasks=2, expected_nodes=1)
    assert parsed.problems == ()
    assert figures(parsed) == [
        ("write_bandwidth", "0", 1033.12),
        ("read_bandwidth", "0", 11532),
        ("write_bandwidth", "1", 853.70),
        ("read_bandwidth", "1", 1144.58),
        ("write_bandwidth", "2", 666.46),
        ("read_bandwidth", "2", 1611.10),
    ]
    summary = parse(recorded("posix_json.json"))
    assert parsed.samples[0].labels == summary.samples[0].labels


def test_bandwidth_is_over_the_total_time():
    # 32 MiB in 0.048015 s, of which 0.023283 s were writes.
    assert parse(recorded("posix_repeat3.txt")).samples[4].value == pytest.approx(
        32 / 0.048015, 1e-4
    )


@pytest.mark.parametrize(
    ("name", "samples"),
    [
        ("dfs_2rank.txt", [("write_bandwidth", "0", 56.14), ("read_bandwidth", "0", 56.47)]),
        ("dfs_summary.json", [("write_bandwidth", "0", 52.4567), ("read_bandwidth", "0", 51.9678)]),
        (
            "dfs_json_stdout.txt",
            [("write_bandwidth", "0", 289.993), ("read_bandwidth", "0", 478.3334)],
        ),
        (
            "dfs_repeat3_verbose.txt",
            [
                ("write_bandwidth", "0", 54.42),
                ("read_bandwidth", "0", 54.06),
                ("write_bandwidth", "1", 56.94),
                ("read_bandwidth", "1", 61.11),
                ("write_bandwidth", "2", 56.77),
                ("read_bandwidth", "2", 56.17),
            ],
        ),
        (
            "dfuse_ioil_1rank.txt",
            [("write_bandwidth", "0", 221.96), ("read_bandwidth", "0", 790.26)],
        ),
        (
            "dfuse_pil4dfs_report.txt",
            [("write_bandwidth", "0", 339.57), ("read_bandwidth", "0", 484.24)],
        ),
        ("stonewall_wearout.txt", [("write_bandwidth", "0", 378.61)]),
    ],
)
def test_reads_what_daos_and_others_print_around_it(name, samples):
    parsed = parse(recorded(name))
    assert parsed.problems == ()
    assert figures(parsed) == samples


WORLDS = (
    "the output contains 2 runs of ior: each rank ran alone, without MPI; name the launcher of"
    " this MPI as slurm.launcher in the description of the cluster, and for srun its plugin as"
    " slurm.mpi, such as pmix (srun --mpi=list lists them)"
)
UNFINISHED = "IOR did not finish: the last line of its output is missing"
NO_ROW = "IOR printed no row of figures"
ABORT = (
    "Abort(-1) on node 0 (rank 0 in comm 0): application called"
    " MPI_Abort(MPI_COMM_WORLD, -1) - process 0"
)
CUT_OFF = (
    "neither a table nor a summary from IOR: its JSON is cut off before the end: "
    "the run was killed, or is still writing"
)


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("singletons_json.txt", (WORLDS,)),
        (
            "singletons.txt",
            (WORLDS, "rows for write: 2; repetitions: 1", "rows for read: 2; repetitions: 1"),
        ),
        (
            "read_missing.txt",
            (
                'ERROR: open64("/scratch/d/gone.00000000", 0) failed: No such file or directory,'
                " (aiori-POSIX.c:641) (and 1 more like it)",
                f"{ABORT} (and 1 more like it)",
                UNFINISHED,
                NO_ROW,
            ),
        ),
        ("data_check_error.txt", ("WARNING: Incorrect data on read (1 errors found).",)),
        (
            "short_file.txt",
            (
                "WARNING: read(27, 0x7fb95224a000, 1048576) returned EOF prematurely",
                "ERROR: cannot read from file, (ior.c:1666)",
                ABORT,
                UNFINISHED,
                NO_ROW,
            ),
        ),
        (
            "dfuse_disk_full.txt",
            (
                "WARNING: write(29, 0x7fc12c437000, 1048576) failed No space left on device"
                " (and 1 more like it)",
                "WARNING: task 1, partial write(), -1 of 1048576 bytes at offset 0"
                " (and 1 more like it)",
                "ior: aiori-POSIX.c:769: POSIX_Xfer: Assertion `rc >= 0' failed."
                " (and 1 more like it)",
                "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Aborted (signal 6)",
                UNFINISHED,
                NO_ROW,
            ),
        ),
        ("disk_full_json.json", (CUT_OFF,)),
        ("killed_KILL.json", (CUT_OFF,)),
        (
            "killed_TERM.txt",
            (
                UNFINISHED,
                "rows for write: 13; repetitions: 50",
                "rows for read: 12; repetitions: 50",
            ),
        ),
        (
            "dfs_stonewall.txt",
            (
                "WARNING: Expected aggregate file size       = 2147483648",
                "WARNING: Stat() of aggregate file size      = 140300288",
                "WARNING: Using actual aggregate bytes moved = 140300288",
                "WARNING: Maybe caused by deadlineForStonewalling",
            ),
        ),
        (
            "dfs_unknown_pool.txt",
            (
                "ERROR (aiori-DFS.c:519): 0: -1005: Failed to connect to pool nosuch",
                "ERROR: Failed to initialize DAOS DFS driver, (aiori-DFS.c:567)",
                ABORT,
                UNFINISHED,
                "no table from IOR: Options.api: field required",
            ),
        ),
        (
            "dfs_unknown_class.txt",
            (
                "Invalid DAOS object class: NOPE",
                "ERROR: Failed to initialize DAOS DFS driver, (aiori-DFS.c:567)",
                ABORT,
                UNFINISHED,
                "no table from IOR: Options.api: field required",
            ),
        ),
        (
            "dfs_created_container.txt",
            ("IOR created the container, with other properties: create it first",),
        ),
        (
            "odd_block.txt",
            (
                "ERROR: block size must be a multiple of transfer size, (ior.c:1490)",
                ABORT,
                "neither a table nor a summary from IOR: it contains no JSON",
            ),
        ),
        (
            "posix_json_verbose.json",
            (
                "neither a table nor a summary from IOR: its JSON is not valid:"
                " expecting ',' delimiter at ']' (IOR 4.0.0 writes such JSON with -v)",
            ),
        ),
    ],
)
def test_says_why_a_run_is_not_a_measurement(name, problems):
    assert parse(recorded(name)).problems == problems


def test_errors_in_the_data_are_printed_and_not_in_the_summary():
    summary = recorded("data_check_error_json.json")
    assert parse(summary).problems == ()
    assert parse(recorded("data_check_error_json.txt") + summary).problems == (
        "WARNING: Incorrect data on read (1 errors found).",
    )


def test_files_of_another_run_are_read_and_checked():
    parsed = parse(recorded("dfs_verified.txt") + recorded("dfs_verified.json"), expected_tasks=2)
    assert parsed.problems == ()
    assert figures(parsed) == [("read_bandwidth", "0", 115.3935)]


def test_an_engine_that_was_killed_leaves_no_figure_and_a_reason():
    parsed = parse(recorded("dfs_engine_killed.txt") + recorded("dfs_engine_killed.json"))
    assert parsed.samples == ()
    assert CUT_OFF in parsed.problems
    assert parsed.problems[-1].startswith("DAOS's library: no answer in time (dc_rw_cb() ")


def test_an_agent_that_is_not_there_is_the_reason():
    assert parse(recorded("dfs_no_agent.txt")).problems[-1] == (
        "DAOS's library: it does not exist (get_attach_info() failed to connect to"
        " /nonexistent/daos_agent.sock DER_NONEXIST(-1005):"
        " 'The specified entity does not exist')"
    )


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (
            "deadline_not_met",
            "the write took 0.0662 s, less than its deadline of 2 s: give it more to write",
        ),
        (
            "holes",
            "207036416 bytes were moved, but the files hold 274145280: parts of them are holes",
        ),
    ],
)
def test_a_deadline_that_was_not_met_or_left_holes(name, problem):
    assert parse(recorded(f"{name}.txt") + recorded(f"{name}.json")).problems == (problem,)


def test_a_library_has_to_take_the_calls():
    good = recorded("dfuse_pil4dfs_report.txt")
    assert parse(good, intercepted_by="pil4dfs", expected_tasks=1).problems == ()
    unmounted = parse(recorded("dfuse_pil4dfs_unmounted.txt"), intercepted_by="pil4dfs")
    assert unmounted.problems == (
        "libpil4dfs took no calls: was it loaded, was D_IL_REPORT set, and is the path on a dfuse"
        " mount?",
    )


def test_one_rank_has_to_take_calls_if_their_number_is_not_given():
    good = recorded("dfuse_pil4dfs_report.txt")
    assert parse(good, intercepted_by="pil4dfs").problems == ()


def test_a_file_that_is_too_short_is_an_error_where_there_is_no_deadline():
    lines = recorded("stonewall_wearout.txt").splitlines()
    warnings = "\n".join(line for line in lines if line.startswith("WARNING:"))
    problems = parse(recorded("posix_repeat3.txt") + warnings).problems
    assert "WARNING: Expected aggregate file size       = 536870912" in problems


def test_what_was_moved_is_summed_by_direction():
    def summary(*rows, size=3):
        listed = [{"operation": operation, "xsizeMiB": size} for operation in rows]
        return json.dumps({"summary": listed}, indent=1)

    assert moved(summary("write", "read", "write", "remove")) == {"write": 6 << 20, "read": 3 << 20}
    assert moved(summary()) == {"write": 0.0, "read": 0.0}
    assert moved(summary("read", size=2**53)) == {"write": 0.0, "read": 2.0**73}
    for size in (2**53 + 2, -1):
        assert moved(summary("read", size=size)) is None
    assert moved(f"{summary('read')}\n" * 2) is None


def test_a_run_of_other_tasks_or_nodes_is_not_the_one_asked_for():
    assert parse(recorded("posix_json.json"), expected_tasks=4, expected_nodes=2).problems == (
        "ior ran with the wrong number of tasks: 2 instead of 4",
        "ior ran on the wrong number of nodes: 1 instead of 2",
    )


@pytest.mark.parametrize("text", ["{}", '{"tests": [], "Finished": ""}', '{"a":' * 10**5])
def test_rubbish_is_a_problem(text):
    assert parse(text).problems


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


@given(st.integers(min_value=0, max_value=recorded("posix_json.json").rindex("}")))
def test_a_summary_that_is_cut_off_is_not_a_measurement(length):
    parsed = parse(recorded("posix_json.json")[:length])
    assert parsed.problems
    assert not parsed.samples


@given(st.integers(min_value=0, max_value=len(recorded("posix_repeat3.txt"))))
def test_a_table_that_is_cut_off_is_not_a_measurement(length):
    parsed = parse(recorded("posix_repeat3.txt")[:length])
    assert parsed.problems or parsed == parse(recorded("posix_repeat3.txt"))


LOG_LINE = "2026/11/21 04:32:28.033724 vm DAOS[26724/26724/0] crt  ERR  src/cart/crt_init.c:540 f()"


@pytest.mark.parametrize("name", ["posix_json.json", "posix_repeat3.txt"])
@given(places=st.lists(st.integers(min_value=0, max_value=200), max_size=5))
def test_log_lines_do_not_change_the_samples(name, places):
    lines = recorded(name).splitlines()
    for place in places:
        lines.insert(place, LOG_LINE)
    assert parse("\n".join(lines)) == parse(recorded(name))


@pytest.mark.parametrize("backend", ["posix", "dfs", "dfuse"])
@pytest.mark.parametrize("overwrites", [False, True])
def test_a_run_that_removes_the_files_of_another_writes_over_them(
    backend: str, overwrites: bool
) -> None:
    name = f"easy/{backend}/clean.1"
    parsed = parse(recorded(f"{name}.txt") + recorded(f"{name}.json"), overwrites=overwrites)
    assert bool(parsed.problems) is not overwrites


def test_a_sweep_in_one_file_is_no_missing_mpi():
    problems = parse(recorded("posted/ior_330_sweep_4_16_32.txt")).problems
    assert problems[0] == "the output contains 3 runs of ior: pass one run at a time"
    assert not any("without MPI" in problem for problem in problems)


def test_a_deadline_of_3_3_that_wore_out_is_no_problem():
    parsed = parse(recorded("posted/ior_33dev_wearout_write.txt"))
    assert [sample.value for sample in parsed.samples] == [341965]
    assert not any("maybe caused" in problem for problem in parsed.problems)


def test_two_tests_of_one_script_are_not_mixed():
    table = recorded("posix_repeat3.txt")
    head = table.index("Options:")
    problems = parse(table + table[head:]).problems
    assert any(problem.startswith("IOR ran 2 tests, and its table") for problem in problems)


@pytest.mark.parametrize(
    ("name", "bandwidth"),
    [
        ("ior_dfs_io500_hard_write.txt", 4317532),
        # A random read of a part of the files.
        ("ior_41_rnd4k_read.txt", 11166),
        # The file system gives 0 as the size of each file.
        ("ior_34_read_stat0.txt", 39749),
    ],
)
def test_a_phase_of_io500_needs_no_last_line(name, bandwidth):
    parsed = parse(recorded(f"posted/{name}"))
    assert [sample.value for sample in parsed.samples] == [bandwidth]
    assert not [p for p in parsed.problems if "did not finish" in p or "holes" in p]


def test_an_ior_that_was_ended_before_its_row_has_none_also_in_io500():
    text = recorded("posted/ior_34_read_stat0.txt")
    parsed = parse(text[: text.index("read      39749")])
    assert parsed.samples == ()
    assert "IOR printed no row of figures" in parsed.problems


def test_an_ior_by_hand_needs_its_last_line():
    text = recorded("posted/ior_34_read_stat0.txt").replace("-r -R", "-w -r -R")
    assert "IOR did not finish: the last line of its output is missing" in parse(text).problems


# A run of a time.

ALONE = recordings.recorded("interference", "read.1.out") + recordings.recorded(
    "interference", "read.1.json"
)


def test_a_run_of_a_time_may_read_its_files_again():
    parsed = parse(ALONE, timed=True, expected_tasks=2, expected_nodes=1)
    assert parsed.problems == ()
    assert [sample.value for sample in parsed.samples] == [2470.2262]


def test_a_run_of_a_time_whose_files_are_not_read_need_not_wear_out():
    text = recorded("dfs_stonewall.txt")
    assert parse(text).problems != ()
    assert parse(text, timed=True).problems == ()


def test_what_a_run_of_a_time_has_written_is_there():
    text = recorded("dfs_stonewall.txt").replace("size      = 140300288", "size      = 140300000")
    (problem,) = parse(text, timed=True).problems
    assert "a part of them is not there" in problem


def test_a_run_of_a_time_has_to_last_so_long():
    (problem,) = parse(
        ALONE.replace('"totalTime": 4.0126', '"totalTime": 3.9'), timed=True
    ).problems
    assert problem == "the read took 3.9 s, less than its deadline of 4 s: give it more to read"


def test_a_summary_says_when_data_was_moved():
    moved = moving(ALONE)
    assert moved is not None
    assert f"{moved.start:%F %T} {moved.seconds}" == "2026-11-29 13:38:19 4.0126"
    assert moving(ALONE.replace("Sun Nov", "Sol Nov")) is None
    assert moving(recorded("posix_json.json")) is None  # of three repetitions nobody knows
