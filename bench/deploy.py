"""How the work of the control host grows with the cluster: seconds of each step.

`gather`: facts and `cluster_hardware` of every host. Each host is this machine, reached through a
local connection, so that all of them share its cores: a real host does that by itself.
`plan`: describe the cluster from the facts of each kind of host, and judge the description.
`list`: list every metric required. `render`: render daos_server.yml of every server, without
writing it. Half of the hosts are servers, with two engines and eight SSDs each.

Seconds depend on the machine that this runs on, and on what else it does: the CPU's seconds are
printed beside those of the clock. What matters is how they grow from one row to the next.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

REPOSITORY = Path(__file__).parents[1]
COMMANDS = Path(sys.executable).parent
PLAYBOOKS = {
    "gather": "bench/gather.yml",
    "plan": "playbooks/plan.yml",
    "render": "bench/render.yml",
}
STEPS = ("gather", "plan", "list", "render")
MOST_GATHERED = 64
"""Hosts beyond which nothing is gathered: this machine would be all of them."""


def inventory(directory: Path, hosts: int) -> Path:
    """The worked inventory `pmem` with half of the hosts as servers and the others as clients."""
    made = directory / str(hosts)
    made.mkdir()
    worked = REPOSITORY / "inventories/pmem"
    for name in ("roles.yml", "kinds.yml", "group_vars"):
        (made / name).symlink_to((worked / name).resolve())
    names = {
        "controller": ["login"],
        "servers": [f"server[1:{hosts // 2}]"],
        "clients": [f"client[1:{hosts - hosts // 2}]"],
    }
    groups = {group: {"hosts": dict.fromkeys(hosts)} for group, hosts in names.items()}
    local = {"ansible_connection": "local", "ansible_python_interpreter": "/usr/bin/python3"}
    (made / "hosts.yml").write_text(json.dumps({"all": {"vars": local, "children": groups}}))
    return made


def seconds(step: str, hosts: Path) -> tuple[float, float]:
    """Run one step; return the seconds of the clock, and those of the CPU.

    Raises:
        SystemExit: with what was printed, if it failed.
    """
    # Not in the inventory, which it would become a part of.
    description = hosts.with_suffix(".json")
    command: list[str | Path] = [COMMANDS / "assay", "plan", f"--cluster={description}"]
    if step in PLAYBOOKS:
        command = [
            COMMANDS / "ansible-playbook",
            f"--inventory={hosts}",
            f"--extra-vars=assay_planned={description}",
            REPOSITORY / PLAYBOOKS[step],
        ]
    started, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    run = subprocess.run(
        command,
        cwd=REPOSITORY,
        # Nothing here waits for a host, for which there are more forks otherwise.
        env={
            **os.environ,
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_FORKS": str(os.cpu_count()),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise SystemExit(f"{step} of {hosts.name} hosts failed:\n{run.stdout[-4000:]}{run.stderr}")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return time.monotonic() - started, cpu


def main() -> None:
    """Print a line for each number of hosts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, nargs="+", default=[8, 64, 256, 1024])
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    arguments = parser.parse_args()
    table = Table("hosts", *(f"{step}, s (CPU)" for step in arguments.steps), "all but gather")
    table.box = None
    with tempfile.TemporaryDirectory() as directory:
        for hosts in arguments.hosts:
            made = inventory(Path(directory), hosts)
            cells, whole = [], [0.0, 0.0]
            for step in arguments.steps:
                if step == "gather" and hosts > MOST_GATHERED:
                    cells.append("-")
                    continue
                clock, cpu = seconds(step, made)
                cells.append(f"{clock:.1f} ({cpu:.1f})")
                if step != "gather":
                    whole = [whole[0] + clock, whole[1] + cpu]
            table.add_row(str(hosts), *cells, f"{whole[0]:.1f} ({whole[1]:.1f})")
            print(f"{hosts} hosts: {', '.join(cells)}", file=sys.stderr, flush=True)
    load = os.getloadavg()[0]
    Console().print(table)
    print(f"on {os.cpu_count()} cores, which had a load of {load:.0f} in the last minute")


if __name__ == "__main__":
    main()
