"""fi_pingpong: its two command lines, and the client's table."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import recordings
from assay.tools.fi_pingpong import PingPong, parse

recorded = partial(recordings.recorded, "fi_pingpong")


def test_both_ends_get_the_same_message_and_port():
    run = PingPong(size=64, iterations=20000, endpoint="rdm", port=47601)
    common = "fi_pingpong -p tcp -e rdm -S 64 -I 20000"
    assert " ".join(run.server()) == f"{common} -B 47601"
    assert " ".join(run.client("10.0.0.1")) == f"{common} -P 47601 10.0.0.1"


@pytest.mark.parametrize(
    ("name", "size", "iterations", "bandwidth", "latency"),
    [
        # -I 2500 is printed as 2k.
        ("client_msg_1m.txt", "1048576", "2000", 2914.44, 359.79),
        ("server_msg_1m.txt", "1048576", "2000", 2914.38, 359.79),
        ("client_msg_64.txt", "64", "20000", 14.08, 4.54),
        ("client_rdm_64.txt", "64", "20000", 9.02, 7.09),
    ],
)
def test_a_row_is_a_bandwidth_and_a_latency(name, size, iterations, bandwidth, latency):
    parsed = parse(recorded(name))
    assert parsed.problems == ()
    assert recordings.values(parsed) == [
        ("bandwidth", bandwidth, "MB/s"),
        ("latency", latency, "us"),
    ]
    assert parsed.samples[0].labels == {"size": size, "iterations": iterations}


@pytest.mark.parametrize(
    ("size", "sent", "count"),
    [
        ("64", "200", (64, 200)),
        ("1.5k", "2k", (1536, 2000)),
        ("2m", "3m", (2 << 20, 3_000_000)),
        ("2g", "1b", (2 << 30, 1_000_000_000)),
    ],
)
def test_sizes_are_binary_and_counts_decimal(size, sent, count):
    row = f"{size:8}{sent:8}={sent:8}8g          1.80s   2914.44     359.79       0.00"
    labels = parse(row).samples[0].labels
    assert (int(labels["size"]), int(labels["iterations"])) == count


def test_latency_is_half_a_round_trip_and_bandwidth_is_size_over_it():
    bandwidth, latency = (sample.value for sample in parse(recorded("client_msg_1m.txt")).samples)
    # 2500 round trips took 1.80 s as printed.
    assert latency == pytest.approx(1.80e6 / 2500 / 2, rel=0.005)
    # 10**6 bytes a second: with 2**20 it would be 5 % less.
    assert bandwidth == pytest.approx(2**20 / latency, rel=1e-4)


def test_reads_a_table_of_several_sizes():
    parsed = parse(recorded("client_sizes.txt"))
    assert parsed.problems == ()
    assert [
        (sample.labels["size"], sample.value)
        for sample in parsed.samples
        if sample.metric == "latency"
    ] == [
        ("64", 106.88),
        ("256", 6.26),
        ("1024", 6.53),
        ("4096", 7.41),
        ("65536", 260.47),
        ("1048576", 280.87),
    ]


def test_a_message_of_no_bytes_has_a_latency_alone():
    parsed = parse(recorded("client_size_all.txt"))
    sizes = [sample.labels["size"] for sample in parsed.samples if sample.metric == "bandwidth"]
    assert parsed.problems == ()
    assert recordings.values(parsed)[:3] == [
        ("latency", 522.35, "us"),
        ("bandwidth", 0.17, "MB/s"),
        ("latency", 5.75, "us"),
    ]
    assert sizes[:2] == ["1", "2"]
    assert sizes[-3:] == ["3145728", "4194304", "6291456"]


@pytest.mark.parametrize(
    ("latency", "metrics"), [("12790.00", ["bandwidth", "latency"]), ("12810.00", ["latency"])]
)
def test_a_bandwidth_that_two_decimals_cannot_show_is_left_out(latency, metrics):
    """64 B in 12.8 ms are 0.005 MB/s."""
    row = f"64      200     =200     25k         2.56s      0.00   {latency}       0.00"
    assert [sample.metric for sample in parse(row).samples] == metrics


NO_ROW = (
    "fi_pingpong printed no row: it was killed, or server and client differ in provider,"
    " endpoint, size, iterations or port"
)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        (
            "client_no_server.txt",
            "fi_pingpong: [error] util/pingpong.c:408 : failed to connect: Connection refused",
        ),
        (
            "client_unknown_host.txt",
            "fi_pingpong: [error] util/pingpong.c:318 : getaddrinfo : Name or service not known",
        ),
        (
            "client_server_killed_msg.txt",
            "fi_pingpong: [error] util/pingpong.c:1119: cq_readerr: "
            "Transport endpoint is not connected",
        ),
        ("client_server_killed_rdm.txt", NO_ROW),
        (
            "server_client_gone.txt",
            "fi_pingpong: [error] util/pingpong.c:568 : ctrl/read: "
            "no data or remote connection closed",
        ),
        (
            "server_port_taken.txt",
            "fi_pingpong: bind(): util/pingpong.c:460 , ret=-98 (Address already in use)",
        ),
        ("unknown_endpoint.txt", "fi_pingpong: Unknown endpoint : nosuch"),
    ],
)
def test_says_why_there_is_no_measurement(name, problem):
    parsed = parse(recorded(name))
    assert parsed.samples == ()
    assert parsed.problems == (problem,)


def test_messages_that_were_not_acknowledged_are_a_problem():
    lost = recorded("client_msg_64.txt").replace("=20k", "+3  ")
    (problem,) = parse(lost).problems
    assert problem.startswith("3 fewer messages were acknowledged than the 20k sent")


def test_corrupted_data_are_a_problem():
    parsed = parse("Error at iteration=3 size=64 byte=7\n" + recorded("client_msg_64.txt"))
    assert parsed.problems == ("fi_pingpong: Error at iteration=3 size=64 byte=7",)


def test_server_and_client_in_one_text_are_refused():
    both = recorded("server_msg_1m.txt") + recorded("client_msg_1m.txt")
    assert parse(both).problems == ("size 1048576 appears 2 times; pass only the client's output",)


def test_a_bandwidth_that_two_decimals_do_not_show_is_left_out():
    slow = recorded("client_msg_64.txt").replace("14.08       4.54", " 0.00   13000.00")
    parsed = parse(slow)
    assert parsed.problems == ()
    assert [(sample.metric, sample.value) for sample in parsed.samples] == [("latency", 13000)]


def test_a_figure_of_zero_is_not_a_measurement():
    zero = recorded("client_msg_64.txt").replace("14.08", " 0.00")
    assert parse(zero).problems == (
        "bandwidth is 0 MB/s; a measurement is above zero, from 1e-09 to 1e+15",
    )


@given(st.text() | st.text(alphabet="0123456789kmg=. s\n"))
def test_never_raises(text):
    parsed = parse(text)
    assert parsed.problems or parsed.samples


@given(st.integers(min_value=0, max_value=len(recorded("client_msg_64.txt"))))
def test_a_row_that_is_cut_off_is_not_a_measurement(length):
    whole, parsed = (
        parse(recorded("client_msg_64.txt")),
        parse(recorded("client_msg_64.txt")[:length]),
    )
    assert parsed == whole or (parsed.problems and not parsed.samples)


@given(st.integers(min_value=0, max_value=len(recorded("client_sizes.txt"))))
def test_rows_before_a_cut_are_whole(length):
    whole, parsed = (
        parse(recorded("client_sizes.txt")),
        parse(recorded("client_sizes.txt")[:length]),
    )
    assert parsed.samples == whole.samples[: len(parsed.samples)]
