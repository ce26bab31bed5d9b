"""ReFrame's scheduler `squeue`, which also handles a silent controller and a lost first node."""

import shlex
from pathlib import Path

from reframe.core.backends import register_scheduler
from reframe.core.schedulers import Job
from reframe.utility.osext import run_command

from telling_squeue import TellingSqueue

SCHEDULER = "patient-squeue"

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

    def _end_without_its_script(self, job: Job) -> None:
        host = self.field_of(job, "%B")
        left = run_command(f"scontrol show hostnames {job._nodespec}").stdout.split()
        # Slurm may list an ended step until the job itself ends.
        done = all(Path(job.workdir, done_by(node)).exists() for node in left)
        if host and left and host not in left and done:
            self.log(f"{host}, which ran the script of job {job.jobid}, is lost; cancelling it")
            self.cancel(job)


def done_by(node: str) -> str:
    """The file in the job's directory that a node makes when its own script has ended."""
    return f"{node}.done"
