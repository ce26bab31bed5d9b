"""fdb-hammer: what is made of its output."""

import re
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recordings
from assay.tools.fdb_hammer import Fields, parse

recorded = partial(recordings.recorded, "fdb_hammer")
RECORDED_BYTES = 128 * 2**20
"""What each of four processes moved in the recordings: their fields were of 1 MiB."""


def result(bytes_: int = 2**20, first: str = "10.000000", last: str = "11.000000") -> str:
    return (
        f"Bytes written: {bytes_}\n"
        f"Timestamp before first IO: {first}\n"
        f"Timestamp after last IO: {last}\n"
    )


def labelled(*outputs: str) -> str:
    return "".join(
        f"{process}: {line}\n"
        for process, output in enumerate(outputs)
        for line in output.splitlines()
    )


def test_a_clock_that_differs_makes_no_figure() -> None:
    text = labelled(result(), result(first="9.000000"), result(last="13.000000"))
    assert parse(text, started=9.0, ended=13.0).problems == ()
    assert parse(text, started=9.5, ended=12.5).problems == (
        "process 1 began before it was started, by the clock of its host: "
        "synchronize the hosts' clocks",
        "process 2 ended after it was waited for, by the clock of its host: "
        "synchronize the hosts' clocks",
    )


@pytest.mark.parametrize(
    ("name", "metric", "value", "seconds"),
    [
        ("write-4", "write_bandwidth", 124.189, "4.122757"),
        ("read-4", "read_bandwidth", 256.492, "1.996162"),
    ],
)
def test_bandwidth_is_by_global_timing(name: str, metric: str, value: float, seconds: str) -> None:
    parsed = parse(recorded(f"{name}.txt"), expected_processes=4, expected_bytes=RECORDED_BYTES)
    assert parsed.problems == ()
    together, *alone = parsed.samples
    assert (together.metric, together.unit) == (metric, "MiB/s")
    assert together.value == pytest.approx(value, abs=0.001)
    assert together.labels == {
        "processes": "4",
        "bytes": str(4 * RECORDED_BYTES),
        "seconds": seconds,
    }
    assert [sample.labels["process"] for sample in alone] == ["0", "1", "2", "3"]
    assert {sample.metric for sample in alone} == {f"process_{metric}"}
    # Every process was at work for less than the whole time.
    assert sum(sample.value for sample in alone) > together.value


def test_time_counts_from_the_first_start_to_the_last_end() -> None:
    text = labelled(result(last="12.000000"), result(first="11.000000", last="14.000000"))
    assert parse(text).samples[0].value == pytest.approx(2 / 4)


def test_to_open_lasts_until_the_last_process_moves_a_byte() -> None:
    text = recorded("write-4.txt")
    first = [float(second) for second in re.findall(r"before first IO: ([\d.]+)", text)]
    assert len(first) == 4
    parsed = parse(text, started=min(first) - 0.5)
    (opened,) = (sample for sample in parsed.samples if sample.metric == "write_open")
    assert opened.unit == "s"
    assert opened.value == pytest.approx(max(first) - min(first) + 0.5)


def test_one_process_needs_no_label() -> None:
    parsed = parse(recorded("write-1.txt"))
    assert parsed.problems == ()
    together, alone = parsed.samples
    assert together.value == pytest.approx(99.656, abs=0.001)
    assert (alone.value, alone.labels["process"]) == (together.value, "0")


def test_the_time_spent_on_making_fields_is_kept() -> None:
    assert parse(recorded("write-1.txt")).samples[1].labels["grib_seconds"] == "0.313813"


def test_log_lines_around_the_output_do_no_harm() -> None:
    text = recorded("write-4.txt")
    noisy = f"Loading module fdb\n{text}slurmstepd: info: bye\n"
    assert parse(noisy) == parse(text)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (
            "read-corrupt",
            "process 0 failed: Assertion failed: checksum_digest == checksum_digest_stored: "
            "what was read is not what was written",
        ),
        (
            "read-truncated",
            "process 0 failed: Assertion failed: checksum_digest == checksum_digest_stored: "
            "what was read is not what was written",
        ),
        (
            "read-file-gone",
            "process 0 failed: Cannot open /scratch/fdb/rd:assy:enfo:20200101:0000:g/"
            "pf:pl.20261121.083201.vm.13829794693121.data  (No such file or directory)",
        ),
        (
            "read-fewer",
            "process 2 failed: Failed system call: Read error on BufferedHandle[MultiHandle]: "
            "failed to read 1 byte (No such file or directory): none of its fields exists; "
            "run the write phase first",
        ),
        (
            "read-killed",
            "process 1 failed: Found fewer fields than expected: some of its fields are missing; "
            "did the write phase finish?",
        ),
        (
            "read-partial-checked",
            "the process failed: Found fewer fields than expected: some of its fields are missing; "
            "did the write phase finish?",
        ),
        (
            "write-no-root",
            "process 0 failed: Unexpected state: No writable roots available. Configured roots: "
            "[/scratch/fdb]: the root is missing, or this user may not write there",
        ),
        (
            "write-terminated",
            "the process did not print its bytes and both timestamps: it did not finish",
        ),
        ("write-nothing", "process 0 moved no bytes"),
        ("usage", "the process failed: invalid argument count: expected 1, got: 0."),
    ],
)
def test_a_failed_process_makes_no_bandwidth(name: str, problem: str) -> None:
    parsed = parse(recorded(f"{name}.txt"))
    assert parsed.problems == (problem,)
    assert not [sample for sample in parsed.samples if "processes" in sample.labels]


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("write-full", "the file system is full"),
        ("read-empty", "none of its fields exists; run the write phase first"),
    ],
)
def test_every_failed_process_is_reported(name: str, advice: str) -> None:
    problems = parse(recorded(f"{name}.txt")).problems
    assert [problem[:10] for problem in problems] == ["process 0 ", "process 1 "]
    assert all(problem.endswith(advice) for problem in problems)


