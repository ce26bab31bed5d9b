"""The engines' metrics, as a job keeps them."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest

from assay.cluster.description import Cluster
from assay.foreign.text import shorten
from assay.tools.daos.telemetry import PATTERN, addresses, parse, unpacked, unrest
from clusters import described, description
from found import found_description
from recordings import recorded

LATENCY = 'engine_io_latency_update_samples{rank="%d",size="1MB",target="0"} 7\n'


def reading(step: str) -> str:
    return recorded("telemetry", f"sound/{step}.prom")


def test_metrics_are_read_by_rank_and_target() -> None:
    read = parse(reading("write.1"))
    assert read.hosts == {0: "s1", 1: "s1"}
    assert not read.problems
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


def test_a_server_cannot_speak_for_a_rank_of_another() -> None:
    read = parse("# server s1\n" + LATENCY % 0 + "# server s2\n" + LATENCY.replace("7", "9") % 0)
    assert read.problems == ("s2 has metrics of rank 0, which is on s1",)
    assert set(read.values.values()) == {7.0}


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
        '\x1b[2J{rank="0"} 1 1 1 \x1b',
    ],
)
def test_what_is_not_a_metric_silences_its_server_alone(line: str) -> None:
    read = parse(f"# server s1\n{line}\n# server s2\n" + LATENCY % 1)
    assert list(read.silent) == ["s1"]
    assert "\x1b" not in read.silent["s1"]
    assert read.hosts == {1: "s2"}


def test_a_reading_is_unpacked() -> None:
    assert unpacked(gzip.compress(b"# server s1\n")) == "# server s1\n"


@pytest.mark.parametrize("packed", [b"no gzip", gzip.compress(b"x" * 1000, mtime=0)[:-20]])
def test_what_is_not_a_whole_reading_is_refused(packed: bytes) -> None:
    with pytest.raises(ValueError, match=r"it is (not what|cut off)"):
        unpacked(packed)


def test_a_reading_cannot_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.tools.daos.telemetry.MOST_BYTES", 1000)
    assert len(unpacked(gzip.compress(b"x" * 999))) == 999
    with pytest.raises(ValueError, match="more than 1,000 bytes"):
        unpacked(gzip.compress(b"x" * 1001))


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
MIB = 2**20


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
