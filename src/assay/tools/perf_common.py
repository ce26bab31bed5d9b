"""The common part of vos_perf and daos_perf: the values to write and fetch, and the results.

Both use DAOS's perf_common.c. Its behaviour, seen by running it and reading its source:

- ``k``, ``M`` and ``G`` in its options are powers of 1024; "MB/sec" is MiB/s. It prints
  ``bandwith``.
- If an operation is unknown, it continues and exits 0. If the pool is full (`UPDATE failed`), it
  exits 0, too.
- The rate of several processes is over the time from the first start to the last end, by each
  host's own CLOCK_MONOTONIC, which counts from its boot. So ranks on two hosts give nonsense.
- "latency" is the longest process's time over the operations of **all** processes. It is a latency
  only if a single process waits for each operation, and nonsense otherwise.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from assay.tools.daos.daos_log import meaning, reason, without_log
from assay.tools.output import Parsed, Sample, impossible
from assay.tools.text import failed_assertion, sections, separate_runs

_SIZE = re.compile(r"(\d{1,12})([kKmMgG]?)")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3}

_PARAMETERS = re.compile(r"^Parameters :$", re.MULTILINE)
_PARAMETER = re.compile(r"^\t(?P<name>\w+(?: +\w+)*) *: (?P<value>.+)$", re.MULTILINE)
_CREDITS = re.compile(r"-?\d{1,9}\b")
_PROCESSES = re.compile(r"\b\d+ x (\d+) \(procs\)")
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

# Maximum time of all processes together, relative to the longest one and in s: they do not start
# at exactly the same time.
_LONGER = 1.05
_LONGER_S = 0.1


def size(text: str) -> int:
    """A number in perf_common's spelling, such as ``4K`` or ``100k``.

    Raises:
        ValueError: the text is not such a number.
    """
    match = _SIZE.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not a number such as 100, 4K, 1M or 2G")
    return int(match[1]) << 10 * _POWERS[match[2].lower()]


def spelled(number: int) -> str:
    """A number in perf_common's spelling: ``5k`` for 5120."""
    return f"{number >> 10}k" if number and number % 1024 == 0 else str(number)


@dataclass(frozen=True, slots=True)
class Values:
    """The values that each process writes, then fetches: their one size, and their keys."""

    value_size: str
    """Bytes of a value, such as ``4K``."""
    strides: str
    """Values under each attribute key, such as ``100k``."""
    akeys: str = "1"
    """Attribute keys under each distribution key."""
    dkeys: str = "1"
    """Distribution keys of the single object."""
    array: bool = False
    """Use array values; otherwise single values, which are limited to the size of one RPC."""
    operations: str = "U;p F;p"
    """Tests in order: U updates, F fetches, and `p` prints the result."""

    @property
    def bytes(self) -> int:
        """Bytes that each process writes in one update test."""
        count = size(self.strides) * size(self.akeys) * size(self.dkeys)
        return count * size(self.value_size)

    def keys(self) -> list[str]:
        """The options for the values and their keys."""
        return ["-d", self.dkeys, "-a", self.akeys, "-n", self.strides, "-s", self.value_size]


@dataclass(frozen=True, slots=True)
class _TestResult:
    """The printed result of one test."""

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

    def apart(self) -> Iterator[str]:
        """Report processes that did not run at the same time."""
        together, longest = self.figures["duration"], self.figures["MAX duration"]
        if together > longest * _LONGER and together > longest + _LONGER_S:
            yield (
                f"{self.test} took {together:g} s from first start to last end, the longest process"
                f" {longest:g} s: the processes did not start together, or run on several hosts,"
                " whose clocks differ; measure one host at a time"
            )


