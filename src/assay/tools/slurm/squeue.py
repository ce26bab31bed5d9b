"""squeue: what a job waits for."""

from __future__ import annotations

import re

_RESOURCES = (
    *("BB", "Billing", "CPU", "Cpu", "Energy", "GRES", "License", "Mem", "Memory", "Node"),
    "Unknown",
)
_LIMITS = (
    *(
        limit.format(resource) + end
        for resource in _RESOURCES
        for limit in ("Max{}PerJob", "Max{}PerNode", "Max{}MinutesPerJob", "Grp{}Minutes", "Min{}")
        for end in ("", "Limit")
    ),
    "MaxWallDurationPerJobLimit",
    "GrpWallLimit",
)
"""Limits that one job exceeds by itself, or that are used up; others bind only while jobs run. Each
reason has one of these names (`jsra` in src/common/job_state_reason.c of Slurm)."""

IN_VAIN = (
    # A node that is lost while its job waits; Slurm goes on after a comma: "DRAINED or reserved for
    # jobs in higher priority partitions".
    "ReqNodeNotAvail",
    "Nodes required for job are DOWN",
    "NodeDown",
    "AccountNotAllowed",
    "AccountingPolicy",
    "AssociationTimeLimit",
    "BadConstraints",
    "DependencyNeverSatisfied",
    "InvalidAccount",
    "InvalidQOS",
    "Job's QOS not permitted to use this partition",
    "Job's account not permitted to use this partition",
    "JobHeldAdmin",
    "JobHeldUser",
    "JobHoldMaxRequeue",
    "MaxMemPerLimit",
    "QOSMaxNodePerUserLimit",
    "launch failed requeued held",
    "PartitionConfig",
    "PartitionDown",
    "PartitionInactive",
    "PartitionNodeLimit",
    "PartitionTimeLimit",
    "QOSMinCpuNotSatisfied",
    "QOSNotAllowed",
    "QOSTimeLimit",
    "ReservationDeleted",
    "ReservationInvalid",
    *(f"{of}{limit}" for of in ("Assoc", "QOS") for limit in _LIMITS),
)
"""Slurm's reasons (squeue(1), JOB REASON CODES) that no waiting removes: the job is cancelled."""

_LOST_OR_RESERVED = re.compile(r"Unavailable(?:Nodes)?:[^\s)]|maintenance")
"""What Slurm says after `ReqNodeNotAvail` of nodes that do not come back by themselves; it also
gives this reason, with other words or none, for nodes that other jobs use or wait for."""

_DETAILS = re.compile(r" ?(?P<details>\([^)].*\))$", re.DOTALL)


def command(job_name: str) -> list[str]:
    """Command line that prints why this user's jobs of a name do not run, a line each."""
    return [
        *("squeue", "--noheader", "--me", f"--name={job_name}", "--states=PENDING"),
        "--format=%r",
    ]


def before_comma(reason: str) -> str:
    """A reason whose details follow a comma, as ReFrame knows it.

    Some of Slurm's reasons have them in brackets: ``... partition (staff allows a not b)``. Some
    releases put the whole reason in brackets.
    """
    if reason.startswith("(") and reason.endswith(")"):
        reason = reason[1:-1]
    return _DETAILS.sub(r", \g<details>", reason)


def is_in_vain(reason: str) -> bool:
    """Whether a job waits for what no waiting brings."""
    name, _, details = before_comma(reason).partition(",")
    if name == "ReqNodeNotAvail" and details:
        return _LOST_OR_RESERVED.search(details) is not None
    return name.strip() in IN_VAIN
