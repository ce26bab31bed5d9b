"""`daos health net-test`: its command line, and its JSON."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.tools.json_output import json_objects
from assay.tools.net_test import NetTest, parse, parse_labelled
from assay.tools.text import by_process
from recordings import recorded, values

TOOL = "net_test"
GOOD = recorded(TOOL, "two_ranks.txt")


def test_names_tags_and_size():
    run = NetTest((2, 3), inflight=16, repetitions=500, ranks=(0, 1), size=1048576)
    assert " ".join(run.command("2.8")) == (
        "daos -j health net-test --ranks=0-1 --tags=2-3 --size=1048576 --max-inflight=16"
        " --rep-count=500"
    )


def test_asks_all_ranks_with_a_kibibyte_if_nothing_else_is_said():
    assert " ".join(NetTest((2,), inflight=4, repetitions=9).command("2.8")) == (
        "daos -j health net-test --tags=2 --size=1024 --max-inflight=4 --rep-count=9"
    )


@pytest.mark.parametrize("version", ["2.4", "2.6"])
def test_older_versions_have_none(version):
    with pytest.raises(ValueError, match=r"is in DAOS 2\.8 or later"):
        NetTest((2,), inflight=16, repetitions=500).command(version)


def test_reads_rates_and_percentiles_in_microseconds():
    parsed = parse(GOOD, expected_ranks=2)
    assert parsed.problems == ()
    assert values(parsed) == [
        ("bandwidth", pytest.approx(6914636.2 / 2**20), "MiB/s"),
        ("rate", pytest.approx(3376.287), "RPC/s"),
        ("latency", pytest.approx(3955.228), "us"),
        ("latency_p95", pytest.approx(11937.324), "us"),
        ("latency_p99", pytest.approx(24932.406), "us"),
        ("endpoint_latency", pytest.approx(3950.672), "us"),
        ("endpoint_latency", pytest.approx(5047.579), "us"),
    ]
    assert parsed.samples[6].labels == {"send": "1024", "reply": "1024", "endpoint": "1:2"}


def test_bandwidth_is_of_both_directions():
    bandwidth, rate = (sample.value for sample in parse(GOOD).samples[:2])
    assert bandwidth * 2**20 == pytest.approx(rate * (1024 + 1024))


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        (
            "failed_rpcs.txt",
            ("7 of 500 RPCs to 1:2 failed: is the rank up, and does it have that tag?",),
        ),
        (
            "no_such_tag.txt",
            ("all 4 RPCs failed: are the ranks up, and do they have those tags?",),
        ),
        (
            "no_agent.txt",
            (
                "net-test failed: failed to initialize DAOS API:"
                " DER_MISC(-1025): Miscellaneous error",
            ),
        ),
        ("endpoint_missing.txt", ("endpoint 1:2 is missing",)),
        (
            "tag_taken_by_another.txt",
            (
                "endpoint 0:3, 1:3 is missing, and 0:2, 1:2 took its RPCs: there is no such tag;"
                " does each engine have as many targets as described?",
            ),
        ),
        ("text.txt", ("no JSON from net-test: it contains no JSON",)),
        ("wrong_option.txt", ("no JSON from net-test: it contains no JSON",)),
    ],
)
def test_says_why_a_run_is_not_a_measurement(name, problems):
    assert parse(recorded(TOOL, name)).problems == problems


def test_the_output_of_one_run_with_one_size_is_read():
    (answer,), _ = json_objects(GOOD)
    twice = f"{json.dumps(answer, indent=1)}\n" * 2
    assert parse(twice).problems == ("no JSON from net-test: of more than one run",)
    answer["response"]["results"] *= 2
    (problem,) = parse(json.dumps(answer, indent=1)).problems
    assert problem == "2 results in one run: run one size at a time"


def test_a_rank_that_was_not_asked_is_missed():
    assert parse(GOOD, expected_ranks=3).problems == ("net-test asked 2 of 3 ranks",)


@pytest.mark.parametrize("text", ["{}", '{"error": null, "response": null}', '{"a":' * 10**5])
def test_rubbish_is_a_problem(text):
    assert parse(text).problems


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


LABELLED = "".join(f"0: {line}\n" for line in GOOD.splitlines())


def test_what_one_process_printed_is_read_without_its_label():
    assert parse_labelled(LABELLED).problems == ()
    assert len(parse_labelled(LABELLED).samples) == len(parse(GOOD).samples)


def test_several_processes_are_a_problem():
    parsed = parse_labelled(LABELLED + LABELLED.replace("0: ", "1: "))
    assert parsed.samples == ()
    assert parsed.problems == ("2 processes ran net-test instead of one",)


LABELS = st.one_of(
    st.integers().map(str), st.text("0123456789²٣ ", max_size=12), st.just("9" * 5000)
)


@given(st.lists(st.tuples(LABELS, st.one_of(st.text(), st.sampled_from(GOOD.splitlines())))))
@example([])
@example([("0", "{}"), ("1", "{}")])
@example([("9" * 5000, "{}")])
def test_labelled_output_never_raises(lines):
    text = "".join(f"{label}: {line}\n" for label, line in lines)
    assert parse_labelled(text).problems
    assert all(0 <= number < 10**9 for number in by_process(text))


@given(st.integers(min_value=0, max_value=GOOD.rindex("}")))
def test_json_that_is_cut_off_is_not_a_measurement(length):
    assert parse(GOOD[:length]).problems
