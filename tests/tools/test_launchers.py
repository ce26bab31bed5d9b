"""What launchers of MPI say, by what real ones printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.tools.slurm.launchers import plugins, why_not_started
from assay.tools.text import OTHER_LAUNCHER

RECORDED = Path(__file__).parents[1] / "recorded" / "mpirun"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "openmpi_no_slots",
            "There are not enough slots available in the system to satisfy the 4 slots that were"
            " requested by the application: ior",
        ),
        (
            "openmpi_missing",
            "mpirun was unable to launch the specified application as it could not access or"
            " execute an executable: Executable: /nowhere/ior Node: nid001",
        ),
        ("openmpi_unknown_option", 'unknown option "--host=nid001:2"'),
        (
            "openmpi_without_pmi2",
            'The application appears to have been direct launched using "srun", but OMPI was not'
            f" built with SLURM's PMI support and therefore cannot execute{OTHER_LAUNCHER}",
        ),
        ("hydra_missing", "execvp error on file /nowhere/ior (No such file or directory)"),
        # What did start says itself why it failed.
        ("openmpi_rank_failed", None),
        ("openmpi_ior_aborted", None),
    ],
)
def test_why_a_launcher_started_nothing(name: str, why: str | None) -> None:
    assert why_not_started((RECORDED / f"{name}.txt").read_text()) == why


@pytest.mark.parametrize(
    ("printed", "known"),
    [
        (
            (RECORDED / "srun_mpi_list.txt").read_text(),
            ("pmix", "none", "cray_shasta", "pmi2", "pmix_v4"),
        ),
        ("srun: MPI types are...\nsrun: none\nsrun: pmi2\n", ("none", "pmi2")),
        ("MPI plugin types are...\n\tnone\n\tcray-shasta\n", ("none", "cray-shasta")),
        ("slurm_load_ctl_conf\nMPI plugin types are...\n\tnone\n", ("none",)),
        ("srun: error: Unable to contact slurm controller (connect failure)\n", ()),
    ],
)
def test_the_plugins_of_srun(printed: str, known: tuple[str, ...]) -> None:
    assert plugins(printed) == known