def test_a_killed_process_is_missed() -> None:
    assert parse(recorded("write-killed.txt"), expected_processes=2).problems == (
        "1 of 2 processes printed something; a killed process prints nothing",
    )


def test_bytes_that_were_not_asked_for_are_reported() -> None:
    # Without --full-check, fdb-hammer reads half of the fields and is content.
    parsed = parse(recorded("read-partial.txt"), expected_bytes=64 * 2**20)
    assert parsed.problems == ("the process moved 33554432 bytes instead of 67108864",)


def test_a_process_that_moved_less_than_others_is_reported() -> None:
    parsed = parse(labelled(result(2**20), result(2**21)))
    assert parsed.problems == ("process 0 moved 1048576 bytes, but others moved 2097152",)


@pytest.mark.parametrize("last", ["10.000000", "9.999999"])
def test_an_end_that_is_not_after_the_start_is_reported(last: str) -> None:
    parsed = parse(result(last=last))
    assert parsed.samples == ()
    assert parsed.problems == (
        f"the process ended at {last}, which is not after its start at 10.000000: "
        "was the clock changed during the run?",
    )


def test_a_process_without_timestamps_did_not_finish() -> None:
    text = labelled(result(), "Bytes written: 1048576")
    assert parse(text).problems == (
        "process 1 did not print its bytes and both timestamps: it did not finish",
    )


def test_outputs_of_several_processes_need_labels() -> None:
    assert parse(result() + result()).problems == (
        "the process printed 2 results; several processes need `srun --label`",
    )


def test_phases_are_not_mixed() -> None:
    parsed = parse(labelled(result(), result().replace("written", "read")))
    assert parsed.problems == ("the output contains both phases; pass one at a time",)
    assert not [sample for sample in parsed.samples if "processes" in sample.labels]


def test_what_the_step_manager_says_is_a_problem() -> None:
    line = "srun: error: n1: task 1: Killed"
    assert parse(recorded("write-killed.txt") + line).problems == (line,)


@given(st.text() | st.text(alphabet="0123456789: .\nBytesraditnwTmpfoIO"))
def test_rubbish_is_a_problem(text: str) -> None:
    parsed = parse(text)
    assert parsed.problems
    assert parsed.samples == ()


def test_a_truncated_output_is_never_a_whole_one() -> None:
    text = recorded("read-4.txt")
    whole = parse(text)
    for end in range(len(text) - 1):
        cut = parse(text[:end], expected_processes=4, expected_bytes=RECORDED_BYTES)
        assert cut.problems, text[:end]
    assert parse(text[:-1]) == whole


@pytest.mark.parametrize(
    ("name", "value", "exceptions"),
    [
        ("daos-write-shared", 19.29, True),
        ("daos-write-separate", 19.14, True),
        ("daos-read-shared", 22.55, False),
        ("daos-read-separate", 21.65, False),
    ],
)
def test_exceptions_of_what_is_still_to_be_made_in_daos_are_not_a_failure(
    name: str, value: float, exceptions: bool
) -> None:
    text = recorded(f"{name}.txt")
    assert ("Exception: daos_cont_open(" in text) is exceptions
    parsed = parse(text, expected_processes=4, expected_bytes=Fields(16, 4).bytes)
    assert parsed.problems == ()
    assert parsed.samples[0].value == pytest.approx(value, abs=0.005)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("daos-read-empty", "the container of the database does not exist"),
        ("daos-write-no-pool", "does the pool exist, and do agent and engines answer?"),
    ],
)
def test_what_fails_in_daos_is_reported(name: str, why: str) -> None:
    problems = parse(recorded(f"{name}.txt"), expected_processes=2).problems
    assert len(problems) == 2
    assert all(why in problem for problem in problems)


@pytest.mark.parametrize("again", range(3))
def test_a_process_has_each_line_of_its_result_once(again: int) -> None:
    lines = result().splitlines()
    parsed = parse("\n".join([*lines, lines[again]]) + "\n")
    assert parsed.samples == ()
    assert "results; several processes need `srun --label`" in parsed.problems[0]
