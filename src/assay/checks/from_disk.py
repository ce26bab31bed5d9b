"""Whether what a program read came from the disk: the kernel's count, beside the program's own.

Linux counts, for each process, the bytes that it had to fetch from storage (``read_bytes`` in
``/proc/PID/io``, proc(5)); a page that is in memory already counts nothing. The count is of that
process alone, so no other work on the disk disturbs it, as it disturbs a comparison of speeds.
"""

from __future__ import annotations

from assay.checks.raw import SubjectOutputs

KIND = "read_bytes"
"""The output of a step with the kernel's count."""

LEAST = 0.9
"""Least share of what was read that has to come from the disk (this project's own choice): of five
samples that fio took with the page cache and five without, on ext4, the kernel counted half."""


def problems(left: SubjectOutputs, step: str, read: int) -> tuple[str, ...]:
    """Why reads of a step are no reads of the disk, in words.

    Args:
        left: the outputs of the step's subject.
        step: the step, which counted what it read.
        read: bytes that its program reports to have read.
    """
    counted = left.text(step, KIND).strip()
    if not counted.isdecimal():
        return ("how much was read from the disk is unknown: the kernel has no /proc/PID/io",)
    fetched = int(counted)
    if fetched >= LEAST * read:
        return ()
    return (
        f"{fetched / 2**20:,.0f} of {read / 2**20:,.0f} MiB were read from the disk, by the"
        " kernel's count; the others came from memory, so the figures are not the disk's",
    )
