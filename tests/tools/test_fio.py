"""fio: what its JSON tells."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

import recordings
from assay.tools.fio import parse
from assay.tools.fio_report import JobReport

recorded = partial(recordings.recorded, "fio")


def figures(parsed):
    return [
        (sample.labels["job"], sample.metric, round(sample.value, 3), sample.unit)
        for sample in parsed.samples
    ]


def test_each_job_is_a_sample_of_all_its_processes():
    parsed = parse(recorded("two_processes.json"), written_here=True)
    assert parsed.problems == ()
    assert figures(parsed) == [
        ("write_1m.1", "write_bandwidth", 1729.730, "MiB/s"),
        ("write_1m.1", "write_rate", 1729.730, "IO/s"),
        ("write_1m.1", "write_latency", 8180.632, "us"),
        ("write_1m.2", "write_bandwidth", 2031.746, "MiB/s"),
        ("write_1m.2", "write_rate", 2031.746, "IO/s"),
        ("write_1m.2", "write_latency", 5977.394, "us"),
        ("read_1m.1", "read_bandwidth", 1580.247, "MiB/s"),
        ("read_1m.1", "read_rate", 1580.247, "IO/s"),
        ("read_1m.1", "read_latency", 7809.315, "us"),
        ("read_4k.1", "read_bandwidth", 267.549, "MiB/s"),
        ("read_4k.1", "read_rate", 68492.507, "IO/s"),
        ("read_4k.1", "read_latency", 461.551, "us"),
        ("write_4k.1", "write_bandwidth", 239.546, "MiB/s"),
        ("write_4k.1", "write_rate", 61323.676, "IO/s"),
        ("write_4k.1", "write_latency", 515.502, "us"),
    ]
    assert parsed.samples[3].labels == {
        "job": "write_1m.2",
        "phase": "write_1m",
        "bs": "1m",
        "direction": "write",
        "bytes": str(2 * 64 * 2**20),
    }


@pytest.mark.parametrize(
    ("name", "bandwidths"),
    [
        ("dfs_four_jobs.json", [512.0, 1015.873, 66.390, 79.208]),
        ("dfs_four_jobs.txt", [1471.264, 1053.498, 76.555, 105.611]),
    ],
)
def test_reads_whole_groups_with_log_lines_before_them_or_not(name, bandwidths):
    parsed = parse(recorded(name), written_here=True)
    assert parsed.problems == ()
    read = [value for _, metric, value, _ in figures(parsed) if metric.endswith("bandwidth")]
    assert read == bandwidths
    # These jobs have disable_clat: no latency was taken, so none is given.
    assert not [sample for sample in parsed.samples if sample.unit == "us"]


def test_reads_json_plus_of_a_timed_job():
    parsed = parse(recorded("dfs_json_plus.txt"))
    assert parsed.problems == ()
    assert figures(parsed) == [
        ("t", "read_bandwidth", 145.684, "MiB/s"),
        ("t", "read_rate", 37295.082, "IO/s"),
        ("t", "read_latency", 418.153, "us"),
    ]


def test_the_time_of_a_write_includes_its_fsync():
    parsed = parse(recorded("buffered_fsync.txt"))
    bandwidth, rate, latency = (sample.value for sample in parsed.samples)
    assert parsed.problems == ()
    assert (round(bandwidth, 2), round(rate, 2), round(latency, 2)) == (236.38, 236.38, 3670.04)
    in_calls = 256 * latency / 1e6
    assert in_calls == pytest.approx(0.940, abs=0.001)
    assert 256 / bandwidth == pytest.approx(1.083, abs=0.001)


def test_what_a_write_job_reads_to_verify_is_not_a_sample():
    parsed = parse(recorded("verify_write.txt"))
    assert parsed.problems == ()
    assert figures(parsed) == [
        ("write_64k.1", "write_bandwidth", 1333.333, "MiB/s"),
        ("write_64k.1", "write_rate", 21333.333, "IO/s"),
        ("write_64k.1", "write_latency", 13.326, "us"),
    ]


NO_JSON = "no JSON report from fio: it contains no JSON"


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        (
            "disk_full.txt",
            (
                "write_1m.1: No space left on device",
                "fio: pid=23202, err=28/file:io_u.c:1876, func=io_u error, "
                "error=No space left on device",
            ),
        ),
        (
            "dfuse_disk_full.txt",
            (
                "t: No space left on device",
                "fio: pid=3118, err=28/file:io_u.c:2018, func=io_u error, "
                "error=No space left on device",
            ),
        ),
        (
            "odirect_refused.txt",
            (
                "write_1m.1: Invalid argument",
                "fio: pid=23226, err=22/file:filesetup.c:805, func=open(/scratch/ram/data), "
                "error=Invalid argument",
            ),
        ),
        (
            "verify_error.txt",
            (
                "read_64k.1: verify failed: what was read is not what was written",
                "fio: pid=23257, err=84/file:io_u.c:2152, func=io_u_sync_complete, "
                "error=Invalid or incomplete multibyte or wide character",
            ),
        ),
        (
            "missing_file.txt",
            (
                "read_1m.1: moved 0 bytes in 0 s; it did not run, or not for long enough",
                "fio: file creation disallowed by allow_file_create=0",
            ),
        ),
        (
            "dfs_read_before_write.txt",
            (
                "t: No such file or directory",
                "fio: pid=3011, err=2/file:engines/dfs.c:395, func=dfs_open, "
                "error=No such file or directory",
            ),
        ),
        (
            "dfs_unknown_pool.txt",
            (
                "daos-seqwrite: error -1005 of the engine (it does not exist)",
                "daos-seqread: error -1005 of the engine (it does not exist)",
                "daos-randwrite: error -1005 of the engine (it does not exist)",
                "daos-randread: error -1005 of the engine (it does not exist)",
                "fio: pid=3064, err=-1005/file:engines/dfs.c:168, func=daos_pool_connect, "
                "error=Unknown error -1005",
            ),
        ),
        (
            "dfs_unknown_container.txt",
            (
                NO_JSON,
                "fio: pid=3091, err=-1005/file:engines/dfs.c:181, func=daos_cont_open, "
                "error=Unknown error -1005",
            ),
        ),
        (
            "killed_TERM.json",
            (
                "read_4k.1: ran for 1.439 s of 3 s; it was cut short",
                "read_4k.2: moved 0 bytes in 0 s; it did not run, or not for long enough",
                "fio: terminating on signal 15",
            ),
        ),
        ("killed_KILL.json", (NO_JSON,)),
        (
            "worker_killed.json",
            (
                "read_4k.1: moved 0 bytes in 0 s; it did not run, or not for long enough",
                "fio: pid=23449, got signal=9",
            ),
        ),
        ("missing_jobfile.txt", (NO_JSON, "fio: unable to open 'nosuch.fio' job file")),
        (
            "unknown_engine.txt",
            (
                NO_JSON,
                "fio: file:ioengines.c:134, func=dlopen, error=dfs: cannot open shared object "
                "file: No such file or directory",
            ),
        ),
    ],
)
def test_says_why_a_run_is_not_a_measurement(name, problems):
    assert parse(recorded(name)).problems == problems


def test_a_process_that_was_killed_spoils_a_report_that_is_whole():
    good = recorded("dfs_json_plus.txt")
    assert parse(good).problems == ()
    killed = "fio: pid=23449, got signal=9"
    assert parse(f"{killed}\n{good}").problems == (killed,)


@pytest.mark.parametrize(
    ("name", "bandwidth"),
    [
        ("missing_directory.txt", 1000.0),
        ("odirect_tmpfs.txt", 2666.667),
        ("sparse_file.txt", 8000.0),
    ],
)
def test_what_fio_does_not_report_passes(name, bandwidth):
    # fio makes the directory of a file system that is not mounted, tmpfs takes O_DIRECT, holes
    # are read: all exit 0. The check that runs fio has to rule the first two out.
    parsed = parse(recorded(name))
    assert parsed.problems == ()
    assert figures(parsed)[0][2] == bandwidth


def test_holes_are_found_where_the_run_has_to_write_first():
    (problem,) = parse(recorded("sparse_file.txt"), written_here=True).problems
    assert problem.startswith("read_1m.1: no earlier job of this run wrote all that it reads")


@pytest.mark.parametrize(
    ("name", "read", "write"),
    [
        # KiB and microseconds: fio printed 129386 and 39312 KiB/s.
        ("fio_217_2jobs.json", (126.354, 238.358), (38.391, 800.194)),
        ("fio_37_randrw.json", (15.323, 159.348), (6.547, 191.942)),
    ],
)
def test_older_releases_are_read_in_their_own_units(name, read, write):
    parsed = parse(recorded(f"posted/{name}"))
    assert parsed.problems == ()
    seen = {sample.metric: round(sample.value, 3) for sample in parsed.samples}
    assert (seen["read_bandwidth"], seen["read_latency"]) == read
    assert (seen["write_bandwidth"], seen["write_latency"]) == write


def test_a_release_without_the_options_of_its_jobs_is_named():
    parsed = parse(recorded("posted/fio_214_3jobs.json"))
    assert parsed.unread
    assert parsed.problems == (
        "not known: a report of fio-2.1.4, without the options of its jobs (known: its JSON (from"
        " 2.2), its report for people, and terse version 3, of 2.0 to 3.42; needed: the JSON of"
        " one run of fio 3 or newer)",
    )


def test_no_figure_without_the_release_that_gives_its_unit():
    unknown = json.loads(report(job("w", "write", 2**20)))
    del unknown["fio version"]
    parsed = parse(json.dumps(unknown))
    assert parsed.samples == ()
    assert parsed.unread
    assert parsed.problems[0].startswith("not known: a report without its release, so the unit of")


@pytest.mark.parametrize("release", ["fio-2.20", "fio-2.21", "fio-2.99"])
def test_bytes_begin_with_2_21_and_nanoseconds_with_2_99(release):
    old = json.loads(report(job("w", "write", 2**20)))
    old["fio version"] = release
    key = "clat_ns" if release == "fio-2.99" else "clat"
    old["jobs"][0]["write"][key] = {"mean": 5000.0}
    seen = {sample.metric: sample.value for sample in parse(json.dumps(old)).samples}
    assert seen["write_bandwidth"] == (1024 if release == "fio-2.20" else 1)
    assert seen["write_latency"] == (5 if release == "fio-2.99" else 5000)


def report(*jobs, **options):
    nothing = {"io_bytes": 0, "total_ios": 0, "runtime": 0}
    return json.dumps(
        {
            "fio version": "fio-3.33",
            "global options": {"filename": "f", "size": "1m", "bs": "4k", **options},
            "jobs": [{"error": 0, "read": nothing, "write": nothing, **job} for job in jobs],
        }
    )


def job(name, rw, io_bytes, took=1000, **options):
    done = {"io_bytes": io_bytes, "total_ios": 256, "runtime": took}
    direction = rw.removeprefix("rand")
    return {"jobname": name, "job options": {"rw": rw, **options}, direction: done}


def test_a_job_without_time_limit_has_to_move_its_whole_size():
    cut = parse(report(job("write.1", "write", 2**19)))
    assert cut.problems == ("write.1: moved 524288 of 1048576 bytes; it was cut short",)
    assert parse(report(job("write.1", "write", 2**20))).problems == ()


def test_a_group_has_to_move_the_size_of_each_process():
    group = {"numjobs": "2", "group_reporting": "1"}
    assert parse(report(job("write.1", "write", 2**20, **group))).problems
    assert not parse(report(job("write.1", "write", 2**21, **group))).problems


def test_runtime_of_zero_is_not_a_measurement():
    parsed = parse(report(job("write.1", "write", 2**20, took=0)))
    assert parsed.samples == ()
    assert parsed.problems == (
        "write.1: moved 1048576 bytes in 0 s; it did not run, or not for long enough",
    )


def test_a_timed_write_does_not_lay_out_what_is_read():
    timed = job("write.1", "write", 2**20, time_based="1", runtime="1")
    assert parse(report(timed, job("read.1", "read", 2**20)), written_here=True).problems
    whole = job("write.1", "write", 2**20)
    assert not parse(report(whole, job("read.1", "read", 2**20)), written_here=True).problems


def test_another_file_is_not_the_one_that_was_written():
    other = job("read.1", "read", 2**20, filename="g")
    whole = job("write.1", "write", 2**20)
    assert parse(report(whole, other), written_here=True).problems


def test_two_reports_in_one_text_are_refused():
    text = recorded("two_processes.json")
    assert parse(text + text).problems == (
        "no JSON report from fio: there are 2 JSON objects, of more than one run",
    )


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"jobs": 3}',
        '{"jobs": []}',
        '{"jobs": [{}]}',
        '{"a":' * 10**5,
        "{\n" + "9" * 5000 + "\n}",
        report(job("w", "write", 10**400)),
        report({**job("w", "write", 1), "error": -(2**40)}),
    ],
)
def test_rubbish_is_a_problem(text):
    assert parse(text).problems


def test_options_that_cannot_be_read_are_left_alone():
    odd = {"size": "9" * 5000, "numjobs": "x", "group_reporting": "1", "runtime": "soon"}
    assert parse(report(job("w", "write", 1, **odd))).problems == ()


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


@given(st.integers(min_value=0, max_value=len(recorded("two_processes.json")) - 3))
def test_a_report_that_is_cut_off_gives_no_samples(length):
    parsed = parse(recorded("two_processes.json")[:length])
    assert not parsed.samples
    assert parsed.problems


LOG_LINES = st.sampled_from(
    [
        "2026/11/21 04:36:12.397457 vm DAOS[3078/3078/0] crt  ERR  src/cart/crt_init.c:540",
        "[error] something",
        "fio: this platform does not support process shared mutexes",
        "",
    ]
)


@given(st.lists(st.tuples(st.integers(min_value=0, max_value=900), LOG_LINES), max_size=5))
def test_log_lines_do_not_change_the_samples(inserted):
    lines = recorded("two_processes.json").splitlines()
    for place, line in inserted:
        lines.insert(place, line)
    assert parse("\n".join(lines)) == parse(recorded("two_processes.json"))


DONE = {"io_bytes": 2**20, "total_ios": 1, "runtime": 60_000}


def job_report(error=0, read=DONE, **options):
    idle = {"io_bytes": 0, "total_ios": 0, "runtime": 0}
    names = {"jobname": "j", "job options": options}
    return JobReport.model_validate({**names, "error": error, "read": read, "write": idle})


@pytest.mark.parametrize(
    ("runtime", "seconds"),
    [("90", 90), ("90s", 90), ("2m", 120), ("1h", 3600), ("1500ms", 1.5), ("30us", 3e-5)],
)
def test_a_time_has_the_units_of_fio(runtime, seconds):
    assert job_report(runtime=runtime, time_based="1").seconds() == pytest.approx(seconds)
    assert job_report(runtime=runtime).seconds() is None


@pytest.mark.parametrize(("milliseconds", "cut"), [(59_400, False), (59_399, True)])
def test_a_timed_job_may_end_a_hundredth_early(milliseconds, cut):
    timed = job_report(read={**DONE, "runtime": milliseconds}, runtime="60", time_based="1")
    assert (timed.problem() is not None) == cut


def test_an_error_may_be_one_of_the_engine():
    assert job_report(2**32 - 1005).problem() == "j: error -1005 of the engine (it does not exist)"
    unknown = "error -2147483648 of the engine (it does not say why)"
    assert job_report(2**31).problem() == f"j: {unknown}"
    assert job_report(-(2**31)).problem() is not None


def test_counts_have_64_bits():
    assert job_report(read={**DONE, "io_bytes": 2**64 - 1}).problem() is None
    with pytest.raises(ValidationError):
        job_report(read={**DONE, "io_bytes": 2**64})


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"client_stats": []}, "a report of fio's clients (--client)"),
        ({"jobs": [{"mixed": {}}]}, "reads and writes reported together (unified_rw_reporting)"),
    ],
)
def test_another_kind_of_report_is_named(changed, named):
    document = json.loads(report(job("w", "write", 2**20))) | changed
    parsed = parse(json.dumps(document))
    assert parsed.unread
    assert parsed.problems[0].startswith(f"not known: {named} (known: ")


def test_json_that_lacks_what_fio_prints_is_not_known():
    report = json.loads(recorded("dfs_rendered.json"))
    del report["jobs"][0]["error"]
    parsed = parse(json.dumps(report, indent=1))
    assert parsed.unread
    assert parsed.problems[0].startswith("not known: a report that lacks jobs.0.error (")
    assert "needed: the JSON as fio prints it" in parsed.problems[0]


def test_a_job_that_trims_is_not_known_in_json():
    report = json.loads(recorded("dfs_rendered.json"))
    report["jobs"][0]["job options"]["rw"] = "randtrim"
    parsed = parse(json.dumps(report, indent=1))
    assert parsed.unread
    assert parsed.problems[0].startswith("not known: a job that trims (")
