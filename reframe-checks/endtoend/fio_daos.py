"""Data of each client, written and read with fio through DAOS's library and through dfuse."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import reframe as rfm
from reframe.core.builtins import variable

from assay.checks.backends import backend_of, container, library_directory
from assay.checks.benchmarks.fio import PROCESSES
from assay.checks.plan import Metric
from assay.cluster.description import Interface
from assay.cluster.rails import rails, turns
from assay.shell import JOB, Variable
from assay.subject import Subject
from assay.tools.daos.interception import environment
from assay_check import Commands
from fio_check import FioCheck
from mixins.daos import NeedsDaos, in_container
from mixins.in_flight import KeepsInFlight

NAME = "assay." + JOB + "." + Variable("SLURMD_NODENAME")
"""Prefix of the files of a client in the container."""


def watched_once(check: "FioDfs | FioDfuse", subject: Subject) -> Commands:
    """A guard of the first host alone, since the hosts measure at once: it reads the engines."""
    return check.watched() if subject.host == check.hosts[0] else []


@rfm.simple_test
class FioDfs(NeedsDaos, KeepsInFlight, FioCheck):
    """fio's dfs engine: 1 MiB and 4 KiB, 16 in flight in each process, and the latency of one."""

    functions = ("steps.sh", "daos_client.sh")
    scripts = ("attach.py",)
    ioengine = "dfs"
    uses_container = True

    #: Seconds of each phase of small I/Os.
    small_s = variable(int)

    @property
    def processes(self) -> int:
        """As many as the bound is of."""
        return PROCESSES[self.scale]

    def written_bytes(self) -> int:
        """The files of all clients."""
        return self.file_mib * 2**20 * self.processes * len(self.hosts)

    def depth(self, metric: Metric) -> int:
        """The depth from the catalogue, or from `-S`."""
        return self.in_flight[metric.name]

    def program(self) -> Path:
        """The fio with the dfs engine."""
        return self.benchmark("fio_dfs")

    def layout(self) -> dict[str, Any]:
        """In the container; the engine has no directories, so each client has its own names."""
        return {
            "directory": "",
            "dfs": container(self.cluster),
            # fio expands these from its environment.
            "file": "assay.${SLURM_JOB_ID}.${SLURMD_NODENAME}",
            **({"cpus": "${CPUS}"} if self.spreads else {}),
        }

    @property
    def spreads(self) -> bool:
        """Whether processes of a client have to be on several NUMA nodes, to use all its rails."""
        return any(turns(self.cluster, name, self.processes) for name in self.hosts)

    def spread(self, subject: Subject) -> Commands:
        """Choose a core for each process, on the NUMA nodes of the rails in turn."""
        if not self.spreads:
            return []
        nodes = turns(self.cluster, subject.host, self.processes) or self._near(subject)
        return [["spread", *map(str, nodes)]]

    def _near(self, subject: Subject) -> Sequence[int]:
        """The NUMA node of the rails of a client that has rails on one."""
        interfaces = self.host(subject).interfaces
        first = interfaces.get(rails(self.cluster, subject.host)[0], Interface())
        return [first.numa_node or 0] * self.processes

    def guards(self, subject: Subject) -> Commands:
        """Check also that the agent gives what is described, and stays the same."""
        return [
            *super().guards(subject),
            ["same_agent"],
            self.attached(subject.hosts),
            *self.spread(subject),
            *watched_once(self, subject),
        ]

    def room(self, subject: Subject) -> Commands:
        """Remove the files afterwards; `df` cannot report the free space of a container.

        fio itself removes a file twice, which its engine reports as an error.
        """
        del subject
        return [in_container(self.cluster, NAME)]


@rfm.simple_test
class FioDfuse(NeedsDaos, FioCheck):
    """fio on a dfuse mount: 1 MiB and 4 KiB, with and without each interception library."""

    functions = ("steps.sh", "daos_client.sh")
    scripts = ("attach.py",)

    #: The libraries intercept these calls, but report them only for threads.
    ioengine = "psync"
    uses_container = True

    #: Seconds of each phase of small I/Os.
    small_s = variable(int)

    @property
    def processes(self) -> int:
        """As many as the bound is of."""
        return PROCESSES[self.scale]

    def written_bytes(self) -> int:
        """The files of all clients."""
        return self.file_mib * 2**20 * self.processes * len(self.hosts)

    def directory(self, subject: Subject) -> Path:
        """The dfuse mount."""
        del subject
        assert self.daos.mount
        return self.daos.mount

    def guards(self, subject: Subject) -> Commands:
        """Check also the agent, and that dfuse is mounted."""
        return [
            *super().guards(subject),
            ["same_agent"],
            self.attached(subject.hosts),
            self.on_dfuse(self.directory(subject)),
            *watched_once(self, subject),
        ]

    def room(self, subject: Subject) -> Commands:
        """Scratch on the mount; it is removed from the container even if dfuse ended meanwhile."""
        return [*super().room(subject), in_container(self.cluster, Variable("SCRATCHES"))]

    def layout(self) -> dict[str, Any]:
        """Threads of one process."""
        return {**super().layout(), "threads": True}

    def preload(self, subject: Subject) -> Sequence[str]:
        """The interception library of the backend, if it has one."""
        library = backend_of(subject).library
        if library is None:
            return []
        variables = environment(library, str(library_directory(self.cluster)))
        return ["env", *(f"{name}={value}" for name, value in variables.items())]
