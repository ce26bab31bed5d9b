"""Waivers: what they excuse, what they do not, and when they are refused."""

import time
from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

import pytest

from assay.campaign.results import read
from assay.checks.expect import Expectation
from assay.checks.figures import Unrated
from assay.checks.plan import Metric, Requirement
from assay.cluster.description import Cluster
from assay.foreign import limits
from assay.judge.judgement import Judgement, Measurement, judge
from assay.judge.signoff import Gate, sign_off
from assay.judge.verdict import Verdict
from assay.judge.waivers import Waiver, WaiverError, excuse, load
from assay.subject import Subject

TODAY = date(2026, 3, 2)
GOOD = """
waivers:
  - metric: SsdFio.* on s2
    reason: the vendor replaces it in April
    owner: storage group
    expires: 2026-04-30
"""


def judged(subject: str, *, floor: float = 80.0, problem: str = "") -> Judgement:
    metric = Requirement(
        "SsdFio", "ssd", "servers", Metric("read_1m", "MiB/s", Unrated("a trial")), Subject(subject)
    )
    expected = Expectation("MiB/s", "hardware", 200.0, floor, 200.0, "a datasheet")
    case = Measurement(metric, [100.0] * 7, expected, [problem] if problem else [])
    return judge([case]).judgements[0]


def waiver(metric: str = "SsdFio.read_1m on s2", expires: date = TODAY) -> Waiver:
    return Waiver(metric=metric, reason="a reason", owner="somebody", expires=expires)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "waivers.yml"
    path.write_text(GOOD)
    return path


def test_a_waived_metric_keeps_its_figure_and_says_what_it_would_be() -> None:
    (first, second), (excused,) = excuse(
        [judged("s1"), judged("s2", floor=120.0)], [waiver()], TODAY
    )
    assert (first.verdict, second.verdict) == (Verdict.PASS, Verdict.WAIVED)
    assert second.summary is not None
    assert second.summary.median == 100.0
    assert excused.judgement.verdict is Verdict.BELOW
    assert second.reason == (
        "waived by somebody until 2026-03-02: a reason; without the waiver it is below:"
        " 100 MiB/s is below the floor of 120 MiB/s"
    )


def test_a_waived_metric_is_never_a_pass() -> None:
    (only,), _ = excuse([judged("s2")], [waiver()], TODAY)
    assert only.verdict is Verdict.WAIVED


def test_what_is_missing_stays_missing() -> None:
    (only,), excused = excuse([judged("s2", problem="fio hung")], [waiver()], TODAY)
    assert only.verdict is Verdict.MISSING
    assert only.reason == "fio hung; a waiver covers a figure, but there is none"
    assert not excused


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            waiver(expires=date(2026, 3, 1)),
            "the waiver of 'SsdFio.read_1m on s2' expired on 2026-03-01: remove it, or ask"
            " somebody to agree to a later date",
        ),
        (
            waiver("SsdFio.read_1m on s3"),
            "the waiver of 'SsdFio.read_1m on s3' names no metric required of this cluster;"
            " did you mean 'SsdFio.read_1m on s2'?",
        ),
        (
            waiver("Nothing.*"),
            "the waiver of 'Nothing.*' names no metric required of this cluster;"
            " `assay plan` lists them",
        ),
        (
            waiver(expires=date(9999, 1, 1)),
            "the waiver of 'SsdFio.read_1m on s2' lasts until 9999-01-01, but a waiver may last at"
            " most a year, until 2027-03-03",
        ),
        *(
            (
                waiver(wide),
                f"the waiver of {wide!r} should name its check, such as 'IorEasy.write on *':"
                " only what follows the check's name may be a pattern",
            )
            for wide in ("*", "[!C]*", "Ssd*.read_1m on s2", "?sdFio.*")
        ),
    ],
)
def test_a_waiver_that_waives_nothing_is_an_error(bad: Waiver, message: str) -> None:
    with pytest.raises(WaiverError) as caught:
        excuse([judged("s2")], [bad], TODAY)
    assert caught.value.problems == [message]


@pytest.mark.parametrize("first", ["SsdFio.read_1m on s2", "SsdFio.*"])
def test_a_waiver_that_waives_nothing_more_is_an_error(first: str) -> None:
    """It was in the report beside the one that counted, with another owner."""
    second = waiver().model_copy(update={"owner": "the director"})
    with pytest.raises(WaiverError) as caught:
        excuse([judged("s1"), judged("s2")], [waiver(first), second], TODAY)
    assert caught.value.problems == [
        "the waiver of 'SsdFio.read_1m on s2' by the director has no effect, since the waivers"
        " before it cover all of its metrics: remove one of them"
    ]
    wider = waiver("SsdFio.*")
    (one, two), _ = excuse([judged("s1"), judged("s2")], [second, wider], TODAY)
    assert "somebody" in one.reason
    assert "the director" in two.reason


