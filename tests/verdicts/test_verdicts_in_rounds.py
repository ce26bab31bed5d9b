"""Verdicts of campaigns that stop when decided, on a small part of their bench."""

import pytest
from faults import FAULTS
from noises import NOISES
from stopping import faulty, sound

SEED = 20_250
FEW = 2


@pytest.mark.parametrize("noise", NOISES)
def test_a_sound_cluster_is_accused_of_nothing_by_fewer_samples(noise: str) -> None:
    assert sound(noise, 16, FEW, SEED)[1] == 0


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_called_what_it_is_by_fewer_samples(fault: str) -> None:
    asked = 0 if "30 % of samples" in fault else 1
    assert faulty(fault, 16, FEW, SEED)[1] >= asked


def test_a_quiet_cluster_needs_half_of_the_samples() -> None:
    assert 0.4 < sound("independent, 1 %", 16, FEW, SEED)[-1] < 0.75


def test_a_noisy_cluster_takes_nearly_all() -> None:
    assert sound("independent, 5 %", 16, FEW, SEED)[-1] > 0.9
