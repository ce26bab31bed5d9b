"""What vos_perf and daos_perf have in common: values written and fetched, and the results of that.

Both are DAOS's perf_common.c. What it does, seen by running it and reading its source:

- ``k``, ``M`` and ``G`` in its options are powers of 1024; "MB/sec" is MiB/s. It prints
  ``bandwith``.
- It goes on and exits 0 when an operation is unknown, and exits 0 when the pool is full (`UPDATE
  failed`).
- The rate of several processes is over the time from the first start to the last end, by each
  host's own CLOCK_MONOTONIC, which counts from its boot: ranks on two hosts give rubbish.
- "latency" is the longest process's time over the operations of **all** processes: it is a latency
  where one process waits for each operation, and nonsense otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from assay.tools.daos_log import meaning, reason, without_log
from assay.tools.output import Parsed, Sample, impossible
from assay.tools.text import sections

_SIZE = re.compile(r"(\d{1,12})([kKmMgG]?)")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3}

_PARAMETERS = re.compile(r"^Parameters :$", re.MULTILINE)
_PARAMETER = re.compile(r"^\t(?P<name>[\w ]+?) *: (?P<value>.+)$", re.MULTILINE)
_CREDITS = re.compile(r"-?\d{1,9}\b")
_PROCESSES = re.compile(r"\d+ x (\d+) \(procs\)")
_STARTED = re.compile(r"Running (\w+) test \(iteration=")
_RESULT = re.compile(r"^(\w+) successfully completed:$", re.MULTILINE)
_FIGURE = re.compile(
    r"^\t(duration|bandwi(?:d)?th|rate|latency|MAX duration) +: (\d+\.\d+|inf|-?nan) +"
    r"(?:sec|MB/sec|IO/sec|us \(nonsense if credits > 1\))$",
    re.MULTILINE,
)
_NO_START = re.compile(r"^Failed to initialize step=(\d+), rc=(-?\d+)", re.MULTILINE)
_FAILED = re.compile(r"^(\w+) failed$", re.MULTILINE)
_REASON = re.compile(r"^Failed: (.*)$", re.MULTILINE)
_UNKNOWN = re.compile(r"^Unknown test code=(.+)$", re.MULTILINE)
_SERIAL = "No MPI found, using serial library"
_UNSUPPORTED = re.compile(r"^Verification is unsupported$", re.MULTILINE)
_ASSERTION = re.compile(r"Assertion .* failed.*")

# How much longer than the longest process all together may take: one starts after the other.
_LONGER = 1.05
_LONGER_S = 0.1


def size(text: str) -> int:
    """A number in perf_common's spelling, such as ``4K`` or ``100k``.

    Raises:
        ValueError: it is not one.
    """
    found = _SIZE.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is not a number such as 100, 4K, 1M or 2G")
    return int(found[1]) << 10 * _POWERS[found[2].lower()]


@dataclass(frozen=True, slots=True)
class Values:
    """The values that each process writes, then fetches: one size, under as many keys as said."""

    value_size: str
    """Bytes of a value, such as ``4K``."""
    strides: str
    """Values under each attribute key, such as ``100k``."""
    akeys: str = "1"
    """Attribute keys under each distribution key."""
    dkeys: str = "1"
    """Distribution keys of the one object."""
    array: bool = False
    """Array values; without it single values, which are limited to what one RPC can carry."""
    operations: str = "U;p F;p"
    """Tests in order: U updates, F fetches, and `p` prints the result."""

    @property
    def bytes(self) -> int:
        """Bytes that each process writes in one update test."""
        count = size(self.strides) * size(self.akeys) * size(self.dkeys)
        return count * size(self.value_size)

    def keys(self) -> list[str]:
        """The options that say how much is written, and where."""
        return ["-d", self.dkeys, "-a", self.akeys, "-n", self.strides, "-s", self.value_size]


@dataclass(frozen=True, slots=True)
class _Result:
    test: str
    figures: dict[str, float]

    @property
    def whole(self) -> bool:
        return {"duration", "rate", "latency", "MAX duration"} <= self.figures.keys()

    def samples(self, labels: dict[str, str], *, waits: bool) -> Iterator[Sample]:
        name = self.test.lower()
        if "bandwidth" in self.figures:
            yield Sample(f"{name}_bandwidth", self.figures["bandwidth"], "MiB/s", labels)
        yield Sample(f"{name}_rate", self.figures["rate"], "IO/s", labels)
        if waits:
            yield Sample(f"{name}_latency", self.figures["latency"], "us", labels)

    def problem(self) -> str | None:
        together, longest = self.figures["duration"], self.figures["MAX duration"]
        if together > longest * _LONGER and together > longest + _LONGER_S:
            return (
                f"{self.test} took {together:g} s from first start to last end, the longest process"
                f" {longest:g} s: the processes did not start together, or run on several hosts,"
                " whose clocks differ; measure one host at a time"
            )
        return None


def parse(tool: str, text: str, expected_processes: int | None) -> Parsed:
    """Read the results of all tests: `update_bandwidth`, `update_rate`, `fetch_latency` and so on.

    Bandwidths are in MiB/s, rates in IO/s (values), over all processes; latencies in us, where one
    process waits for each operation. Labels: `value_size` (bytes), `value_type`, `processes`,
    `credits`, `iteration` (of that test).
    """
    own = without_log(text)
    if _SERIAL in own and expected_processes not in (None, 1):
        said = f"{tool} found no MPI: libdpar_mpi.so of DAOS, or the MPI that it was built with, is"
        return Parsed(
            tool, (), (f"{said} not on this host, and each process was a world of its own",)
        )
    if no_start := _NO_START.search(own):
        code = f"{meaning(no_start[2])}; does a pool of that size fit into the file system?"
        return Parsed(tool, (), (f"{tool} did not start: {reason(text) or code}",))
    runs = len(_PARAMETERS.findall(own))
    if not runs:
        crash = _ASSERTION.search(text)
        why = f": {crash[0]}" if crash else ""
        return Parsed(tool, (), (f"{tool} did not come to its parameters{why}",))

    parameters = {name: value.strip() for name, value in _PARAMETER.findall(own)}
    found = _PROCESSES.search(parameters.get("obj_per_cont", ""))
    processes = int(found[1]) if found else 0
    problems = list(_problems(tool, own, runs, processes, expected_processes))

    results = [_Result(head[1], _figures(part)) for head, part in sections(_RESULT, own)]
    failed = _FAILED.findall(own)
    for test, started in Counter(_STARTED.findall(own)).items():
        if test in failed:
            continue
        # Each process says that it starts; the first prints the result for all.
        ended = sum(result.test == test and result.whole for result in results)
        if ended * max(processes, 1) < started:
            problems.append(f"{test} has no whole result: it failed, or the run was cut off")
    if not results and not problems:
        problems.append(f"{tool} printed no result")

    samples: list[Sample] = []
    times = Counter[str]()
    asked = _CREDITS.match(parameters.get("credits", ""))
    under_way = int(asked[0]) if asked else 0
    for result in results:
        if not result.whole:
            continue
        labels = {
            "value_size": parameters.get("value size", parameters.get("stride size", "")),
            "value_type": parameters.get("value type", ""),
            "processes": str(processes),
            "credits": str(under_way),
            "iteration": str(times[result.test]),
        }
        times[result.test] += 1
        samples += result.samples(labels, waits=processes == 1 and under_way <= 1)
        problems += filter(None, [result.problem() if processes > 1 else None])
    if not problems:
        problems += filter(None, map(impossible, samples))
    return Parsed(tool, tuple(samples), tuple(dict.fromkeys(problems)))


def _problems(
    tool: str, text: str, runs: int, processes: int, expected: int | None
) -> Iterator[str]:
    if runs > 1:
        yield (
            f"{runs} runs of {tool} printed into one output: each process was a world of its own;"
            " use the MPI plugin of the launcher (srun --mpi=pmi2)"
        )
    if expected is not None and processes != expected:
        yield f"{tool} ran with processes: {processes}; asked for were {expected}"
    for code in dict.fromkeys(_UNKNOWN.findall(text)):
        yield f"{tool} knows no test {code}, and left it out"
    if _UNSUPPORTED.search(text):
        yield f"{tool} cannot verify single values: what it prints for VERIFY is nothing"
    if failed := _FAILED.search(text):
        reason = _REASON.search(text)
        why = meaning(reason[1]) if reason else "it does not say why"
        yield f"{failed[1]} failed: {why}; {tool} exits 0 all the same"


def _figures(text: str) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, value in _FIGURE.findall(text):
        figures.setdefault(name.replace("bandwith", "bandwidth"), float(value))
    return figures
