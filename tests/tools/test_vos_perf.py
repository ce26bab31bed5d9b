"""vos_perf: values that fit into the pool, and the results of its tests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools.perf_common import Values, size, spelled
from assay.tools.vos_perf import VosPerf, environment, parse
from recordings import recorded, values

TOOL = "vos_perf"
RATE = recorded(TOOL, "rate.txt")


def test_the_command_is_the_one_that_was_recorded():
    run = VosPerf("/mnt/vosperf", Values("4K", "100k"), pool="2G")
    assert run.command() == [
        *("vos_perf", "-D", "/mnt/vosperf", "-P", "2G", "-d", "1", "-a", "1", "-n", "100k"),
        *("-s", "4K", "-z", "-R", "U;p F;p"),
    ]


def test_array_values_are_asked_for():
    values = Values("1M", "1k", array=True, operations="U;p")
    assert VosPerf("d", values, "2G", zero_copy=False).command()[-3:] == ["-A", "-R", "U;p"]


@pytest.mark.parametrize(
    ("spelled", "number"), [("100", 100), ("100k", 102400), ("4K", 4096), ("2G", 2**31)]
)
def test_its_prefixes_are_powers_of_1024(spelled, number):
    assert size(spelled) == number


@pytest.mark.parametrize(
    ("number", "spelling"),
    [(0, "0"), (100, "100"), (1024, "1k"), (1025, "1025"), (1536, "1536"), (5120, "5k")],
)
def test_a_whole_number_of_kibi_is_spelled_so(number, spelling):
    assert spelled(number) == spelling
    assert size(spelling) == number


@pytest.mark.parametrize("spelled", ["", "4KiB", "1.5G", "-1", "1T"])
def test_refuses_a_size_that_it_would_misread(spelled):
    with pytest.raises(ValueError, match="is not a number such as"):
        VosPerf("d", Values(spelled, "1"), "2G")


def test_refuses_values_that_fill_the_pool():
    need = r"314572800 bytes of values need a pool of 449389714 bytes; it has 256M$"
    with pytest.raises(ValueError, match=f"vos_perf: {need}"):
        VosPerf("/mnt/vosperf", Values("1M", "300"), pool="256M")
    assert VosPerf("/mnt/vosperf", Values("1M", "700"), pool="1000M")
    with pytest.raises(ValueError, match="need a pool"):
        VosPerf("/mnt/vosperf", Values("1M", "701"), pool="1000M")


def test_the_caches_are_left_unflushed_on_request_alone():
    assert environment() == {"PMEMOBJ_CONF": "sds.at_create=0"}
    assert environment(no_flush=True)["PMEM_NO_FLUSH"] == "1"


def test_each_test_is_a_rate_a_bandwidth_and_a_latency():
    parsed = parse(RATE, expected_processes=1)
    assert parsed.problems == ()
    assert values(parsed) == [
        ("update_bandwidth", 427.496, "MiB/s"),
        ("update_rate", 109439.01, "IO/s"),
        ("update_latency", 9.138, "us"),
        ("fetch_bandwidth", 3379.920, "MiB/s"),
        ("fetch_rate", 865259.49, "IO/s"),
        ("fetch_latency", 1.156, "us"),
    ]
    assert parsed.samples[0].labels == {
        "value_size": "4096",
        "value_type": "single",
        "processes": "1",
        "credits": "-1",
        "iteration": "0",
    }


def test_mb_per_second_are_mebibytes():
    bandwidth, rate, _ = (sample.value for sample in parse(RATE).samples[:3])
    assert bandwidth == pytest.approx(rate * 4096 / 2**20, rel=1e-5)


def test_reads_the_spelling_that_a_release_may_correct():
    assert parse(RATE.replace("bandwith", "bandwidth")) == parse(RATE)


def test_a_test_that_runs_twice_is_two_samples():
    parsed = parse(recorded(TOOL, "twice.txt"))
    assert parsed.problems == ()
    rates = {
        (sample.metric, sample.labels["iteration"]): sample.value
        for sample in parsed.samples
        if sample.unit == "IO/s"
    }
    assert rates == {
        ("update_rate", "0"): 26091.17,
        ("update_rate", "1"): 23816.09,
        ("fetch_rate", "0"): 81080.33,
        ("fetch_rate", "1"): 147934.12,
    }


def test_lines_of_two_processes_run_into_each_other():
    parsed = parse(recorded(TOOL, "two_processes.txt"), expected_processes=2)
    assert parsed.problems == ()
    # What it prints as latency is that over the operations of both: no latency.
    assert values(parsed) == [
        ("update_bandwidth", 259.511, "MiB/s"),
        ("update_rate", 66434.79, "IO/s"),
        ("fetch_bandwidth", 1924.226, "MiB/s"),
        ("fetch_rate", 492601.75, "IO/s"),
    ]


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("pool_full.txt", ("UPDATE failed: no space left; vos_perf still exits with 0",)),
        ("unknown_test.txt", ("vos_perf does not know the test X and skipped it",)),
        (
            "verify.txt",
            ("vos_perf cannot verify single values: its output for VERIFY means nothing",),
        ),
        (
            "pool_too_large.txt",
            (
                "vos_perf did not start: it does not say why; does a pool of that size fit into"
                " the file system?",
            ),
        ),
        (
            "no_directory.txt",
            (
                "vos_perf did not start: it does not exist (vos_db_init_ex() Failed to"
                " open/create(1) sys DB: DER_NONEXIST(-1005):"
                " 'The specified entity does not exist')",
            ),
        ),
        (
            "without_pmemobj_conf.txt",
            ("vos_perf aborted: its environment lacks PMEMOBJ_CONF=sds.at_create=0",),
        ),
    ],
)
def test_says_why_a_run_is_not_a_measurement(name, problems):
    assert parse(recorded(TOOL, name)).problems == problems


def test_a_run_of_other_processes_is_not_the_one_asked_for():
    assert parse(RATE, expected_processes=4).problems == (
        "vos_perf ran with the wrong number of processes: 1 instead of 4",
    )


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


@given(st.integers(min_value=0, max_value=RATE.rindex("MAX duration")))
def test_an_output_that_is_cut_off_is_not_a_measurement(length):
    parsed = parse(RATE[:length])
    whole = {sample.metric for sample in parsed.samples}
    # Nothing tells that a test was still to come.
    assert parsed.problems or whole == {"update_bandwidth", "update_rate", "update_latency"}
