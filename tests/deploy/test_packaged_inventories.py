"""The worked inventories with DAOS's own packages, as they are deployed on EL 9."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.checks.plan import requirements
from assay.cluster.daos_packages import packages
from assay.preflight import examine as preflight
from planning import plan

REPOSITORY = Path(__file__).parents[2]
PACKAGES = {
    "pmem": ["daos-server", "daos-server-tests", "daos-spdk", "ndctl", "ipmctl"],
    "md-on-ssd-wal": ["daos-server", "daos-server-tests", "daos-spdk"],
}


@pytest.mark.parametrize("inventory", PACKAGES)
def test_a_plan_has_ior_of_the_packages(inventory: str, tmp_path: Path) -> None:
    out = tmp_path / "cluster.json"
    words = ("--skip-tags=judge", "--extra-vars=daos_install=packages")
    run = plan(REPOSITORY / "inventories" / inventory, out, *words)
    assert run.returncode == 0, run.stdout + run.stderr
    document = json.loads(out.read_text())
    cluster, problems = preflight.examine(document)
    assert cluster is not None, [str(problem) for problem in problems]
    assert {"IorEasy", "MdtestEasy"} <= {each.check for each in requirements(cluster)}
    classes = {
        tier["class"]
        for engine in document["hosts"][document["servers"][0]]["engines"]
        for tier in engine["storage"]
    }
    provider = document["daos"]["provider"]
    installed = packages(document["daos"]["version"], ["daos_server"], provider, sorted(classes))
    assert installed == PACKAGES[inventory]
