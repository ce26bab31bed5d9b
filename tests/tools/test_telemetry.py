"""The engines' metrics, as a job keeps them."""

from __future__ import annotations

import gzip
import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.cluster.description import Cluster
from assay.foreign.sources import Missing
from assay.foreign.text import shorten
from assay.tools.daos.telemetry import PATTERN, addresses, parse, unpacked, unrest
from clusters import described, description
from found import found_description
from recordings import recorded

MIB = 2**20
LATENCY = 'engine_io_latency_update_samples{rank="%d",size="1MB",target="0"} 7\n'


def reading(step: str) -> str:
    return recorded("telemetry", f"sound/{step}.prom")


def test_metrics_are_read_by_rank_and_target() -> None:
    read = parse(reading("write.1"))
    assert read.hosts == {0: "s1", 1: "s1"}
    assert not read.claimed
    assert not read.silent
    assert {
        (rank, target)
        for metric, rank, target, size in read.values
        if (metric, size) == ("engine_io_latency_update_samples", "1MB")
    } == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_a_rank_that_did_nothing_yet_is_there() -> None:
    assert parse(reading("start")).hosts == {0: "s1", 1: "s1"}


def test_a_server_that_does_not_answer_is_named_with_the_reason() -> None:
    read = parse("# no answer of s2: timed out\n# server s1\n" + LATENCY % 0)
    assert read.silent == {"s2": "timed out"}
    assert read.hosts == {0: "s1"}


def test_reasons_are_short() -> None:
    assert parse(f"# no answer of s2: {'x' * 300}\n").silent == {"s2": shorten("x" * 300, 200)}
    line = 'engine_io_latency_update_samples{rank="' + "r" * 200 + '"} 1\n'
    (unread,) = parse(f"# server s1\n{line}").silent.values()
    # Python itself shows 200 characters of what is no number.
    reason = "invalid literal for int() with base 10: '" + "r" * 199
    assert unread == f"its metrics cannot be read: {shorten(reason, 80)}"


def test_a_metric_may_be_zero() -> None:
    zero = parse("# server s1\n" + 'engine_io_latency_update_samples{rank="0",target="1"} 0\n')
    assert zero.silent == {}
    assert list(zero.values.values()) == [0.0]


@pytest.mark.parametrize("order", [("s1", "s2"), ("s2", "s1")])
def test_a_server_cannot_speak_for_a_rank_of_another(order: tuple[str, str]) -> None:
    """The first server of the list could claim the ranks of all others."""
    lines = {"s1": LATENCY % 0, "s2": LATENCY % 1 + LATENCY.replace("7", "9") % 0}
    text = "".join(f"# server {name}\n{lines[name]}" for name in order)
    read = parse(text, {0: "s1", 1: "s2"})
    assert read.hosts == {0: "s1", 1: "s2"}
    assert read.claimed == ("s2 has metrics of rank 0, which is on s1",)
    assert set(read.values.values()) == {7.0}


def test_a_rank_that_nobody_has_is_ignored() -> None:
    read = parse("# server s1\n" + LATENCY % 7, {0: "s1"})
    assert (read.hosts, dict(read.values)) == ({}, {})
    assert read.claimed == ("s1 has metrics of rank 7, which the system does not have",)


def test_without_owners_a_rank_that_two_servers_report_is_nobodys() -> None:
    read = parse("# server s1\n" + LATENCY % 0 + "# server s2\n" + LATENCY % 0 + LATENCY % 1)
    assert read.hosts == {1: "s2"}
    assert read.claimed == ("s1 and s2 report rank 0, so neither counts",)


@pytest.mark.parametrize("end", ["\u2028", "\x85", "\x0b", "\x1d", "\r"])
def test_only_a_line_feed_ends_a_line(end: str) -> None:
    """A server could have begun the lines of another one inside of a label."""
    label = f'engine_started_at{{rank="0",x="{end}# server s2{end}{LATENCY.strip() % 1}"}} 5'
    assert "s2" not in parse(f"# server s1\n{label}\n").hosts.values()


@pytest.mark.parametrize(
    "line",
    [
        'engine_io_latency_update_samples{rank="x"} 1',
        "engine_io_latency_update_samples 1",
        'engine_io_latency_update_samples{rank="0"} -1',
        'engine_io_latency_update_samples{rank="0"} NaN',
        'engine_io_latency_update_samples{rank="0"} +Inf',
        'engine_io_latency_update_samples{rank="0"',
        "{" * 5000,
        'engine_io_latency_update_samples{rank="0",size="' + "\\" * 5_000_000 + '"} 1',
        'engine_io_latency_update_samples{rank="0"} 1e300',
        '\x1b[2J{rank="0"} 1 1 1 \x1b',
    ],
)
def test_what_is_not_a_metric_silences_its_server_alone(line: str) -> None:
    read = parse(f"# server s1\n{line}\n# server s2\n" + LATENCY % 1)
    assert list(read.silent) == ["s1"]
    assert "\x1b" not in read.silent["s1"]
    assert read.hosts == {1: "s2"}


@pytest.mark.parametrize(
    "more",
    [
        ",".join(f'l{number}="x"' for number in range(400)),
        'size="' + '\\"' * 1_500 + '"',
        'size="' + "," * 300 + '"',
    ],
    ids=["labels", "escapes", "length"],
)
def test_a_line_that_costs_more_than_any_silences_its_server(more: str) -> None:
    """16 MiB of them took 100 s, a reading may have 64, and a subject has one for each step."""
    text = "# server s1\n" + f'engine_started_at{{rank="0",{more}}} 3\n' * 4_000
    start = time.process_time()
    read = parse(text)
    assert time.process_time() - start < 5
    assert "more than 256 characters or 5 labels" in read.silent["s1"]


