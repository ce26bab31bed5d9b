"""What is said of VosPerf's figures in a wrong unit, without a baseline.

One process does a part of what its memory can, so that only a large factor leaves what is possible.
"""

import pytest
from support.clusters import described
from support.sites import site

from assay.checks.expect import Measured, expectation
from assay.checks.plan import requirements
from assay.judge.judgement import Measurement, judge
from assay.judge.verdict import Verdict

SITE = site("ephemeral", servers=1, engines=1, clients=1)
SITE["hosts"]["s1"]["datasheets"] = {"memory": "DDR4-3200", "memory_channels": 2}
CLUSTER = described(SITE)
(FETCH,) = (m for m in requirements(CLUSTER) if m.figure == "VosPerfBandwidth.fetch_1m")
EXPECTED = expectation(CLUSTER, FETCH, Measured({}, "acceptance"))


def _verdict(level: float) -> Verdict:
    samples = [level * (1 + n / 1000) for n in (0, 3, -2, 1, -3, 2, -1)]
    return judge([Measurement(FETCH, samples, EXPECTED)]).judgements[0].verdict


def _sound(part: float) -> float:
    assert EXPECTED.bound
    return EXPECTED.bound * part


@pytest.mark.parametrize("part", [0.14, 0.3, 0.5, 0.9])
def test_bits_for_bytes_are_stopped_above_an_eighth_of_the_bound(part: float) -> None:
    assert _verdict(_sound(part)) is Verdict.PASS
    assert _verdict(8 * _sound(part)) is Verdict.IMPLAUSIBLE


def test_below_an_eighth_bits_cannot_be_told_apart() -> None:
    assert _verdict(8 * _sound(0.1)) is Verdict.PASS


@pytest.mark.parametrize("times", [1.1, 3.0, 7.9])
def test_bytes_for_bits_are_stopped_below_eight_times_the_floor(times: float) -> None:
    assert EXPECTED.floor
    assert _verdict(times * EXPECTED.floor) is Verdict.PASS
    assert _verdict(times * EXPECTED.floor / 8) is Verdict.BELOW


@pytest.mark.parametrize("factor", [1000**3 / 1024**3, 1024**3 / 1000**3])
def test_gib_for_gb_cannot_be_told_apart(factor: float) -> None:
    assert _verdict(factor * _sound(0.3)) is Verdict.PASS
