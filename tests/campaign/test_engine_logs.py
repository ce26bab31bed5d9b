"""The errors that engines logged, as a campaign keeps them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bundles
from assay.campaign.engine_logs import DIRECTORY
from assay.campaign.results import read
from assay.campaign.run_report import ReportError
from assay.cluster.description import Cluster
from assay.foreign.limits import ENGINE_ERRORS
from assay.judge.signoff import Gate, sign_off

NAME = "20260101T100000Z.json"


def keep(campaign: Path, document: Any) -> None:
    (campaign / DIRECTORY).mkdir()
    (campaign / DIRECTORY / NAME).write_text(json.dumps(document))


def server(*errors: tuple[float, str, str]) -> dict[str, Any]:
    """What the module returns of a server with one engine, with what Ansible adds."""
    return {"changed": False, "engines": [{"errors": errors, "cut": False, "unread": ""}]}


def test_a_bundle_has_them_as_they_were(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    pattern = campaign()
    keep(tmp_path, {"s1": server((12.0, "vos", "it broke"))})
    results = read(pattern, cluster, tmp_path)
    (session,) = results.engine_errors
    assert session.logs["s1", 0].errors == [(12.0, "vos", "it broke")]
    bundle = tmp_path / "bundle"
    bundles.write(sign_off(cluster, results, Gate.MEASURED), results, bundle)
    assert (bundle / DIRECTORY / NAME).read_bytes() == session.content
    assert f"{DIRECTORY}/{NAME}" in results.kept()


def test_a_campaign_without_them_has_none(
    cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    assert read(campaign(), cluster, tmp_path).engine_errors == ()


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "is not a file of engines' errors"),
        ({"s1": {}}, "is not a file of engines' errors: s1/engines"),
        ({"s1": server((1.0, "vos", 3))}, "is not a file of engines' errors"),  # type: ignore[arg-type]
        ({"s1": server((1.0, "vos", "\x1b[2J"))}, "is not a file of engines' errors"),
        (
            {"s1": server(*[(1.0, "vos", "x")] * (ENGINE_ERRORS + 1))},
            "is not a file of engines' errors",
        ),
        ({"s9": server()}, "has 1 engines of s9, where the cluster has 0"),
        ({"s1": {"engines": []}}, "has 0 engines of s1, where the cluster has 1"),
    ],
)
def test_a_file_that_is_not_of_these_engines_is_refused(
    document: Any, message: str, cluster: Cluster, campaign: Callable[..., str], tmp_path: Path
) -> None:
    pattern = campaign()
    keep(tmp_path, document)
    with pytest.raises(ReportError) as refused:
        read(pattern, cluster, tmp_path)
    assert message in str(refused.value)
