"""Samples that were not measured one by one; all figures are made up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from assay.judge.fakes import fakes

SSDS = 32
Rows = list[list[float]]


def sound(scatter: float, samples: int, seed: int = 11) -> Rows:
    """SSDs of peers, in MiB/s as fio prints them."""
    noise = np.random.default_rng(seed).normal(0, scatter, (SSDS, samples))
    level = np.random.default_rng(seed + 1).normal(1, 0.005, (SSDS, 1))
    return [[float(x) for x in row] for row in np.round(6500 * level * (1 + noise), 3)]


def found(rows: Rows) -> dict[int, str]:
    names = [f"ssd{number}" for number in range(len(rows))]
    return fakes(rows, [0] * len(rows), names, list(range(len(rows))))


def jitter(scatter: float) -> Callable[[Rows], Rows]:
    def once(rows: Rows) -> Rows:
        noise = np.random.default_rng(3).normal(0, scatter, len(rows[0]))
        return [*rows[:-1], [round(rows[-1][0] * (1 + x), 6) for x in noise]]

    return once


def copied(rows: Rows) -> Rows:
    return [*rows[:-1], [round(0.999 * x, 3) for x in rows[4]]]


def shuffled(rows: Rows) -> Rows:
    return [*rows[:-1], [round(0.999 * x, 3) for x in rows[4][::-1]]]


@pytest.mark.parametrize("samples", [5, 7, 11])
@pytest.mark.parametrize("scatter", [1e-4, 1e-3, 0.01, 0.02])
def test_sound_figures_are_measured(scatter: float, samples: int) -> None:
    for seed in range(20):
        assert found(sound(scatter, samples, seed)) == {}


@pytest.mark.parametrize("samples", [5, 7, 11])
@pytest.mark.parametrize(
    ("fake", "why"),
    [
        (jitter(1e-6), "no benchmark repeats so well: nothing was measured"),
        (jitter(1e-4), "it was not measured "),
        (copied, "its samples are 0.999 times those of ssd4, to within"),
        (shuffled, "its samples are 0.999 times those of ssd4, to within"),
    ],
)
def test_an_ssd_that_was_not_measured_so_often_is_found(
    fake: Callable[[Rows], Rows], why: str, samples: int
) -> None:
    reasons = found(fake(sound(0.02, samples)))
    assert why in reasons[SSDS - 1]
    assert set(reasons) <= {4, SSDS - 1}


def test_figures_of_all_that_do_not_scatter_are_found_without_peers() -> None:
    rows = [jitter(1e-6)([row])[0] for row in sound(0.01, 7)]
    assert len(found(rows)) == SSDS


def test_many_quiet_peers_are_quiet_by_nature() -> None:
    half = sound(0.01, 7)[: SSDS // 2] + sound(1e-4, 7, seed=5)[: SSDS // 2]
    assert found(half) == {}


def test_sizes_over_whole_milliseconds_agree_by_chance() -> None:
    for seed in range(20):
        ticks = np.random.default_rng(seed).normal(30_000, 6, (SSDS, 7)).round()
        assert found([[float(x) for x in 204_800_000 / row] for row in ticks]) == {}


def test_what_all_hosts_have_in_common_is_no_copy() -> None:
    wave = 1 + 0.03 * np.sin(np.arange(7))
    rows = [[float(x) for x in np.array(row) * wave] for row in sound(3e-4, 7)]
    assert found(rows) == {}
