"""A soak judged: engines, pools and baselines that were not seen in every round."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assay.cluster.description import Cluster
from assay.soak.judge import judged
from assay.soak.outcome import Soak
from assay.soak.rounds import Round
from daos_campaigns import daos_cluster
from nightly import outcome

BEGAN = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)
SILENT = "Ior: the metrics of s1 were not read: did not end within 30 s"


def rounds(*of: dict[str, object], used: tuple[float | None, ...] = (0.1,)) -> list[Round]:
    """Rounds whose outcomes have these parts; and the fullest target of a pool after each."""
    return [
        Round(
            health=outcome(BEGAN + timedelta(minutes=15 * number), **parts),
            before={},
            after={},
            unread=(),
            pools={} if (share := used[number % len(used)]) is None else {"assay": share},
            held=bool(number),
        )
        for number, parts in enumerate(of)
    ]


def soak(*of: dict[str, object], cluster: Cluster | None = None, **more: object) -> Soak:
    return judged(cluster or daos_cluster(), rounds(*of, **more), (), 0.1, 0.05)  # type: ignore[arg-type]


def test_an_engine_that_did_not_answer_once_leaves_it_open() -> None:
    found = soak({}, {"unseen": (SILENT,)}, {})
    assert f"{SILENT} (in 1 of 3 rounds, first at 2026-03-01 02:11 UTC)" in found.unknown


def test_servers_without_telemetry_are_only_noted() -> None:
    found = soak({"unseen": (SILENT,)}, cluster=daos_cluster(telemetry_port=None))
    assert not any(SILENT in each for each in found.unknown)
    assert any(SILENT in each for each in found.notes)


@pytest.mark.parametrize(("last", "lacking"), [(None, True), (0.1, False)])
def test_a_pool_that_was_not_queried_at_the_end_leaves_it_open(
    last: float | None, lacking: bool
) -> None:
    found = soak({}, {}, used=(0.1, last))
    said = "how full the pool assay is was not read in the last round"
    assert (said in found.unknown) is lacking


def test_a_pool_that_was_seen_in_a_round_without_figures_was_not_queried_at_the_end() -> None:
    found = soak({"figures": 0})
    assert "how full the pool assay is was not read in the last round" in found.unknown


def test_space_that_is_not_given_back_is_an_alarm() -> None:
    (space,) = soak({}, {}, used=(0.1, 0.4)).findings
    assert space.endswith("is 40% full after the last one: space is not given back")


def test_rounds_without_the_baseline_of_others_leave_it_open() -> None:
    assert "2 of 3 rounds were held against a baseline" in soak({}, {}, {}).unknown
