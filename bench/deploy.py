"""How the deployment grows with the cluster: seconds a step, and tasks a host, by number of hosts.

The hosts are simulated: every one is this machine, reached by a local connection. Seconds are of
the machine that this runs on; what counts is how they grow from one row to the next.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

REPOSITORY = Path(__file__).parents[1]
SIMULATED = REPOSITORY / "tests/deploy/simulated"
COMMANDS = Path(sys.executable).parent
STEPS = ("gather", "judge", "render")


def inventory(directory: Path, hosts: int) -> Path:
    """The worked inventory `pmem` with half of the hosts as servers and the others as clients."""
    made = directory / str(hosts)
    made.mkdir()
    worked = REPOSITORY / "inventories/pmem"
    for name in ("roles.yml", "group_vars"):
        (made / name).symlink_to((worked / name).resolve())
    names = {
        "controller": ["login"],
        "servers": [f"server{number}" for number in range(1, hosts // 2 + 1)],
        "clients": [f"client{number}" for number in range(1, hosts - hosts // 2)],
    }
    groups = {group: {"hosts": dict.fromkeys(of)} for group, of in names.items()}
    local = {"ansible_connection": "local", "ansible_python_interpreter": "/usr/bin/python3"}
    (made / "hosts.yml").write_text(json.dumps({"all": {"vars": local, "children": groups}}))
    return made


def play(step: str, hosts: Path, scratch: Path) -> tuple[float, int]:
    """Run one step; how many seconds it took, and how many tasks the busiest host had.

    Raises:
        SystemExit: with the playbook's own words, where it failed.
    """
    started = time.monotonic()
    run = subprocess.run(
        [
            COMMANDS / "ansible-playbook",
            f"--inventory={hosts}",
            f"--extra-vars=simulated_description={scratch}/cluster.json",
            *(["--check"] if step == "render" else []),  # all but the writing
            (SIMULATED / "describe.yml") if step == "judge" else REPOSITORY / f"bench/{step}.yml",
        ],
        cwd=REPOSITORY,
        env={
            **os.environ,
            "ANSIBLE_LOCALHOST_WARNING": "false",
            "ANSIBLE_ACTION_PLUGINS": str(SIMULATED / "action_plugins"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise SystemExit(f"{step} of {hosts.name} hosts failed:\n{run.stdout[-4000:]}{run.stderr}")
    tasks = [int(ok) for ok in re.findall(r" : ok=(\d+) ", run.stdout)]
    return time.monotonic() - started, max(tasks)


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--hosts", type=int, nargs="+", default=[8, 64, 256])
    arguments.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    told = arguments.parse_args()
    table = Table("hosts", *(f"{step}, s (tasks a host)" for step in told.steps), box=None)
    with tempfile.TemporaryDirectory() as directory:
        for hosts in told.hosts:
            made = inventory(Path(directory), hosts)
            figures = [play(step, made, Path(directory)) for step in told.steps]
            table.add_row(str(hosts), *(f"{seconds:.1f} ({tasks})" for seconds, tasks in figures))
    Console().print(table)


if __name__ == "__main__":
    main()
