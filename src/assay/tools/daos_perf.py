"""daos_perf, DAOS's benchmark of objects without a file system: values through client and network.

What 2.8 does, seen by running it:

- It connects to the pool exclusively: while a dfuse is mounted, or anything else is connected, it
  ends with DER_BUSY.
- In a pool that is there (`-u`) it makes a container in each run, and leaves it: the pool is to be
  one for it alone, destroyed afterwards.
- `-C 0` waits for each operation; only then is there a latency.
- Its help names a class EC2P2, which its source spells EC2P.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.tools import perf_common
from assay.tools.output import Parsed

TOOL = "daos_perf"

ObjectClass = Literal["TINY", "LARGE", "R2S", "R3S", "R4S", "EC2P1", "EC4P2", "EC8P2"]
"""TINY is S1, LARGE is SX; the others are of one group."""


@dataclass(frozen=True, slots=True)
class DaosPerf:
    """One run, to be started by an MPI launcher on the cores of one host."""

    pool: str
    """UUID of a pool that nothing is connected to."""
    values: perf_common.Values
    object_class: ObjectClass = "LARGE"
    credits: int = 16
    """Operations in flight at once in each process, up to 64; 0 waits for each."""
    store: bool = True
    """Without it the engine answers and stores nothing (``-T echo``): the network alone."""

    def command(self) -> list[str]:
        """Command line of one rank; its options are spelled alike in 2.4, 2.6 and 2.8."""
        return [
            *(TOOL, "-u", self.pool, "-T", "daos" if self.store else "echo"),
            *("-C", str(self.credits), "-c", self.object_class),
            *(["-A"] if self.values.array else []),
            *("-o", "1", *self.values.keys(), "-R", self.values.operations),
        ]


def parse(text: str, *, expected_processes: int | None = None) -> Parsed:
    """Read what daos_perf printed, standard error included; see `perf_common.parse`."""
    parsed = perf_common.parse(TOOL, text, expected_processes)
    busy = "connected to the pool; daos_perf wants it alone: unmount dfuse, end other clients"
    return Parsed(
        TOOL,
        parsed.samples,
        tuple(
            problem.replace("did not start: busy", f"did not start: something is {busy}")
            for problem in parsed.problems
        ),
    )
