"""Campaigns on a DAOS that never ran, with what is left of a check that went wrong."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from assay.cluster.description import Cluster
from runs import report
from sites import site

CHECK, PARTITION = "IorEasy", "clients"
START = 1e9
"""When the session begins, in seconds since the epoch; the one step ends 11 s later."""

LOGGED = [(START + 5.0, "vos", "update() full: DER_NOSPACE(-1007)")]


def daos_cluster(telemetry_port: int | None = 9191) -> Cluster:
    """A client and two servers with an engine each, of which IOR uses one backend."""
    document = site("md-on-ssd-wal", servers=2, engines=1, clients=1)
    document["benchmarks"] = {"ior": "/opt/assay/bin/ior", "ior_apis": ["DFS"]}
    document["daos"] |= {"pool": "assay", "container": "assay"}
    for host in document["servers"]:
        document["hosts"][host]["server"] = {
            "telemetry_port": telemetry_port,
            "control_metadata": {"path": "/var/lib/daos_metadata"},
        }
    return Cluster.model_validate(document)


def failed_campaign(root: Path, cluster: Cluster, **problems: list[str]) -> Path:
    """A campaign in which each subject of IorEasy failed; all other figures are 2000.

    Its outputs have two readings of the engines, dmg's answers and what the job printed.
    """
    document = report(cluster, root)
    for case in document["runs"][0]["testcases"]:
        if case["name"].startswith(f"{CHECK} "):
            _fail(case, problems)
    (root / "run-1.json").write_text(json.dumps(document))
    return root


def _fail(case: dict[str, Any], problems: dict[str, list[str]]) -> None:
    place = Path(case["outputdir"])
    subjects = list(next(iter(case["samples"].values())))
    case |= {"result": "fail", "fail_phase": "sanity", "fail_reason": "ior failed"}
    case["problems"] = problems or {each: ["ior (write.1) failed"] for each in subjects}
    case["samples"] = {name: {} for name in case["samples"]}
    for subject in subjects:
        raw = place / "raw" / subject
        (raw / "steps.tsv").write_text(f"write.1\t1\t{START + 1}\t{START + 11}\n")
        for name in ("start", "write.1"):
            reading = b"# server s1\n# server s2\n"
            (raw / f"{name}.engines.gz").write_bytes(gzip.compress(reading, mtime=0))
    system = place / "raw" / "system"
    system.mkdir()
    for name in ("system", "devices", "pool"):
        for when in ("before", "after"):
            (system / f"{name}.{when}.json").write_text("{}")
    (place / "rfm_job.out").write_text("what the job printed\n")
    (place / "rfm_job.err").write_text("")


def log_errors(root: Path, *errors: tuple[float, str, str], cut: bool = False) -> None:
    """Let the engine of s1 log errors, which the playbook keeps with the campaign."""
    quiet = {"errors": [], "cut": False, "unread": ""}
    servers = {
        "s1": {"engines": [{"errors": list(errors), "cut": cut, "unread": ""}]},
        "s2": {"engines": [quiet]},
    }
    kept = root / "engine-errors" / "20260101T100000Z.json"
    kept.parent.mkdir()
    kept.write_text(json.dumps(servers))
