"""Whether what a program read came from the disk: the kernel's count, beside the program's own.

Linux counts, for each process, the bytes that it had to fetch from storage (``read_bytes`` in
``/proc/PID/io``, proc(5)); a page that is in memory already counts nothing. The count is of that
process alone, so no other work on the disk disturbs it, as it disturbs a comparison of speeds. It
has the pages of the program itself, too, some 60 MB of fio that was not in memory.

Seen exact to 0.1 % on ext4, xfs and overlayfs, and to 3 % on btrfs. The kernel counts nothing for
FUSE. What a loop device, a hypervisor or a controller has in memory counts as storage.
"""

from __future__ import annotations

from assay.checks.raw import SubjectOutputs

KIND = "read_bytes"
"""The output of a step with the kernel's count."""

LEAST = 0.9
"""Least share of what was read that has to come from the disk (this project's own choice)."""

AMPLIFIED = 64
"""Most that is fetched for each byte read: 256 KiB for a read of 4 KiB, the largest block that a
file system reads as a whole, if its blocks are not even cached (this project's own choice)."""

OWN_BYTES = 2**30
"""Bytes of the program itself and of the files that it reads beside (this project's own choice)."""

FASTEST_BYTES_S = 512e9
"""No host reads faster from storage: 128 lanes of PCIe 5.0, each with 4 GB/s."""


def problems(left: SubjectOutputs, step: str, read: int) -> tuple[str, ...]:
    """Why reads of a step are no reads of the disk, in words.

    Args:
        left: the outputs of the step's subject.
        step: the step, which counted what it read.
        read: bytes that its program reports to have read.
    """
    counted = left.text(step, KIND).strip()
    # No count of 64 bits has more digits.
    if not counted.isdecimal() or len(counted) > 20:
        return (
            f"how much was read from the disk is unknown: the job left no {step}.{KIND}; does the"
            " kernel have /proc/PID/io?",
        )
    fetched = int(counted)
    took = sum(done.end - done.start for done in left.steps() if done.name == step)
    most = min(AMPLIFIED * read + OWN_BYTES, FASTEST_BYTES_S * took + OWN_BYTES)
    if fetched > most:
        return (
            f"{fetched / 2**20:,.0f} MiB were read from the disk, by the kernel's count, for"
            f" {read / 2**20:,.0f} MiB that were asked for in {took:.0f} s: no disk of a host does"
            " that",
        )
    if fetched >= LEAST * read:
        return ()
    return (
        f"{fetched / 2**20:,.0f} of {read / 2**20:,.0f} MiB were read from the disk, by the"
        " kernel's count; the others came from memory, or this file system is one whose reads it"
        " does not count (FUSE, DAX)",
    )
