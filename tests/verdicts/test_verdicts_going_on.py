"""Verdicts of campaigns that go on while a verdict is open, on a small part of their bench."""

import numpy as np
import pytest
from faults import FAULTS
from going_on import GoingOn, faulty, sound
from noises import NOISES

SEED = 20_250
FEW = 2


@pytest.mark.parametrize("noise", NOISES)
def test_a_sound_cluster_is_accused_of_nothing_by_more_samples(noise: str) -> None:
    assert not any(ended.accused for _, ended in sound(noise, 4, FEW, SEED))


@pytest.mark.parametrize(("noise", "left_open"), [("independent, 5 %", FEW), ("recorded, 2 %", 1)])
def test_more_samples_decide_what_scatter_leaves_open(noise: str, left_open: int) -> None:
    campaigns = list(sound(noise, 4, FEW, SEED))
    assert sum(once.is_open for once, _ in campaigns) == left_open
    for _, ended in campaigns:
        assert not ended.is_open
        assert 0 < ended.extra < 3


def test_a_quiet_cluster_takes_no_further_round() -> None:
    assert [ended.extra for _, ended in sound("independent, 1 %", 4, FEW, SEED)] == [0.0, 0.0]


@pytest.mark.parametrize("fault", ["one SSD, 10 %", "one client, 10 %", "one host, 20 %"])
def test_a_fault_is_called_what_it_is_by_more_samples(fault: str) -> None:
    assert fault in FAULTS
    # Each look has a quarter of every chance: of four hosts, a client is found in 19 of 20.
    least = FEW - 1 if fault == "one client, 10 %" else FEW
    assert faulty(fault, 4, FEW, SEED)[1] >= least


def test_a_round_is_of_whole_checks() -> None:
    """All peers have as many samples: none is measured again since it was slow by chance."""
    cluster = GoingOn(4)
    made = cluster.measured(NOISES["independent, 5 %"](np.random.default_rng(SEED), cluster))
    ended = cluster.gone_on(made)
    assert len(set(ended.rounds.tolist())) > 1
    rounds = ended.rounds[cluster.check]
    taken = np.sum(~np.isnan(cluster.with_rounds(made, rounds)), axis=1)
    for group in np.unique(cluster.limits.group):
        assert len(set(taken[cluster.limits.group == group].tolist())) == 1
