"""The work of a campaign grows with its metrics, and not with the product of its hosts.

Calls are counted, and not seconds: what goes through all hosts for each metric calls, or resumes,
twice as much for each metric of twice as many hosts.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from assay.campaign.results import Results, read
from assay.checks.expect import Measured, expectation
from assay.checks.plan import requirements
from assay.cluster.description import Cluster
from assay.judge.signoff import Gate, sign_off
from assay.report import junit, record

BENCH = Path(__file__).parents[2] / "bench/scale.py"
FEW, MORE, MOST = 8, 24, 48
"""Numbers of hosts; the first run is not counted, since it imports and compiles."""


def bench() -> Any:
    spec = spec_from_file_location("scale", BENCH)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def campaigns(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Every check of the catalogue on so many hosts, described and measured."""
    scale, made = bench(), {}
    for hosts in (FEW, MORE, MOST):
        made[hosts] = tmp_path_factory.mktemp(f"hosts{hosts}")
        document = scale.description(hosts)
        (made[hosts] / "cluster.json").write_text(json.dumps(document))
        (made[hosts] / "run.json").write_text(json.dumps(scale.run_report(document)))
    return made


def plan(cluster: Cluster, _: Results) -> None:
    requirements(cluster)


def expect(cluster: Cluster, results: Results) -> None:
    metrics = requirements(cluster)
    measured = Measured({each: results.samples(each) for each in metrics}, results.scale)
    for each in metrics:
        expectation(cluster, each, measured)


def sign(cluster: Cluster, results: Results) -> None:
    signed = sign_off(cluster, results, Gate.ACCEPTANCE)
    for pages in (record, junit):
        pages.render(signed)


def calls(stage: Callable[[Cluster, Results], None], directory: Path) -> float:
    """The calls of a stage, for each metric, with a cluster that nothing is known of."""
    cluster = Cluster.model_validate_json((directory / "cluster.json").read_text())
    results = read(str(directory / "run.json"), cluster)
    counted = 0

    def count(_: FrameType, event: str, __: object) -> None:
        nonlocal counted
        counted += event == "call"

    sys.setprofile(count)
    try:
        stage(cluster, results)
    finally:
        sys.setprofile(None)
    return counted / len(requirements(cluster))


@pytest.mark.parametrize("stage", [plan, expect, sign])
def test_twice_as_many_hosts_are_twice_the_work(
    stage: Callable[[Cluster, Results], None], campaigns: dict[int, Path]
) -> None:
    calls(stage, campaigns[FEW])
    more, most = (calls(stage, campaigns[hosts]) for hosts in (MORE, MOST))
    assert most <= more
