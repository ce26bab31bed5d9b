"""Nothing is accepted because the description leaves it out; all figures are made up."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from test_coverage import LEVELS, signed_of, storage_site

from assay.checks import renamed
from assay.checks.accepted import Accepted
from assay.checks.plan import requirements
from assay.checks.renamed import Renamed
from assay.judge.narrowed import narrowed
from assay.judge.signoff import SignOff
from clusters import SSD, described
from commandline import assay

MEDIANS = {each.key: level for each, level in LEVELS[SSD].items()}


def with_programs(*names: str, baseline: Accepted | None = None) -> SignOff:
    """A sound campaign of a site with these programs alone."""
    document = storage_site()
    document["benchmarks"] = {name: f"/opt/{name}" for name in names} | {"ior_apis": ["DFS"]}
    cluster = described(document)
    levels = {each: MEDIANS.get(each.key, 1000.0) for each in requirements(cluster)}
    return signed_of(cluster, levels, baseline=baseline)


@pytest.mark.parametrize("names", [(), ("mdtest",), ("fi_pingpong", "mdtest")])
def test_daos_is_not_accepted_if_nothing_writes_to_it_and_reads_from_it(
    names: tuple[str, ...],
) -> None:
    signed = with_programs(*names)
    assert not signed.passed
    why = "no program is described that measures endtoend write and read of DAOS"
    assert why in signed.headline
    assert any(each.startswith(why) for each in signed.gaps)


@pytest.mark.parametrize(("names", "refused"), [(["mdtest"], True), (["ior"], False)])
def test_a_plan_says_what_the_gate_will_refuse(
    tmp_path: Path, names: list[str], *, refused: bool
) -> None:
    """A campaign of hours is not what should show it."""
    document = storage_site()
    document["benchmarks"] = {name: f"/opt/{name}" for name in names} | {"ior_apis": ["DFS"]}
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps(document))
    status, printed, _ = assay("plan", "--cluster", file)
    said = "the gate acceptance refuses this plan: no program is described that measures endtoend"
    assert (status, said in printed) == (0, refused)


def test_ior_alone_measures_both() -> None:
    signed = with_programs("ior")
    assert not any("no program" in each for each in signed.gaps)


def test_no_client_is_accepted_by_fewer_rails_than_its_peers() -> None:
    """Half of the rails of one client, which has a slow one, would halve its bounds."""
    document = storage_site()
    document["hosts"]["c3"]["agent"] = {"exclude_fabric_ifaces": ["ib1"]}
    for name in document["clients"]:
        interfaces = document["hosts"]["s1"]["interfaces"]
        document["hosts"][name]["interfaces"] = interfaces
    cluster = described(document)
    levels = {each: MEDIANS.get(each.key, 1000.0) for each in requirements(cluster)}
    signed = signed_of(cluster, levels)
    assert not signed.passed
    (gap,) = (each for each in signed.gaps if each.startswith("c3 is judged by ib0 alone"))
    assert gap in signed.headline
    assert any(each.startswith("c3: agent: ib0: ") for each in signed.undescribed)


def test_what_was_accepted_before_is_required_again() -> None:
    baseline = Accepted(
        campaign="the first",
        measured_to=datetime(2026, 1, 1, tzinfo=UTC),
        sha256="0" * 64,
        medians=MEDIANS,
    )
    signed = with_programs("ior", baseline=baseline)
    assert not signed.passed
    gone = "accepted before (the first), and no longer required: FiPingpong.latency_64b, "
    assert gone in signed.headline
    (gap,) = (each for each in signed.gaps if each.startswith("accepted before"))
    assert gap.endswith(" more")


def test_what_was_accepted_under_another_name_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A baseline of an earlier release has the names of its catalogue."""
    earlier = {
        "IorEasy.old_write": Renamed("IorEasy.write", "0.2.0"),
        "IorEasy.old_read": Renamed("IorEasy.read", "0.2.0", is_same=False),
        "IorEasy.old_stat": Renamed("Mdtest.no_more", "0.2.0"),
    }
    monkeypatch.setattr(renamed, "RENAMED", earlier)
    baseline = Accepted(
        campaign="the first",
        measured_to=datetime(2026, 1, 1, tzinfo=UTC),
        sha256="0" * 64,
        medians={f"{figure} on clients/dfs": 1.0 for figure in earlier},
    )
    cluster = described(storage_site())
    assert list(narrowed(cluster, requirements(cluster), baseline)) == [
        "accepted before (the first), and no longer required: Mdtest.no_more"
    ]


def test_local_disks_do_not_cover_what_users_write_to_daos() -> None:
    document = storage_site(None)
    document["benchmarks"]["fio"] = "/opt/fio"
    for name in document["clients"]:
        document["hosts"][name]["scratch"]["ssd"] = SSD
    cluster = described(document)
    levels = {each: MEDIANS.get(each.key, 1000.0) for each in requirements(cluster)}
    signed = signed_of(cluster, levels)
    classes = {str(each): each for each in signed.coverage}
    assert classes["endtoend write (not DAOS)"].judged
    assert any(each.startswith("not judged: endtoend write, ") for each in signed.gaps)
