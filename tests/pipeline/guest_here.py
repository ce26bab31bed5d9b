"""A Slurm that our roles did not make, and a normal user of it."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from private_slurm import PATH, PrivateSlurm

Slurm = TypeVar("Slurm", bound=PrivateSlurm)

USER = 65534
"""nobody, who has no rights anywhere."""

NODES = {"compute": ["nid001", "nid002"], "debug": ["nid002"], "staff": ["nid003"]}
"""A node may be in several partitions."""


@contextmanager
def running(slurm: Slurm) -> Iterator[Slurm]:
    """Start a Slurm and stop it; at the end nothing of its jobs may run on."""
    try:
        slurm.start()
        yield slurm
    finally:
        left = slurm.stop()
    assert not left, f"still running at the end: {left}"


class ForeignSlurm(PrivateSlurm):
    """As some site has configured it: jobs share nodes, and partitions have limits."""

    def __init__(self) -> None:
        super().__init__(NODES)

    @property
    def nodes(self) -> list[str]:
        return sorted({node for nodes in self.partitions.values() for node in nodes})

    def configuration(self) -> str:
        hostname = socket.gethostname().partition(".")[0]
        limits = {"debug": "MaxTime=1", "staff": "AllowGroups=root"}
        lines = [
            "ClusterName=borealis",
            f"SlurmctldHost={hostname}(127.0.0.1)",
            "SlurmUser=",
            "AuthType=",
            "StateSaveLocation=",
            "SlurmdSpoolDir=",
            "SlurmctldLogFile=",
            "SlurmdLogFile=",
            "SlurmctldPidFile=",
            "SlurmdPidFile=",
            "SelectType=select/cons_tres",
            "SelectTypeParameters=CR_Core",
            "ProctrackType=proctrack/linuxproc",
            "TaskPlugin=task/none",
            "MpiDefault=none",
            "ReturnToService=1",
            "SchedulerParameters=batch_sched_delay=0,sched_interval=5",
        ]
        lines += [
            f"NodeName={node} NodeHostname={hostname} NodeAddr=127.0.0.1 Port={17101 + number}"
            f" Sockets=1 CoresPerSocket={os.cpu_count()}"
            for number, node in enumerate(self.nodes)
        ]
        lines += [
            f"PartitionName={name} Nodes={','.join(nodes)} State=UP {limits.get(name, '')}"
            for name, nodes in self.partitions.items()
        ]
        return "\n".join(lines) + "\n"


class Guest:
    """A normal user, whose home is on a file system that all nodes share."""

    def __init__(self, slurm: ForeignSlurm, home: Path) -> None:
        home.mkdir(parents=True)
        os.chown(home, USER, USER)
        self.slurm = slurm
        self.home = home
        self.prefix = home / "assay"

    def run(
        self, *command: str, extra: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as this user, who may read everything: the tests' own Python is root's."""
        return self.slurm.run(*self.words(command), extra=self.environment | dict(extra or {}))

    def words(self, command: Sequence[str]) -> list[str]:
        """A command, as this user runs it."""
        may_read = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
        user = [f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        there = f"cd {shlex.quote(str(self.home))} && exec {shlex.join(command)}"
        return ["setpriv", *user, *may_read, "bash", "-c", there]

    @property
    def environment(self) -> dict[str, str]:
        """A user's own; nothing in it is of `assay`."""
        return {"HOME": str(self.home), "PATH": f"{Path(sys.executable).parent}:{PATH}"}

    def describe(self, *options: str) -> subprocess.CompletedProcess[str]:
        """Describe the cluster."""
        return self.run("assay", "describe", str(self.prefix), *options)

    def shell(self, script: str) -> subprocess.CompletedProcess[str]:
        """Run a script in the environment that `assay describe` wrote."""
        return self.run("bash", "-c", f". {self.prefix}/environment.sh && {script}")
