"""The catalogue knows the steps of each job, by which a bundle's records are checked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from run_reframe import scripts
from test_engines_watched import watched_site

from assay.checks.entry import run_of
from assay.checks.plan import CHECKS
from assay.checks.raw import directory_of
from assay.cluster.description import PARTITIONS
from clusters import described
from sites import site

_BLOCK = re.compile(r"^\($(.*?)^\)", re.MULTILINE | re.DOTALL)


def plain_site() -> dict[str, Any]:
    """Two hosts of each kind without DAOS, with every benchmark that needs none."""
    document = site(servers=2, engines=1, clients=2)
    document["benchmarks"] = {
        name: f"/opt/bin/{name}"
        for name in ("fio", "fi_pingpong", "ior", "mdtest", "io500", "fdb_hammer", "fdb_share")
    } | {"shared_directory": "/shared"}
    return document


@pytest.mark.parametrize("make", [watched_site, plain_site])
@pytest.mark.parametrize("scale", ["quick", "acceptance"])
def test_each_job_runs_the_steps_of_the_catalogue(make: Any, scale: str, tmp_path: Path) -> None:
    document = make()
    by_check = scripts(document, tmp_path, f"--tag={scale}")
    cluster = described(document)
    compared = set()
    for name, script in by_check.items():
        check = CHECKS[name]
        planned = {
            directory_of(subject): [*check.reading.steps(run, subject)]
            for partition in PARTITIONS
            for run in [run_of(cluster, check, partition, scale)]
            for subject in run.subjects
        }
        for block in _BLOCK.findall(script):
            (subject,) = re.findall(r"^subject (\S+)$", block, re.MULTILINE)
            names = re.findall(r"^(?:counting_reads )?step (\S+) ", block, re.MULTILINE)
            assert names == planned[subject.strip("'")], name
            compared.add(name)
    assert compared == by_check.keys()
    assert len(compared) > 5
