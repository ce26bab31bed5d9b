"""The right verdict for each fault, on a small part of the bench and with its reporting seed."""

import pytest
from faults import FAULTS
from scores import REPORTING, SOUND, Outcome, run

QUIET = 12
NOISY = 2


@pytest.fixture(scope="module")
def quiet() -> dict[str, Outcome]:
    return run(REPORTING, spread=0.02, campaigns=QUIET)[0]


@pytest.mark.parametrize("name", [name for name, fault in FAULTS.items() if fault.required])
def test_faults_are_recognized_on_a_quiet_cluster(name: str, quiet: dict[str, Outcome]) -> None:
    assert quiet[name].recognized >= (FAULTS[name].required or 1) * QUIET


def test_a_sound_cluster_raises_no_alarm(quiet: dict[str, Outcome]) -> None:
    assert quiet[SOUND].alarmed == 0


def test_fixed_references_refuse_nearly_every_sound_cluster(quiet: dict[str, Outcome]) -> None:
    assert quiet[SOUND].single > QUIET / 2


@pytest.mark.parametrize("spread", [0.05, 0.10])
def test_no_fault_passes_in_noise(spread: float) -> None:
    outcomes, _ = run(REPORTING, spread, NOISY)
    assert {name: outcomes[name].passed for name in FAULTS} == dict.fromkeys(FAULTS, 0)
    assert outcomes[SOUND].alarmed == 0
