"""daos_perf: its command line, and the results that its ranks have together."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools.daos_perf import DaosPerf, parse
from assay.tools.perf_common import Values
from assay.tools.text import OTHER_LAUNCHER
from recordings import recorded, values

TOOL = "daos_perf"
POOL = "8ce2ad72-2c6d-4927-8ce3-d41e9080d2dd"


def test_the_command_is_the_one_that_was_recorded():
    run = DaosPerf(POOL, Values("4K", "100", akeys="100"), "TINY", credits=0)
    assert run.command() == [
        *("daos_perf", "-u", POOL, "-T", "daos", "-C", "0", "-c", "TINY", "-o", "1", "-d", "1"),
        *("-a", "100", "-n", "100", "-s", "4K", "-R", "U;p F;p"),
    ]


def test_arrays_go_to_all_targets_with_sixteen_in_flight():
    command = " ".join(DaosPerf(POOL, Values("1M", "50", array=True)).command())
    assert "-C 16 -c LARGE -A -o 1" in command


def test_echo_leaves_storage_out():
    command = DaosPerf(POOL, Values("4K", "50"), store=False).command()
    assert command[command.index("-T") + 1] == "echo"


def test_one_rank_that_waits_has_a_latency():
    parsed = parse(recorded(TOOL, "one_process.txt"), expected_processes=1)
    assert parsed.problems == ()
    assert values(parsed)[:3] == [
        ("update_bandwidth", 23.778, "MiB/s"),
        ("update_rate", 6087.06, "IO/s"),
        ("update_latency", 164.283, "us"),
    ]


@pytest.mark.parametrize("name", ["two_processes.txt", "echo.txt"])
def test_credits_and_several_ranks_have_none(name):
    parsed = parse(recorded(TOOL, name))
    assert parsed.problems == ()
    assert "us" not in {unit for _, _, unit in values(parsed)}


def test_the_first_rank_prints_for_both():
    parsed = parse(recorded(TOOL, "two_processes.txt"), expected_processes=2)
    assert parsed.problems == ()
    assert values(parsed)[0] == ("update_bandwidth", 60.776, "MiB/s")
    assert parsed.samples[0].labels["value_size"] == "4096"
    assert parsed.samples[0].labels["processes"] == "2"
    # 2 ranks x 100 keys x 20 values in 0.257091 s.
    assert parsed.samples[1].value == pytest.approx(2 * 100 * 20 / 0.257091, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        (
            "pool_busy.txt",
            (
                "daos_perf did not start: something is connected to the pool; daos_perf needs it"
                " exclusively: unmount dfuse, stop other clients (pool_connect_cp() failed to"
                " connect to pool: DER_BUSY(-1012): 'Device or resource busy')",
            ),
        ),
        (
            "unknown_pool.txt",
            (
                "daos_perf did not start: it does not exist (dc_mgmt_pool_find() 11111111:"
                " MGMT_POOL_FIND rpc failed to 1 ranks: DER_NONEXIST(-1005):"
                " 'The specified entity does not exist')",
            ),
        ),
        (
            "two_hosts.txt",
            (
                "UPDATE took 5321.7 s from first start to last end, the longest process 0.256934"
                " s: the processes did not start together, or run on several hosts, whose clocks"
                " differ; measure one host at a time",
            ),
        ),
        (
            "singletons.txt",
            (
                "the output contains 2 runs of daos_perf: each rank ran alone, without MPI"
                f"{OTHER_LAUNCHER}",
            ),
        ),
        ("killed.txt", ("FETCH has no complete result: it failed, or the run was cut off",)),
    ],
)
def test_says_why_a_run_is_not_a_measurement(name, problems):
    assert parse(recorded(TOOL, name)).problems == problems


@pytest.mark.parametrize(("together", "problems"), [("10.500000", 0), ("10.510000", 1)])
def test_processes_may_take_a_twentieth_longer_together(together, problems):
    text = recorded(TOOL, "two_hosts.txt").replace("5321.702913", together)
    text = text.replace("MAX duration : 0.256934 ", "MAX duration : 10.000000 ", 1)
    reported = [problem for problem in parse(text).problems if "did not start together" in problem]
    assert len(reported) == problems


@pytest.mark.parametrize(("together", "problems"), [("0.600000", 0), ("0.600001", 1)])
def test_processes_may_take_a_tenth_of_a_second_longer_together(together, problems):
    text = recorded(TOOL, "two_hosts.txt").replace("5321.702913", together)
    text = text.replace("MAX duration : 0.256934 ", "MAX duration : 0.500000 ", 1)
    reported = [problem for problem in parse(text).problems if "did not start together" in problem]
    assert len(reported) == problems


@pytest.mark.parametrize(("in_flight", "waits"), [(1, True), (2, False)])
def test_one_process_with_one_operation_in_flight_waits(in_flight, waits):
    text = re.sub(r"(\tcredits +: ).*", rf"\g<1>{in_flight}", recorded(TOOL, "one_process.txt"))
    assert ("us" in {unit for _, _, unit in values(parse(text))}) == waits


def test_credits_that_are_not_printed_are_none():
    text = re.sub(r"\tcredits +:.*\n", "", recorded(TOOL, "one_process.txt"))
    assert parse(text).samples[0].labels["credits"] == "0"


def test_processes_without_mpi_are_not_ranks():
    problems = (
        "daos_perf found no MPI: libdpar_mpi.so of DAOS, or the MPI that it was built with, is not"
        " on this host, so each process ran alone"
    )
    assert parse(recorded(TOOL, "no_mpi.txt"), expected_processes=2).problems == (problems,)


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems
