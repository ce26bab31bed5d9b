"""Right verdicts on noises and faults of real hosts, on a small part of the bench."""

import pytest
from bench import TUNING, false_alarms, recall, slips_stopped
from faults import FAULTS
from noises import NOISES

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
def test_bits_are_no_bytes(check: str, slip: str) -> None:
    assert slips_stopped(check, slip, 4, FEW, TUNING) == 1
