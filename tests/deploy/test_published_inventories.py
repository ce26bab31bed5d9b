"""The inventories of systems whose figures are published: what `make plan` would have predicted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from systems import published

from assay.checks.expect import Measured, expectation
from assay.checks.plan import requirements
from assay.checks.whole import totals
from assay.cluster.description import Cluster
from assay.cluster.rails import rails
from assay.preflight import examine as preflight
from planning import plan

REPOSITORY = Path(__file__).parents[2]

RUNS = {"eight-rails": "IO500 696", "slingshot-400": "IO500 780"}
"""Published runs on these systems, without redundancy."""


@pytest.fixture(scope="module", params=RUNS)
def planned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    out = tmp_path_factory.mktemp(request.param) / "cluster.json"
    run = plan(REPOSITORY / "inventories" / request.param, out, "--skip-tags=judge")
    assert run.returncode == 0, run.stdout + run.stderr
    cluster, problems = preflight.examine(json.loads(out.read_text()))
    assert cluster is not None, [str(problem) for problem in problems]
    return cluster


def test_the_plan_has_every_rail_of_a_client(planned: Cluster) -> None:
    count = {"eight-rails": 8, "slingshot-400": 4}[planned.name]
    assert [len(rails(planned, client)) for client in planned.clients] == [count] * 10


def test_what_was_published_is_between_floor_and_ceiling(planned: Cluster) -> None:
    run = next(run for run in published().runs if run.run == RUNS[planned.name])
    measured = Measured({}, "acceptance")
    judged = 0
    for required in requirements(planned):
        if required.check != "Io500" or required.name not in {*run.gib_per_s, *run.kop_per_s}:
            continue
        expected, figure = expectation(planned, required, measured), run.figure(required.name)
        assert expected.floor is not None
        # What disturbed a run is said beside its figures.
        assert figure >= expected.floor or required.name in run.exceptions, required.key
        assert expected.ceiling is None or figure <= expected.ceiling, required.key
        judged += 1
    assert judged == 11


def test_a_bound_of_all_is_no_less_than_the_floor_of_all(planned: Cluster) -> None:
    """Of 160 engines and 10 clients, the engines' floors were ten times what clients can send."""
    for total in totals(planned, requirements(planned)):
        if total.floor is not None and total.bound is not None:
            assert total.floor <= total.bound * 1.0001, total.requirement.figure
