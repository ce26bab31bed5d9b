"""How the sign-off scales with the number of hosts: its time, its memory and its page.

A synthetic campaign: servers with 8 SSDs each, two metrics of each SSD, 7 samples of each metric.
Only this check of the catalogue is required, because the pairs of engines alone would be millions.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any, cast

HOSTS = (64, 256, 1024, 4096)
SSDS = 8
SAMPLES = 7
CHECK = "NvmeBandwidth"
METRICS = {"read_1m_alone": 6200.0, "read_1m_together": 5100.0}


def address(number: int) -> str:
    """The PCI address of an SSD."""
    return f"0000:{number:02x}:00.0"


def require_only_ssds() -> None:
    """Require only the bandwidth of the SSDs, whether DAOS is deployed on the cluster or not."""
    from assay.checks import plan
    from assay.checks.entry import Metric
    from assay.checks.figures import Unrated
    from assay.checks.plan import Check
    from assay.cluster.description import Cluster, Partition
    from assay.subject import Subject

    def each_ssd(cluster: Cluster, partition: Partition) -> tuple[Subject, ...]:
        del partition
        return tuple(
            Subject(host, device=address(n)) for host in cluster.servers for n in range(SSDS)
        )

    rule = Unrated("nothing is described")
    metrics = tuple(Metric(name, "MiB/s", rule) for name in METRICS)
    catalogue = cast("MutableMapping[str, Check]", plan.CHECKS)
    catalogue.clear()
    catalogue[CHECK] = Check(CHECK, "ssd", "raw", ("server",), each_ssd, metrics)


def description(hosts: int) -> dict[str, Any]:
    """A cluster.json of so many servers, and one client."""
    names = [f"s{number}" for number in range(1, hosts + 1)]
    host = {
        "address": "192.0.2.1",
        "cores": 32,
        "memory": {"total_mib": 262144},
        "numa_nodes": 2,
        "interface": "eth0",
        "interfaces": {"eth0": {"speed_gbits": 100.0}},
        "scratch": {"directory": "/scratch", "filesystem": "xfs", "device": "/dev/sda1"},
    }
    return {
        "name": "synthetic",
        "controller": "c1",
        "clients": ["c1"],
        "servers": names,
        "benchmarks": {},
        "hosts": dict.fromkeys(("c1", *names), host),
    }


def run_report(hosts: int) -> dict[str, Any]:
    """What ReFrame would have written, with one slow SSD."""
    from assay import __version__

    random.seed(hosts)
    subjects = [f"s{host}/{address(n)}" for host in range(1, hosts + 1) for n in range(SSDS)]
    samples = {
        metric: {
            subject: [
                random.gauss(level, 0.01 * level) * (0.8 if subject == f"s7/{address(3)}" else 1.0)
                for _ in range(SAMPLES)
            ]
            for subject in subjects
        }
        for metric, level in METRICS.items()
    }
    case = {
        "name": f"{CHECK} %scale=acceptance",
        "system": "synthetic",
        "partition": "servers",
        "scale": "acceptance",
        "result": "pass",
        "fail_phase": None,
        "fail_reason": None,
        "samples": samples,
        "deviations": {},
        "problems": {},
        "units": dict.fromkeys(METRICS, "MiB/s"),
        "checks_version": __version__,
        "benchmark_seconds": 60.0,
        "outputdir": None,
        "stagedir": None,
    }
    session = {"time_start_unix": 1.8e9, "time_end_unix": 1.8e9 + 60, "time_elapsed": 60.0}
    return {"session_info": {**session, "version": "4.10.4"}, "runs": [{"testcases": [case]}]}


def sign_off(directory: Path) -> None:
    """Run the command on the campaign of a directory, and record its cost."""
    from assay import cli

    require_only_ssds()
    start = time.monotonic()
    sys.argv = ["assay", "signoff", f"--cluster={directory / 'cluster.json'}"]
    sys.argv += [f"--reports={directory / 'run.json'}", f"--out={directory / 'bundle'}"]
    try:
        cli.main()
    except SystemExit as end:
        if end.code not in (0, 1):
            raise
    used = resource.getrusage(resource.RUSAGE_SELF)
    took = {
        "seconds": time.monotonic() - start,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_mib": used.ru_maxrss / 1024,
    }
    (directory / "took.json").write_text(json.dumps(took), encoding="utf-8")


def main(hosts: tuple[int, ...]) -> None:
    """Print a line for each number of hosts."""
    print("  hosts    samples   wall s    CPU s   peak MiB   html MiB   json MiB")
    for count in hosts:
        with tempfile.TemporaryDirectory() as name:
            directory = Path(name)
            for file, document in (
                ("cluster.json", description(count)),
                ("run.json", run_report(count)),
            ):
                (directory / file).write_text(json.dumps(document), encoding="utf-8")
            command = [sys.executable, __file__, "--sign-off", name]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            took = json.loads((directory / "took.json").read_text(encoding="utf-8"))
            sizes = [
                (directory / "bundle" / file).stat().st_size / 2**20
                for file in ("report.html", "report.json")
            ]
        print(
            f"{count:7,} {count * SSDS * len(METRICS) * SAMPLES:10,} {took['seconds']:8.1f}"
            f" {took['cpu_seconds']:8.1f} {took['peak_mib']:10,.0f} {sizes[0]:10.1f}"
            f" {sizes[1]:10.1f}",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sign-off"]:
        sign_off(Path(sys.argv[2]))
    else:
        main(tuple(map(int, sys.argv[1:])) or HOSTS)
