"""How planning, expecting and signing off scale with the number of hosts: CPU time and memory.

A synthetic cluster: half of its hosts are servers, with two engines and eight SSDs each, and half
are clients. Every check that such a cluster can have is required. The campaign has seven samples of
each metric, a tenth below its bound, and one slow SSD.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HOSTS = (64, 128, 256, 512, 1024)
SAMPLES = 7
STAGES = ("plan", "expect", "signoff")
SLOW = "s3/0000:66:00.0"

SSDS = [[f"0000:{bus}:00.0" for bus in buses] for buses in (range(65, 69), range(83, 87))]
"""Those of each engine; a bus of PCI is a hexadecimal number, and so are these."""


def host(address: str) -> dict[str, Any]:
    """What servers and clients have in common: two sockets, and an interface on each."""
    return {
        "address": address,
        "cores": 64,
        "memory": {"total_mib": 515000},
        "numa_nodes": 2,
        "interface": "ib0",
        "interfaces": {
            "ib0": {"numa_node": 0, "network": "10.0.0.0/16", "speed_gbits": 200.0},
            "ib1": {"numa_node": 1, "network": "10.1.0.0/16", "speed_gbits": 200.0},
        },
        "scratch": {
            "directory": "/scratch",
            "filesystem": "xfs",
            "device": "/dev/sda1",
            "ssd": "Intel D7-P5500 3.84TB",
        },
        "iommu": True,
    }


def server(address: str) -> dict[str, Any]:
    """A host with two engines, each with PMem and four SSDs."""
    engines = [
        {
            "targets": 16,
            "nr_xs_helpers": 4,
            "pinned_numa_node": node,
            "fabric_iface": f"ib{node}",
            "fabric_iface_port": 31316 + 1000 * node,
            "storage": [
                {
                    "class": "dcpm",
                    "scm_mount": f"/mnt/pmem{node}",
                    "scm_list": [f"/dev/pmem{node}"],
                },
                {"class": "nvme", "bdev_list": ssds},
            ],
        }
        for node, ssds in enumerate(SSDS)
    ]
    return host(address) | {
        "nvme": {
            ssd: {"numa_node": node, "lba_bytes": 4096}
            for node, ssds in enumerate(SSDS)
            for ssd in ssds
        },
        "block_devices": ["/dev/pmem0", "/dev/pmem1", "/dev/sda"],
        "server": {"system_ram_reserved": 26, "eadr": True},
        "engines": engines,
        "datasheets": {"ssd": "Intel D7-P5500 3.84TB", "pmem": "Intel Optane PMem 200 128GB"},
    }


def description(hosts: int) -> dict[str, Any]:
    """A cluster.json of so many hosts."""
    servers = [f"s{number + 1}" for number in range(hosts // 2)]
    clients = [f"c{number + 1}" for number in range(hosts - hosts // 2)]
    addresses = (f"10.2.{number // 250}.{number % 250 + 1}" for number in range(hosts + 1))
    described = {name: server(next(addresses)) for name in servers}
    described |= {name: host(next(addresses)) for name in (*clients, "login")}
    return {
        "name": "synthetic",
        "controller": "login",
        "clients": clients,
        "servers": servers,
        "provider": "ofi+tcp",
        "benchmarks": {
            **{tool: f"/opt/bin/{tool}" for tool in ("fio", "fi_pingpong", "ior", "mdtest")},
            **{tool: f"/opt/bin/{tool}" for tool in ("io500", "fdb_hammer", "fdb_hammer_daos")},
            "fio_dfs": "/opt/bin/fio",
            "fdb_share": "/opt/share",
            "ior_apis": ["DFS", "MPIIO", "HDF5"],
            "shared_directory": "/shared",
        },
        "daos": {
            "name": "daos_server",
            "version": "2.8",
            "mgmt_svc_replicas": ["s1"],
            "servers": servers,
            "agents": ["login", *clients],
            "admin": "login",
            "pool": "assay",
            "container": "posix",
            "perf_pool": "perf",
            "mount": "/mnt/dfuse",
        },
        "hosts": described,
    }


def run_report(document: dict[str, Any]) -> dict[str, Any]:
    """What ReFrame would have written, of every check."""
    from assay import __version__
    from assay.checks.expect import Measured, expectation
    from assay.checks.plan import CHECKS, requirements
    from assay.preflight.examine import examine

    cluster, problems = examine(document)
    if cluster is None:
        raise SystemExit("\n".join(str(each) for each in problems if each.severity == "error"))
    random.seed(len(cluster.hosts))
    levels: dict[tuple[str, str], float] = {}
    samples: dict[tuple[str, str], dict[str, dict[str, list[float]]]] = {}
    nothing = Measured({}, "acceptance")
    for metric in requirements(cluster):
        if metric.unit == "process":
            expected = expectation(cluster, metric, nothing).bound
            values = [expected or 1.0] * SAMPLES
        else:
            # Peers are alike: the bound of the first is that of all.
            key = (metric.figure, metric.partition)
            if key not in levels:
                bound = expectation(cluster, metric, nothing).bound
                worse = 0.9 if metric.metric.better == "higher" else 1.1
                levels[key] = (bound or 1000.0) * worse
            level = levels[key] * (0.8 if str(metric.subject) == SLOW else 1.0)
            values = [level * random.gauss(1.0, 0.01) for _ in range(SAMPLES)]
        by_metric = samples.setdefault((metric.check, metric.partition), {})
        by_metric.setdefault(metric.name, {})[str(metric.subject)] = values
    cases = [
        {
            "name": f"{check} %scale=acceptance",
            "system": cluster.name,
            "partition": partition,
            "scale": "acceptance",
            "result": "pass",
            "fail_phase": None,
            "fail_reason": None,
            "samples": by_metric,
            "deviations": {},
            "problems": {},
            "units": {metric.name: metric.unit for metric in CHECKS[check].metrics},
            "checks_version": __version__,
            "benchmark_seconds": 60.0,
            "outputdir": None,
            "stagedir": None,
        }
        for (check, partition), by_metric in samples.items()
    ]
    session = {"time_start_unix": 1.79e9, "time_end_unix": 1.79e9 + 60, "time_elapsed": 60.0}
    return {"session_info": {**session, "version": "4.10.4"}, "runs": [{"testcases": cases}]}


def do(stage: str, directory: Path) -> None:
    """Do one stage with the files of a directory, and print its cost as JSON."""
    from assay.checks.expect import Measured, expectation
    from assay.checks.plan import requirements
    from assay.cli import collect_rarely
    from assay.preflight.examine import load

    collect_rarely()
    cluster = load(directory / "cluster.json")
    loaded = time.process_time()
    if stage == "plan":
        count = len(requirements(cluster))
    else:
        from assay.campaign.results import read

        results = read(str(directory / "run.json"), cluster)
        plan = requirements(cluster)
        count = len(plan)
        if stage == "expect":
            measured = Measured({m: results.samples(m) for m in plan}, results.scale)
            for metric in plan:
                expectation(cluster, metric, measured)
        else:
            from assay.bundle.write import write
            from assay.judge.signoff import Gate, sign_off

            write(sign_off(cluster, results, Gate.ACCEPTANCE), results, directory / "bundle")
    used = resource.getrusage(resource.RUSAGE_SELF)
    cost = {
        "metrics": count,
        "load_s": loaded,
        "cpu_s": time.process_time(),
        "peak_mib": used.ru_maxrss / 1024,
    }
    print(json.dumps(cost))


def main(hosts: tuple[int, ...]) -> None:
    """Print a line for each number of hosts."""
    print("CPU seconds of each stage by itself, the start of Python and cluster.json included")
    print("  hosts   metrics   plan s   expect s   signoff s   peak MiB   html MiB   us/metric")
    for count in hosts:
        with tempfile.TemporaryDirectory() as name:
            directory = Path(name)
            document = description(count)
            (directory / "cluster.json").write_text(json.dumps(document), encoding="utf-8")
            (directory / "run.json").write_text(json.dumps(run_report(document)), encoding="utf-8")
            costs = {}
            for stage in STAGES:
                command = [sys.executable, __file__, stage, name]
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
                costs[stage] = json.loads(done.stdout)
            page = (directory / "bundle" / "report.html").stat().st_size / 2**20
        plan, expect, signoff = (costs[stage] for stage in STAGES)
        print(
            f"{count:7,} {plan['metrics']:9,} {plan['cpu_s']:8.2f} {expect['cpu_s']:10.2f}"
            f" {signoff['cpu_s']:11.2f} {signoff['peak_mib']:10,.0f} {page:10.1f}"
            f" {signoff['cpu_s'] / plan['metrics'] * 1e6:11.0f}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in STAGES:
        do(sys.argv[1], Path(sys.argv[2]))
    else:
        main(tuple(map(int, sys.argv[1:])) or HOSTS)
