"""ReFrame's scheduler `squeue`, which a controller that does not answer does not mislead."""

import shlex
from pathlib import Path

from reframe.core.backends import register_scheduler
from reframe.core.schedulers.slurm import SqueueJobScheduler

SCHEDULER = "patient-squeue"


@register_scheduler(SCHEDULER)
class PatientSqueue(SqueueJobScheduler):
    """Asks by squeue.sh; ReFrame itself takes every failure of squeue for the end of the job."""

    def __init__(self) -> None:
        super().__init__()
        script = shlex.quote(str(Path(__file__).resolve().with_name("squeue.sh")))
        self._squeue = f"bash {script}" + self._squeue.removeprefix("squeue")
