"""Finds out which program wrote an output, and where in it each run begins."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator

from assay.tools import io500_forms

_SIGNATURES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (tool, re.compile(signature, re.MULTILINE))
    for tool, signature in (
        # First, those whose output may quote others.
        (
            "io500",
            r"^IO500 version(?![:\w])|^\[RESULT(?:-invalid)?\] +(?:(?:BW|IOPS) +phase +\d|ior-)",
        ),
        ("io500", io500_forms.RESULT_TXT.pattern),
        ("ior", r"^IOR-\S+: MPI Coordinated Test of Parallel I/O|^(?:\w+,)*access,bw\(MiB/s\),"),
        ("ior", r"^[ \t]*\"Command line\"[ \t]*:[^\n]*\n(?:[^\n]*\n){0,40}?[ \t]*\"tests\"[ \t]*:"),
        ("mdtest", r"^mdtest-\S+ was launched with \d+ total task|^SUMMARY[\w /():]*?: \(of \d"),
        ("fio", r"^[ \t]*\"fio version\"[ \t]*:|^[2-5];(?:fio-)?\d[^;\n]*;"),
        ("fio", r": \(groupid=\d+, jobs=\d+\): err="),
        ("fi_pingpong", r"^bytes +#sent +#ack +total +time +MB/sec"),
        ("self_test", r"^Self Test Parameters:"),
        ("net_test", r"^[ \t]*\"master_endpoint\"[ \t]*:|^Client/Server Network Test Parameters"),
        (
            "spdk_nvme_perf",
            r"^Initializing NVMe Controllers|^Device Information +: +IOPS +M[Ii]?B/s",
        ),
        ("vos_perf", r"^Test :[ \t]*\n[ \t]+VOS "),
        ("daos_perf", r"^Test :[ \t]*\n[ \t]+DAOS "),
        ("fdb_hammer", r"^(?: *\d+: )?(?:Fields|Bytes) (?:written|read|retrieved): \d"),
        ("container", r"\"container_uuid\"[ \t]*:"),
        ("findmnt", r"^[ \t]*\"filesystems\"[ \t]*:"),
        ("dmg", r"\A(?:[^{\n]*\n)*\{[ \t]*\n?[ \t]*\"response\"[ \t]*:"),
        ("agent_log", r"Starting DAOS Agent version "),
        # Last, since pages explain the columns.
        ("ior", r"^access +bw\(MiB/s\) .*\n(?:[- ]+\n)?(?:write|read) +\d"),
    )
)

_STARTS = re.compile(
    r"^(?:IOR-\S+: MPI Coordinated Test of Parallel I/O|IO500 version\b|-- started at "
    r"|mdtest-\S+ was launched with|\{[ \t]*$|\S[^\n]{0,200}?: \(g=0\): rw=)",
    re.MULTILINE,
)
_ENDS = re.compile(
    r"^(?:(?:Finished|Run finished) *: |-- finished at |\[SCORE ?\]|\}|Run status group )",
    re.MULTILINE,
)


def program(text: str) -> str | None:
    """The tool whose output a text is, by the name of its module; None if it is of none."""
    return next((tool for tool, signature in _SIGNATURES if signature.search(text)), None)


def runs(text: str, *, whole_unless_complete: bool = True) -> list[str]:
    """The runs in an output, one after the other; what stands before the first belongs to it.

    Ranks without MPI print at the same time, and what they print cannot be told apart: their
    output stays one, and the parser says why.

    Args:
        text: the output.
        whole_unless_complete: keep the text whole if one run begins before another has ended.
    """
    starts = [0, *list(_run_starts(text))[1:]]
    parts = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    if whole_unless_complete and not all(map(_ENDS.search, parts[:-1])):
        return [text]
    return parts


def _run_starts(text: str) -> Iterator[int]:
    began: int | None = None
    announced = False
    ends = [end.start() for end in _ENDS.finditer(text)]
    for match in _STARTS.finditer(text):
        line = match[0]
        # mdtest's second line belongs to its first, which not all launchers keep.
        if line.startswith("mdtest-") and announced:
            announced = False
            continue
        announced = line.startswith("-- started")
        # fio names each of its jobs before it runs them.
        ended = began is None or bisect(ends, began) < bisect(ends, match.start())
        if "(g=0)" in line and not ended:
            continue
        began = match.start()
        yield began