def test_what_is_implausible_stays_so() -> None:
    metric = judged("s2").requirement
    expected = Expectation("MiB/s", "hardware", 50.0, 40.0, 50.0, "a datasheet")
    cached = judge([Measurement(metric, [100.0] * 7, expected)]).judgements
    (only,), excused = excuse(cached, [waiver()], TODAY)
    assert only.verdict is Verdict.IMPLAUSIBLE
    assert only.reason.endswith("no waiver covers an impossible figure")
    assert not excused


def test_a_bracket_is_not_a_set_of_characters() -> None:
    assert not waiver("SsdFio.[r]ead_1m on s2").covers("SsdFio.read_1m on s2")


def test_a_file_of_waivers_is_read(written: Path) -> None:
    (only,) = load(written)
    assert only.expires == date(2026, 4, 30)
    assert only.covers("SsdFio.read_1m on s2")
    assert not only.covers("SsdFio.read_1m on s22")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("    owner: storage group\n", "", "waivers[0].owner: is missing: set it"),
        ("storage group", "' '", "waivers[0].owner =  : String should have at least 1 character"),
        ("owner:", "owners:", "waivers[0].owners: unknown key (did you mean owner?)"),
        *(
            ("2026-04-30", day, f"waivers[0].expires = {day}: should be a day, such as 2026-04-30")
            for day in ("soon", "2026-4-30", "4102444800", "1.5", "2026-W18-4", "2026-02-30x")
        ),
        ("2026-04-30", "2026-04-30 12:00:00", "waivers[0].expires: should be a day, such as"),
        (GOOD, "- metric: x", "must be `waivers:` and a list"),
        (GOOD, "", "must be `waivers:` and a list"),
        (GOOD, "waivers: [", "is not YAML: "),
        (GOOD, "\x00", "is not YAML: "),
        (GOOD, "[" * 10_000, "is not YAML: "),
    ],
)
def test_a_bad_file_says_what_and_where(written: Path, old: str, new: str, message: str) -> None:
    written.write_text(GOOD.replace(old, new))
    with pytest.raises(WaiverError) as caught:
        load(written)
    assert any(problem.startswith(message) for problem in caught.value.problems), caught.value


def test_a_day_may_be_quoted(written: Path) -> None:
    written.write_text(GOOD.replace("2026-04-30", "'2026-04-30'"))
    assert load(written)[0].expires == date(2026, 4, 30)


def test_what_is_not_printable_is_refused(written: Path) -> None:
    written.write_text(GOOD.replace("storage group", '"storage\\u202Egroup"'))
    with pytest.raises(WaiverError, match=r"waivers\[0\].owner = .*: must be printable") as caught:
        load(written)
    assert len(caught.value.problems) == 1


def test_a_file_has_no_more_waivers_than_its_limit(
    written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = GOOD.removeprefix("\nwaivers:\n")
    written.write_text(GOOD + one)
    monkeypatch.setattr(limits, "WAIVERS", 2)
    assert len(load(written)) == 2
    monkeypatch.setattr(limits, "WAIVERS", 1)
    with pytest.raises(WaiverError, match="has 2 waivers, and 1 is the limit"):
        load(written)


def test_a_waiver_lasts_at_most_a_year() -> None:
    year = timedelta(days=366)
    assert excuse([judged("s2")], [waiver(expires=TODAY + year)], TODAY)[1]
    with pytest.raises(WaiverError, match="may last at most a year"):
        excuse([judged("s2")], [waiver(expires=TODAY + year + timedelta(days=1))], TODAY)


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(WaiverError, match="cannot be read: No such file"):
        load(tmp_path / "none.yml")


def test_a_waiver_ends_with_its_last_day_in_utc(
    cluster: Cluster, campaign: Callable[..., str]
) -> None:
    """West of Greenwich that day lasted longer."""
    results = read(campaign(), cluster)

    def excused(hour: int, zone: int) -> int:
        made_at = datetime(2026, 3, 2, hour, tzinfo=timezone(timedelta(hours=zone)))
        return len(sign_off(cluster, results, Gate.MEASURED, [waiver()], None, made_at).excused)

    with pytest.raises(WaiverError, match="expired on 2026-03-02"):
        excused(23, -12)
    assert excused(23, 0) == excused(1, 14) == 1


def test_unknown_keys_are_refused_in_linear_time(tmp_path: Path) -> None:
    """20,000 of them, in 200 kB, took minutes: each error was compared with each other one."""
    keys = ", ".join(f"key{number}: 1" for number in range(20_000))
    (tmp_path / "waivers.yml").write_text(f"waivers:\n- {{{keys}}}\n")
    start = time.process_time()
    with pytest.raises(WaiverError) as refused:
        load(tmp_path / "waivers.yml")
    assert time.process_time() - start < 30
    assert refused.value.problems[0] == "20,004 problems, of which 1,000 are listed"
    assert len(refused.value.problems) == 1001
