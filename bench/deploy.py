"""How the deployment scales with the cluster: seconds per step and tasks per host.

The hosts are simulated: each is this machine, reached through a local connection. Seconds depend on
the machine that this runs on; what matters is how they grow from one row to the next. `judge` means
to describe the cluster from facts that are already gathered, and to validate the description.
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
COMMANDS = Path(sys.executable).parent
STEPS = ("gather", "judge", "render")


def inventory(directory: Path, hosts: int) -> Path:
    """The worked inventory `pmem` with half of the hosts as servers and the others as clients."""
    made = directory / str(hosts)
    made.mkdir()
    worked = REPOSITORY / "inventories/pmem"
    for name in ("roles.yml", "kinds.yml", "group_vars"):
        (made / name).symlink_to((worked / name).resolve())
    names = {
        "controller": ["login"],
        "servers": [f"server{number}" for number in range(1, hosts // 2 + 1)],
        "clients": [f"client{number}" for number in range(1, hosts - hosts // 2)],
    }
    groups = {group: {"hosts": dict.fromkeys(hosts)} for group, hosts in names.items()}
    local = {"ansible_connection": "local", "ansible_python_interpreter": "/usr/bin/python3"}
    (made / "hosts.yml").write_text(json.dumps({"all": {"vars": local, "children": groups}}))
    return made


def play(step: str, hosts: Path, scratch: Path) -> tuple[float, int]:
    """Run one step; return its seconds and the number of tasks of the busiest host.

    Raises:
        SystemExit: with the playbook's output, if it failed.
    """
    started = time.monotonic()
    run = subprocess.run(
        [
            COMMANDS / "ansible-playbook",
            f"--inventory={hosts}",
            f"--extra-vars=assay_planned={scratch}/cluster.json",
            *(["--check"] if step == "render" else []),  # all but the writing
            REPOSITORY / ("playbooks/plan.yml" if step == "judge" else f"bench/{step}.yml"),
        ],
        cwd=REPOSITORY,
        env={
            **os.environ,
            "ANSIBLE_CALLBACKS_ENABLED": "ansible.posix.profile_tasks",
            "ANSIBLE_LOCALHOST_WARNING": "false",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if run.returncode:
        raise SystemExit(f"{step} of {hosts.name} hosts failed:\n{run.stdout[-4000:]}{run.stderr}")
    seconds = time.monotonic() - started
    if step == "judge":  # what runs before it takes the place of the gathering
        seconds = sum(float(s) for s in re.findall(r"^cluster : .* ([\d.]+)s$", run.stdout, re.M))
    tasks = [int(ok) for ok in re.findall(r" : ok=(\d+) ", run.stdout)]
    return seconds, max(tasks)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, nargs="+", default=[8, 64, 256])
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    arguments = parser.parse_args()
    table = Table("hosts", *(f"{step}, s (tasks per host)" for step in arguments.steps), box=None)
    with tempfile.TemporaryDirectory() as directory:
        for hosts in arguments.hosts:
            made = inventory(Path(directory), hosts)
            figures = [play(step, made, Path(directory)) for step in arguments.steps]
            table.add_row(str(hosts), *(f"{seconds:.1f} ({tasks})" for seconds, tasks in figures))
    Console().print(table)


if __name__ == "__main__":
    main()
