"""self_test: a command of one size, and what its output has to hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools.self_test import GET, IOV, PUT, SelfTest, environment, parse, ranges
from recordings import recorded, values

TOOL = "self_test"


def test_each_size_is_a_run_of_its_own():
    run = SelfTest(ranks=(0, 1), tags=(2, 3, 4), sizes=GET, repetitions=500)
    assert run.command() == [
        *("self_test", "--use-daos-agent-env", "--group-name", "daos_server"),
        *("--endpoint", "0-1:2-4", "--message-sizes", "(b1048576 0)"),
        *("--max-inflight-rpcs", "16", "--repetitions-per-size", "500"),
    ]


def test_masters_share_one_tag():
    command = SelfTest((0, 1, 3), (2,), PUT, masters=(0, 1, 3), master_tag=2).command()
    assert command[command.index("--master-endpoint") + 1] == "0-1,3:2"


def test_without_an_agent_it_needs_addresses_and_an_environment():
    command = SelfTest((0,), (2,), IOV, attach_info="/run/attach").command()
    assert command[1:3] == ["--path", "/run/attach"]
    assert environment("2.4", "ofi+tcp", "ib0", "mlx5_0") == {
        "CRT_PHY_ADDR_STR": "ofi+tcp",
        "OFI_INTERFACE": "ib0",
        "OFI_DOMAIN": "mlx5_0",
    }
    assert set(environment("2.6", "p", "i", "d")) == {"D_PROVIDER", "D_INTERFACE", "D_DOMAIN"}


@pytest.mark.parametrize("size", ["(0 0) (b1048576 0)", "0,b1048576", "1048576", "1m", "", "b0"])
def test_refuses_what_is_not_one_size(size):
    with pytest.raises(ValueError, match="give one size"):
        SelfTest((0,), (2,), sizes=(size, "0"))


def test_refuses_to_run_without_an_endpoint():
    with pytest.raises(ValueError, match="at least one rank and one tag"):
        SelfTest((), (2,))


@given(st.sets(st.integers(min_value=0, max_value=4096), min_size=1))
def test_ranges_name_each_number_once(numbers):
    named = []
    for part in ranges(numbers).split(","):
        first, _, last = part.partition("-")
        named += range(int(first), int(last or first) + 1)
    assert named == sorted(numbers)


def test_a_client_measures_all_endpoints_together_and_each_latency():
    # The recording has the slip of the documents: 1048578 bytes for 1 MiB.
    asked = SelfTest((0, 1), (2,), ("b1048578", "0"))
    parsed = parse(recorded(TOOL, "get.txt"), asked)
    assert parsed.problems == ()
    assert values(parsed) == [
        ("bandwidth", 3779.16, "MiB/s"),
        ("rate", 3779, "RPC/s"),
        ("latency", 4034, "us"),
        ("endpoint_latency", 4234, "us"),
        ("endpoint_latency", 3916, "us"),
    ]
    assert parsed.samples[4].labels == {
        "master": "client",
        "send": "b1048578",
        "reply": "0",
        "inflight": "16",
        "endpoint": "1:2",
    }


def test_mb_per_second_are_mebibytes():
    bandwidth, rate = (sample.value for sample in parse(recorded(TOOL, "get.txt")).samples[:2])
    assert bandwidth == pytest.approx(rate * 1048578 / 2**20, rel=1e-3)
    assert parse(recorded(TOOL, "mbits.txt")).samples[0].unit == "Mbit/s"


def test_an_empty_message_has_no_bandwidth():
    parsed = parse(recorded(TOOL, "all_tags.txt"), SelfTest((0, 1), (0, 1, 2)))
    assert parsed.problems == ()
    assert [metric for metric, _, _ in values(parsed)][:2] == ["rate", "latency"]
    assert len(parsed.samples) == 2 + 6


def test_each_master_measures_for_itself():
    asked = SelfTest((0, 1), (2,), ("0", "b1048578"), inflight=8, masters=(0, 1), master_tag=2)
    parsed = parse(recorded(TOOL, "cross_put.txt"), asked)
    assert parsed.problems == ()
    pairs = {
        (sample.labels["master"], sample.labels["endpoint"]): sample.value
        for sample in parsed.samples
        if sample.metric == "endpoint_latency"
    }
    assert set(pairs) == {("0:2", "0:2"), ("0:2", "1:2"), ("1:2", "0:2"), ("1:2", "1:2")}


SIZES = (
    "3 sizes in one run: 2.7 and newer compute each rate with the last size's duration;"
    " run one size at a time"
)
COUNTED = "; they count in the rate: is the rank up, and does it have that tag?"


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("rank_dead.txt", (f"master client: 4 RPCs failed, all those to 1:2{COUNTED}",)),
        (
            "cross_rank_dead.txt",
            (
                "master 1:2 did not start: no answer in time",
                f"master 0:2: 1 RPCs failed, all those to 1:2{COUNTED}",
            ),
        ),
        ("unknown_rank.txt", (f"master 0:2: 1 RPCs failed, all those to 9:2{COUNTED}",)),
        ("no_such_tag.txt", ("master client: all RPCs failed",)),
        (
            "unknown_master.txt",
            (
                "master 9:2 did not start: no such rank",
                "self_test printed no result: no such rank (main() run_self_test() failed:"
                " DER_OOG(-1019): 'Out of group or member list')",
            ),
        ),
        (
            "two_masters_on_a_rank.txt",
            (
                "master 0:2 did not start: busy; one session at a time on an engine, on which one"
                " that was stopped stays for a while, and one master tag per rank",
            ),
        ),
        (
            "busy.txt",
            (
                "master 0:2 did not start: busy; one session at a time on an engine, on which one"
                " that was stopped stays for a while, and one master tag per rank",
                "master 1:2 did not start: busy; one session at a time on an engine, on which one"
                " that was stopped stays for a while, and one master tag per rank",
                "self_test printed no result: busy (main() run_self_test() failed:"
                " DER_BUSY(-1012): 'Device or resource busy')",
            ),
        ),
        (
            "fallback.txt",
            ("self_test did not understand --endpoint and used 0:2 instead",),
        ),
        ("endpoint_missing.txt", ("master client: 1 of 2 endpoints are in the result",)),
        ("three_sizes.txt", (SIZES,)),
        (
            "no_agent.txt",
            (
                "self_test printed no result: the agent does not answer; is daos_agent running?"
                " (main() run_self_test() failed: DER_AGENT_COMM(-2034):"
                " 'Agent communication error')",
            ),
        ),
        (
            "engine_down.txt",
            (
                "self_test printed no result: it was stopped while it waited for a rank, or was"
                " killed",
            ),
        ),
    ],
)
def test_says_why_a_run_is_not_a_measurement(name, problems):
    assert parse(recorded(TOOL, name)).problems == problems


def test_of_several_sizes_the_latencies_alone_are_right():
    several = parse(recorded(TOOL, "three_sizes.txt"))
    alone = parse(recorded(TOOL, "one_size.txt"))
    assert {sample.metric for sample in several.samples} == {"latency", "endpoint_latency"}
    latency = next(sample for sample in alone.samples if sample.metric == "latency")
    assert several.samples[0].value == pytest.approx(latency.value, rel=0.02)


@pytest.mark.parametrize(
    ("name", "asked", "problem"),
    [
        (
            "master_missing.txt",
            SelfTest((0, 1), (2,), ("0", "b1048578"), inflight=8, masters=(0, 1), master_tag=2),
            "there is no result from master 1:2",
        ),
        (
            "fallback.txt",
            SelfTest((3,), (2,), inflight=10),
            "master client: endpoint 3:2 is missing",
        ),
        (
            "fallback.txt",
            SelfTest((3,), (2,), inflight=10),
            "master client: endpoint 0:2 was not requested",
        ),
        (
            "get.txt",
            SelfTest((0, 1), (2,), GET),
            "the size was ('b1048578', '0') instead of ('b1048576', '0')",
        ),
        (
            "all_tags.txt",
            SelfTest((0, 1), (0, 1, 2), inflight=1),
            "16 RPCs were in flight instead of 1",
        ),
    ],
)
def test_a_run_that_is_not_the_one_asked_for(name, asked, problem):
    assert problem in parse(recorded(TOOL, name), asked).problems


@pytest.mark.parametrize(
    ("line", "instead", "problem"),
    [
        ("RPC Bandwidth (MB/sec): 3779.16", "RPC Bandwidth (MB/sec): 3779,16", "bandwidth"),
        ("Throughput (RPCs/sec): 3779", "Throughput (RPCs/sec): 37792026/11/21", "throughput"),
        ("\t\tMedian : 4034\n", "", "median"),
    ],
    ids=["bandwidth", "throughput", "median"],
)
def test_an_incomplete_result_does_not_count(line, instead, problem):
    text = recorded(TOOL, "get.txt")
    assert line in text
    assert parse(text.replace(line, instead)).problems == (
        f"master client: its {problem} appears 0 times, not once: the output is damaged",
    )


def test_a_figure_counts_once():
    # The check adds up what many clients print.
    text = recorded(TOOL, "get.txt")
    line = "\tRPC Bandwidth (MB/sec): 3779.16\n"
    assert parse(text.replace(line, line * 2)).problems == (
        "master client: its bandwidth appears 2 times, not once: the output is damaged",
    )
    assert parse(text * 2).problems == (
        "master client has 2 results of one size: pass one run at a time",
    )


@pytest.mark.parametrize("name", ["log_elsewhere.txt", "log_of_2.6.txt"])
def test_reads_the_output_with_and_without_log_lines_of_each_version(name):
    parsed = parse(recorded(TOOL, name))
    assert parsed.problems == ()
    assert parsed.samples


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


@given(st.integers(min_value=0, max_value=recorded(TOOL, "cross_put.txt").rindex("RPC Fail")))
def test_an_output_that_is_cut_off_is_not_a_measurement(length):
    asked = SelfTest((0, 1), (2,), ("0", "b1048578"), inflight=8, masters=(0, 1), master_tag=2)
    assert parse(recorded(TOOL, "cross_put.txt")[:length], asked).problems
