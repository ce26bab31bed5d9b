"""Estimates of times, each this project's own choice, for plans: no limit or verdict uses them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from assay.subject import Subject

JOB_S = 3.0
"""Time that ReFrame and Slurm add to the steps of a job (2 to 5 s were seen)."""

START_S = 0.3
"""Time to start a program on its own host."""

SRUN_S = 0.7
"""Time to start a program with srun, on hosts that wait for each other."""

DISK_MIB_S = 1000.0
"""Assumed bandwidth of an undescribed disk: an SSD on SATA has half of it, one on PCIe three times
as much."""

RPCS_S = 100_000.0
"""Rate of small RPCs of a client, or of an engine, with many in flight."""

FABRIC_MIB_S = 5_000.0
"""Bandwidth of an engine, or a client, on the network of a storage system."""


def busiest(subjects: Iterable[Subject]) -> int:
    """Maximum number of subjects on one host; the subjects of a host take turns."""
    return max(Counter(subject.host for subject in subjects).values(), default=0)
