"""What two readings of the engines show: bytes, latencies, errors, a rebuild, a restart."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from assay.judge.engine_steps import Activity, compare, note
from assay.judge.engines import Engines, _compared, _findings, _outliers
from assay.subject import Subject
from assay.tools.daos.telemetry import ERRORS, Place, parse

DFS = Subject("clients", backend="dfs")

Step = Mapping[Place, tuple[float, float]]


BEGIN = '# server s1\nengine_started_at{rank="0"} 5\n'


def findings(before: str, after: str, written: float = 0.0, *, ranks: int = 1) -> list[str]:
    seen = Activity(ranks=ranks)
    first, second = parse(BEGIN + before), parse(BEGIN + after)
    note(seen, second)
    compare(seen, first, second, {(DFS, "write"): written}, "step")
    return list(_findings(seen))


SHORT = (
    "the engines moved %d%% of the bytes that the benchmark reports, redundancy included: a cache"
    " or a hole"
)
MOVED = 'engine_pool_xferred_update{pool="p",rank="0",target="0"} %d\n'


@pytest.mark.parametrize(
    ("grown", "sentences"),
    [
        (1000, []),
        (1050, []),
        # FOREIGN: 1 - 1000 / 1052 is 4.94 %.
        (1052, []),
        (1053, ["others used the system: 5% of the bytes were not from this check"]),
        (951, []),
        (950, []),
        (949, ["write on clients/dfs: " + SHORT % 95]),
        (940, ["write on clients/dfs: " + SHORT % 94]),
    ],
)
def test_bytes_are_those_of_the_benchmark(grown: int, sentences: list[str]) -> None:
    assert findings(MOVED % 500, MOVED % (500 + grown), 1000.0) == sentences


@pytest.mark.parametrize(("parts", "sentences"), [(2.0, 0), (1.5, 1)])
def test_writes_of_parts_of_stripes_are_stored_more_often(parts: float, sentences: int) -> None:
    seen = Activity(ranks=1, parts=parts)
    before, after = parse(BEGIN + MOVED % 500), parse(BEGIN + MOVED % 2500)
    note(seen, after)
    compare(seen, before, after, {(DFS, "write"): 1000.0}, "step")
    assert len(list(_findings(seen))) == sentences


def test_bytes_that_nobody_moved_are_a_cache_or_a_hole() -> None:
    assert findings(MOVED % 500, MOVED % 500, 1000.0) == ["write on clients/dfs: " + SHORT % 0]


def test_what_was_read_does_not_stand_for_what_was_written() -> None:
    fetched = MOVED.replace("update", "fetch")
    (sentence,) = findings(fetched % 500, fetched % 1500, 1000.0)
    assert sentence == "write on clients/dfs: " + SHORT % 0


def test_bytes_are_not_compared_where_a_rank_shows_none() -> None:
    assert not findings(MOVED % 500, MOVED % 900, 1000.0, ranks=2)


def test_bytes_are_not_compared_after_a_counter_fell() -> None:
    other = MOVED.replace('pool="p"', 'pool="q"')
    assert not findings(MOVED % 500 + other % 9, MOVED % 100 + other % 90, 1000.0)


def test_errors_are_counted_from_the_reading_before() -> None:
    line = 'engine_net_req_timeout{context="1",provider="ofi+tcp",rank="0"} %d\n'
    assert findings(line % 3, line % 5) == ["rank 0 on s1 counted RPCs that timed out: 2"]
    assert not findings(line % 3, line % 3)


def test_errors_of_an_ssd_name_it() -> None:
    line = 'engine_nvme_reliability_media_errors{device="0000:81:00.0",rank="0"} 1\n'
    assert findings("", line) == ["rank 0 on s1 counted media errors of an SSD (0000:81:00.0): 1"]


def test_a_rebuild_is_named() -> None:
    line = 'engine_io_ops_migrate_latency_samples{rank="0",target="0"} 4\n'
    assert findings("", line) == [
        "a rebuild or reintegration moved data between engines meanwhile: rank 0"
    ]


def test_an_engine_that_restarted_is_named_and_not_counted() -> None:
    seen = Activity()
    before = parse(BEGIN + MOVED % 500)
    after = parse(BEGIN.replace("5", "6") + MOVED % 100)
    note(seen, after)
    compare(seen, before, after, {(DFS, "write"): 1000.0}, "step")
    assert list(_findings(seen)) == ["rank 0 on s1 restarted during the check"]


def test_without_one_of_the_servers_bytes_are_not_compared() -> None:
    lost = "# no answer of s2: timed out\n"
    assert not findings(lost + BEGIN + MOVED % 500, lost + BEGIN + MOVED % 900, 1000.0)


def test_without_a_report_of_the_benchmark_bytes_are_not_compared() -> None:
    assert not findings(MOVED % 500, MOVED % 900, 0.0)


def test_a_server_that_answered_once_alone_has_no_bytes_to_compare() -> None:
    both = BEGIN + MOVED % 500 + BEGIN.replace("s1", "s2").replace('rank="0"', 'rank="1"')
    assert parse(both).hosts == {0: "s1", 1: "s2"}
    seen = Activity()
    compare(seen, parse(BEGIN + MOVED % 500), parse(both), {(DFS, "write"): 1000.0}, "step")
    assert (seen.steps, seen.asked) == (1, {})


OPERATIONS = (
    'engine_io_latency_update_samples{rank="0",size="4KB",target="3"} %d\n'
    'engine_io_latency_update_sumsquares{rank="0",size="4KB",target="3"} %d\n'
)


@pytest.mark.parametrize(
    ("operations", "squares", "kept"),
    [(8, 50, {"step": {(0, 3): (8, 50)}}), (7, 50, {}), (8, 0, {})],
)
def test_a_mean_latency_is_that_of_eight_operations_or_more(
    operations: int, squares: int, kept: dict[str, Step]
) -> None:
    seen = Activity()
    before = parse(BEGIN + OPERATIONS % (100, 9000))
    after = parse(BEGIN + OPERATIONS % (100 + operations, 9000 + squares))
    compare(seen, before, after, {}, "step")
    assert seen.latency.get(("update", "4KB"), {}) == kept


def test_what_is_counted_for_the_first_time_was_zero_before() -> None:
    seen = Activity()
    compare(seen, parse(BEGIN), parse(BEGIN + OPERATIONS % (8, 50)), {}, "step")
    assert seen.latency["update", "4KB"] == {"step": {(0, 3): (8, 50)}}


def test_operations_without_the_sum_of_their_times_have_no_latency() -> None:
    seen = Activity()
    counted = OPERATIONS.splitlines()[0] + "\n"
    compare(seen, parse(BEGIN + counted % 100), parse(BEGIN + counted % 200), {}, "step")
    assert not seen.latency


def test_an_engine_that_is_new_in_a_reading_has_no_step() -> None:
    seen = Activity()
    new = BEGIN.replace('rank="0"', 'rank="1"') + OPERATIONS.replace('rank="0"', 'rank="1"')
    compare(seen, parse(BEGIN), parse(BEGIN + new % (100, 9000)), {}, "step")
    assert not seen.latency
    assert not seen.restarted


def test_the_size_is_compared_that_took_the_engines_longest() -> None:
    places = [(rank, 0) for rank in range(8)]
    seen = Activity()
    # In small operations rank 1 is slow, and in the large ones, which take longer, rank 2.
    for size, slow, squares in (("4KB", 1, 1e6), ("1MB", 2, 1e9)):
        step = {place: (1000.0, squares * (400 if place[0] == slow else 1)) for place in places}
        seen.latency["update", size].update(dict.fromkeys(range(4), step))
    assert {each.rank for each in _outliers(dict(_compared(seen)))} == {2}


def test_at_most_five_errors_are_named() -> None:
    names = sorted(ERRORS)[:7]

    def counted(count: int) -> list[str]:
        return findings("", "".join(f'{name}{{rank="0"}} 1\n' for name in names[:count]))

    assert len(counted(5)) == 5
    assert all(sentence.endswith(": 1") for sentence in counted(5))
    assert counted(6)[5:] == ["error counts not listed: 1"]
    assert counted(7)[5:] == ["error counts not listed: 2"]


def test_the_most_frequent_error_is_named_first() -> None:
    rare, frequent = sorted(ERRORS)[:2]
    sentences = findings("", f'{rare}{{rank="0"}} 1\n{frequent}{{rank="0"}} 9\n')
    assert [sentence.rpartition(": ")[2] for sentence in sentences] == ["9", "1"]


@pytest.mark.parametrize(
    ("named_from", "end"),
    [
        ({}, ""),
        (
            {"update": 2.88, "fetch": 100.0},
            "; a rank is named only above 2.9 times (update), 1e+02 times (fetch) that of its"
            " peers",
        ),
        (
            {"update": 2.88, "fetch": 100.1},
            "; a rank is named only above 2.9 times (update) that of its peers; not"
            " compared: fetch",
        ),
        ({"update": float("inf")}, ", but they could not be compared"),
    ],
)
def test_where_nobody_is_named_the_report_says_what_it_could_not_see(
    named_from: dict[str, float], end: str
) -> None:
    report = Engines("IorEasy", "clients", (), (), named_from=named_from)
    assert report.sentence == f"no rank or target is an outlier in latency{end}"


def test_at_most_five_ranks_of_a_rebuild_are_named() -> None:
    seen = Activity(rebuilt=set(range(6)))
    (sentence,) = _findings(seen)
    assert sentence.endswith(": rank 0, 1, 2, 3, 4")


@pytest.mark.parametrize(
    ("outliers", "unread", "sentence"),
    [
        (0, "", "no rank or target is an outlier in latency"),
        (0, "no answer", "no answer; figures are judged without them"),
        (1, "no answer", "o0; no answer"),
        (5, "", "o0; o1; o2; o3; o4"),
        (6, "", "o0; o1; o2; o3; o4; and 1 more"),
        (7, "", "o0; o1; o2; o3; o4; and 2 more"),
    ],
)
def test_the_report_on_a_check_in_one_sentence(outliers: int, unread: str, sentence: str) -> None:
    named = tuple(f"o{number}" for number in range(outliers))
    assert Engines("IorEasy", "clients", named, (), unread).sentence == sentence


def test_findings_follow_the_outliers() -> None:
    report = Engines("IorEasy", "clients", ("slow",), ("a rebuild",))
    assert report.sentence == "slow; a rebuild"
    report = Engines("IorEasy", "clients", (), ("a rebuild",), "no answer")
    assert report.sentence == "a rebuild; no answer"
