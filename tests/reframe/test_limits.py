"""Time limits: what an acceptance moves has to fit into them, on a slow but healthy network."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from run_reframe import scripts

from sites import site

LINE_MIB_S = 1100
"""What 10 Gbit/s carry."""


def limits(check: str, document: dict[str, Any], directory: Path) -> dict[str, int]:
    """The limit of each step of a check that runs for an acceptance, in seconds."""
    document["daos"] |= {"pool": "tank", "perf_pool": "perf"}
    (script,) = scripts(document, directory, "--tag=acceptance", f"--name=^{check}").values()
    return {
        name: int(limit) for name, limit in re.findall(r"^step (\S+) (\d+) ", script, re.MULTILINE)
    }


def test_many_clients_share_the_line_of_one_engine(tmp_path: Path) -> None:
    limits_s = limits("SelfTestClientServer", site(clients=100), tmp_path)
    assert limits_s["get_1m.1.1"] >= 100 * 16 * 2000 / LINE_MIB_S
    assert limits_s["empty.1.1"] >= 100 * 16 * 20000 / 20_000
    assert limits_s["latency_empty.1.1"] >= 16 * 20000 * 0.0005
    assert limits_s["latency_get_1m.1.1"] >= 16 * 2000 / LINE_MIB_S


def test_one_client_asks_many_engines(tmp_path: Path) -> None:
    limits_s = limits("NetTest", site(servers=100, engines=2), tmp_path)
    assert limits_s["run.1"] >= 200 * 16 * 10000 / 50_000


def test_a_client_has_many_ranks(tmp_path: Path) -> None:
    limits_s = limits("DaosPerf", site(), tmp_path)
    assert limits_s["4k.1"] >= 2 * 32 * 100 * 1024 / 20_000
    assert limits_s["1m.1"] >= 2 * 32 * 1024 / LINE_MIB_S


def test_a_client_writes_and_reads_files_of_many_ranks(tmp_path: Path) -> None:
    document = site()
    document["benchmarks"] = {"ior": "/usr/bin/ior", "shared_directory": "/share"}
    limits_s = limits("PageCacheHonesty", document, tmp_path)
    assert limits_s["direct.1"] >= 2 * 32 * 4096 / 100
