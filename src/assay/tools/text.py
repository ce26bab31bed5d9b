"""Finds a tool's own output among the output of other programs.

Client libraries, MPI launchers and shells print to the same stream as the benchmark. This module
has the functions that several parsers need for that; `json_output` has those for JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pydantic import ValidationError

_ERROR = re.compile(
    r"\b(?:ERROR|WARNING)\b|^Abort\(|^(?:srun|slurmstepd): error:"
    r"|^YOUR APPLICATION TERMINATED|^Invalid DAOS (?:directory )?object class:"
)
# About the launcher's own transport or options; the benchmark's I/O does not go through them.
_LAUNCHER_NOTE = re.compile(
    r"^WARNING: (?:There are more than one active ports on host"
    r"|No preset parameters were found for the device that Open MPI"
    r"|There was an error initializing an OpenFabrics device)"
    r"|^srun: error: (?:Ignoring conflicting option|SLURMD_DEBUG=\S+ invalid\. ignoring)"
)
_LABEL = re.compile(r" *([0-9]{1,9}): ?")
_VARYING = re.compile(r"0x[0-9a-f]+|\d+")


def sections(head: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Each match of a head line, and the text from it to the next head, or to the end."""
    heads = list(head.finditer(text))
    for number, match in enumerate(heads, start=1):
        end = heads[number].start() if number < len(heads) else len(text)
        yield match, text[match.end() : end]


def first_error(error: ValidationError) -> str:
    """The first error in a JSON object: its place, if it has one, and its message."""
    first = error.errors()[0]
    ours = first["type"] == "value_error"
    message = str(first["ctx"]["error"]) if ours else first["msg"].lower()
    return ": ".join(filter(None, (".".join(map(str, first["loc"])), message)))


def printed_errors(text: str, harmless: Sequence[re.Pattern[str]] = ()) -> Iterator[str]:
    """Each kind of error, warning or failed assertion that IOR, mdtest or MPI printed, once.

    Lines that differ only in numbers are one kind; the first is quoted, the others are counted.

    Args:
        text: the whole output.
        harmless: what lines have that are left out.
    """
    first: dict[str, str] = {}
    count: dict[str, int] = {}
    for line in text.splitlines():
        error = line.strip()
        if not (_ERROR.search(error) or failed_assertion(error)):
            continue
        if any(each.search(error) for each in (_LAUNCHER_NOTE, *harmless)):
            continue
        kind = _VARYING.sub("#", error)
        first.setdefault(kind, error)
        count[kind] = count.get(kind, 0) + 1
    for kind, error in first.items():
        more = count[kind] - 1
        yield f"{error} (and {more} more like it)" if more else error


def failed_assertion(line: str) -> str | None:
    """The assertion that failed, if a line reports one.

    This is no regular expression, since on a long line of repeated "Assertion" its time would grow
    with the square of the length.
    """
    _, begins, assertion = line.partition("Assertion ")
    return begins + assertion if " failed" in assertion else None


def worlds(
    tool: str,
    seen: Iterable[tuple[int, int]],
    expected_tasks: int | None,
    expected_nodes: int | None,
) -> Iterator[str]:
    """Report how an MPI run differs from the expected one.

    A launcher with the wrong MPI plugin (`srun --mpi=none`) starts every rank as a separate run,
    and each of these runs succeeds. Runs of several tasks each are not that: somebody put the
    outputs of several runs into one file.

    Args:
        tool: the benchmark's name.
        seen: tasks and nodes of each run in one output.
        expected_tasks: required ranks; None is not checked.
        expected_nodes: required nodes; None is not checked.
    """
    runs = list(seen)
    if len(runs) > 1 and all(tasks > 1 for tasks, _ in runs):
        yield f"the output contains {len(runs)} runs of {tool}: pass one run at a time"
    else:
        yield from separate_runs(tool, len(runs))
    for tasks, nodes in dict.fromkeys(runs):
        if expected_tasks is not None and tasks != expected_tasks:
            # Runs that write one summary leave that of one.
            alone = tasks == 1 and len(runs) == 1
            why = f": each rank ran alone, without MPI{OTHER_LAUNCHER}" if alone else ""
            yield (
                f"{tool} ran with the wrong number of tasks: {tasks} instead of {expected_tasks}"
                f"{why}"
            )
        if expected_nodes is not None and nodes != expected_nodes:
            yield f"{tool} ran on the wrong number of nodes: {nodes} instead of {expected_nodes}"


OTHER_LAUNCHER = (
    "; name the launcher of this MPI as slurm.launcher in the description of the cluster, and for"
    " srun its plugin as slurm.mpi, such as pmix (srun --mpi=list lists them)"
)
"""How a sentence goes on that reports an MPI which does not understand its launcher."""


def separate_runs(tool: str, runs: int) -> Iterator[str]:
    """Report that the ranks of an MPI program did not find each other, if one output has `runs`."""
    if runs > 1:
        yield (
            f"the output contains {runs} runs of {tool}: each rank ran alone, without MPI"
            f"{OTHER_LAUNCHER}"
        )


def by_process(text: str) -> dict[int, str]:
    """The output of each process, if `srun --label` put its number before every line."""
    lines_of: dict[int, list[str]] = {}
    for line in text.splitlines():
        if label := _LABEL.match(line):
            lines_of.setdefault(int(label[1]), []).append(line[label.end() :])
    return {number: "\n".join(lines) for number, lines in sorted(lines_of.items())}
