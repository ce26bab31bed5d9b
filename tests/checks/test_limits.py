"""Time limits: what an acceptance moves has to fit into them, on a slow but healthy network."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from assay.plan import LAYERS
from sites import site

TESTS = Path(__file__).parents[1]
CHECKS = TESTS.parent / "reframe-checks"
POOL = TESTS / "recorded" / "dmg" / "quick" / "pool.txt"

LINE_MIB_S = 1100
"""What 10 Gbit/s carry."""


def limits(check: str, document: dict[str, Any], directory: Path) -> dict[str, int]:
    """The limit of each step of the script that a check would run for an acceptance, in seconds."""
    document["daos"] |= {"pool": "tank", "perf_pool": "perf", "prefix": str(directory)}
    members = []
    for name in document["servers"]:
        host = document["hosts"][name]
        for number, engine in enumerate(host["engines"]):
            address = f"10.0.{number}.{host['address'].rpartition('.')[2]}"
            host["interfaces"][f"ib{number}"]["address"] = address
            uri = f"ofi+verbs;ofi_rxm://{address}:{engine['fabric_iface_port']}"
            member = {"rank": len(members), "addr": name, "state": "joined", "fabric_uri": uri}
            members.append(member)
    pool = json.loads("".join(POOL.read_text().splitlines()[1:-1]))
    for figure in ("total", "free", "min", "max", "mean"):
        pool["response"]["tier_stats"][0][figure] *= 10**6
    for name, answer in {"system": {"members": members}, "pool": pool["response"]}.items():
        (directory / name).write_text(json.dumps({"response": answer, "error": None}))
    (directory / "bin").mkdir()
    dmg = directory / "bin" / "dmg"
    dmg.write_text(
        f"#!/bin/bash\n[[ $* = *pool* ]] && cat {directory}/pool || cat {directory}/system"
    )
    dmg.chmod(0o755)
    cluster = directory / "cluster.json"
    cluster.write_text(json.dumps(document))
    subprocess.run(
        [
            Path(sys.executable).with_name("reframe"),
            *("--dry-run", "--tag=acceptance", f"--name=^{check}", f"--prefix={directory}"),
        ],
        env={
            **os.environ,
            "HOME": str(directory),
            "ASSAY_CLUSTER": str(cluster),
            "RFM_CONFIG_FILES": str(CHECKS / "settings.py"),
            "RFM_CHECK_SEARCH_PATH": ":".join(str(CHECKS / layer) for layer in LAYERS),
        },
        cwd=directory,
        capture_output=True,
        check=True,
    )
    (script,) = directory.rglob("partition.sh")
    return {
        name: int(limit)
        for name, limit in re.findall(r"^step (\S+) (\d+) ", script.read_text(), re.MULTILINE)
    }


def test_many_clients_share_the_line_of_one_engine(tmp_path: Path) -> None:
    found = limits("SelfTestClientServer", site(clients=100), tmp_path)
    assert found["get_1m.1.1"] >= 100 * 16 * 2000 / LINE_MIB_S
    assert found["empty.1.1"] >= 100 * 16 * 20000 / 20_000
    assert found["latency_empty.1.1"] >= 16 * 20000 * 0.0005
    assert found["latency_get_1m.1.1"] >= 16 * 2000 / LINE_MIB_S


def test_one_client_asks_many_engines(tmp_path: Path) -> None:
    found = limits("NetTest", site(servers=100, engines=2), tmp_path)
    assert found["run.1"] >= 200 * 16 * 10000 / 50_000


def test_a_client_has_many_ranks(tmp_path: Path) -> None:
    found = limits("DaosPerf", site(), tmp_path)
    assert found["4k.1"] >= 2 * 32 * 100 * 1024 / 20_000
    assert found["1m.1"] >= 2 * 32 * 1024 / LINE_MIB_S


def test_a_client_writes_and_reads_files_of_many_ranks(tmp_path: Path) -> None:
    document = site()
    document["benchmarks"] = {"ior": "/usr/bin/ior", "shared_directory": "/share"}
    found = limits("PageCacheHonesty", document, tmp_path)
    assert found["direct.1"] >= 2 * 32 * 4096 / 100
