"""Raw outputs of campaigns that never ran, as the tools would have printed them.

A test gives the samples; each is such that the tool's own digits and counts hold it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from assay.campaign.cases import FIRST
from assay.checks.benchmarks import fdb_hammer, fi_pingpong, fio, placement
from assay.checks.plan import CHECKS, Check, Metric
from assay.cluster.description import Cluster
from runs import report

START = 1e9
"""When the session of `runs.report` began, in seconds since the epoch; it took a minute."""
MEBIBYTE = 2**20

Samples = dict[str, list[float]]
"""Of one subject, by metric."""


def _fio(raw: Path, metrics: tuple[Metric, ...], count: int, noise: Random) -> Samples:
    """One job for each sample; of a rate as many I/Os a second, of a bandwidth as many MiB."""
    jobs = [_job("lay_out", "write", 4000)]
    samples: Samples = {}
    for metric in metrics:
        assert metric.direction
        samples[metric.name] = [2000.0 + noise.randrange(40) for _ in range(count)]
        jobs += [
            _job(f"{metric.name}.{number}", metric.direction, int(value))
            for number, value in enumerate(samples[metric.name], start=1)
        ]
    options = {"filename_format": "x", "size": "1m"}
    document = {"fio version": "fio-3.33", "global options": options, "jobs": jobs}
    (raw / "fio.json").write_text(json.dumps(document))
    read = sum(job["read"]["io_bytes"] for job in jobs)
    (raw / "fio.read_bytes").write_text(f"{read}\n")
    _record(raw, ["fio"])
    return samples


def _job(name: str, direction: str, count: int) -> dict[str, Any]:
    """So many I/Os of 1 MiB in a second."""
    nothing = {"io_bytes": 0, "total_ios": 0, "runtime": 0}
    done = {"io_bytes": count * MEBIBYTE, "total_ios": count, "runtime": 1000}
    both = {"read": nothing, "write": nothing} | {direction: done}
    return {"jobname": name, "error": 0, "job options": {"rw": direction}, **both}


def read_in_half_the_time(output: Path) -> None:
    """Change fio's sequential reads; the kernel's count knows the bytes."""
    document = json.loads(output.read_text())
    for job in document["jobs"]:
        if job["jobname"].startswith("read_1m"):
            job["read"]["runtime"] //= 2
    output.write_text(json.dumps(document))


def _pingpong(raw: Path, metrics: tuple[Metric, ...], count: int, noise: Random) -> Samples:
    """A table with one row for each sample."""
    samples: Samples = {}
    names = []
    for metric in metrics:
        size = "1m" if metric.unit == "MiB/s" else "64"
        samples[metric.name] = []
        for number in range(1, count + 1):
            # In MB/s, or in us.
            usual = 2097.0 if metric.unit == "MiB/s" else 20.0
            printed = round(usual * noise.uniform(1.0, 1.02), 2)
            names.append(f"{metric.name}.{number}")
            (raw / f"{names[-1]}.out").write_text(
                "bytes   #sent   #ack     total       time     MB/sec    usec/xfer   Mxfers/sec\n"
                f"{size}      2k      =2k      4.8g        1.80s   {printed:.2f}     {printed:.2f}"
                "       0.00\n"
            )
            in_unit = printed * (1e6 / MEBIBYTE) if metric.unit == "MiB/s" else printed
            samples[metric.name].append(in_unit)
    _record(raw, names)
    return samples


def _placement(raw: Path, metrics: tuple[Metric, ...], count: int, _: Random) -> Samples:
    """Four processes, each on a core of its own."""
    names = [f"placement.{number}" for number in range(1, count + 1)]
    for name in names:
        lines = [f"process {core}: may run on {core}, ran on {core}\n" for core in range(4)]
        (raw / f"{name}.out").write_text("".join(lines))
    _record(raw, names)
    return {metrics[0].name: [4.0] * count}


def _fdb(raw: Path, metrics: tuple[Metric, ...], count: int, noise: Random) -> Samples:
    """Four processes that write, and then read, for a second each."""
    moved = 16 * 4 * (MEBIBYTE - 3)
    names = []
    samples: Samples = {metric.name: [] for metric in metrics}
    for number in range(1, count + 1):
        for phase, word in (("write", "written"), ("read", "read")):
            names.append(f"{phase}.{number}")
            start = START + len(names)
            first = round(start + noise.uniform(0.2, 0.21), 6)
            last = round(start + noise.uniform(0.7, 0.71), 6)
            samples[phase].append(4 * moved / MEBIBYTE / (last - first))
            samples[f"{phase}_open"].append(first - start)
            lines = [
                line
                for process in range(4)
                for line in (
                    f"{process}: Bytes {word}: {moved}\n",
                    f"{process}: Timestamp before first IO: {first:.6f}\n",
                    f"{process}: Timestamp after last IO: {last:.6f}\n",
                )
            ]
            (raw / f"{names[-1]}.out").write_text("".join(lines))
    _record(raw, names)
    return samples


def _record(raw: Path, steps: list[str]) -> None:
    """Each step took a second, and ended well."""
    lines = [
        f"{name}\t0\t{START + number:.6f}\t{START + number + 1:.6f}\n"
        for number, name in enumerate(steps, start=1)
    ]
    (raw / "steps.tsv").write_text("".join(lines))


_BENCHMARKS: dict[ModuleType, Callable[[Path, tuple[Metric, ...], int, Random], Samples]] = {
    fio: _fio,
    fi_pingpong: _pingpong,
    placement: _placement,
    fdb_hammer: _fdb,
}


def _made_by(check: Check) -> Callable[[Path, tuple[Metric, ...], int, Random], Samples]:
    """The function that writes the outputs of a check, by the module of its benchmark."""
    for benchmark, made in _BENCHMARKS.items():
        if check in vars(benchmark).values():
            return made
    known = ", ".join(each.__name__.rpartition(".")[2] for each in _BENCHMARKS)
    raise NotImplementedError(
        f"tests/support/outputs.py writes no output of the benchmark of {check.name}: it writes"
        f" those of {known}"
    )


def report_with_outputs(
    cluster: Cluster,
    root: Path,
    number: int = 0,
    chosen: Callable[[str, str], bool] = lambda *_: True,
) -> dict[str, Any]:
    """A run report in which every check of the plan went well, with the outputs that show it.

    With a number, of the first or the second round of a campaign that stops when decided; only the
    chosen checks are in it.
    """
    document = report(cluster, root / "output" / "20261122T180000" if number == 2 else root)
    run = document["runs"][0]
    run["testcases"] = [
        each
        for each in run["testcases"]
        if chosen(each["name"].partition(" ")[0], each["partition"])
    ]
    for case in run["testcases"]:
        check = CHECKS[case["name"].partition(" ")[0]]
        count = check.scales[case["scale"]]["repetitions"]
        if number and count > FIRST:
            taken = FIRST if number == 1 else count - FIRST
            case["round"] = number
            case["deviations"] = {"repetitions": {"asked": count, "was": taken}}
            count = taken
        for subject in next(iter(case["samples"].values())):
            raw = Path(case["outputdir"], "raw", subject.replace(">", "-to-"))
            (raw / "tool.out").unlink()
            noise = Random(f"{check.name} {subject} {number}")
            made = _made_by(check)(raw, check.metrics, count, noise)
            for metric, samples in made.items():
                case["samples"][metric][subject] = samples
    return document