@dataclass(frozen=True, slots=True)
class _Output:
    """The output of a run that printed its parameters, without log lines of DAOS's libraries."""

    tool: str
    text: str
    parameters: dict[str, str]
    results: list[_TestResult]

    @property
    def processes(self) -> int:
        """Number of processes; 0 if it is not printed."""
        match = _PROCESSES.search(self.parameters.get("obj_per_cont", ""))
        return int(match[1]) if match else 0

    @property
    def credits(self) -> int:
        """Operations in flight in each process."""
        match = _CREDITS.match(self.parameters.get("credits", ""))
        return int(match[0]) if match else 0

    @property
    def whole_results(self) -> list[_TestResult]:
        return [result for result in self.results if result.whole]

    def samples(self) -> Iterator[Sample]:
        iterations = Counter[str]()
        for result in self.whole_results:
            labels = {
                "value_size": self.parameters.get(
                    "value size", self.parameters.get("stride size", "")
                ),
                "value_type": self.parameters.get("value type", ""),
                "processes": str(self.processes),
                "credits": str(self.credits),
                "iteration": str(iterations[result.test]),
            }
            iterations[result.test] += 1
            yield from result.samples(labels, waits=self.processes == 1 and self.credits <= 1)

    def problems(self, expected_processes: int | None) -> list[str]:
        problems = [
            *self._not_as_asked(expected_processes),
            *self._left_out(),
            *self._failed(),
            *self._cut_off(),
        ]
        if not self.results and not problems:
            problems.append(f"{self.tool} printed no result")
        if self.processes > 1:
            problems += [problem for result in self.whole_results for problem in result.apart()]
        return problems

    def _not_as_asked(self, expected_processes: int | None) -> Iterator[str]:
        yield from separate_runs(self.tool, len(_PARAMETERS.findall(self.text)))
        if expected_processes not in (None, self.processes):
            yield (
                f"{self.tool} ran with the wrong number of processes: {self.processes} instead of"
                f" {expected_processes}"
            )

    def _left_out(self) -> Iterator[str]:
        for code in dict.fromkeys(_UNKNOWN.findall(self.text)):
            yield f"{self.tool} does not know the test {code} and skipped it"
        if _UNSUPPORTED.search(self.text):
            yield f"{self.tool} cannot verify single values: its output for VERIFY means nothing"

    def _failed(self) -> Iterator[str]:
        if failed := _FAILED.search(self.text):
            cause = _REASON.search(self.text)
            why = meaning(cause[1]) if cause else "it does not say why"
            yield f"{failed[1]} failed: {why}; {self.tool} still exits with 0"

    def _cut_off(self) -> Iterator[str]:
        """Report tests that started without a result, unless they are reported as failed."""
        failed = _FAILED.findall(self.text)
        whole = Counter(result.test for result in self.whole_results)
        # Each process prints that it starts; the first prints the result for all.
        for test, started in Counter(_STARTED.findall(self.text)).items():
            if test not in failed and whole[test] * max(self.processes, 1) < started:
                yield f"{test} has no complete result: it failed, or the run was cut off"


def parse(tool: str, text: str, expected_processes: int | None) -> Parsed:
    """Read the results of all tests: `update_bandwidth`, `update_rate`, `fetch_latency` and so on.

    Bandwidths are in MiB/s and rates in IO/s (values), over all processes. Latencies are in us, and
    there are some only if a single process waits for each operation. Labels: `value_size` (bytes),
    `value_type`, `processes`, `credits`, `iteration` (of that test).
    """
    without_libraries = without_log(text)
    if why := _not_begun(tool, text, without_libraries, expected_processes):
        return Parsed(tool, (), (why,))
    output = _Output(
        tool,
        without_libraries,
        {name: value.strip() for name, value in _PARAMETER.findall(without_libraries)},
        [
            _TestResult(head[1], _figures(section))
            for head, section in sections(_RESULT, without_libraries)
        ],
    )
    samples = tuple(output.samples())
    problems = output.problems(expected_processes) or filter(None, map(impossible, samples))
    return Parsed(tool, samples, tuple(dict.fromkeys(problems)))


def _not_begun(tool: str, text: str, without_libraries: str, expected: int | None) -> str | None:
    """Why a run did not print its parameters; None if it did."""
    if _SERIAL in without_libraries and expected not in (None, 1):
        return (
            f"{tool} found no MPI: libdpar_mpi.so of DAOS, or the MPI that it was built with, is"
            " not on this host, so each process ran alone"
        )
    if no_start := _NO_START.search(without_libraries):
        code = f"{meaning(no_start[2])}; does a pool of that size fit into the file system?"
        return f"{tool} did not start: {reason(text) or code}"
    if not _PARAMETERS.search(without_libraries):
        crash = next(filter(None, map(failed_assertion, text.splitlines())), None)
        why = crash or reason(text)
        return f"{tool} ended before it printed its parameters{f': {why}' if why else ''}"
    return None


def _figures(text: str) -> dict[str, float]:
    figures: dict[str, float] = {}
    for name, value in _FIGURE.findall(text):
        figures.setdefault(name.replace("bandwith", "bandwidth"), float(value))
    return figures
