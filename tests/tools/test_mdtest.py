"""mdtest: its command line and its summary of rates."""

import re
from dataclasses import replace
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recordings
from assay.tools.daos.dfs import Dfs
from assay.tools.mdtest import CreationStonewall, Mdtest, parse, until_deadline
from assay.tools.text import OTHER_LAUNCHER

recorded = partial(recordings.recorded, "mdtest")


def figures(parsed):
    return {sample.metric: sample.value for sample in parsed.samples}


def test_each_rank_has_files_of_its_own_and_looks_at_anothers():
    run = Mdtest("/scratch/d/md", files=100, stride=2, write_bytes=3901, read_bytes=3901)
    assert " ".join(run.command()) == (
        "mdtest -a POSIX -F -L -u -n 100 -N 2 -w 3901 -e 3901 -d /scratch/d/md"
    )


def test_files_are_empty_by_default():
    assert " ".join(Mdtest("/d", files=1).command()) == (
        "mdtest -a POSIX -F -L -u -n 1 -N 1 -w 0 -e 0 -d /d"
    )


def test_phases_of_other_runs_share_a_status_file():
    create = Mdtest(
        "/hard",
        files=1000,
        write_bytes=3901,
        read_bytes=3901,
        api="DFS",
        dfs=Dfs("tank", "cont1", dir_oclass="SX"),
        shared=True,
        phases=("create",),
        sync=True,
        signature=271,
        stonewall=CreationStonewall(30, "/tmp/hard.stonewall"),
    )
    assert " ".join(create.command()) == (
        "mdtest -a DFS --dfs.pool=tank --dfs.cont=cont1 --dfs.dir_oclass=SX -F -t -C -n 1000 -N 1"
        " -w 3901 -e 3901 -Y -G 271 -W 30 -x /tmp/hard.stonewall -d /hard"
    )
    read = replace(create, phases=("read",), sync=False, verify=True).command()
    assert " ".join(read).endswith(
        "-E -n 1000 -N 1 -w 3901 -e 3901 -X -G 271 -x /tmp/hard.stonewall -d /hard"
    )


def test_a_container_is_for_dfs_alone():
    with pytest.raises(ValueError, match="a container is for DFS, and DFS needs one"):
        Mdtest("/d", files=1, api="DFS")


def test_each_phase_is_a_sample():
    parsed = parse(recorded("posix_easy.txt"), expected_tasks=2, expected_nodes=1)
    assert parsed.problems == ()
    assert figures(parsed) == {
        "file_creation": 58581.710,
        "file_stat": 410301.198,
        "file_read": 424202.680,
        "file_removal": 271168.838,
        "tree_creation": 2872.811,
        "tree_removal": 1133.902,
    }
    assert {sample.unit for sample in parsed.samples} == {"op/s"}
    assert parsed.samples[0].labels == {"tasks": "2", "nodes": "1", "files": "400"}


@pytest.mark.parametrize(
    ("name", "creation", "removal"),
    [
        ("dfs_easy.txt", 4526.831, 2675.113),
        ("dfs_directories.txt", 11016.841, 1308.019),
        # Times follow the rates, under the same names.
        ("dfs_rates_and_times.txt", 10983.591, 3310.228),
        ("dfuse_pil4dfs.txt", 3532.572, 2030.333),
        ("dfs_verified.txt", 52.598, 14.515),
    ],
)
def test_reads_what_daos_prints_around_it(name, creation, removal):
    parsed = parse(recorded(name), expected_tasks=2)
    assert parsed.problems == ()
    assert figures(parsed)["file_creation"] == creation
    assert figures(parsed)["file_removal"] == removal


def test_directories_have_rates_of_their_own():
    values = figures(parse(recorded("dfs_directories.txt")))
    assert values["directory_creation"] == 9089.893
    assert values["directory_rename"] == 892.953
    assert len(values) == 10


def test_a_phase_that_was_not_run_is_not_a_sample():
    parsed = parse(recorded("dfs_creation_only.txt"))
    assert parsed.problems == ()
    assert figures(parsed) == {"file_creation": 6271.322, "tree_creation": 67.047}


def test_a_rate_may_be_less_than_one_a_second():
    slow = re.sub(
        r"(File stat +).*", r"\1 0.500 0.500 0.500 0.000", recorded("deadline_not_met.txt")
    )
    (rate,) = (sample.value for sample in parse(slow).samples if sample.metric == "file_stat")
    assert rate == 0.5


