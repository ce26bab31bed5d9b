"""ReFrame's scheduler `squeue`, misled neither by a silent controller nor by a lost first node."""

import shlex
from pathlib import Path

from reframe.core.backends import register_scheduler
from reframe.core.schedulers import Job
from reframe.utility.osext import run_command

from telling_squeue import TellingSqueue

SCHEDULER = "patient-squeue"


@register_scheduler(SCHEDULER)
class PatientSqueue(TellingSqueue):
    """Asks by squeue.sh; ReFrame itself takes every failure of squeue for the end of the job.

    With `--no-kill` a job outlives the node on which its script ran. It is ended when its other
    nodes have done their part: nothing else would end it before its time limit.
    """

    def __init__(self) -> None:
        super().__init__()
        script = shlex.quote(str(Path(__file__).resolve().with_name("squeue.sh")))
        self._squeue = f"bash {script}" + self._squeue.removeprefix("squeue")
        self._nodes_at_start: dict[str, str | None] = {}

    def poll(self, *jobs: Job | None) -> None:
        """Update the jobs' states, and end those that only wait for a script that is gone."""
        super().poll(*jobs)
        for job in jobs:
            if job and job.state == "RUNNING" and not job.is_cancelling:
                nodes = job._nodespec  # ReFrame expands it only after the job has ended
                if nodes != self._nodes_at_start.setdefault(job.jobid, nodes):
                    self._end_without_its_script(job)

    def _end_without_its_script(self, job: Job) -> None:
        asked = f"{self._squeue} --noheader --job={job.jobid} --format=%B"
        host = run_command(asked).stdout.strip()
        left = run_command(f"scontrol show hostnames {job._nodespec}").stdout.split()
        # Slurm may list a step that has ended until the job does.
        done = all(Path(job.workdir, done_by(node)).exists() for node in left)
        if host and left and host not in left and done:
            self.log(f"{host}, which ran the script of job {job.jobid}, is lost; cancelling it")
            self.cancel(job)


def done_by(node: str) -> str:
    """The file that a node's own script leaves at its end, in the job's directory."""
    return f"{node}.done"
