"""vos_perf, DAOS's benchmark of the storage engine alone: values into the SCM mount of one engine.

It runs on the engine's host while the engine is stopped and its mount stays. Behaviour of 2.8, seen
by running it:

- On tmpfs it aborts (134) unless PMEMOBJ_CONF has `sds.at_create=0`, which daos_server sets for
  its engines.
- Each process creates ``vos_perf<rank>.pmem`` and ``daos_sys`` in the directory.
- ``PMEM_NO_FLUSH=1`` omits the flush of CPU caches. That is correct only on PMem, on hosts whose
  caches are in the power fail domain (eADR, 3rd Gen Xeon).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.shell import Text
from assay.tools import perf_common
from assay.tools.contract import OF_DAOS, Contract
from assay.tools.output import Parsed

TOOL = "vos_perf"

KNOWS = Contract(TOOL, OF_DAOS, "its standard output")

_ROOM = 0.7
"""Share of a pool that values may fill; the rest is for trees, logs and reserves.

76 % of a pool of 256 MiB took values of 1 MiB before UPDATE failed.
"""

_NO_SHUTDOWN_STATE = "Unsafe shutdown count is not supported"


@dataclass(frozen=True, slots=True)
class VosPerf:
    """One run of one process, or under MPI of one process on each of several cores.

    Raises:
        ValueError: the values do not fit into the pool; vos_perf would fail during the run and
            exit 0.
    """

    directory: Text
    """The engine's `scm_mount`, or a directory in it."""
    values: perf_common.Values
    pool: str
    """Size of each process's pool, such as ``2G``."""
    zero_copy: bool = True

    def __post_init__(self) -> None:
        if self.values.bytes > _ROOM * perf_common.size(self.pool):
            raise ValueError(
                f"vos_perf: {self.values.bytes} bytes of values need a pool of"
                f" {self.values.bytes / _ROOM:.0f} bytes; it has {self.pool}"
            )

    def command(self) -> list[Text]:
        """Command line; its options are spelled alike in all releases."""
        return [
            *(TOOL, "-D", self.directory, "-P", self.pool, *self.values.keys()),
            *(["-A"] if self.values.array else []),
            *(["-z"] if self.zero_copy else []),
            *("-R", self.values.operations),
        ]


def environment(*, no_flush: bool = False) -> Mapping[str, str]:
    """The environment that vos_perf needs.

    Args:
        no_flush: set `PMEM_NO_FLUSH=1`, as for an engine on a host with eADR.
    """
    return {"PMEMOBJ_CONF": "sds.at_create=0"} | ({"PMEM_NO_FLUSH": "1"} if no_flush else {})


def parse(text: str, *, expected_processes: int | None = None) -> Parsed:
    """Read the output of vos_perf, including standard error; see `perf_common.parse`."""
    parsed = perf_common.parse(TOOL, text, expected_processes)
    if not parsed.samples and _NO_SHUTDOWN_STATE in text:
        problem = "vos_perf aborted: its environment lacks PMEMOBJ_CONF=sds.at_create=0"
        return Parsed(TOOL, (), (problem,))
    return parsed
