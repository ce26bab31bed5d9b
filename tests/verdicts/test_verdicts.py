"""Right verdicts on noises and faults of real hosts, on a small part of the bench."""

import pytest
from bench import FEW as FEW_HOSTS
from bench import TUNING, false_alarms, recall, recall_of_few, slips_stopped
from faults import FAULTS, FEW_PEERS, SLIPPING, SLIPS
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
    # What comes and goes does not come in every campaign, and five samples show little of it.
    few = {"one SSD, 20 % in 30 % of samples": 3, "one client, 20 % in 30 % of samples": 1}.get(
        fault, FEW
    )
    assert recall(fault, 16, FEW, TUNING) >= few


@pytest.mark.parametrize("hosts", FEW_HOSTS)
@pytest.mark.parametrize("fault", FEW_PEERS)
def test_of_two_or_three_peers_that_differ_none_passes(fault: str, hosts: int) -> None:
    assert recall_of_few(fault, hosts, FEW, TUNING) == FEW


@pytest.mark.parametrize("hosts", FEW_HOSTS)
def test_two_or_three_peers_that_are_alike_pass(hosts: int) -> None:
    assert false_alarms("independent, 2 %", hosts, FEW, TUNING) == (0, 0)


@pytest.mark.parametrize("hosts", [4, 16])
def test_a_sound_cluster_that_scatters_by_two_percent_passes(hosts: int) -> None:
    assert false_alarms("independent, 2 %", hosts, FEW, TUNING) == (0, 0)


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
