"""For checks that run on all hosts at once, or that start programs with srun."""

import shutil
import sys
from collections.abc import Iterable, Sequence
from shlex import quote

from reframe.core.backends import getlauncher
from reframe.core.builtins import run_before

from assay.checks.load import ranks_per_node
from assay.checks.raw import directory_of
from assay.cluster.description import Host
from assay.cluster.rails import most_rails
from assay.subject import Subject
from assay_check import HERE, Commands
from mixins.plugin import Mixin
from patient_squeue import ON_EACH_NODE

SSH_S = 150
"""Time limit of ssh, in seconds, to send a host its script and to fetch its outputs."""


class RunsOnEachHost(Mixin):
    """One job, in which all hosts of the partition run their own scripts, `HOST.sh`, at once."""

    needs_all_hosts = False

    def host(self, subject: Subject) -> Host:
        """The description of a subject's host."""
        return self.cluster.hosts[subject.host]

    def on(self, host: str) -> list[Subject]:
        """The subjects on a host."""
        return [subject for subject in self.subjects if subject.host == host]

    @run_before("run", always_last=True)
    def run_on_each_host(self) -> None:
        longest_s = 0
        for name in self.hosts:
            there = self.on(name)
            script = ["#!/bin/bash", *self.sources()]
            for subject in there:
                script += self.block(subject)
            self.write(f"{name}.sh", script)
            longest_s = max(longest_s, sum(map(self.limit_s, there)))
        self.time_limit = self.allowed_s(longest_s + 60)
        if self.current_partition.scheduler.registered_name == "local":
            self._go_to_each_host_by_ssh(longest_s)
            return
        self.executable_opts = ["-c", quote(ON_EACH_NODE)]
        # A host that is lost takes nothing but its own figures with it. If it is the first, which
        # runs the job script, patient_squeue.py ends the job when the others are done.
        self.job.options.append("--no-kill")
        self.job.launcher.options = [
            # The benchmarks' own processes spread over the host's cores.
            *("--cpu-bind=none", "--mpi=none"),
            *("--no-kill", "--kill-on-bad-exit=0", "--wait=0"),
        ]

    def _go_to_each_host_by_ssh(self, limit_s: int) -> None:
        """Let the job, which runs on the controller, send each host its script."""
        for name in ("everywhere.sh", "tethered.sh"):
            shutil.copy(HERE / name, self.stagedir)
        self.write("ssh.options", self.cluster.ssh_options)
        for name in self.hosts:
            self.write(f"{name}.subjects", map(directory_of, self.on(name)))
        addresses = [f"{name}={self.cluster.hosts[name].address}" for name in self.hosts]
        words = ["everywhere.sh", sys.executable, str(limit_s + 30), *addresses]
        self.executable_opts = [quote(word) for word in words]
        self.time_limit = limit_s + 30 + SSH_S


class StartsItsPrograms(Mixin):
    """One script on the first host, `partition.sh`, starts all programs with srun."""

    at_the_end: Sequence[str] = ()
    """Lines of the script that say what is to be done when it ends, however it ends."""

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """Rounds of subjects; those of one round are measured at once."""
        return [self.present]

    def guards(self, subject: Subject) -> Commands:
        """The guards, run on each host of the subject, since the script runs on only one host."""
        hosts, count = subject.hosts, len(subject.hosts)
        # On a host without an engine the command fails, which must not end the others.
        srun = [
            *("srun", f"--nodelist={','.join(hosts)}", f"--nodes={count}", f"--ntasks={count}"),
            *("--overlap", "--mpi=none", "--kill-on-bad-exit=0"),
        ]
        return [[*command, str(count), *srun] for command in super().guards(subject)]

    @run_before("run", always_last=True)
    def run_in_the_batch_script(self) -> None:
        script = ["#!/bin/bash", *self.sources(), *self.at_the_end]
        limit_s = 60
        for together in self.rounds():
            for subject in together:
                script.append("\n".join(self.block(subject)) + " &")
            script.append("wait")
            limit_s += max(self.limit_s(subject) for subject in together)
        self.time_limit = self.allowed_s(limit_s)
        self.write("partition.sh", script)
        # As the job's own script: when that has ended, Slurm kills what still tidies up.
        self.executable = "exec bash"
        self.executable_opts = ["partition.sh"]
        self.job.launcher = getlauncher("local")()


class LaunchesMpi(StartsItsPrograms):
    """An MPI program on clients, which measures one subject after the other."""

    at_the_end = ('finally "forget_openmpi $EPOCHSECONDS"',)

    two_at_once = False
    """Whether steps run two such programs at once, on cores of their own."""

    @property
    def ranks_per_node(self) -> int:
        """Ranks on each client, the same number on all clients."""
        return ranks_per_node(self.cluster, self.hosts, self.scale)

    def rounds(self) -> Iterable[Sequence[Subject]]:
        """One subject at a time, since all of them use the same storage."""
        return [[subject] for subject in self.present]

    def launcher(self, hosts: Sequence[str], ranks_per_node: int) -> list[str]:
        """The beginning of a command that runs so many ranks on each of some clients.

        `--mpi=none` would make a world of every rank. Without a rank that has died the others wait
        in MPI for ever. On clients with several rails, the ranks take the NUMA nodes in turn, since
        DAOS gives a rank a rail of its own node; two ranks side by side would leave others idle.

        Two mpirun at once would bind their ranks to the same cores, and the srun by which one
        reaches the clients would wait for that of the other. Two srun have cores of their own.
        """
        spread = most_rails(self.cluster) > 1
        bound, shared = ("numa", ["SLURM_OVERLAP=1"]) if self.two_at_once else ("core", [])
        jobs, each, ranks = self.cluster.jobs, ranks_per_node, ranks_per_node * len(hosts)
        match jobs.launcher:
            case "openmpi":
                # In a job of Slurm no host has more slots than it has tasks, which is one here.
                tasks = f"SLURM_TASKS_PER_NODE={each}(x{len(hosts)})"
                slots = ",".join(f"{host}:{each}" for host in hosts)
                mpirun = ["env", *shared, tasks, "mpirun", "--host", slots]
                in_turn = ["--map-by", "numa"] if spread else []
                return [*mpirun, "-np", str(ranks), *in_turn, "--bind-to", bound]
            case "hydra":
                hosts_and_ranks = ["-hosts", ",".join(hosts), "-ppn", str(each), "-n", str(ranks)]
                in_turn = ["-map-by", "numa"] if spread else []
                mpirun = [*(["env", *shared] if shared else []), "mpirun"]
                return [*mpirun, *hosts_and_ranks, "-bind-to", bound, *in_turn]
        return [
            *("srun", f"--mpi={jobs.mpi}", f"--nodelist={','.join(hosts)}"),
            *(f"--nodes={len(hosts)}", f"--ntasks={ranks}", f"--ntasks-per-node={each}"),
            *("--cpus-per-task=1", "--cpu-bind=cores", "--kill-on-bad-exit"),
            *(["--distribution=block:cyclic"] if spread else []),
        ]
