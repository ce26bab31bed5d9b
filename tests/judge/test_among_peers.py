"""Each metric among its peers, by what is written and by what others of its host show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.judge.blame import slow_ends
from assay.judge.limits import NO_END
from assay.judge.pairs import Polished, polish
from assay.judge.peers import _levels, _within_hosts
from assay.judge.populations import NATURAL_FREEDOM, deviation, scale
from assay.judge.rating import Rating
from assay.judge.stats import threshold
from assay.judge.verdict import Verdict
from ratings import last, rated

Below, Open, Unrated = Verdict.BELOW, Verdict.UNSTEADY, Verdict.UNRATED


@pytest.mark.parametrize(
    ("figure", "verdict"),
    # STEPS: one and a half steps of 128 are 192, or 18.75 % of 1024.
    [(833.0, Unrated), (832.0, Unrated), (831.0, Below)],
)
def test_a_loss_is_more_than_a_step_and_a_half(figure: float, verdict: Verdict) -> None:
    assert last(rated([1024.0] * 7 + [figure], step=128.0)) is verdict


@pytest.mark.parametrize(("best", "verdict"), [(969.0, Below), (971.0, Open)])
def test_a_slow_metric_does_not_reach_its_peers(best: float, verdict: Verdict) -> None:
    """Half of SLOWER: its second best sample stays 3 % below them."""
    rating = rated([1000.0] * 7 + [880.0], high=[1000.0] * 7 + [best])
    assert last(rating) is verdict


@pytest.mark.parametrize(
    ("steps", "verdict"),
    [
        # Most samples of peers show no step: one peer that does proves nothing of the others.
        ([0.0] * 7 + [200.0], Below),
        ([0.0] * 3 + [200.0] * 5, Unrated),
        # The smallest step of those that show one.
        ([0.0] * 2 + [200.0] * 5 + [20.0], Below),
    ],
)
def test_the_step_of_peers_is_that_of_most(steps: list[float], verdict: Verdict) -> None:
    assert last(rated([1000.0] * 7 + [800.0], step=steps)) is verdict


def devices(*figures: float, best: float | None = None) -> Rating:
    """One host of some devices beside three that are all 1000; `best`: a sample of the first."""
    size = len(figures)
    each = [*figures, *[1000.0] * (size * 3)]
    return rated(
        each,
        high=None if best is None else [best, *each[1:]],
        subject=list(range(len(each))),
        host=[number // size for number in range(len(each))],
    )


def test_devices_are_compared_within_their_host_from_three_on() -> None:
    assert np.isnan(devices(900.0, 1000.0).figures.local).all()
    local = devices(900.0, 1000.0, 1000.0).figures.local
    assert local[:3] == pytest.approx([-0.1, 0, 0])
    assert not np.isnan(local).any()


@pytest.mark.parametrize(
    ("figure", "best", "verdict"),
    [
        # More than what is natural within a host, but less than SLOWER.
        (945.0, None, Unrated),
        (935.0, None, Below),
        # Half of SLOWER: its second best sample.
        (880.0, 969.0, Below),
        (880.0, 971.0, Open),
    ],
)
def test_a_slow_device_of_a_host(figure: float, best: float | None, verdict: Verdict) -> None:
    assert devices(figure, *[1000.0] * 7, best=best).verdict[0] == verdict


def test_metrics_without_peers_make_no_alarm_among_peers_rarer() -> None:
    def slow(lonely: int) -> str:
        rating = rated(
            [1000.0] * 7 + [788.0] + [1000.0] * lonely,
            spread=0.05,
            group=[0] * 8 + [-1] * lonely,
        )
        return str(rating.verdict[7])

    assert slow(0) == slow(100) == Below


def test_the_freedom_of_a_metric_without_peers_is_that_of_its_samples() -> None:
    assert rated([1000.0], group=-1, count=7).figures.freedom[0] == pytest.approx(0.37 * 6)
    assert rated([1000.0], group=-1, count=2).figures.freedom[0] == 1


def test_the_scale_within_hosts() -> None:
    gain = np.array([0.0, 0.02, -0.04, 0.1, 0.1, 0.12, 0.5])
    hosts = np.array([0, 0, 0, 1, 1, 1, 2])
    local, usual, loose = _within_hosts(gain, hosts, 0.01, 20.0)
    assert local == pytest.approx([0, 0.02, -0.04, 0, 0, 0.02, np.nan], nan_ok=True)
    # Two hosts of three devices: their deviation, 1.4826 * 0.01, is too small by 3 / 1.8.
    between, freedom = 1.4826 * 0.01 * 3 / 1.8, 0.37 * 6 * (1 - 1 / 3)
    own = (NATURAL_FREEDOM * 0.01**2 + freedom * (between**2 - 0.01**2)) / (
        NATURAL_FREEDOM + freedom
    )
    variance = 0.01**2 + own
    assert usual == pytest.approx((variance * (1 + 1.2533**2 / 3)) ** 0.5)
    assert loose == pytest.approx(
        variance**2 / (0.01**4 / 20 + own**2 / (NATURAL_FREEDOM + freedom))
    )


def test_without_hosts_of_several_devices_there_is_no_scale() -> None:
    local, usual, loose = _within_hosts(np.zeros(4), np.arange(4), 0.01, 20.0)
    assert np.isnan(local).all()
    assert np.isnan(usual)
    assert np.isnan(loose)


def of_ssds(loss: float, spread: float, metrics: int) -> set[Verdict]:
    """The verdicts of one SSD of eight in each of four hosts, which differ by 3 %."""
    own = np.repeat([0.97, 1.03, 0.98, 1.025], 8)
    own[13] *= 1 - loss
    rating = rated(
        [1000.0 * figure for _ in range(metrics) for figure in own],
        spread=spread,
        group=[metric for metric in range(metrics) for _ in own],
        subject=list(range(own.size)) * metrics,
        host=[host for _ in range(metrics) for host in range(4) for _ in range(8)],
    )
    return {Verdict(str(verdict)) for verdict in rating.verdict[13::32]}


def test_an_ssd_is_slow_within_its_host_in_all_of_its_metrics_together() -> None:
    """A loss of 10 % at 3 % of scatter: one metric alone may be chance, and six of them are not."""
    assert of_ssds(0.10, 0.03, 1) == {Open}
    assert of_ssds(0.10, 0.03, 6) == {Below}
    assert Below not in of_ssds(0.04, 0.0, 6)


@pytest.mark.parametrize(
    ("device", "pair", "levels"),
    [(np.nan, np.nan, 3), (0.0, np.nan, 5), (np.nan, 0.0, 5), (0.0, 0.0, 7)],
)
def test_the_levels_that_share_a_chance(device: float, pair: float, levels: int) -> None:
    """Metric, subject and host; the first two within a host, too; a pair and an end."""
    assert _levels(np.array([device, pair]), np.array([[NO_END, NO_END], [1, 0]])) == levels


UNEVEN = [1.04, 0.96, 1.03, 0.97, 1.02, 0.98, 1.0]
"""Seven hosts that differ by nature by a few percent."""


@pytest.mark.parametrize("metrics", [1, 2, 6])
def test_a_slow_host_is_told_from_hosts_that_differ(metrics: int) -> None:
    """One metric by itself, several by their median, whose own error is smaller."""

    def with_loss(loss: float) -> Rating:
        figures = [1000.0 * own for own in (*UNEVEN, 1 - loss)]
        return rated(
            figures * metrics,
            spread=0.02,
            count=15,
            group=[metric for metric in range(metrics) for _ in figures],
            subject=list(range(8)) * metrics,
        )

    rating = with_loss(0.2)
    error = float(rating.figures.error[0]) * (1.2533 / metrics**0.5 if metrics > 1 else 1)
    gain = np.array([*UNEVEN, 0.8]) / 0.99 - 1
    usual, loose = scale(deviation(gain), error, float(rating.figures.freedom[0]), 7)
    # One campaign in 200, a quarter for peers, of that a third for each level, and eight hosts.
    far = float(threshold(1 / 200 / 4 / 3 / 8, loose)) * usual
    limit = 1 - 0.99 * (1 - far)
    assert last(with_loss(limit * 1.002)) is Below
    assert last(with_loss(limit * 0.998)) is not Below


def of_ends(level: float, effect: float = -0.2) -> Polished:
    """Eight ends in a ring that differ by a few percent, but the last: its pairs lose more."""
    ring = np.array([(end, (end + 1) % 8) for end in range(8)])
    return replace(
        polish(np.array([*UNEVEN, 1.0]) - 1, ring),
        level=np.array([*UNEVEN, 1 + level]) - 1,
        effect=np.array([0.0] * 7 + [effect]),
    )


def test_a_slow_end_of_pairs_is_told_from_ends_that_differ() -> None:
    model = of_ends(-0.2)
    between = max(deviation(model.level), deviation(model.gain))
    assert between == deviation(model.level) != deviation(model.gain)
    # Each end is in two pairs, so the error of its median is smaller.
    usual, loose = scale(between, 0.05 * 1.2533 / 2**0.5, 20.0, 7)
    far = float(threshold(1e-4, loose)) * usual
    assert list(slow_ends(of_ends(-far * 1.002), 0.05, 20.0, 1e-4)) == [7]
    assert not list(slow_ends(of_ends(-far * 0.998), 0.05, 20.0, 1e-4))


def test_an_end_is_slow_by_more_than_six_percent() -> None:
    assert list(slow_ends(of_ends(-0.9, -0.0601), 0.001, 20.0, 0.1)) == [7]
    assert not list(slow_ends(of_ends(-0.9, -0.06), 0.001, 20.0, 0.1))
