"""Right verdicts on noises and faults of real hosts, on a small part of the bench."""

import pytest
from bench import TUNING, false_alarms, recall, slips_stopped
from faults import FAULTS, SLIPPING, SLIPS
from noises import NOISES
from sessions import LEVELS, regressions, slips_named

FEW = 4


@pytest.mark.parametrize("hosts", [4, 16])
@pytest.mark.parametrize("noise", NOISES)
def test_a_sound_cluster_is_accused_of_nothing(noise: str, hosts: int) -> None:
    accused, _ = false_alarms(noise, hosts, FEW, TUNING)
    assert accused == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_called_what_it_is(fault: str) -> None:
    assert recall(fault, 16, FEW, TUNING) == 1


@pytest.mark.parametrize("slip", ["bits for bytes", "bytes for bits"])
@pytest.mark.parametrize("check", ["FiPingpong", "Nvme", "SelfTest", "Client"])
def test_bits_are_not_bytes(check: str, slip: str) -> None:
    assert slips_stopped(check, slip, 4, FEW, TUNING) == 1


@pytest.mark.parametrize("check", SLIPPING)
@pytest.mark.parametrize("slip", ["bits for bytes", "bytes for bits", "GiB for GB", "GB for GiB"])
def test_a_wrong_unit_is_named_where_there_is_a_baseline(check: str, slip: str) -> None:
    """Without one, half of the bound in the one unit and in the other are both plausible."""
    assert slips_named(check, SLIPS[slip], 4, 1, TUNING) == 1


@pytest.mark.parametrize("level", LEVELS)
def test_sound_sessions_are_not_a_regression(level: str) -> None:
    assert regressions(4, level, 1, 0.0, 8, TUNING) == 0
