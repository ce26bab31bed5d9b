"""A system that loses a part, and what the job of such a check leaves; figures are made up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.checks.raw import RawOutputs
from assay.cluster.description import Cluster
from assay.foreign.files import Tree
from assay.subject import Subject
from clusters import described
from sites import put, site

ENGINE = Subject("s3", engine=0)


def system(changes: Mapping[str, Any] | None = None, servers: int = 3) -> Cluster:
    document = site(servers=servers, clients=2)
    document["benchmarks"] = {"fio_dfs": "/opt/fio"}
    document["daos"] |= {"pool": "tank", "container": "posix", "failure": True}
    return described(put(document, dict(changes or {})))


def entry(**values: Any) -> str:
    return json.dumps(values) + "\n"


def state(time: float, active: int, of: int = 48, **rebuild: Any) -> str:
    pool = {"total_targets": of, "active_targets": active, "rebuild": rebuild}
    return entry(time=time, pool=pool)


T = 1795000000
"""The beginning of the load; the part is lost after 20 s."""

WHOLE_WAY = "".join(
    (
        entry(time=T + 20, event="lost"),
        state(T + 44, 32, state="idle", degraded=True),
        state(T + 60, 32, state="busy"),
        entry(time=T + 90, event="started"),
        entry(time=T + 98, rank="joined"),
        entry(time=T + 99, event="reintegrated"),
        state(T + 101, 48, state="busy"),
        state(T + 120, 48, state="done"),
    )
)


def rows(rates: Mapping[range, int]) -> str:
    return "".join(
        f"{(T + second) * 1000}, {rate * 1024}, 0, 0, 0, 0\n"
        for seconds, rate in rates.items()
        for second in seconds
    )


def report(job: str, error: int = 0, failed: int = 0) -> dict[str, Any]:
    moved = {"io_bytes": 32 * 2**20}
    nothing = {"io_bytes": 0}
    return {"jobname": job, "error": error, "total_err": failed, "read": moved, "write": nothing}


def run_left(
    place: Path,
    line: str = WHOLE_WAY,
    errors: int = 0,
    differing: int = 0,
    after: int = 100,
    stall: int = 24,
    subject: Subject = ENGINE,
) -> RawOutputs:
    """What a job left of two clients, each with four processes that move so much a second."""
    (place / "raw/system").mkdir(parents=True)
    (place / "raw/system/timeline.1.json").write_text(line)
    mine = place / "raw" / str(subject)
    mine.mkdir(parents=True)
    for host in ("c1", "c2"):
        for job, number in (("read", 1), ("read", 2), ("write", 3), ("write", 4)):
            lost = {range(20): 100, range(20 + stall, 76): 60}
            back = {range(91, 120): 60, range(120, 140): after}
            for load, rates in {"lost": lost, "back": back}.items():
                (mine / f"{load}.1.{host}.{job}_bw.{number}.log").write_text(rows(rates))
        for step, count in {"lost": errors, "back": 0, "verify": differing}.items():
            jobs = [report("read", failed=count), *(report("write") for _ in range(3))]
            text = json.dumps({"jobs": jobs}, indent=2)
            (mine / f"{step}.1.{host}.json").write_text(text)
    return RawOutputs(Tree(place))
