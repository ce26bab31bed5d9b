"""What MPI launchers put before each line of a program, and terminals into it.

People post and save outputs with ``srun --label`` (``0: ``), Open MPI's ``--tag-output``
(``[1,0]<stdout>:``), Hydra's ``-prepend-rank`` (``[0] ``), ``[rank 0] ``, time stamps of log
collectors, colour, the line ends of Windows, the margin of a page and the marks of a quotation
(``# ``, ``> ``). Parsers know the program alone.
"""

from __future__ import annotations

import re
from textwrap import dedent

_COLOUR = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_PREFIXES = tuple(
    re.compile(prefix)
    for prefix in (
        r"\[\d{1,9},\d{1,9}\]<std(?:out|err)>: ?",
        r" {0,8}\d{1,9}: ?",
        r"\[(?:rank )?\d{1,9}\] ",
        r"[#>] ?",
        r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]? ",
    )
)


def without_prefixes(text: str) -> str:
    """A program's output without colour, carriage returns and what is before all of its lines.

    A prefix counts only if each line that is not empty has one of its kind; a line of the program
    that looks like one is left alone. Time stamps may stand before or after a rank.
    """
    lines = _COLOUR.sub("", text).replace("\r\n", "\n").splitlines()
    for _ in range(2):
        for prefix in _PREFIXES:
            lines = _stripped(lines, prefix)
    return dedent("\n".join(lines)) + ("\n" if text.endswith("\n") else "")


def _stripped(lines: list[str], prefix: re.Pattern[str]) -> list[str]:
    # Most outputs have no prefix, which their first line shows.
    first = next((line for line in lines if line.strip()), "")
    if not prefix.match(first):
        return lines
    matches = [(line, prefix.match(line) if line.strip() else None) for line in lines]
    if not all(match or not line.strip() for line, match in matches):
        return lines
    return [line[match.end() :] if match else line for line, match in matches]