@pytest.mark.parametrize(
    ("name", "creation"),
    # The verbose lines of each iteration, about 12000 op/s, are the first rank's.
    [("posix_repeat3.txt", 43787.984), ("posix_repeat3_verbose.txt", 24573.003)],
)
def test_of_several_iterations_the_mean_is_all_there_is(name, creation):
    parsed = parse(recorded(name))
    assert parsed.problems == ()
    assert figures(parsed)["file_creation"] == creation
    assert parsed.samples[0].labels["statistic"] == "mean of 3 iterations"


NO_RATE = "mdtest printed no rate: it did not reach its summary"


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        (
            "missing_files.txt",
            (
                "WARNING: unable to stat file /scratch/d/nosuch/test-dir.0-0/mdtest_tree.0.0/"
                "file.mdtest.0.0 (and 39 more like it)",
            ),
        ),
        (
            "disk_full.txt",
            (
                "WARNING: task 0, partial write(), 167936 of 1048576 bytes at offset 0"
                " (and 1 more like it)",
                "WARNING: write(29, 0x7f6728e68000, 167936) failed No space left on device"
                " (and 1 more like it)",
                "WARNING: task 1, partial write(), -1 of 167936 bytes at offset 880640"
                " (and 1 more like it)",
                "mdtest: aiori-POSIX.c:769: POSIX_Xfer: Assertion `rc >= 0' failed."
                " (and 1 more like it)",
                "YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Aborted (signal 6)",
                NO_RATE,
            ),
        ),
        (
            "killed_TERM.txt",
            ("YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Terminated (signal 15)", NO_RATE),
        ),
        (
            "dfs_unknown_pool.txt",
            (
                "ERROR (aiori-DFS.c:519): 0: -1005: Failed to connect to pool nosuch",
                "ERROR: Failed to initialize DAOS DFS driver, (aiori-DFS.c:567)",
                "this is not output of mdtest: it does not say how many tasks it ran with",
            ),
        ),
        (
            "verify_error.txt",
            (
                "ERROR: verifying the data on read (1 errors)! Take the performance values with"
                " care!",
            ),
        ),
        (
            "deadline_not_met.txt",
            ("creation ended before its deadline of 2 s: give each rank more files (-n)",),
        ),
        ("posix_times_only.txt", (NO_RATE,)),
        # It ends with 255, and says nothing.
        ("dfs_pool_full.txt", (NO_RATE,)),
        (
            "singletons.txt",
            (
                "the output contains 2 runs of mdtest: each rank ran alone, without MPI"
                f"{OTHER_LAUNCHER}",
            ),
        ),
    ],
)
def test_says_why_a_run_is_not_a_measurement(name, problems):
    assert parse(recorded(name)).problems == problems


def test_creation_until_a_deadline_is_a_rate():
    parsed = parse(recorded("dfs_deadline.txt"))
    assert parsed.problems == ()
    assert figures(parsed)["file_creation"] == 6385.774


def test_a_later_version_writes_units_into_its_heads():
    parsed = parse(recorded("version_4_1.txt"))
    # 100000 files took 0.44 s: io500 does not notice, as the phase with all around it took longer.
    assert parsed.problems == (
        "creation ended before its deadline of 1 s: give each rank more files (-n)",
    )
    # What follows are milliseconds an operation, under the same names.
    assert figures(parsed) == {"file_creation": 225636.932, "tree_creation": 19972.876}


@pytest.mark.parametrize("library", ["ioil", "pil4dfs"])
def test_metadata_calls_will_do(library):
    text = recorded(f"dfuse_{library}_report.txt")
    assert parse(text, expected_tasks=2, intercepted_by=library).problems == ()


def test_one_rank_has_to_take_calls_if_their_number_is_not_given():
    text = recorded("dfuse_pil4dfs_report.txt")
    one = text.replace("[op_sum ]", "[other  ]", text.count("[op_sum ]") - 1)
    assert parse(one, intercepted_by="pil4dfs").problems == ()


def test_a_library_has_to_take_the_calls():
    unreported = parse(recorded("dfuse_ioil.txt"), intercepted_by="ioil", expected_tasks=2)
    assert unreported.problems == (
        "libioil took no calls: was it loaded, was D_IL_REPORT set, and is the path on a dfuse"
        " mount?",
    )


def test_a_run_of_other_tasks_or_nodes_is_not_the_one_asked_for():
    assert parse(recorded("posix_easy.txt"), expected_tasks=4, expected_nodes=2).problems == (
        "mdtest ran with the wrong number of tasks: 2 instead of 4",
        "mdtest ran on the wrong number of nodes: 1 instead of 2",
    )


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


@given(st.integers(min_value=0, max_value=len(recorded("posix_easy.txt"))))
def test_a_summary_that_is_cut_off_is_not_a_measurement(length):
    parsed = parse(recorded("posix_easy.txt")[:length])
    assert parsed.problems or parsed == parse(recorded("posix_easy.txt"))


