"""The worked inventories, described and judged with the hardware of the kinds of their hosts."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from assay.checks.expect import expectation
from assay.checks.plan import requirements
from assay.cluster import releases
from assay.cluster.description import Cluster
from assay.preflight import examine as preflight
from planning import plan

REPOSITORY = Path(__file__).parents[2]
WORKED = ("pmem", "ephemeral", "md-on-ssd-shared", "md-on-ssd-wal", "md-on-ssd-wal-meta")


BALANCE = (
    "should be a multiple of the 3 SSDs for data, such as 15 or 18, for an optimal balance of"
    " their space"
)
ADVISED = {"md-on-ssd-wal": {BALANCE}, "md-on-ssd-wal-meta": {BALANCE}}
"""What DAOS's pages advise otherwise, and the talk whose layouts these are has so."""


@pytest.fixture(scope="module", params=WORKED)
def document(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    out = tmp_path_factory.mktemp(request.param) / "cluster.json"
    # What judges it is called here, and not by a second Python.
    run = plan(REPOSITORY / "inventories" / request.param, out, "--skip-tags=judge")
    assert run.returncode == 0, run.stdout + run.stderr
    return json.loads(out.read_text())


@pytest.fixture
def worked(document: Any) -> Cluster:
    return judged(document)


def judged(document: Any) -> Cluster:
    cluster, problems = preflight.examine(document)
    assert cluster is not None, [str(problem) for problem in problems]
    assert {problem.severity for problem in problems} <= {"warning"}
    # Known defects of a release are no advice, and its programs a site names itself.
    allowed = {each.allowed for each in problems if each.key not in ("daos.version", "benchmarks")}
    assert allowed == ADVISED.get(cluster.name, set())
    return cluster


def test_a_release_that_nobody_knows_yet_is_judged_planned_and_expected_as_the_newest(
    document: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = copy.deepcopy(document)
    server = document["hosts"][document["servers"][0]]
    server.setdefault("server", {})["settings"] = {"allow_numa_imbalance": False}
    newest = judged(document)
    coming = releases.Release("2.10", "a test")
    monkeypatch.setattr(releases, "RELEASES", (*releases.RELEASES, coming))
    document["daos"]["version"] = coming.name
    newer = judged(document)
    required = requirements(newer)
    assert required == requirements(newest)
    assert "NetTest" in {requirement.check for requirement in required}
    for requirement in required:
        assert expectation(newer, requirement, {}) == expectation(newest, requirement, {})


EXPECTED = {
    "pmem": [("dcpm", "", 0), ("nvme", "", 4)],
    "ephemeral": [("ram", "", 0), ("nvme", "", 4)],
    "md-on-ssd-shared": [("ram", "", 0), ("nvme", "wal+meta+data", 4)],
    "md-on-ssd-wal": [("ram", "", 0), ("nvme", "wal", 1), ("nvme", "meta+data", 3)],
    "md-on-ssd-wal-meta": [("ram", "", 0), ("nvme", "wal+meta", 1), ("nvme", "data", 3)],
}
"""The layouts of "DAOS beyond Persistent Memory" (M. Hennecke, HMEM workshop, 2023)."""


def test_a_worked_inventory_describes_a_sound_cluster_of_its_layout(worked: Cluster) -> None:
    hosts = [worked.hosts[server] for server in worked.servers]
    tiers = {
        tuple((t.class_, "+".join(t.bdev_roles), len(t.bdev_list)) for t in engine.storage)
        for host in hosts
        for engine in host.engines
    }
    assert tiers == {tuple(EXPECTED[worked.name])}
    assert [len(host.engines) for host in hosts] == [2, 2]
    assert len(worked.clients) == 4
    assert worked.daos is not None
    assert not worked.daos.allow_insecure
    for host in hosts:
        has_roles = any(engine.has_md_on_ssd for engine in host.engines)
        assert (host.server.control_metadata is not None) == has_roles
        assert not host.server.eadr
        assert host.engines[0].tags.helpers == (18, 19, 20, 21)


def test_a_mistake_in_an_inventory_is_a_line_of_a_table_and_stops_the_playbook(
    tmp_path: Path,
) -> None:
    run = plan(
        REPOSITORY / "inventories" / "pmem",
        tmp_path / "cluster.json",
        "--extra-vars={'daos_mgmt_svc_replicas': ['server1', 'server2']}",
    )
    assert run.returncode != 0
    assert "mgmt_svc_replicas" in run.stdout
    assert "Traceback" not in run.stdout + run.stderr


KIND = {
    "cores": 2,
    "numa_nodes": 1,
    "memory": {"total_mib": 16384},
    "interfaces": {"lo": {"network": "127.0.0.0/8"}},
}


def described(inventory: str, out: Path) -> dict[str, Any]:
    kind = f"--extra-vars={json.dumps({'cluster_kind': KIND})}"
    run = plan(REPOSITORY / "inventories" / inventory, out, "--skip-tags=judge", kind)
    assert run.returncode == 0, run.stdout + run.stderr
    document: dict[str, Any] = json.loads(out.read_text())
    return document


def test_what_is_built_from_source_is_what_is_measured(tmp_path: Path) -> None:
    document = described("source", tmp_path / "cluster.json")
    view = "/opt/assay/spack/view"
    names = {"ior": "ior", "mdtest": "mdtest", "io500": "io500", "fio_dfs": "fio"} | {
        "fdb_hammer_daos": "fdb-hammer"
    }
    assert document["daos"]["prefix"] == view
    assert {key: document["benchmarks"][key] for key in names} == {
        key: f"{view}/bin/{name}" for key, name in names.items()
    }
    assert document["benchmarks"]["ior_apis"] == ["DFS"]


def test_nothing_of_spack_is_measured_where_nothing_is_built(tmp_path: Path) -> None:
    benchmarks = described("file", tmp_path / "cluster.json")["benchmarks"]
    optional = [benchmarks[key] for key in ("ior", "mdtest", "io500", "fio_dfs", "fdb_hammer_daos")]
    assert optional == [None] * 5
    assert benchmarks["ior_apis"] == []
