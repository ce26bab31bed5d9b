"""A scheduler of ReFrame that says in a sentence why a job did not start, in Slurm's own words."""

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from reframe.core.exceptions import JobBlockedError, JobSchedulerError, SpawnedProcessError
from reframe.core.schedulers.slurm import SqueueJobScheduler
from reframe.utility.osext import run_command

from assay.tools.slurm import sinfo, squeue


class TellingSqueue(SqueueJobScheduler):
    """Reports what sbatch refuses, and what a job waited for that did not start in time."""

    def submit(self, job: Any) -> None:
        """Submit a job; what sbatch refuses is reported in its own words."""
        try:
            super().submit(job)
        except SpawnedProcessError as error:
            raise JobSchedulerError(refusal(error.stderr)) from None

    def _cancel_if_blocked(
        self, jobs: Iterable[Any], reasons: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Cancel as ReFrame does, by the details that follow a reason as well."""
        shortened = {
            job: [squeue.before_comma(reason) for reason in each if squeue.is_in_vain(reason)]
            for job, each in (reasons or {}).items()
        }
        super()._cancel_if_blocked(jobs, shortened)

    def _cancel_if_pending_too_long(self, jobs: Iterable[Any]) -> None:
        """Cancel as ReFrame does, and say what the job waited for."""
        waiting = [job for job in jobs if not job.is_cancelling]
        overdue = [job for job in waiting if self._is_overdue(job)]
        reasons = {job.jobid: self.field_of(job, "%r") or "none" for job in overdue}
        super()._cancel_if_pending_too_long(waiting)
        for job in waiting:
            if job.jobid in reasons:
                minutes = job.max_pending_time / 60
                job._exception = JobBlockedError(
                    f"it did not start within {minutes:g} min and was cancelled; Slurm's reason:"
                    f" {reasons[job.jobid]}; raise wait_min in the description of the cluster to"
                    " let jobs wait longer",
                    job.jobid,
                )

    @staticmethod
    def _is_overdue(job: Any) -> bool:
        pending = job.state is not None and set(job.state.split(",")) <= {"PENDING", "CONFIGURING"}
        return bool(
            pending
            and job.max_pending_time
            and time.time() - job.submit_time >= job.max_pending_time
        )

    def field_of(self, job: Any, field: str) -> str:
        """One field of a job, such as `%r`, as squeue(1) prints it; empty if it prints nothing."""
        command = f"{self._squeue} --noheader --jobs={job.jobid} --format={field}"
        return sinfo.of_one_cluster(str(run_command(command).stdout)).strip()


def refusal(errors: str) -> str:
    """What sbatch says where it takes no job, as one sentence."""
    lines = [
        re.sub(r"^sbatch: (error: )?", "", line) for line in errors.splitlines() if line.strip()
    ]
    return "Slurm rejected the job: " + ("; ".join(lines) or "sbatch gave no reason")
