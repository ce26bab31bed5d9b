"""What the engines report where each rank is measured alone: ranks compared across their jobs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from assay.campaign.results import Results
from assay.checks.benchmarks.ior_by_rank import IOR_BY_RANK, names
from assay.checks.entry import run_of
from assay.checks.plan import requirements
from assay.checks.raw import directory_of
from assay.cluster.description import Cluster
from assay.judge.engines import Engines
from assay.subject import Subject
from clusters import described
from ended import campaign_of, ended, reported
from recordings import recorded
from sites import site

SLOW = 3
"""The rank that is slow, if one is."""

MIB = 2**20


def cluster(file_oclass: str | None = None) -> Cluster:
    """Two servers with two engines each, which measure each rank alone and show metrics."""
    document = site(servers=2, engines=2, clients=2)
    document["benchmarks"] = {"ior": "/opt/ior", "ior_apis": ["DFS"]}
    document["daos"] |= {"pool": "tank", "container": "posix", "rank_pool_size": "24GiB"}
    document["daos"]["file_oclass"] = file_oclass
    for number, name in enumerate(document["daos"]["servers"], 1):
        document["hosts"][name]["server"]["telemetry_port"] = 9191
        for interface in document["hosts"][name]["interfaces"].values():
            interface["address"] = f"192.0.2.{number}"
    return described(document)


def ranks(of: Cluster) -> dict[Subject, int]:
    subjects = dict.fromkeys(each.subject for each in requirements(of) if each.check == "IorByRank")
    return {engine: rank for rank, engine in enumerate(sorted(subjects, key=str))}


def members(of: Cluster) -> str:
    """What dmg answers about the ranks."""
    listed = []
    for engine, rank in ranks(of).items():
        own = of.engine(engine)
        address = of.hosts[engine.host].interfaces[own.fabric_iface].address
        listed.append(
            {
                "rank": rank,
                "addr": f"{address}:10001",
                "state": "joined",
                "fabric_uri": f"ofi+tcp://{address}:{own.fabric_iface_port}",
            }
        )
    return json.dumps({"response": {"members": listed}, "error": None, "status": 0})


def lines(rank: int, step: int, squares: float, moved: float) -> Iterator[str]:
    """The metrics of one rank after a step: equal numbers of operations in each."""
    labels = f'rank="{rank}",size="1MB",target="0"'
    yield f'engine_started_at{{rank="{rank}"}} 5'
    yield f"engine_io_latency_update_samples{{{labels}}} {1000 * (step + 1)}"
    yield f"engine_io_latency_update_sumsquares{{{labels}}} {squares}"
    yield f'engine_pool_xferred_update{{pool="p",rank="{rank}",target="0"}} {moved}'


def measured(root: Path, of: Cluster, ratio: float = 1.0, tenant: float = 0.0) -> Results:
    """A campaign in which each rank wrote 64 MiB a step; one is slow, or shared with a tenant.

    The other engine of a server is idle in the steps of one, but its metrics are read with them.
    """
    random = np.random.default_rng(271)
    place = root / "output" / "IorByRank" / "raw"
    (place / "system").mkdir(parents=True)
    (place / "system" / "system.before.json").write_text(members(of))
    run = run_of(of, IOR_BY_RANK, "clients", "acceptance")
    steps = [name for name, metric in names(run) if metric.name == "write_1m"]
    for engine, rank in ranks(of).items():
        raw = place / directory_of(engine)
        raw.mkdir(parents=True)
        neighbour = next(r for e, r in ranks(of).items() if e.host == engine.host and e != engine)
        squares, moved = 1.0, 1.0
        for step, name in enumerate(["start", *steps]):
            # The other engine of the server is ten times as slow, in what is no measurement.
            text = [f"# server {engine.host}", *lines(rank, step, squares, moved)]
            text += lines(neighbour, step, squares * 100, 1.0)
            packed = gzip.compress("\n".join(text).encode() + b"\n")
            (raw / f"{name}.engines.gz").write_bytes(packed)
            own = ratio if rank == SLOW else 1.0
            squares += 1e9 * own**2 * float(np.exp(2 * random.normal(0, 0.05)))
            moved += 64 * MIB * (1 + (tenant if rank == SLOW else 0))
            row = {"operation": "write", "xsizeMiB": 64.0, "bwMiB": 100.0}
            if step:
                (raw / f"{name}.json").write_text(json.dumps({"summary": [row], "tests": []}))
        kept = [f"{name}\t0\t{at}.0\t{at}.5\n" for at, name in enumerate(steps, 1)]
        (raw / "steps.tsv").write_text("".join(kept))
    return campaign_of(ended(root, "IorByRank", scale="acceptance", taken=5))


def report(root: Path, ratio: float = 1.0, tenant: float = 0.0) -> Engines:
    of = cluster()
    (only,) = reported(of, measured(root, of, ratio, tenant))
    return only


def test_four_ranks_are_measured() -> None:
    assert sorted(ranks(cluster()).values()) == [0, 1, 2, 3]


def test_a_slow_rank_is_named_among_those_that_were_measured_one_by_one(tmp_path: Path) -> None:
    (named,) = report(tmp_path, ratio=3.0).outliers
    assert named.startswith("rank 3 on s2: update latency ")
    assert named.endswith(" times that of its 3 peers")


def test_of_sound_ranks_nobody_is_named_though_their_neighbours_differ(tmp_path: Path) -> None:
    sound = report(tmp_path)
    assert sound.outliers == ()
    assert sound.findings == ()
    assert "a rank is named only above " in sound.sentence


def test_the_bytes_of_a_rank_are_those_of_its_own_ior(tmp_path: Path) -> None:
    assert report(tmp_path, tenant=1.0).findings == (
        "others used the system: 20% of the bytes were not from this check",
    )


def test_a_pool_on_one_rank_stores_each_byte_once(tmp_path: Path) -> None:
    of = cluster("RP_2G1")
    (only,) = reported(of, measured(tmp_path, of))
    assert only.findings == ()


@pytest.mark.parametrize("answer", ["", "no JSON"])
def test_without_the_numbers_of_ranks_that_is_said(tmp_path: Path, answer: str) -> None:
    of = cluster()
    results = measured(tmp_path, of)
    (tmp_path / "output/IorByRank/raw/system/system.before.json").write_text(answer)
    (only,) = reported(of, results)
    assert only.outliers == ()
    assert only.unread.startswith("what the engines reported cannot be read: no rank listens at ")


def test_a_rank_that_its_server_does_not_report_is_not_called_sound(tmp_path: Path) -> None:
    of = cluster()
    results = measured(tmp_path, of, ratio=3.0)
    for reading in tmp_path.glob("**/*.engines.gz"):
        whole = gzip.decompress(reading.read_bytes()).decode().splitlines(keepends=True)
        kept = [line for line in whole if f'rank="{SLOW}"' not in line]
        reading.write_bytes(gzip.compress("".join(kept).encode()))
    (only,) = reported(of, results)
    assert only.sentence == (
        "the metrics of 1 of 4 ranks were not read: no server reports them;"
        " figures are judged without them"
    )


def test_the_pool_of_other_checks_is_no_finding_of_one_with_pools_of_its_own(
    tmp_path: Path,
) -> None:
    of = cluster()
    results = measured(tmp_path, of)
    answer = recorded("dmg", "pool_query_little_room.txt").replace("150000000", "75000000")
    (tmp_path / "output/IorByRank/raw/system/pool.after.json").write_text(answer)
    (only,) = reported(of, results)
    assert only.findings == ()
