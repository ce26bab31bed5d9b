"""Each metric finds its samples in what its tool really printed, and no other's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from assay.checks import plan
from assay.checks.benchmarks.io500 import PROGRAM
from assay.checks.entry import run_of
from assay.cluster.description import Cluster
from assay.subject import Subject
from assay.tools import (
    daos_perf,
    fdb_hammer,
    fi_pingpong,
    fio,
    io500,
    ior,
    mdtest,
    net_test,
    vos_perf,
)
from assay.tools.output import Parsed
from assay.units import factor
from clusters import system
from recordings import recorded


@pytest.mark.parametrize(
    ("check", "parsed", "counts"),
    [
        (
            "FioDfs",
            fio.parse(recorded("fio", "dfs_rendered.json")),
            {"write_1m": 1, "read_1m": 1, "randwrite_4k": 0, "randread_4k": 0, "latency_4k": 0},
        ),
        (
            "FiPingpong",
            fi_pingpong.parse(recorded("fi_pingpong", "client_msg_1m.txt")),
            {"bandwidth_1m": 1, "latency_64b": 0},
        ),
        (
            "FiPingpong",
            fi_pingpong.parse(recorded("fi_pingpong", "client_msg_64.txt")),
            {"bandwidth_1m": 0, "latency_64b": 1},
        ),
        (
            "NetTest",
            net_test.parse(recorded("net_test", "two_ranks.txt")),
            {"rate": 1, "latency_p50": 1, "latency_p95": 1, "latency_p99": 1},
        ),
        (
            "VosPerfRate",
            vos_perf.parse(recorded("vos_perf", "quick/rate.txt")),
            dict.fromkeys(("update_4k", "fetch_4k", "update_latency_4k", "fetch_latency_4k"), 1),
        ),
        (
            "VosPerfBandwidth",
            vos_perf.parse(recorded("vos_perf", "quick/bandwidth.txt")),
            {"update_1m": 1, "fetch_1m": 1},
        ),
        (
            "DaosPerf",
            daos_perf.parse(recorded("daos_perf", "quick/4k.txt")),
            {"update_4k": 1, "fetch_4k": 1, "update_1m": 0, "fetch_1m": 0},
        ),
        (
            "DaosPerf",
            daos_perf.parse(recorded("daos_perf", "quick/1m.txt")),
            {"update_4k": 0, "fetch_4k": 0, "update_1m": 1, "fetch_1m": 1},
        ),
        (
            "FdbHammer",
            fdb_hammer.parse(recorded("fdb_hammer", "write-4.txt"), started=0.0),
            {"write": 1, "read": 0, "write_open": 1, "read_open": 0},
        ),
        (
            "IorEasy",
            ior.parse(recorded("ior", "posix_json.json")),
            {"write": 3, "read": 3},
        ),
        (
            "MdtestEasy",
            mdtest.parse(recorded("mdtest", "dfs_easy.txt")),
            {"create": 1, "stat": 1, "read": 1, "remove": 1},
        ),
        (
            "Io500Program",
            io500.parse(recorded("io500", "valid.txt"), stonewall_s=300),
            {metric.name: 1 for metric in plan.CHECKS["Io500Program"].metrics},
        ),
    ],
)
def test_each_metric_finds_its_samples(check: str, parsed: Parsed, counts: dict[str, int]) -> None:
    entry = plan.CHECKS[check]
    samples = {
        metric: [each for each in parsed.samples if entry.reading.is_sample_of(metric, each)]
        for metric in entry.metrics
    }
    assert {metric.name: len(each) for metric, each in samples.items()} == counts
    for metric, each in samples.items():
        assert all(factor(sample.unit, metric.unit) > 0 for sample in each)


@pytest.mark.parametrize("colocated", [False, True])
def test_mdtest_creates_a_number_of_files_only_where_hosts_play_both_parts(
    *, colocated: bool
) -> None:
    """Elsewhere a phase that ends before its stonewall is none."""
    text = recorded("io500", "counted.txt")
    left: Any = SimpleNamespace(printed=lambda _: text)
    raw: Any = SimpleNamespace(of=lambda _: left)
    document = system().model_dump(mode="json", by_alias=True) | {"colocated": colocated}
    run = run_of(Cluster.model_validate(document), PROGRAM, "clients", "quick")
    parsed = PROGRAM.reading.parsed(run, Subject("clients", backend="dfs"), raw)
    assert (parsed.problems == ()) == colocated


@pytest.mark.parametrize("check", ["PosixFio", "SsdFio", "FioDfuse"])
def test_fio_reads_only_what_its_own_run_wrote(check: str) -> None:
    """Holes of a sparse file are not read from the device."""
    text = recorded("fio", "sparse_file.txt")
    left: Any = SimpleNamespace(text=lambda *_: text, printed=lambda _: "")
    raw: Any = SimpleNamespace(of=lambda _: left)
    run: Any = None
    parsed = plan.CHECKS[check].reading.parsed(run, Subject("c1", backend="dfuse"), raw)
    assert any("no earlier job of this run wrote" in problem for problem in parsed.problems)
