"""What a whole system should give."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import clusters
from assay.checks.plan import requirements
from assay.checks.whole import Total, paths, totals
from assay.cluster.description import Cluster
from assay.commands import expect
from clusters import described
from sites import site


def total(cluster: Cluster, figure: str, backend: str | None = None) -> Total:
    (whole,) = (
        total
        for total in totals(cluster, requirements(cluster))
        if total.requirement.figure == figure and total.requirement.subject.backend == backend
    )
    return whole


def test_ssds_add_up() -> None:
    one, four = (
        total(clusters.system(ssds=count), "NvmeBandwidth.read_1m_together") for count in (1, 4)
    )
    assert one.bound is not None
    assert one.floor is not None
    assert (four.count, four.is_sum) == (4, True)
    assert four.bound == pytest.approx(4 * one.bound)
    assert four.floor == pytest.approx(4 * one.floor)


def test_ssds_that_are_measured_alone_do_not_add_up() -> None:
    cluster = clusters.system()
    figures = {t.requirement.figure for t in totals(cluster, requirements(cluster))}
    assert "NvmeBandwidth.read_1m_alone" not in figures


def test_what_clients_share_limits_their_sum() -> None:
    def written_by(clients: int) -> Total:
        system = clusters.system(clients=clients, nic_gbits=100)
        assert system.daos
        stored = {"pool": "assay", "container": "posix", "mount": Path("/mnt/assay")}
        mounted = system.model_copy(update={"daos": system.daos.model_copy(update=stored)})
        return total(mounted, "FioDfuse.write_1m", "dfuse")

    few, many = written_by(1), written_by(40)
    # One client has a port of 12.5 GB/s; forty share that of the engine.
    assert few.bound == pytest.approx(12.5e9 / 2**20)
    assert many.bound == pytest.approx(12.5e9 / 2**20)
    assert many.count == 40
    assert many.floor is not None
    assert few.floor is not None
    assert many.floor < 40 * few.floor


def test_engines_get_no_more_than_the_clients_send() -> None:
    engines = total(clusters.system(servers=8, clients=2), "SelfTestClientServer.get_1m")
    assert engines.bound == pytest.approx(2 * 25e9 / 2**20)
    assert engines.limited.startswith("the clients' NICs, 2 × 25.0 GB/s")


def test_engines_get_what_all_rails_of_the_clients_send() -> None:
    document = site("pmem", servers=4, engines=2, clients=2, rails=2)
    rails = described(document)
    engines = total(rails, "SelfTestClientServer.get_1m")
    each = rails.hosts["c1"].interfaces["ib0"].speed_gbits
    assert each
    assert engines.count == 8
    assert engines.bound == pytest.approx(4 * each * 1e9 / 8 / 2**20)
    assert engines.limited.startswith("the clients' NICs, 4 × ")


def test_pairs_do_not_add_up() -> None:
    cluster = clusters.system(clients=5)
    (pairs,) = (
        t
        for t in totals(cluster, requirements(cluster))
        if t.requirement.figure == "FiPingpong.bandwidth_1m"
        and t.requirement.partition == "clients"
    )
    assert (pairs.count, pairs.is_sum) == (5, False)
    assert pairs.bound == pytest.approx(25e9 / 2**20)


def test_counts_and_times_are_not_totals() -> None:
    cluster = clusters.system()
    units = {t.requirement.unit for t in totals(cluster, requirements(cluster))}
    assert units
    assert not units & {"us", "s", "process"}


def test_a_faster_fabric_moves_the_limit_to_the_ssds() -> None:
    def limit(gbits: float) -> str:
        system = clusters.system(servers=2, clients=8, ssds=8, nic_gbits=gbits)
        return dict(paths(system))["read in blocks of 1.00 MiB"].limits[0].who

    assert limit(100) == "the servers' NICs"
    assert limit(800) == "the SSDs"


def test_without_daos_there_is_no_path() -> None:
    cluster = clusters.described(clusters.description())
    assert list(paths(cluster)) == []


def test_a_planned_system_is_a_page_of_a_hundred_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also on a terminal, where a table of rich would cut names: like rows and limits once."""
    monkeypatch.setenv("COLUMNS", "100")
    system = clusters.system(servers=8, clients=100, ssds=8)
    assert system.daos
    stored = {"pool": "assay", "container": "posix", "mount": Path("/mnt/assay")}
    planned = system.model_copy(update={"daos": system.daos.model_copy(update=stored)})
    monkeypatch.setattr(expect, "load", lambda _: planned)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    expect.expect(system=True)
    lines = capsys.readouterr().out.splitlines()
    head = next(number for number, line in enumerate(lines) if "floor" in line and "by" in line)
    table, limits = lines[head : lines.index("limited by")], lines[lines.index("limited by") + 1 :]
    assert max(map(len, table[1:])) <= 100
    assert max(map(len, limits)) <= 100
    (fuse,) = (line.split() for line in table if "FioDfuse.write_1m" in line)
    assert fuse[1:3] == ["100", "dfuse,ioil,pil4dfs"]
    named = dict(
        line.strip().split(": ", 1)
        for line in limits
        if line.lstrip()[:1].isdigit() and ": " in line
    )
    assert list(named) == [str(number) for number in range(1, len(named) + 1)]
    assert len(set(named.values())) == len(named)
    assert "SSDs" in named[fuse[-1]] or "NIC" in named[fuse[-1]]
