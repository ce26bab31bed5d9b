"""fio as a steady load: job files, reports, and gaps in logs. Figures are made up."""

from __future__ import annotations

import json

from assay.tools import fio_log
from assay.tools.daos.dfs import Dfs
from assay.tools.fio_load import Load, parse
from recordings import recorded

LOAD = Load(Dfs("assay-failure", "load", oclass="RP_2GX"), file_mib=32, processes=2, limit_s=600)


def test_each_writing_has_a_pattern_of_its_own_that_the_reads_require() -> None:
    assert "verify_pattern=0x00000001%o" in LOAD.write(1)
    assert "verify_pattern=0x00000002%o" in LOAD.write(2)
    for text in (LOAD.run(2), LOAD.verify(2)):
        assert "verify_pattern=0x00000002%o" in text
        assert "0x00000001" not in text


def test_what_is_overwritten_all_the_time_is_written_once_before() -> None:
    assert "filename_format=load." in LOAD.write(1)
    assert "filename_format=load." not in LOAD.write(2)


def test_a_load_goes_on_after_an_error_and_a_writing_does_not() -> None:
    assert LOAD.run(1).count("continue_on_error=all") == 2
    assert "continue_on_error" not in LOAD.write(1)


def test_writes_leave_daos_the_time_to_reclaim_what_they_overwrite() -> None:
    """Without a limit, `No space left on device` ended the writes of a real run."""
    assert LOAD.run(1).count("rate=") == 1
    assert "rate=,546k" in LOAD.run(1)  # 32 MiB a minute


def report(**job: int) -> str:
    """One process that moved 32 MiB."""
    moved = {"io_bytes": 32 * 2**20}
    entry = {"jobname": "keep", "error": 0, "read": moved, "write": {"io_bytes": 0}, **job}
    return json.dumps({"fio version": "fio-3.42", "jobs": [entry]}, indent=2)


def figures(text: str) -> dict[str, float]:
    return {sample.metric: sample.value for sample in parse(text).samples}


def test_blocks_that_differ_are_not_whole() -> None:
    assert figures(report()) == {"moved": 32, "whole": 32, "errors": 0}
    assert figures(report(total_err=3)) == {"moved": 32, "whole": 29, "errors": 3}
    assert figures(report(error=84)) == {"moved": 32, "whole": 31, "errors": 1}


def test_a_report_that_is_cut_off_is_none() -> None:
    for text in ("", report()[:-30], "fio: pid=1, got signal=11", report() + "\n" + report()):
        assert parse(text).problems
        assert not parse(text).samples


def log(*seconds: int, rate: int = 2048) -> fio_log.Log:
    return fio_log.parse(
        "".join(f"{1795000000000 + s * 1000}, {rate}, 1, 0, 0, 0\n" for s in seconds)
    )


def test_processes_add_up_and_seconds_without_data_are_zero() -> None:
    rates = fio_log.together([log(0, 1, 4), log(1)])
    assert list(rates.values()) == [2.0, 4.0, 0.0, 0.0, 2.0]
    assert fio_log.together([(), ()]) == {}


def test_the_longest_gap_is_that_of_one_process_and_lasts_to_the_end() -> None:
    start = 1795000000.0
    assert fio_log.longest_gap([log(0, 1, 2, 3), log(0, 1, 3)], start + 3) == 2
    assert fio_log.longest_gap([log(0, 1, 2, 3), log(0, 1)], start + 30) == 29
    assert fio_log.longest_gap([], start) == 0


def test_lines_that_are_none_of_the_log_are_left_out() -> None:
    assert fio_log.parse("fio: io_u error\n1795000000000, 1024, 0, 1048576, 0, 0\n12, 3\n") == (
        (1795000000.0, 1.0),
    )


def test_a_process_whose_handles_an_agent_closed_is_not_clean() -> None:
    parsed = parse(recorded("failure", "fio_handles_closed.json"))
    assert [each.value for each in parsed.samples if each.metric == "errors"] == [1.0]
