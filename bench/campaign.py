"""What the harness itself costs: seconds of the clock over those in which a benchmark ran.

A real Slurm of its own with 1, 16 and 64 nodes, all of them this machine (`slurmd -N`), and a
stand-in for each benchmark that takes 3 s and gives no figure, so that every check fails in the
end: how long it takes is what counts here. What is measured is one session of ReFrame as
`campaign.sh` starts it, from its start to its end.

`one step`: SsdFio, for which each host runs one program. `steps of each host`: FdbHammer, ten steps
one after the other. `of the partition`: IorEasy, twelve steps of all hosts together by srun.
`--distribute=all`: ReFrame's own way to a figure of each host, a job for each of them, which runs
the stand-in once. `srun`: the stand-in on all nodes by srun alone, which is what Slurm itself adds
where one machine plays all nodes. `start`: seconds of a session before its first job, once for all
checks of a campaign.

It needs root and Slurm, as tests/pipeline does.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

REPOSITORY = Path(__file__).parents[1]
sys.path.append(str(REPOSITORY / "tests/pipeline"))

from private_slurm import PROGRAMS, PrivateSlurm, missing  # noqa: E402 it is found from here on
from site_here import CHECKS, Site  # noqa: E402 likewise

STAND_IN_S = 3
STEPS = {"SsdFio": 1, "FdbHammer": 10, "IorEasy": 12}
"""Steps of a subject at the scale `quick`, each of which runs the stand-in once."""

EACH = f"""
import reframe as rfm
import reframe.utility.sanity as sn

@rfm.simple_test
class StandIn(rfm.RunOnlyRegressionTest):
    valid_systems = ["*:clients"]
    valid_prog_environs = ["*"]
    executable = "sleep {STAND_IN_S}"

    @sanity_function
    def ended(self):
        return sn.assert_true(True)
"""
MANY_JOBS = """
import runpy, sys
sys.path.append("{checks}")  # as ReFrame does for the settings that it is given
site_configuration = runpy.run_path("{checks}/settings.py")["site_configuration"]
for partition in site_configuration["systems"][0]["partitions"]:
    partition["max_jobs"] = {jobs}
"""


def measure(nodes: int, checks: list[str]) -> dict[str, float]:
    """Seconds of a session of each check, and of ReFrame's own way, on so many nodes."""
    clients = [f"c{number}" for number in range(1, nodes + 1)]
    slurm = PrivateSlurm({"clients": clients, "servers": ["s1"]})
    try:
        slurm.start()
        return _sessions(slurm, slurm.directory / "bench", clients, checks)
    finally:
        slurm.stop()


def _sessions(
    slurm: PrivateSlurm, root: Path, clients: list[str], checks: list[str]
) -> dict[str, float]:
    shared = slurm.directory / "shared"
    shared.mkdir()
    (shared / "schema").touch()
    (shared / "field.grib").write_bytes(b"GRIB")
    site = Site(
        slurm,
        root,
        {"fdb_share": shared, "shared_directory": shared},
        clients=clients,
        servers=["s1"],
    )
    # How many programs start at once on this machine is not what a host of a cluster would do.
    site.describe(
        lambda document: document["hosts"].update(
            {name: {**host, "cores": 1} for name, host in document["hosts"].items()}
        )
    )
    for benchmark in ("fio", "fdb_hammer", "ior"):
        site.use(benchmark, f"exec sleep {STAND_IN_S}")
    srun = ["srun", "--partition=clients", f"--nodes={len(clients)}", "--mpi=none"]
    # The first job of a Slurm that has just started may wait for a minute.
    slurm.output(*srun, "true")
    taken = {}
    before = time.monotonic()
    slurm.output(*srun, "sleep", str(STAND_IN_S))
    alone = time.monotonic() - before
    for check in checks:
        began, started = time.time(), time.monotonic()
        done = site.check(f"{check}", "--system=here:clients")
        taken[check] = time.monotonic() - started
        (script,) = root.glob(f"stage/**/{check}_*/rfm_job.sh")
        taken.setdefault("start", script.stat().st_mtime - began)
        records = [len(path.read_text().splitlines()) for path in root.glob("*/**/steps.tsv")]
        if "Ran 1/1 test case" not in done.stdout or max(records, default=0) != STEPS[check]:
            raise SystemExit(f"{check} did not run:\n{done.stdout[-3000:]}{done.stderr}")
        for path in root.glob("*/**/steps.tsv"):
            path.unlink()
    (root / "each.py").write_text(EACH)
    settings = root / "settings.py"
    settings.write_text(MANY_JOBS.format(checks=CHECKS, jobs=len(clients)))
    started = time.monotonic()
    command = (
        f"cd {root} && exec reframe --run -c each.py --distribute=all --nocolor -C settings.py"
    )
    done = slurm.run("bash", "-c", command + " --system=here:clients", extra=site.environment)
    taken["--distribute=all"] = time.monotonic() - started
    taken["srun"] = alone
    if f"Ran {len(clients)}/{len(clients)} test case" not in done.stdout:
        raise SystemExit(f"--distribute=all did not run:\n{done.stdout[-3000:]}{done.stderr}")
    return taken


def main() -> None:
    """Print a line for each number of nodes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 16, 64])
    parser.add_argument("--checks", nargs="+", choices=STEPS, default=list(STEPS))
    arguments = parser.parse_args()
    if why := missing(*PROGRAMS):
        raise SystemExit(why)
    table = Table(
        "nodes",
        *(f"{c}, {STEPS[c]} × {STAND_IN_S} s" for c in arguments.checks),
        f"--distribute=all, {STAND_IN_S} s",
        f"srun, {STAND_IN_S} s",
        "start",
        box=None,
    )
    for nodes in arguments.nodes:
        taken = measure(nodes, arguments.checks)
        start = taken.pop("start")
        cells = [
            f"{seconds:.1f} s, {seconds / (STEPS.get(check, 1) * STAND_IN_S):.2f}"
            for check, seconds in taken.items()
        ]
        cells.append(f"{start:.1f} s")
        table.add_row(str(nodes), *cells)
        print(f"{nodes} nodes: {'; '.join(cells)}", file=sys.stderr, flush=True)
    print("seconds of a session of ReFrame, and their ratio to what the stand-in took")
    Console(width=160).print(table)
    print(f"on {os.cpu_count()} cores, which had a load of {os.getloadavg()[0]:.0f} at the end")


if __name__ == "__main__":
    main()
