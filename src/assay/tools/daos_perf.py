"""daos_perf, DAOS's object benchmark: values through client and network, without a file system.

Behaviour of 2.8, seen by running it:

- It connects to the pool exclusively. If a dfuse is mounted, or anything else is connected, it
  ends with DER_BUSY.
- In an existing pool (`-u`), each run creates a container and leaves it behind. So daos_perf needs
  a pool of its own, which is destroyed afterwards.
- `-C 0` waits for each operation; a latency is available only then.
- Its help names a class EC2P2, but its source spells it EC2P.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from assay.tools import perf_common
from assay.tools.contract import OF_DAOS, Contract
from assay.tools.output import Parsed

TOOL = "daos_perf"

KNOWS = Contract(TOOL, OF_DAOS, "its standard output")

ObjectClass = Literal["TINY", "LARGE", "R2S", "R3S", "R4S", "EC2P1", "EC4P2", "EC8P2"]
"""TINY is S1 and LARGE is SX; the other classes have one group."""


@dataclass(frozen=True, slots=True)
class DaosPerf:
    """One run. An MPI launcher starts it on the cores of one host."""

    pool: str
    """UUID of a pool without any connection."""
    values: perf_common.Values
    object_class: ObjectClass = "LARGE"
    credits: int = 16
    """Operations in flight in each process, up to 64; with 0, it waits for each operation."""
    store: bool = True
    """If false, engines answer but store nothing (``-T echo``), which tests only the network."""

    def command(self) -> list[str]:
        """Command line of one rank; its options are spelled alike in all releases."""
        return [
            *(TOOL, "-u", self.pool, "-T", "daos" if self.store else "echo"),
            *("-C", str(self.credits), "-c", self.object_class),
            *(["-A"] if self.values.array else []),
            *("-o", "1", *self.values.keys(), "-R", self.values.operations),
        ]


def parse(text: str, *, expected_processes: int | None = None) -> Parsed:
    """Read the output of daos_perf, including standard error; see `perf_common.parse`."""
    parsed = perf_common.parse(TOOL, text, expected_processes)
    busy = (
        "connected to the pool; daos_perf needs it exclusively: unmount dfuse, stop other clients"
    )
    return Parsed(
        TOOL,
        parsed.samples,
        tuple(
            problem.replace("did not start: busy", f"did not start: something is {busy}")
            for problem in parsed.problems
        ),
    )