def test_a_reading_is_unpacked() -> None:
    assert unpacked(gzip.compress(b"# server s1\n")) == "# server s1\n"


def test_a_reading_has_a_budget() -> None:
    """200 KiB of gzip, 200 MiB of line feeds, cost 3.6 GiB and 54 s of CPU."""
    packed = gzip.compress(b"\n" * 200 * MIB)
    assert len(packed) < 250_000
    start = time.process_time()
    assert unpacked(packed) == Missing("has more than 500,000 lines, which is the limit")
    assert time.process_time() - start < 1
    assert isinstance(unpacked(gzip.compress(b"x" * 64 * MIB + b"y")), Missing)
    assert unpacked(gzip.compress(b"\xff")) == Missing("has a byte that is no UTF-8 at 0")


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            [
                *("engine_started_at", '{rank="', "0", '"', "}", "{", "=", ",", " ", "5", "NaN"),
                *(
                    "\n",
                    "#",
                    " TYPE ",
                    " HELP ",
                    "counter",
                    "\\",
                    "\r",
                    "\0",
                    "-1",
                    "1e999",
                    "\u2028",
                ),
                *("# EOF", "9" * 5000, "size", "target", "\n# server s2", "\n# server s1\n", "٣"),
            ]
        ),
        max_size=20,
    )
)
def test_no_metrics_raise(parts: list[str]) -> None:
    parse("# server s1\n" + "".join(parts))


def test_the_pattern_keeps_what_a_recording_has() -> None:
    lines = [line for line in reading("write.1").splitlines() if not line.startswith("#")]
    assert lines
    assert all(re.match(PATTERN, line) for line in lines)


def daos(*ports: int | None) -> dict[str, Any]:
    document = description(servers=len(ports))
    document["daos"] = {
        "name": "daos_server",
        "version": "2.8",
        "mgmt_svc_replicas": ["s1"],
        "servers": document["servers"],
        "admin": "login",
    }
    for name, port in zip(document["servers"], ports, strict=True):
        document["hosts"][name]["server"] = {"telemetry_port": port}
    return document


def test_each_server_is_asked_at_its_port() -> None:
    first, second = addresses(Cluster.model_validate(daos(9191, 9192)))
    assert first.startswith("s1=http://")
    assert first.endswith(":9191/metrics")
    assert second.endswith(":9192/metrics")


def test_an_ipv6_address_is_in_brackets() -> None:
    document = daos(9191)
    document["hosts"]["s1"]["address"] = "2001:db8::1"
    assert addresses(Cluster.model_validate(document)) == ["s1=http://[2001:db8::1]:9191/metrics"]


def test_nobody_is_asked_where_one_server_has_no_port() -> None:
    assert addresses(Cluster.model_validate(daos(9191, None))) == []


def test_nobody_is_asked_without_daos() -> None:
    assert addresses(described(description())) == []


BEGIN = '# server s1\nengine_started_at{rank="0"} 5\n'
MOVED = 'engine_pool_xferred_%s{pool="p",rank="0",target="0"} %d\n'


@pytest.mark.parametrize(
    ("update", "fetch", "problems"),
    [
        (0, 0, []),
        (MIB, MIB, []),
        (
            60 * MIB,
            MIB * 20,
            [
                "others use the system: its engines move 40 MiB/s of clients' data, and no check"
                " runs; wait until they have finished, or stop them"
            ],
        ),
    ],
)
def test_a_system_that_others_use_is_not_at_rest(
    update: int, fetch: int, problems: list[str]
) -> None:
    before = parse(BEGIN + MOVED % ("update", 9) + MOVED % ("fetch", 9))
    after = parse(BEGIN + MOVED % ("update", 9 + update) + MOVED % ("fetch", 9 + fetch))
    assert unrest(before, after, 2.0) == problems


def test_a_little_more_than_a_mib_a_second_is_not_rest() -> None:
    after = parse(BEGIN + MOVED % ("update", 2 * MIB + 100_000))
    assert len(unrest(parse(BEGIN), after, 2.0)) == 1


def test_a_system_that_rebuilds_is_not_at_rest() -> None:
    line = 'engine_io_ops_migrate_latency_samples{rank="0",target="0"} %d\n'
    (problem,) = unrest(parse(BEGIN + line % 3), parse(BEGIN + line % 4), 2.0)
    assert problem == "a rebuild or reintegration moves data between the engines; wait for its end"
    assert not unrest(parse(BEGIN + line % 4), parse(BEGIN + line % 4), 2.0)


def test_of_a_server_that_did_not_answer_before_nothing_is_said() -> None:
    silent = parse("# no answer of s1: timed out\n")
    assert not unrest(silent, parse(BEGIN + MOVED % ("update", 60 * MIB)), 2.0)


def test_a_system_that_was_found_is_asked_where_it_answered():
    asked = ["192.0.2.1:9191", "s2:9192"]
    document = found_description(found={"telemetry": asked})
    assert addresses(described(document)) == [
        "192.0.2.1=http://192.0.2.1:9191/metrics",
        "s2=http://s2:9192/metrics",
    ]
    assert addresses(described(found_description())) == []
