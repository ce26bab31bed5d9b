"""Finds a tool's own output among what others printed around it and inside it.

Client libraries, MPI launchers and shells print to the same stream as the benchmark. What is
common to the parsers in dealing with that lives here, and for JSON in `json_output`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pydantic import ValidationError

_ERROR = re.compile(
    r"\b(?:ERROR|WARNING)\b|^Abort\(|^(?:srun|slurmstepd): error:"
    r"|^YOUR APPLICATION TERMINATED|^Invalid DAOS (?:directory )?object class:"
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
    """The first thing that is wrong with a JSON object: where, and what."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"


def printed_errors(text: str, harmless: re.Pattern[str] | None = None) -> Iterator[str]:
    """Each kind of error, warning or failed assertion that IOR, mdtest or MPI printed, once.

    Lines that differ in numbers alone are one kind; the first is quoted, the rest counted.

    Args:
        text: the whole output.
        harmless: those to leave out.
    """
    first: dict[str, str] = {}
    count: dict[str, int] = {}
    for line in text.splitlines():
        error = line.strip()
        if not (_ERROR.search(error) or failed_assertion(error)):
            continue
        if harmless and harmless.search(error):
            continue
        kind = _VARYING.sub("#", error)
        first.setdefault(kind, error)
        count[kind] = count.get(kind, 0) + 1
    for kind, error in first.items():
        more = count[kind] - 1
        yield f"{error} (and {more} more like it)" if more else error


def failed_assertion(line: str) -> str | None:
    """The assertion that failed, where a line says so.

    Not a pattern: on a long line of the word alone, that would take the square of its length.
    """
    _, begins, said = line.partition("Assertion ")
    return begins + said if " failed" in said else None


def worlds(
    tool: str,
    seen: Iterable[tuple[int, int]],
    expected_tasks: int | None,
    expected_nodes: int | None,
) -> Iterator[str]:
    """Say how an MPI run differs from the one that was asked for.

    A launcher with the wrong MPI plugin (`srun --mpi=none`) starts every rank as a run of its
    own, each of which ends well.

    Args:
        tool: the benchmark's name.
        seen: tasks and nodes of each run in one output.
        expected_tasks: ranks that were asked for; None is not looked at.
        expected_nodes: nodes that were asked for; None is not looked at.
    """
    runs = list(seen)
    if len(runs) > 1:
        yield (
            f"{len(runs)} runs of {tool} printed into one output: each rank was a world of its"
            " own; use the MPI plugin of the launcher (srun --mpi=pmi2)"
        )
    for tasks, nodes in dict.fromkeys(runs):
        if expected_tasks is not None and tasks != expected_tasks:
            yield f"{tool} ran with tasks: {tasks}; asked for were {expected_tasks}"
        if expected_nodes is not None and nodes != expected_nodes:
            yield f"{tool} ran on nodes: {nodes}; asked for were {expected_nodes}"


def by_process(text: str) -> dict[int, str]:
    """What each process printed, where `srun --label` put its number before every line."""
    lines_of: dict[int, list[str]] = {}
    for line in text.splitlines():
        if label := _LABEL.match(line):
            lines_of.setdefault(int(label[1]), []).append(line[label.end() :])
    return {number: "\n".join(lines) for number, lines in sorted(lines_of.items())}
