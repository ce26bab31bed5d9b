"""libioil and libpil4dfs, which bypass the kernel and dfuse: whether they intercepted I/O calls.

If a library is not found, the loader prints a line and the program runs without it and exits 0. If
a path is not on dfuse, the kernel serves it silently. Then the figures are those of dfuse, or of
the local disk. With ``D_IL_REPORT``, each process that intercepted calls reports that at its end.

Processes of fio end without such a report; its jobs as threads of one process (`thread=1`) report.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

Library = Literal["ioil", "pil4dfs"]
"""libioil intercepts reads and writes; libpil4dfs intercepts metadata calls as well."""

_NOT_LOADED = re.compile(r"object '([^'\n]+)' from LD_PRELOAD cannot be preloaded", re.MULTILINE)
_OFF = re.compile(r"^app (\S+) interception OFF$", re.MULTILINE)

_IOIL = re.compile(r"\[libioil\] Performed (\d+) reads and (\d+) writes from (\d+) files")
_PIL4DFS = re.compile(r"^\[(read   |write  |op_sum )\]  (\d+)$", re.MULTILINE)


def environment(library: Library, directory: str) -> Mapping[str, str]:
    """The environment that every rank needs.

    Args:
        library: the library to load.
        directory: its directory, such as ``/usr/lib64``.
    """
    return {"LD_PRELOAD": f"{directory}/lib{library}.so", "D_IL_REPORT": "1"}


def problems(output: str, library: Library, processes: int, *, data: bool = True) -> Iterator[str]:
    """Report processes whose calls the library did not intercept.

    Args:
        output: the whole output of the processes, including standard error.
        library: the library that was to be loaded.
        processes: processes that did I/O.
        data: require reads or writes; otherwise, metadata calls are enough.
    """
    if missing := _NOT_LOADED.search(output):
        yield f"{missing[1]} was not loaded: is it installed on this host?"
    if off := _OFF.search(output):
        yield f"libpil4dfs bypasses {off[1]}: it is in its bypass list"
    taken = sum(calls > 0 for calls in _calls(output, library, data=data))
    if not taken:
        yield (
            f"lib{library} took no calls: was it loaded, was D_IL_REPORT set, and is the path on a"
            " dfuse mount?"
        )
    elif taken < processes:
        yield f"lib{library} took calls in {taken} of {processes} processes"


def _calls(output: str, library: Library, *, data: bool) -> list[int]:
    """The calls that each process reported; for metadata, libioil reports only its files."""
    if library == "ioil":
        reports = [tuple(map(int, counts)) for counts in _IOIL.findall(output)]
        return [reads + writes if data else files for reads, writes, files in reports]
    # The lines of several processes are interleaved; each process keeps its own order.
    reported: dict[str, list[int]] = {}
    for name, count in _PIL4DFS.findall(output):
        reported.setdefault(name.strip(), []).append(int(count))
    if not data:
        return reported.get("op_sum", [])
    pairs = zip(reported.get("read", []), reported.get("write", []), strict=False)
    return [reads + writes for reads, writes in pairs]
