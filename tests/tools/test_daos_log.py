"""What DAOS's log lines and error codes are taken for."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assay.tools.daos.daos_log import (
    Logged,
    errors_since,
    first_cause,
    logged_errors,
    meaning,
    reason,
    without_log,
)
from recordings import recorded

LINE = "2025/11/21-04:21:22.50 n1 DAOS[10/10/0] mgmt {level:4} src/mgmt.c:7 main() {message}\n"


def line(message: str, level: str = "ERR") -> str:
    return LINE.format(level=level, message=message)


@pytest.mark.parametrize(
    # As <daos_errno.h> has them.
    ("code", "meant"),
    [
        (1001, "not permitted; may this account write to it (its ACL)?"),
        (
            1002,
            "invalid handle: the pool was evicted, its container destroyed, or the agent restarted",
        ),
        (1003, "invalid parameters"),
        (1005, "it does not exist"),
        (1007, "no space left"),
        (1011, "no answer in time"),
        (1012, "busy"),
        (1019, "no such rank"),
        (
            1020,
            "an RPC failed; does the agent give this host an interface that reaches the engines?",
        ),
        (1032, "the rank was excluded"),
        (2021, "a checksum is wrong"),
        (2026, "data is lost"),
        (2034, "the agent does not answer; is daos_agent running?"),
        (2031, "more failures than the redundancy of the container allows"),
        (2039, "the pool's service does not answer"),
        (2050, "the container does not exist"),
        (2051, "the container is being destroyed"),
        (1004, "DAOS error -1004"),
        (9999, "DAOS error -9999"),
    ],
)
def test_a_code_means_this(code: int, meant: str) -> None:
    assert meaning(f"it failed: DER_X(-{code}): 'words'") == meant


def test_the_last_code_counts() -> None:
    assert meaning("rc -1005, then -1007") == "no space left"
    assert meaning("rc -10070, 1007") == "it does not say why"


@pytest.mark.parametrize(
    ("level", "serious"),
    [("DBUG", 0), ("INFO", 0), ("WARN", 0), ("ERR", 1), ("CRIT", 1), ("ALRT", 1), ("EMRG", 1)],
)
def test_a_level_is_an_error_from_err_on(level: str, serious: int) -> None:
    assert len(logged_errors(line("it broke", level))) == serious


def test_what_is_logged_without_a_code_explains_less_than_what_has_one() -> None:
    harmless = line("setrlimit() failed. Unable to bump file descriptor limit")
    assert reason(harmless) is None
    assert reason(line("gone") + harmless) == "it does not say why (main() gone)"
    text = "one\n" + line("full: DER_NOSPACE(-1007)") + line("gone") + "two\n"
    assert reason(text) == "no space left (main() full: DER_NOSPACE(-1007))"
    assert without_log(text) == "one\ntwo"


ENGINE = "2026/11/21 04:47:%s vm DAOS[22832/-1/0] vos  %s src/vos/vos_io.c:9 update() %s\n"


@pytest.fixture
def far_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Local time of a place without daylight saving time, 5:30 h ahead of UTC."""
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


AT = datetime(2026, 11, 20, 23, 17, 20, tzinfo=UTC).timestamp()
"""04:47:20 there."""


@pytest.mark.usefixtures("far_away")
def test_errors_of_an_engine_have_the_time_of_its_host() -> None:
    log = (
        ENGINE % ("19.999999", "ERR ", "too early")
        + ENGINE % ("20.000001", "ERR ", "full: DER_NOSPACE(-1007)")
        + ENGINE % ("21.500000", "WARN", "no error")
        + ENGINE % ("22.500000", "CRIT", "gone")
        + "no line of a log\n"
    )
    assert list(errors_since(log, AT)) == [
        Logged(AT, "vos", "update() full: DER_NOSPACE(-1007)"),
        Logged(AT + 2, "vos", "update() gone"),
    ]


@pytest.mark.usefixtures("far_away")
def test_a_log_without_years_is_of_this_year() -> None:
    log = (ENGINE % ("20.000001", "ERR ", "gone")).removeprefix("2026/").replace("21 04", "21-04")
    assert [each.at for each in errors_since(log, AT)] == [AT]


def test_a_time_that_there_is_not_is_skipped() -> None:
    assert not list(errors_since((ENGINE % ("20.1", "ERR ", "x")).replace("11/21", "13/41"), 0.0))


IOR = Path(__file__).parents[1] / "recorded" / "ior"
CLOSED = "invalid handle: the pool was evicted, its container destroyed, or the agent restarted"


@pytest.mark.parametrize(
    ("recording", "cause"),
    [
        ("dfs_container_remade", f"{CLOSED} (dc_rw_cb() 2a26f105/d2b8f988 "),
        ("dfs_pool_evicted", f"{CLOSED} (dc_rw_cb() 2a26f105/c1b67d55 "),
        ("dfs_agent_restarted", f"{CLOSED} (dc_rw_cb() 2a26f105/c1b67d55 "),
        ("dfs_rank_excluded", "no answer in time (dc_rw_cb() 937030208471855425.6.1.2 "),
        (
            "dfs_pool_read_only",
            "Failed to connect to pool assay: not permitted; may this account write to it (its"
            " ACL)? (-1001)",
        ),
        ("dfs_unknown_pool", "Failed to connect to pool nosuch: it does not exist (-1005)"),
    ],
)
def test_the_first_error_with_a_code_is_the_cause(recording: str, cause: str) -> None:
    first = first_cause((IOR / f"{recording}.txt").read_text())
    assert first is not None
    assert first.startswith(cause)


def test_of_several_errors_with_a_code_the_first_is_the_cause() -> None:
    log = line("gone") + line("full: DER_NOSPACE(-1007)") + line("stuck: DER_BUSY(-1012)")
    assert first_cause(log) == "no space left (main() full: DER_NOSPACE(-1007))"


def test_without_a_code_there_is_no_cause() -> None:
    assert first_cause(line("gone")) is None


def test_handles_that_an_agent_closed_at_its_end_are_named_first() -> None:
    cause = first_cause(recorded("failure", "fio_handles_closed.txt"))
    assert cause
    assert cause.startswith("invalid handle: ")
    assert "or the agent restarted" in cause
