"""squeue: what a job waits for."""

from __future__ import annotations

import re

_LIMITS = (
    "GrpBillingMinutes",
    "GrpCPUMinutesLimit",
    "GrpGRESMinutes",
    "GrpNodeMinutes",
    "MaxBillingMinutesPerJob",
    "MaxCpuMinutesPerJobLimit",
    "MaxCpuPerJobLimit",
    "MaxGRESMinutesPerJob",
    "MaxNodeMinutesPerJob",
    "MaxNodePerJobLimit",
    "MaxWallDurationPerJobLimit",
)
"""Limits that one job exceeds by itself, or that are used up; others bind only while jobs run."""

IN_VAIN = (
    # A node that is lost while its job waits; Slurm goes on after a comma: "DRAINED or reserved for
    # jobs in higher priority partitions".
    "ReqNodeNotAvail",
    "Nodes required for job are DOWN",
    "AccountNotAllowed",
    "BadConstraints",
    "InvalidAccount",
    "InvalidQOS",
    "Job's QOS not permitted to use this partition",
    "Job's account not permitted to use this partition",
    "PartitionConfig",
    "PartitionDown",
    "PartitionInactive",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
    "QOSNotAllowed",
    "ReservationDeleted",
    *(f"{of}{limit}" for of in ("Assoc", "QOS") for limit in _LIMITS),
)
"""Slurm's reasons (squeue(1), JOB REASON CODES) that no waiting removes: the job is cancelled."""

_DETAILS = re.compile(r" (?P<details>\(.*\))$", re.DOTALL)


def command(job_name: str) -> list[str]:
    """Command line that prints why this user's jobs of a name do not run, a line each."""
    return [
        *("squeue", "--noheader", "--me", f"--name={job_name}", "--states=PENDING"),
        "--format=%r",
    ]


def before_comma(reason: str) -> str:
    """A reason whose details follow a comma, as ReFrame knows it.

    Some of Slurm's reasons have them in brackets: ``... partition (staff allows a not b)``.
    """
    return _DETAILS.sub(r", \g<details>", reason)


def is_in_vain(reason: str) -> bool:
    """Whether a job waits for what no waiting brings."""
    return before_comma(reason).partition(",")[0].strip() in IN_VAIN
