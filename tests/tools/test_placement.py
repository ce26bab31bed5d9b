"""Where processes ran, as `client/placement.sh` prints it."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools.placement import cpus, parse


def process(number: int, may: str, ran: str) -> str:
    return f"process {number}: may run on {may}, ran on {ran}\n"


@pytest.mark.parametrize(
    ("spelled", "meant"),
    [("3", {3}), ("0-3", {0, 1, 2, 3}), ("0-1,36-37,40", {0, 1, 36, 37, 40})],
)
def test_a_list_of_cpus_is_in_the_kernels_spelling(spelled: str, meant: set[int]) -> None:
    assert cpus(spelled) == sum(1 << number for number in meant)


@pytest.mark.parametrize("may", ["0-99999999999", "0-8192", "3-1", "1,,2", "-", "9" * 5_000])
def test_cpus_that_no_host_has_are_no_figure(may: str) -> None:
    """A list of 100 billion took all memory, of ReFrame and of the sign-off."""
    parsed = parse(process(0, may, "0"))
    assert parsed.samples == ()
    assert parsed.problems[0].startswith("a process reported no list of CPUs: ")


def test_an_output_of_large_lists_is_read_in_no_time() -> None:
    """A list that names 8,192 CPUs again and again took hours."""
    start = time.process_time()
    parse(process(0, ",".join(["0-8191"] * 100_000), "0"))
    parse(process(0, "0-8191", "0") * 200_000)
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("printed", "bound"),
    [
        # A core with two threads is one process's own.
        (process(0, "0,36", "0 36") + process(1, "1,37", "37"), 2),
        # The second was seen where it may not run.
        (process(0, "0", "0") + process(1, "1", "0 1"), 1),
        # The second and the third share a core, of which neither owns it.
        (process(0, "0", "0") + process(1, "1-2", "1") + process(2, "2-3", "3"), 1),
    ],
)
def test_a_process_is_bound_that_has_its_cpus_to_itself_and_stays_there(
    printed: str, bound: int
) -> None:
    parsed = parse(printed)
    assert parsed.problems == ()
    (sample,) = parsed.samples
    assert (sample.metric, sample.value, sample.unit) == ("bound_processes", bound, "process")
    assert sample.labels == {"processes": str(len(printed.splitlines()))}


def test_that_none_is_bound_is_not_a_figure() -> None:
    parsed = parse(process(0, "0-3", "0") + process(1, "0-3", "2"), expected_processes=2)
    assert parsed.samples == ()
    (problem,) = parsed.problems
    assert problem.startswith("none of 2 processes had a core of its own: does Slurm's TaskPlugin")


@pytest.mark.parametrize("expected", [1, 3])
def test_as_many_have_to_speak_as_were_started(expected: int) -> None:
    printed = process(0, "0", "0") + process(1, "1", "1")
    assert parse(printed, expected_processes=2).problems == ()
    assert parse(printed, expected_processes=expected).problems == (
        f"2 of {expected} processes reported where they ran",
    )


def test_no_output_of_any_process_is_not_a_figure() -> None:
    assert parse("srun: error\n").problems == ("no process reported where it ran",)


@given(st.text())
def test_never_raises(text: str) -> None:
    parse(text)
