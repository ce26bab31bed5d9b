"""fio: its report for people and its terse lines."""

from functools import partial

import pytest

import recordings
from assay.tools.fio import parse

recorded = partial(recordings.recorded, "fio")


def figures(parsed):
    return [(sample.metric, round(sample.value, 3), sample.unit) for sample in parsed.samples]


def test_the_report_of_a_job_gives_its_printed_figures():
    parsed = parse(recorded("dfs_normal.txt"))
    assert parsed.problems == ()
    assert figures(parsed)[:2] == [
        ("write_bandwidth", 1243, "MiB/s"),
        ("write_rate", 1242, "IO/s"),
    ]
    assert parsed.samples[0].labels == {
        "job": "daos-seqwrite",
        "phase": "daos-seqwrite",
        "form": "report",
        "bs": "1024KiB",
        "engine": "dfs",
        "depth": "16",
        "direction": "write",
    }
    assert figures(parsed)[4:6] == [
        ("write_bandwidth", 57.8, "MiB/s"),
        ("write_rate", 14800, "IO/s"),
    ]


def test_kb_of_fio_2_are_kib():
    # 83749 KB in 318.686 s are printed as 269100 B/s.
    parsed = parse(recorded("posted/fio_2015_iometer.txt"))
    assert parsed.problems == ()
    assert figures(parsed) == [
        ("read_bandwidth", 0.999, "MiB/s"),
        ("read_rate", 170, "IO/s"),
        ("read_latency", 300904.66, "us"),
        ("write_bandwidth", 0.257, "MiB/s"),
        ("write_rate", 43, "IO/s"),
        ("write_latency", 296085.13, "us"),
    ]


def test_a_report_without_its_release_has_no_units():
    parsed = parse(recorded("posted/fio_2015_iometer.txt").replace("fio-2.0.15\n", ""))
    assert parsed.unread
    assert parsed.samples == ()
    assert parsed.problems[0].startswith("not known: a report that does not say its release")


def test_a_report_that_is_cut_off_is_no_measurement():
    text = recorded("posted/fio_2015_iometer.txt")
    parsed = parse(text[: text.index("Run status")])
    assert parsed.problems == ("fio did not finish: its line 'Run status group' is missing",)


def test_an_error_in_a_report_is_a_problem():
    text = recorded("posted/fio_2015_iometer.txt")
    failed = text.replace("err= 0: pid", "err=28 (func=io_u error, error=No space left): pid")
    assert "iometer: error 28 (func=io_u error, error=No space left)" in parse(failed).problems


def test_terse_lines_count_kib_and_milliseconds():
    parsed = parse(recorded("dfs_terse.txt"))
    assert parsed.problems == ()
    assert figures(parsed) == [
        ("read_bandwidth", round(16384 / 1024 / 0.108, 3), "MiB/s"),
        ("read_rate", 37925, "IO/s"),
        ("read_latency", 377.214, "us"),
    ]


@pytest.mark.parametrize("form", ["2", "4", "5"])
def test_another_version_of_terse_output_is_named(form):
    parsed = parse(recorded("dfs_terse.txt").replace("3;fio-3.42", f"{form};fio-3.42"))
    assert parsed.unread
    assert parsed.problems[0].startswith(f"not known: terse output of version {form} (known: ")


def test_a_terse_line_that_is_cut_off_is_a_problem():
    text = recorded("dfs_terse.txt")
    assert parse(text[: text.index("4247")]).problems == ("t: its terse line is cut off",)


def test_a_campaign_takes_no_report_for_its_json():
    assert parse(recorded("dfs_normal.txt"), written_here=True).problems


@pytest.mark.parametrize(
    ("printed", "mib"),
    [
        ("BW=1243MiB/s (1303MB/s)", 1243),
        ("BW=1303MB/s (1243MiB/s)", 1242.638),  # kb_base=1000
        ("BW=524kB/s (512KiB/s)", 0.5),
        ("BW=484Mibit/s (508Mbit/s)", 60.5),  # unit_base=1
        ("BW=508Mbit/s (484Mibit/s)", 60.558),
    ],
)
def test_the_units_of_fio_3_are_those_that_it_prints(printed, mib):
    text = recorded("dfs_normal.txt")
    assert text.count("BW=1243MiB/s (1303MB/s)") == 1
    parsed = parse(text.replace("BW=1243MiB/s (1303MB/s)", printed))
    assert parsed.problems == ()
    assert figures(parsed)[0] == ("write_bandwidth", pytest.approx(mib, rel=1e-3), "MiB/s")


def test_trims_are_not_known_and_are_no_job_that_did_not_run():
    text = recorded("dfs_normal.txt").replace("  write: IOPS", "  trim: IOPS")
    parsed = parse(text)
    assert parsed.unread
    assert parsed.problems[0].startswith("not known: a job that trims (")
    assert "needed: a run that reads or writes" in parsed.problems[0]


def test_figures_in_another_form_are_not_known():
    parsed = parse(recorded("dfs_normal.txt").replace(", BW=", ", bandwidth="))
    assert parsed.unread
    assert parsed.problems[0].startswith("not known: a report with figures in another form (")
