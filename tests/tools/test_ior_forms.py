"""IOR: the tables of older releases, and what their warnings mean."""

from functools import partial

import pytest

import recordings
from assay.tools.ior import parse

recorded = partial(recordings.recorded, "ior")


def figures(parsed):
    return [(sample.metric, sample.value) for sample in parsed.samples]


@pytest.mark.parametrize(
    ("name", "figure", "nodes", "api"),
    [
        ("ior_310_mpiio_read.txt", ("read_bandwidth", 7587), "64", "MPIIO"),
        ("ior_33dev_without_nodes.txt", ("read_bandwidth", 808284), "128", "POSIX"),
        ("ior_in_io500_2020.txt", ("read_bandwidth", 12204), "10", "POSIX"),
        ("ior_size_of_one_rank.txt", ("read_bandwidth", 30301), "10", "POSIX"),
        ("ior_shared_deadline.txt", ("write_bandwidth", 551761), "10", "DFS"),
        ("ior_random_read_deadline.txt", ("read_bandwidth", 256821), "80", "POSIX"),
    ],
)
def test_posted_tables_of_other_releases_are_read(name, figure, nodes, api):
    parsed = parse(recorded(f"posted/{name}"))
    assert parsed.problems == ()
    assert figures(parsed) == [figure]
    assert parsed.samples[0].labels["nodes"] == nodes
    assert parsed.samples[0].labels["api"] == api


def test_a_copy_that_lost_its_tabulators_is_read():
    text = recorded("posted/ior_310_mpiio_read.txt")
    copied = parse(text.replace("\t", "        "))
    assert copied == parse(text)


def test_a_write_that_was_not_flushed_is_no_measurement():
    text = recorded("posted/ior_310_mpiio_read.txt")
    written = text.replace("\nread  ", "\nwrite ")
    assert parse(written).problems == (
        "ior WARNING: fsync() only available in POSIX.  Using value of 0.",
    )


def test_through_dfs_nothing_is_left_to_flush():
    """IOR of 2019 has no fsync for DFS; later releases have one that does nothing."""
    text = recorded("dfs_2rank.txt")
    warned = f"ior WARNING: fsync() not supported in selected backend.  Using value of 0.\n{text}"
    assert parse(warned) == parse(text)
    (problem,) = parse(warned.replace("DFS", "IME")).problems
    assert "fsync() not supported" in problem


def test_files_that_are_smaller_than_what_was_written_are_not_holes():
    assert parse(recorded("posted/ior_old_size.txt")).problems == (
        "15850330429440 bytes were moved, but the file system reports files of 15850330288416:"
        " a part of them is not there, or it reports old sizes",
    )


def test_files_of_each_rank_that_are_larger_have_holes():
    text = recorded("posted/ior_shared_deadline.txt")
    own = text.replace("single-shared-file", "file-per-process")
    (problem,) = parse(own).problems
    assert problem.endswith("parts of them are holes")


def test_a_deadline_of_an_old_release_is_that_of_its_command():
    text = recorded("posted/ior_310_mpiio_read.txt").replace("\nread  ", "\nwrite ")
    short = parse(text.replace("/ior -r -R", "/ior -w -D 300"))
    assert "the write took 251.03 s, less than its deadline of 300 s" in short.problems[-1]


def test_a_table_without_rows_is_a_form_and_no_fault():
    text = (
        "IOR-2.10.3: MPI Coordinated Test of Parallel I/O\n\nSummary:\n"
        "\tapi                = POSIX\n\tclients            = 4 (4 per node)\n\n"
        "Operation  Max (MiB)  Min (MiB)  Mean (MiB)   Std Dev  Max (OPs)\n"
        "---------  ---------  ---------  ----------   -------  ---------\n"
        "write        1059.93     1059.93     1059.93      0.00    1059.93\n\nRun finished: Tue\n"
    )
    parsed = parse(text)  # made up, after the source of 2.10
    assert parsed.unread
    assert parsed.problems[0].startswith("not known: a table of maximum and mean alone (known: ")


def test_the_summary_in_csv_has_figures_and_hardly_a_label():
    parsed = parse(recorded("dfs_summary.csv"))
    assert parsed.problems == ()
    assert figures(parsed) == [("write_bandwidth", 54.0523), ("read_bandwidth", 55.9437)]
    assert parsed.samples[0].labels == {"iteration": "0", "tasks": "2"}


def test_a_csv_with_other_columns_is_named():
    text = recorded("dfs_summary.csv").replace("write,54.0523,", "write,")
    assert parse(text).unread


def test_rows_without_their_head_are_not_known_and_are_no_failed_run():
    text = recorded("posix_repeat3.txt")
    rows = text[text.index("access    ") : text.index("Summary of all tests")]
    parsed = parse(rows)
    assert parsed.unread
    assert parsed.problems[0].startswith("not known: the rows of a table without its head (")


def test_columns_before_those_of_a_csv_are_not_known():
    of_script = "".join(
        f"{before},{line}\n"
        for before, line in zip(
            ["test", "seq", "seq"], recorded("dfs_summary.csv").splitlines(), strict=False
        )
    )
    parsed = parse(of_script)
    assert parsed.unread
    assert parsed.problems[0].startswith("not known: a CSV with columns of another program ")
