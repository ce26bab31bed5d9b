"""No acceptance rests on yardsticks weaker than the reference; all figures are made up."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from test_coverage import LEVELS, Change, signed_of, storage_cluster, storage_site

from assay.checks.accepted import KEPT, Accepted
from assay.checks.expect import Measured, expectation
from assay.checks.plan import Requirement, requirements
from assay.cluster.hardware import shipped
from assay.judge.signoff import SignOff
from assay.judge.verdict import Verdict
from assay.judge.waivers import Waiver
from assay.report import html, record, summary
from clusters import SSD, described
from sites import site


def of_site(change: Change, waivers: tuple[Waiver, ...] = (), **settings: Any) -> SignOff:
    document = storage_site()
    document |= settings
    return signed_of(described(document), LEVELS[SSD], change, waivers)


def nearly_nothing(required: Requirement) -> dict[str, str]:
    least = "1e-6" if required.metric.better == "higher" else "1e9"
    return {
        "metric": required.figure,
        "figure": f"{least} {required.unit}",
        "clause": "made up, 4.2",
    }


def promised(*figures: str) -> list[dict[str, str]]:
    """Commitments of next to nothing to these figures, or to all."""
    by_figure = {each.figure: each for each in requirements(storage_cluster())}
    return [nearly_nothing(by_figure[name]) for name in figures or by_figure]


def at(factor: float, *checks: str) -> Change:
    return lambda required: factor if not checks or required.check in checks else 1.0


WAIVER = Waiver(
    metric="IorEasy.write on *", reason="clause 4.2", owner="Ada Byron", expires=date(2026, 6, 1)
)


def test_everything_at_a_tenth_is_not_accepted_by_commitments_to_nothing() -> None:
    signed = of_site(at(0.1), commitments=promised())
    assert not signed.passed
    assert sum(each.judged for each in signed.coverage) == 0
    assert sum(each.weakened for each in signed.coverage) > 0
    assert "weakened yardsticks for " in signed.headline
    assert "misses the reference: scm write: VosPerfRate.update_4k on " in " ".join(signed.gaps)


def test_slow_ssds_are_not_accepted_by_floors_of_a_hundredth() -> None:
    floors = {
        figure: 0.01
        for check in ("NvmeBandwidth", "NvmeIops")
        for figure in {r.figure for r in requirements(storage_cluster()) if r.check == check}
    }
    signed = of_site(at(0.5, "NvmeBandwidth", "NvmeIops"), floors=floors)
    assert not signed.passed
    assert "no verdict but by weakened yardsticks in ssd read (engines' SSDs)" in signed.headline


def test_slow_ior_is_not_accepted_by_a_commitment_to_nothing() -> None:
    names = ("IorEasy.write", "IorEasy.read", "IorHard.write", "IorHard.read")
    signed = of_site(at(0.01, "IorEasy", "IorHard"), commitments=promised(*names))
    assert not signed.passed
    top = " ".join(" ".join(summary.render(signed).splitlines()[:12]).split())
    assert "Weakened yardsticks of the site, and what each replaces" in top
    assert "instead of the floor of" in top
    assert "weakened yardstick: IorEasy.write" in html.render(signed)
    assert '"by": "the commitment to 1e-6 MiB/s (made up, 4.2)"' in record.render(signed)


def test_a_sound_figure_by_a_weakened_yardstick_alone_needs_a_named_waiver() -> None:
    alone = of_site(at(1.0), commitments=promised("IorEasy.write"))
    assert not alone.passed
    assert alone.gaps == (
        "judged by weakened yardsticks alone: endtoend write: IorEasy on clients/dfs, IorEasy on"
        " clients/dfuse, IorEasy on clients/ioil, IorEasy on clients/pil4dfs",
    )
    assert of_site(at(1.0), (WAIVER,), commitments=promised("IorEasy.write")).passed


def test_a_stricter_yardstick_of_the_site_is_not_weakened() -> None:
    signed = of_site(at(1.0), floors={"IorEasy.write": 0.6})
    assert signed.passed
    assert signed.weakened == ()


def test_a_yardstick_where_no_reference_is_counts_if_figures_do_not_exceed_it_ten_times() -> None:
    name = "NvmeIops.latency_4k"
    for figure, is_weak in (("200 us", False), ("2000 us", True)):
        signed = of_site(
            at(1.0), commitments=[{"metric": name, "figure": figure, "clause": "made up"}]
        )
        assert bool(signed.weakened) == is_weak
        assert all(each.verdict is Verdict.PASS for each in signed.judgements if name == _of(each))


def _of(judgement: Any) -> str:
    return str(judgement.requirement.figure)


def test_a_sheet_of_the_site_for_a_model_that_is_shipped_is_compared_with_ours() -> None:
    ours = shipped().ssd[SSD].model_dump(mode="json", exclude_none=True)
    half = ours | {"read_bandwidth": "3500 MB/s", "read_rate": "390000 IO/s", "source": "made up"}
    signed = of_site(at(0.5, "NvmeBandwidth", "NvmeIops"), hardware={"ssd": {SSD: half}})
    assert not signed.passed
    assert f"the site's sheet of {SSD}" in signed.headline


def test_a_sheet_without_a_figure_that_ours_has_is_weakened() -> None:
    sheet = {"source": "made up", "read_bandwidth": "7000 MB/s", "pcie": "4.0 x4"}
    signed = of_site(at(1.0), hardware={"ssd": {SSD: sheet}})
    assert "nothing instead of the floor of" in " ".join(map(str, signed.weakened))


@pytest.mark.parametrize("hosts", [1, 2])
def test_ssds_of_every_server_must_be_judged(hosts: int) -> None:
    document = storage_site()
    for name in document["servers"][hosts:]:
        document["hosts"][name]["datasheets"] = {"memory": "DDR4-3200"}
    signed = signed_of(described(document), LEVELS[SSD])
    gap = "not judged: ssd read (engines' SSDs) on s2"
    assert (gap in signed.gaps) == (hosts == 1)


def test_scratch_disks_do_not_cover_the_ssds_of_engines() -> None:
    document = storage_site()
    document["benchmarks"]["fio"] = "/opt/fio"
    for name, host in document["hosts"].items():
        host["datasheets"] = {"memory": "DDR4-3200"}
        if name in document["servers"]:
            host["scratch"] = {
                "directory": "/scratch",
                "filesystem": "ext4",
                "device": "/dev/nvme9n1",
                "ssd": SSD,
            }
    cluster = described(document)
    plan = requirements(cluster)
    levels = {r: expectation(cluster, r, Measured({})).bound or 1000.0 for r in plan}
    signed = signed_of(cluster, levels | LEVELS[SSD])
    (disks,) = (each for each in signed.coverage if str(each) == "ssd read (scratch disks)")
    assert disks.judged
    assert any(each.startswith("not judged: ssd read (engines' SSDs)") for each in signed.gaps)


def test_patterns_may_not_waive_most_of_the_plan() -> None:
    plan = requirements(storage_cluster())
    checks = dict.fromkeys(each.check for each in plan)
    waivers = tuple(WAIVER.model_copy(update={"metric": f"{name}.*"}) for name in checks)
    signed = of_site(at(0.1), waivers[:-1])
    assert not signed.passed
    assert "patterns waive " in signed.headline
    assert f"of {len(plan)} metrics, and at most 33% may be" in signed.headline


def test_patterns_may_not_waive_all_that_could_be_judged_of_a_layer() -> None:
    waivers = tuple(
        WAIVER.model_copy(update={"metric": f"{name}.*"}) for name in ("NvmeBandwidth", "NvmeIops")
    )
    signed = of_site(at(0.5), waivers)
    waived = (
        "waived by patterns: ssd read (engines' SSDs), 64 of 64 metrics, and at most 33% may be"
    )
    assert not signed.passed
    assert waived in signed.headline
    assert any(each.startswith(waived) for each in signed.gaps)


@pytest.mark.parametrize("judgeable", [True, False])
def test_patterns_may_not_waive_all_that_could_judge_a_host(*, judgeable: bool) -> None:
    """One slow server of eight is an eighth of the plan, and a few patterns cover it.

    Nor may they where its SSDs have no sheet, so that nothing could judge them.
    """
    document = site(servers=8, engines=2, clients=2)
    for name, host in document["hosts"].items():
        ssd = {"ssd": SSD} if judgeable or name != "s3" else {}
        host["datasheets"] = ssd | {"memory": "DDR4-3200"}
    cluster = described(document)
    names = ("NvmeBandwidth", "NvmeIops")
    patterns = tuple(WAIVER.model_copy(update={"metric": f"{name}.* on s3/*"}) for name in names)
    plan = [each for each in requirements(cluster) if each.layer == "ssd"]
    bounds = {each: expectation(cluster, each, Measured({})).bound or 85.0 for each in plan}
    levels = {each: bounds.get(each, 1000.0) for each in requirements(cluster)}

    def slow(required: Requirement) -> float:
        return 0.1 if required.host == "s3" else 1.0

    gap = "not judged: ssd read (engines' SSDs) on s3"
    assert gap in signed_of(cluster, levels, slow, patterns).gaps
    by_name = tuple(
        WAIVER.model_copy(update={"metric": each.key}) for each in plan if each.host == "s3"
    )
    assert gap not in signed_of(cluster, levels, slow, by_name).gaps


def test_patterns_may_waive_a_few_of_a_layer_or_what_nothing_can_judge() -> None:
    few = WAIVER.model_copy(update={"metric": "NvmeBandwidth.* on s1/0000:65:00.0"})
    assert not any("patterns" in gap for gap in of_site(at(1.0), (few,)).gaps)
    document = storage_site(None)
    plan = requirements(described(document))
    alone = WAIVER.model_copy(update={"metric": "NvmeIops.*"})
    signed = signed_of(described(document), dict.fromkeys(plan, 1000.0), at(1.0), (alone,))
    assert signed.counts[Verdict.WAIVED]
    assert not any("patterns" in gap for gap in signed.gaps)


def test_the_share_of_subjects_of_each_check_and_what_judged_them_is_reported() -> None:
    (ssds,) = (each for each in of_site(at(1.0)).coverage if each.layer == "ssd")
    assert list(map(str, ssds.checks)) == [
        "NvmeBandwidth: 16 of 16 subjects judged (32 hardware)",
        "NvmeIops: 16 of 16 subjects judged (32 hardware, 16 unrated)",
    ]


def test_no_sheet_named_for_a_model_that_hosts_report_spares_no_comparison_with_it() -> None:
    """Without its sheet SSDs are unrated, and commitments to half would judge half of them."""
    document = storage_site()
    figures = promised(
        "NvmeBandwidth.read_1m_alone", "NvmeBandwidth.read_1m_together", "NvmeIops.latency_4k"
    )
    half = [{**each, "figure": "3000 MiB/s"} for each in figures[:2]]
    for host in document["hosts"].values():
        host["datasheets"] = {"memory": "DDR4-3200"}
        host["nvme"] = {each: {"model": "INTEL SSDPF2KX038T9"} for each in host.get("nvme", ())}
    document["commitments"] = half
    signed = signed_of(described(document), LEVELS[SSD], at(0.5, "NvmeBandwidth"))
    assert not signed.passed
    assert "misses the reference: ssd read (engines' SSDs): NvmeBandwidth." in str(signed.gaps)


def test_a_commitment_below_what_was_accepted_is_weakened() -> None:
    """IOR's floor is far below its figures, so between both is room for a loss of a quarter."""
    levels, name = LEVELS[SSD], "IorEasy.write"
    floors = {
        each.expectation.floor
        for each in of_site(at(1.0)).judgements
        if each.requirement.figure == name
    }
    document = storage_site()
    just_above = max(floor for floor in floors if floor) * 1.01
    document["commitments"] = [
        {"metric": name, "figure": f"{just_above} MiB/s", "clause": "made up"}
    ]
    medians = {each.key: level for each, level in levels.items()}
    baseline = Accepted(
        campaign="the first",
        measured_to=datetime(2026, 1, 1, tzinfo=UTC),
        sha256="0" * 64,
        medians=medians,
    )
    slow = at((1 + KEPT) / 2 - 0.17, "IorEasy")
    cluster = described(document)
    assert just_above < 0.78 * medians[f"{name} on clients/dfs"]
    signed = signed_of(cluster, levels, slow, baseline=baseline)
    assert not signed.passed
    assert f"misses the reference: endtoend write: {name} on clients/dfs" in str(signed.gaps)
