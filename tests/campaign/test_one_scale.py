"""A check that only one scale has: campaigns of the other do without it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.campaign import progress
from assay.campaign.results import Results, read
from assay.campaign.run_report import ReportError
from assay.checks.plan import requirements
from assay.cluster.description import Cluster
from assay.judge.signoff import Gate, sign_off
from assay.judge.verdict import Verdict
from clusters import described
from runs import case, report
from sites import site


@pytest.fixture(scope="module")
def system() -> Cluster:
    document = site(servers=1, clients=1)
    document["benchmarks"] = {"ior": "/opt/ior", "ior_apis": ["DFS"]}
    document["daos"] |= {"pool": "tank", "container": "posix", "rank_pool_size": "1TiB"}
    return described(document)


def campaign(system: Cluster, root: Path, scale: str, *more: str) -> Results:
    """A campaign in which all checks of the scale `quick` went well, and more, at a scale."""
    document = report(system, root)
    cases = document["runs"][0]["testcases"]
    cases += [case(system, check, "clients", root) for check in more]
    for each in cases:
        each.update(name=each["name"].replace("quick", scale), scale=scale)
    (root / "run-1.json").write_text(json.dumps(document))
    return read(str(root / "run-1.json"), system)


def test_a_quick_campaign_does_not_require_what_an_acceptance_measures(
    system: Cluster, tmp_path: Path
) -> None:
    signed = sign_off(system, campaign(system, tmp_path, "quick"), Gate.MEASURED)
    judged = {judgement.requirement.check for judgement in signed.judgements}
    assert judged == {each.check for each in requirements(system)} - {"IorByRank"}


def test_an_acceptance_without_it_is_missing_something(system: Cluster, tmp_path: Path) -> None:
    signed = sign_off(system, campaign(system, tmp_path, "acceptance"), Gate.MEASURED)
    missing = {
        judgement.requirement.check
        for judgement in signed.judgements
        if judgement.verdict is Verdict.MISSING
    }
    assert "IorByRank" in missing


def test_a_run_report_at_a_scale_that_the_check_lacks(system: Cluster, tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="IorByRank has no scale quick"):
        campaign(system, tmp_path, "quick", "IorByRank")


def test_its_progress_is_shown_where_its_scale_is(system: Cluster, tmp_path: Path) -> None:
    def shown(scale: str) -> set[str]:
        started = f"[ RUN      ] NetTest %scale={scale} /5ebe268c @{system.name}:clients+site\n"
        (tmp_path / progress.OUTPUT).write_text("[==========] Running 2 check(s)\n" + started)
        seen = progress.read(tmp_path, requirements(system), system.name)
        return {check.name for check in seen.checks}

    assert shown("acceptance") - shown("quick") == {"IorByRank"}
