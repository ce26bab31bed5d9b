"""ReFrame's scheduler `squeue`, which also handles a silent controller and a lost first node."""

import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from reframe.core.backends import register_scheduler
from reframe.core.schedulers import Job
from reframe.utility.osext import run_command

from assay.tools.slurm import sinfo
from telling_squeue import TellingSqueue

SCHEDULER = "patient-squeue"

TOLD_S = 10
"""How long a job's own script may take to end what it has started (own choice)."""

ON_EACH_NODE = "bash $SLURMD_NODENAME.sh; status=$?; touch $SLURMD_NODENAME.done; exit $status"
"""What each node of a job runs: its own script, whose end it records, also if a signal ended it."""


@register_scheduler(SCHEDULER)
class PatientSqueue(TellingSqueue):
    """Calls squeue by squeue.sh, since ReFrame takes every failure of squeue for the job's end.

    With `--no-kill`, a job survives the loss of the node on which its script ran. This scheduler
    cancels it when its other nodes are done; otherwise it would run until its time limit.
    """

    def __init__(self) -> None:
        super().__init__()
        script = shlex.quote(str(Path(__file__).resolve().with_name("squeue.sh")))
        self._squeue = f"bash {script}" + self._squeue.removeprefix("squeue")
        self._nodes_at_start: dict[str, str | None] = {}

    def poll(self, *jobs: Job | None) -> None:
        """Update the jobs' states, and cancel jobs that only wait for the script of a lost node."""
        super().poll(*jobs)
        for job in jobs:
            if job and job.state == "RUNNING" and not job.is_cancelling:
                nodes = job._nodespec  # ReFrame expands it only after the job has ended
                if nodes != self._nodes_at_start.setdefault(job.jobid, nodes):
                    self._end_without_its_script(job)

    def cancel_many(self, jobs: Sequence[Job]) -> None:
        """Cancel jobs; a script that starts all programs of its job is told first, its steps not.

        An MPI launcher ends its daemons on other nodes in order, and these leave nothing behind. Of
        a signal to all of them, some leave their files in the memory of their nodes.
        """
        told = [job.jobid for job in jobs if job.state == "RUNNING" and is_script(job)]
        if told:
            run_command(f"scancel --batch --signal=TERM {' '.join(told)}")
            ask = f"{self._squeue} --noheader --states=RUNNING --jobs={','.join(told)} --format=%i"
            late = time.monotonic() + TOLD_S
            while time.monotonic() < late and _printed(ask):
                time.sleep(0.2)
        super().cancel_many(jobs)

    def _end_without_its_script(self, job: Job) -> None:
        host = self.field_of(job, "%B")
        left = run_command(f"scontrol show hostnames {job._nodespec}").stdout.split()
        # Slurm may list an ended step until the job itself ends.
        done = all(Path(job.workdir, done_by(node)).exists() for node in left)
        if host and left and host not in left and done:
            self.log(f"{host}, which ran the script of job {job.jobid}, is lost; cancelling it")
            self.cancel(job)


def _printed(command: str) -> str:
    """What a program of Slurm prints; with several clusters, their names do not count."""
    return sinfo.of_one_cluster(str(run_command(command).stdout)).strip()


def is_script(job: Job) -> bool:
    """Whether the job's script is a program of its own, and no srun of one."""
    return bool(job.launcher.registered_name == "local")


def done_by(node: str) -> str:
    """The file in the job's directory that a node makes when its own script has ended."""
    return f"{node}.done"
