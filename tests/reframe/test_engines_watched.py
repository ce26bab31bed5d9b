"""Which checks read the engines' metrics, and from whom."""

from __future__ import annotations

import re
from typing import Any

import pytest
from run_reframe import scripts

from assay.checks.plan import CHECKS
from sites import site

CLIENTS = 6


def watched_site() -> dict[str, Any]:
    """Two servers that show their metrics, and all benchmarks that go through DAOS."""
    document = site(servers=2, engines=2, clients=CLIENTS)
    for name in document["servers"]:
        document["hosts"][name]["server"]["telemetry_port"] = 9191
    document["daos"] |= {
        "pool": "tank",
        "container": "posix",
        "perf_pool": "perf",
        "mount": "/mnt/daos",
        "rank_pool_size": "24GiB",
    }
    document["benchmarks"] = {
        "ior": "/opt/bin/ior",
        "ior_apis": ["DFS"],
        "mdtest": "/opt/bin/mdtest",
        "io500": "/opt/bin/io500",
        "fio_dfs": "/opt/bin/fio",
        "fio": "/opt/bin/fio",
        "fdb_hammer_daos": "/opt/bin/fdb-hammer",
        "fdb_share": "/opt/share",
    }
    return document


@pytest.fixture(scope="module")
def by_check(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the job of each check of the running system would run."""
    directory = tmp_path_factory.mktemp("site")
    return scripts(watched_site(), directory, "--tag=system", "--tag=acceptance")


def test_every_check_that_moves_data_through_the_engines_reads_their_metrics(
    by_check: dict[str, str],
) -> None:
    reading = {name for name in by_check if CHECKS[name].reading.watches_engines}
    assert reading == {name for name in by_check if "watch_engines" in by_check[name]}
    # One measures caches, which are no part of the engines; the others move no data of targets.
    assert by_check.keys() - reading == {
        *(
            "ClientInterfaces",
            "PageCacheHonesty",
            "NetTest",
            "SelfTestClientServer",
            "SelfTestCrossServer",
        ),
    }


def asked(script: str) -> list[list[str]]:
    """The servers that each subject reads the metrics of."""
    lines = re.findall(r"^watch_engines .*$", script, re.MULTILINE)
    return [re.findall(r"(s\d+)=http", line) for line in lines]


def test_no_server_is_asked_more_often_than_its_metrics_serve(by_check: dict[str, str]) -> None:
    # The first of the hosts that measure at once.
    assert asked(by_check["FioDfs"]) == [["s1", "s2"]]
    # And so in each of the three ways through the mount: dfuse, pil4dfs and ioil.
    assert asked(by_check["FioDfuse"]) == [["s1", "s2"]] * 3
    # The first of the clients that measure one after the other.
    assert asked(by_check["DaosPerf"]) == [["s1", "s2"]] * 4
    # Each rank reads its own server.
    assert sorted(asked(by_check["IorByRank"])) == [["s1"]] * 2 + [["s2"]] * 2