LOG_LINE = "2026/11/21 04:34:30.931519 vm DAOS[1740/1740/0] crt  ERR  src/cart/crt_init.c:540 f()"


@given(st.lists(st.integers(min_value=0, max_value=30), max_size=5))
def test_log_lines_do_not_change_the_samples(places):
    lines = recorded("posix_easy.txt").splitlines()
    for place in places:
        lines.insert(place, LOG_LINE)
    assert parse("\n".join(lines)) == parse(recorded("posix_easy.txt"))


def test_a_library_has_to_take_the_calls_of_every_rank():
    text = recorded("dfuse_ioil_report.txt").replace("(2 total task", "(4 total task")
    parsed = parse(text, expected_tasks=4, intercepted_by="ioil")
    assert "libioil took calls in 2 of 4 processes" in parsed.problems


def test_phases_of_files_that_are_there_have_no_deadline_to_meet():
    text = recorded("posix_easy.txt")
    created = [line for line in text.splitlines() if line.lstrip().startswith("File creation")]
    assert created
    without = text.replace("\n".join(created), "")
    without = without.replace("Command line used: ", "Command line used: '-W' '300' ")
    assert "file_creation" not in {sample.metric for sample in parse(without).samples}
    assert not any("deadline" in problem for problem in parse(without).problems)


def test_a_colon_follows_the_names_up_to_3_3():
    repeated = parse(recorded("posted/mdtest_330_3iter.txt"))
    assert repeated.problems == ()
    assert figures(repeated) == {
        "directory_creation": 22434.966,
        "directory_stat": 34857.190,
        "directory_removal": 26016.682,
        "file_creation": 19186.060,
        "file_stat": 46829.212,
        "file_read": 28323.202,
        "file_removal": 17866.900,
        "tree_creation": 1728.448,
        "tree_removal": 229.802,
    }
    old = parse(recorded("posted/mdtest_193_stat.txt"))
    assert (figures(old)["file_stat"], old.problems) == (1807735.855, ())


def test_a_creation_that_lasted_met_its_deadline():
    text = recorded("posted/mdtest_34_all_files_392s.txt")
    assert parse(text).problems == ()
    (problem,) = parse(text.replace("'-W' '300'", "'-W' '400'")).problems
    assert problem.startswith("creation ended before its deadline of 400 s")


def test_the_summary_of_2018_has_rates():
    parsed = parse(recorded("posted/mdtest_193_2018.txt"))
    assert parsed.problems == ()
    assert figures(parsed) == {"file_stat": 28172.482}


def test_rates_that_are_all_zero_are_named():
    assert parse(recorded("posted/mdtest_zero_rates.txt")).problems == (
        "every rate of mdtest is 0: it ran no phase, or lost its count",
    )


def test_a_name_that_its_colon_follows_at_once_is_no_less_a_figure():
    # As mdtest 1.9.3 prints it, in ubccr/akrr, tests/unit_tests/appkernelsparsers/test_mdtest/v1.
    row = "   Directory creation:        104.022         96.640        100.331          3.691\n"
    head = "   File stat         :"
    text = recorded("posted/mdtest_193_2018.txt").replace(head, row + head, 1)
    assert figures(parse(text))["directory_creation"] == 100.331


def test_a_status_file_that_creation_did_not_need_is_no_problem():
    text = recorded("posted/mdtest_193_2018.txt")
    warned = text.replace("SUMMARY:", "WARNING: could not read stonewall status file\nSUMMARY:")
    assert parse(warned) == parse(text)


def test_a_summary_alone_is_not_known_and_is_no_failed_run():
    text = recorded("posix_repeat3.txt")
    parsed = parse(text[text.index("SUMMARY") :])
    assert parsed.unread
    assert parsed.samples == ()
    assert parsed.problems[0].startswith("not known: a summary alone (")


def test_what_was_created_until_the_deadline_leaves_out_what_ranks_made_up():
    text = recorded("dfs_deadline.txt")
    created = until_deadline(text)
    assert created is not None
    assert created.rate == 18259.0 * 2 / 5
    assert figures(parse(text))["file_creation"] == 6385.774
    assert f"{created.period.start:%F %T} {created.period.seconds}" == "2026-11-21 04:34:50 5"


@pytest.mark.parametrize(
    "lost", ["Continue stonewall.*", "-- started at.*", r"-W. .5.", "^mdtest-4.*", "04:34:50 --"]
)
def test_without_its_parts_nothing_is_known_of_a_deadline(lost):
    text = re.sub(lost, "", recorded("dfs_deadline.txt"), count=1, flags=re.MULTILINE)
    assert until_deadline(text) is None
