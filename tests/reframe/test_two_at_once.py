"""Two programs at once on the same clients, by each launcher."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from run_reframe import scripts

from sites import site


@pytest.mark.parametrize(
    ("launcher", "begins"),
    [
        ("srun", "srun --mpi=pmi2 --nodelist=c1,c2 --nodes=2 --ntasks=4 --ntasks-per-node=2 "),
        ("hydra", "env SLURM_OVERLAP=1 mpirun -hosts c1,c2 -ppn 2 -n 4 -bind-to numa "),
        (
            "openmpi",
            "env SLURM_OVERLAP=1 'SLURM_TASKS_PER_NODE=2(x2)' mpirun --host c1:2,c2:2 -np 4"
            " --bind-to numa ",
        ),
    ],
)
def test_each_load_has_half_of_the_cores_and_none_of_the_other(
    launcher: str, begins: str, tmp_path: Path
) -> None:
    """As seen with Slurm 22.05 and MPICH 4.0.

    Two `srun` get cores of their own unless they say `--overlap`. The `srun` of a second `mpirun`
    waits unless it overlaps, and both bind their ranks to the same cores.
    """
    document = site(clients=2)
    for name in document["clients"]:
        document["hosts"][name]["cores"] = 4
    document["daos"] |= {"pool": "tank", "container": "posix"}
    document["slurm"] = {
        "launcher": launcher,
        "partitions": {"clients": "clients", "servers": "servers"},
    }
    document["benchmarks"] = {"ior": "/opt/ior", "mdtest": "/opt/mdtest", "ior_apis": ["DFS"]}
    name = "--name=^Interference%"
    script = scripts(document, tmp_path, "--tag=acceptance", name)["Interference"]
    (step,) = re.findall(r"^step write_and_create\.3 840 (.*)$", script, re.MULTILINE)
    commands = step.split(" : ")
    assert len(commands) == 2
    assert all(command.startswith(begins) for command in commands)
    assert "--overlap" not in step
    assert " -D 30 " in commands[0]
    assert " -W 30 " in commands[1]
