"""Right verdicts on noises and faults of real hosts, on a small part of the bench."""

import pytest
from hosts import FAULTS, NOISES, REPORTING, false_alarms, recall

FEW = 6


@pytest.mark.parametrize("hosts", [4, 16])
@pytest.mark.parametrize("noise", NOISES)
def test_a_sound_cluster_is_accused_of_nothing(noise: str, hosts: int) -> None:
    accused, _ = false_alarms(noise, hosts, FEW, REPORTING)
    assert accused == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_called_what_it_is(fault: str) -> None:
    assert recall(fault, 16, FEW, REPORTING) == 1
