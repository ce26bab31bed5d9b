"""libioil and libpil4dfs, which take I/O calls past the kernel and dfuse: whether they did.

A library that is not found is left out with a line of the loader and exit 0, and a path that is on
no dfuse is served by the kernel without a word: then the figures are those of dfuse, or of the
local disk. With ``D_IL_REPORT`` each process that took calls says so at its end.

A process of fio ends without saying so; as threads of one process (`thread=1`) its jobs do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

Library = Literal["ioil", "pil4dfs"]
"""libioil takes reads and writes; libpil4dfs takes metadata calls as well."""

_NOT_LOADED = re.compile(r"object '([^'\n]+)' from LD_PRELOAD cannot be preloaded", re.MULTILINE)
_OFF = re.compile(r"^app (\S+) interception OFF$", re.MULTILINE)

_IOIL = re.compile(r"\[libioil\] Performed (\d+) reads and (\d+) writes from (\d+) files")
_PIL4DFS = re.compile(r"^\[(read   |write  |op_sum )\]  (\d+)$", re.MULTILINE)


def environment(library: Library, directory: str) -> Mapping[str, str]:
    """What every rank has to have in its environment.

    Args:
        library: which one to load.
        directory: where it is, such as ``/usr/lib64``.
    """
    return {"LD_PRELOAD": f"{directory}/lib{library}.so", "D_IL_REPORT": "1"}


def problems(text: str, library: Library, processes: int, *, data: bool = True) -> Iterator[str]:
    """Report processes whose calls the library did not take.

    Args:
        text: all that the processes printed, standard error included.
        library: the one that was to be loaded.
        processes: processes that did I/O.
        data: they had to read or write; without it, calls for metadata will do.
    """
    if missing := _NOT_LOADED.search(text):
        yield f"{missing[1]} was not loaded: is it on this host?"
    if off := _OFF.search(text):
        yield f"libpil4dfs leaves {off[1]} alone: it is in its list of programs to bypass"
    taken = sum(calls > 0 for calls in _calls(text, library, data=data))
    if not taken:
        yield (
            f"lib{library} took no calls: was it loaded, was D_IL_REPORT set, and is the path on a"
            " dfuse mount?"
        )
    elif taken < processes:
        yield f"lib{library} took calls in {taken} of {processes} processes"


def _calls(text: str, library: Library, *, data: bool) -> list[int]:
    """Calls that each process reported, or files where libioil took part in metadata alone."""
    if library == "ioil":
        reports = [tuple(map(int, counts)) for counts in _IOIL.findall(text)]
        return [reads + writes if data else files for reads, writes, files in reports]
    # The lines of several processes run into each other, each in its own order.
    reported: dict[str, list[int]] = {}
    for name, count in _PIL4DFS.findall(text):
        reported.setdefault(name.strip(), []).append(int(count))
    if not data:
        return reported.get("op_sum", [])
    pairs = zip(reported.get("read", []), reported.get("write", []), strict=False)
    return [reads + writes for reads, writes in pairs]
