"""fio's report for people, and its terse lines: what is left where nobody asked for JSON.

Both have fewer digits or options than the JSON, so a run that was cut short is not noticed by its
bytes. Units of the report are printed, but before fio 3 its "KB" are KiB, so the release must be
known; a terse line counts KiB in every release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.tools.output import Sample

# Up to 2.0.8 without "fio-".
BANNER = re.compile(r"^(?:fio-)?(\d{1,4})\.(\d{1,4})[\w.-]{0,40}$", re.MULTILINE)
_OPTIONS = re.compile(
    r"^(?P<job>[^\n]{1,200}?): \(g=\d+\): rw=\w+, bs=(?:\(R\) )?(?P<bs>[0-9.]+[A-Za-z]*)-.*"
    r"ioengine=(?P<engine>[\w.-]+), iodepth=(?P<depth>\d+)",
    re.MULTILINE,
)
_GROUP = re.compile(
    r"^(?P<job>[^\n]{1,200}?): \(groupid=\d+, jobs=(?P<jobs>\d+)\): err= *(?P<error>\d+)"
    r"(?: \((?P<why>.*?)\))?: pid=",
    re.MULTILINE,
)
# 3: "read: IOPS=14.8k, BW=57.8MiB/s (60.6MB/s)(32.0MiB/554msec)"; with kb_base=1000 the decimal
# unit stands first, with unit_base=1 it is bits (num2str.c of 3.42).
_NEW = re.compile(
    r"^ +(?P<direction>read|write) ?: IOPS=(?P<rate>[\d.]+[kMG]?),"
    r" BW=(?P<bw>[\d.]+)(?P<unit>(?:[kMGT]|[KMGT]i)?(?:B|bit))/s",
    re.MULTILINE,
)
# 2: "write: io=3200.0KB, bw=1935.9KB/s, iops=483, runt=  1653msec"
_OLD = re.compile(
    r"^ +(?P<direction>read|write) ?: io=[^,]+, bw=(?P<bw>[\d.]+) ?(?P<unit>[KMGT]?B)/s,"
    r" iops=(?P<rate>[\d.]+[kKMG]?) ?, runt=",
    re.MULTILINE,
)
_FIGURES = re.compile(r"^ +(?P<direction>read|write|trim|mixed) ?: (?:IOPS=|io=)", re.MULTILINE)
_OF_ANOTHER_KIND = {
    "mixed": "reads and writes reported together (unified_rw_reporting)",
    "trim": "a job that trims",
}
_LATENCY = re.compile(
    r"^ +clat \((?P<unit>nsec|usec|msec)\): min=[^,]+, max=[^,]+, avg= *(?P<mean>[\d.]+)(?P<k>K?),",
    re.MULTILINE,
)
_END = re.compile(r"^Run status group \d+", re.MULTILINE)
_MICROSECONDS = {"nsec": 1e-3, "usec": 1.0, "msec": 1e3}
_SCALE = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9}
_OLD_BYTES = {"": 1.0, "K": 2.0**10, "M": 2.0**20, "G": 2.0**30, "T": 2.0**40}
_BYTES = {
    "": 1.0,
    "k": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
}

_TERSE = re.compile(r"^(?P<form>[2-5]);(?P<release>(?:fio-)?\d[^;\n]*);", re.MULTILINE)
_TERSE_FORM = "3"
_OF_DIRECTION = {"read": 5, "write": 46}
"""The first column of each direction in the third form, from 0: KiB moved, KiB/s, IO/s, ms; after
four columns of the submission latency the completion latency, whose third is the mean in us."""
_ERROR = 4
_LEAST_COLUMNS = 87


def is_report(text: str) -> bool:
    """Whether a text has a report for people."""
    return _GROUP.search(text) is not None


def is_terse(text: str) -> bool:
    """Whether a text has terse lines."""
    return _TERSE.search(text) is not None


def unknown_report(text: str) -> str:
    """What of a report is not known; empty if all is."""
    for row in _FIGURES.finditer(text):
        if kind := _OF_ANOTHER_KIND.get(row["direction"]):
            return kind
        if not (_NEW.match(text, row.start()) or _OLD.match(text, row.start())):
            return "a report with figures in another form"
    return "" if BANNER.search(text) else "a report that does not say its release, and so no units"


def unknown_terse(text: str) -> str:
    """What of terse lines is not known; empty if all is."""
    for line in _TERSE.finditer(text):
        if line["form"] != _TERSE_FORM:
            return f"terse output of version {line['form']}"
    return ""


def report_samples(text: str) -> tuple[tuple[Sample, ...], list[str]]:
    """The samples of a report, and its problems."""
    samples: list[Sample] = []
    problems: list[str] = []
    options = {each["job"]: each for each in _OPTIONS.finditer(text)}
    groups = list(_GROUP.finditer(text))
    for number, group in enumerate(groups):
        end = groups[number + 1].start() if number + 1 < len(groups) else len(text)
        if int(group["error"]):
            problems.append(f"{group['job']}: error {group['error']} ({group['why'] or 'unnamed'})")
        labels = _labels(group["job"], options.get(group["job"]))
        found = list(_of_group(text[group.end() : end], labels))
        if not found and not int(group["error"]):
            problems.append(f"{group['job']}: moved nothing; it did not run")
        samples += found
    if not _END.search(text):
        problems.append("fio did not finish: its line 'Run status group' is missing")
    return tuple(samples), problems


def _labels(job: str, options: re.Match[str] | None) -> dict[str, str]:
    labels = {"job": job, "phase": job.rpartition(".")[0] or job, "form": "report"}
    if options:
        labels |= {"bs": options["bs"], "engine": options["engine"], "depth": options["depth"]}
    return labels


def _of_group(text: str, labels: dict[str, str]) -> Iterator[Sample]:
    rows = sorted([*_NEW.finditer(text), *_OLD.finditer(text)], key=lambda row: row.start())
    for number, row in enumerate(rows):
        end = rows[number + 1].start() if number + 1 < len(rows) else len(text)
        direction = row["direction"]
        its = labels | {"direction": direction}
        mib = float(row["bw"]) * _bytes(row["unit"], old=row.re is _OLD) / 2**20
        rate = float(row["rate"].rstrip("kKMG")) * _SCALE[row["rate"].lstrip("0123456789.")]
        yield Sample(f"{direction}_bandwidth", mib, "MiB/s", its)
        yield Sample(f"{direction}_rate", rate, "IO/s", its)
        if latency := _LATENCY.search(text[row.end() : end]):
            mean = float(latency["mean"]) * (1000 if latency["k"] else 1)
            yield Sample(f"{direction}_latency", mean * _MICROSECONDS[latency["unit"]], "us", its)


def _bytes(unit: str, *, old: bool) -> float:
    """Bytes in a unit of the report; before fio 3 its KB are KiB."""
    if old:
        return _OLD_BYTES[unit.removesuffix("B")]
    bits = unit.endswith("bit")
    return _BYTES[unit.removesuffix("bit" if bits else "B")] / (8 if bits else 1)


def terse_samples(text: str) -> tuple[tuple[Sample, ...], list[str]]:
    """The samples of terse lines, and their problems."""
    samples: list[Sample] = []
    problems: list[str] = []
    for line in text.splitlines():
        if not _TERSE.match(line):
            continue
        cells = line.split(";")
        if len(cells) < _LEAST_COLUMNS:
            problems.append(f"{cells[2]}: its terse line is cut off")
            continue
        try:
            samples += _of_line(cells)
        except ValueError as error:
            problems.append(f"{cells[2]}: {error}")
            continue
        if cells[_ERROR] != "0":
            problems.append(f"{cells[2]}: error {cells[_ERROR]}")
    if not samples and not problems:
        problems.append("fio moved nothing; it did not run")
    return tuple(samples), problems


def _of_line(cells: list[str]) -> Iterator[Sample]:
    job = cells[2]
    for direction, first in _OF_DIRECTION.items():
        moved, _, rate, milliseconds = (int(cell) for cell in cells[first : first + 4])
        if not moved or not milliseconds:
            continue
        labels = {"job": job, "phase": job.rpartition(".")[0] or job, "form": "terse"}
        labels |= {"direction": direction, "bytes": str(moved * 1024)}
        yield Sample(f"{direction}_bandwidth", moved / 1024 / milliseconds * 1000, "MiB/s", labels)
        if rate:
            yield Sample(f"{direction}_rate", float(rate), "IO/s", labels)
        if (mean := float(cells[first + 10])) > 0:
            yield Sample(f"{direction}_latency", mean, "us", labels)
