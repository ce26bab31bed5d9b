"""The checks of the network: between hosts, and between DAOS's clients and engines."""

from assay.checks.entry import Check, latencies, rates
from assay.checks.subjects import each_engine, each_engine_pair, each_host, each_pair

NETWORK = (
    Check(
        "FiPingpong",
        "network",
        "raw",
        ("fabric", "fi_pingpong"),
        each_pair,
        (*rates("MiB/s", "bandwidth_1m"), *latencies("latency_64b")),
    ),
    Check(
        "SelfTestClientServer",
        "network",
        "system",
        ("client", "daos"),
        each_engine,
        (
            *rates("MiB/s", "get_1m", "put_1m"),
            *rates("RPC/s", "empty", "iov_2k"),
            *latencies("latency_get_1m", "latency_put_1m", "latency_empty", "latency_iov_2k"),
        ),
    ),
    Check(
        "SelfTestCrossServer",
        "network",
        "system",
        ("client", "daos", "engine_pairs"),
        each_engine_pair,
        (
            *rates("MiB/s", "get_1m", "put_1m"),
            *rates("RPC/s", "empty"),
            *latencies("latency_empty"),
        ),
    ),
    Check(
        "NetTest",
        "network",
        "system",
        ("client", "daos", "net_test"),
        each_host,
        (*rates("RPC/s", "rate"), *latencies("latency_p50", "latency_p95", "latency_p99")),
    ),
)
