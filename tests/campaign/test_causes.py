"""Faults of a running DAOS end in a sentence that names them, DAOS's code in words first."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from assay.campaign.steps import Step, problems
from assay.checks.raw import SubjectOutputs
from assay.foreign.files import Tree
from assay.tools import daos_perf
from assay.tools.ior import parse
from recordings import recorded

IOR = Step("write.1", 90, "/opt/bin/ior", [["ior"]], parse=parse)

DAOS_PERF = Step(
    "write.1",
    90,
    "daos_perf",
    [["daos_perf"]],
    parse=partial(daos_perf.parse, expected_processes=2),
    explains=True,
)

CLOSED = "invalid handle: the pool was evicted, its container destroyed, or the agent restarted ("

LOST = """\
2026/11/22 19:38:22.114413 vm DAOS[1/1/0] object ERR  src/object/cli_obj.c:1 obj_rw() 1.1: \
DER_RF(-2031): 'Failures exceed RF'
ERROR: dfs_write(0x7fab2843d000, 2097152) failed (5): Input/output error
ERROR: Failed to initialize DAOS DFS driver
"""
"""Made by hand, with the code's name and text in DAOS's source."""


def ended(place: Path, output: str, status: int, seconds: float = 1.0, *, step: Step = IOR) -> str:
    (place / "write.1.out").write_text("")
    (place / "write.1.err").write_text(output)
    (place / "steps.tsv").write_text(f"write.1\t{status}\t1.0\t{1 + seconds}\n")
    (problem,) = problems(SubjectOutputs(Tree(place)), [step])
    return problem


@pytest.mark.parametrize(
    ("recording", "cause"),
    [
        ("dfs_container_remade", CLOSED),
        ("dfs_pool_evicted", CLOSED),
        ("dfs_agent_restarted", CLOSED),
        (
            "dfs_pool_read_only",
            "Failed to connect to pool assay: not permitted; may this account write to it (its"
            " ACL)? (-1001)",
        ),
        (
            "dfs_container_read_only",
            "not permitted; may this account write to the container (its ACL)?"
            " (dfs_open() of c.00000000 Failed, errno 1)",
        ),
        ("dfs_no_agent", "Failed to initialize daos: the agent does not answer; is daos_agent run"),
        (
            "dfs_redundancy_lost",
            "Failed to open container posix: more failures than the redundancy of the container"
            " allows (-2031)",
        ),
        ("dfs_unknown_pool", "Failed to connect to pool"),
        ("singletons", "the output contains 2 runs of ior: each rank ran alone, without MPI"),
    ],
)
@pytest.mark.parametrize("status", [1, 137])
def test_the_cause_is_in_the_sentence(
    tmp_path: Path, recording: str, cause: str, status: int
) -> None:
    problem = ended(tmp_path, recorded("ior", f"{recording}.txt"), status)
    assert problem.startswith(f"ior (write.1) failed with exit status {status}: {cause}")


def test_a_loss_of_redundancy_is_named(tmp_path: Path) -> None:
    assert ended(tmp_path, LOST, 255).startswith(
        "ior (write.1) failed with exit status 255: more failures than the redundancy of the"
        " container allows (obj_rw() 1.1: DER_RF(-2031)"
    )


@pytest.mark.parametrize(
    ("recording", "cause"),
    [
        ("no_mpi", "daos_perf found no MPI: libdpar_mpi.so of DAOS, or the MPI that it was built"),
        ("pool_busy", "daos_perf did not start: something is connected to the pool; daos_perf nee"),
        ("unknown_pool", "daos_perf did not start: "),
    ],
)
def test_daos_perf_explains_what_its_library_only_logs(
    tmp_path: Path, recording: str, cause: str
) -> None:
    problem = ended(tmp_path, recorded("daos_perf", f"{recording}.txt"), 255, step=DAOS_PERF)
    assert problem.startswith(f"daos_perf (write.1) failed with exit status 255: {cause}")


@pytest.mark.parametrize("recording", ["dfs_rank_excluded", "dfs_engine_killed"])
def test_ranks_that_wait_for_an_engine_are_named(tmp_path: Path, recording: str) -> None:
    problem = ended(tmp_path, recorded("ior", f"{recording}.txt"), 124, seconds=90.0)
    assert problem.startswith("ior (write.1) hung: it was stopped after 90 s: no answer in time (")
    assert " to 1/2," in problem  # rank 1, target 2


@pytest.mark.parametrize(
    ("errno", "cause"),
    [
        (13, "not permitted; may this account write to the container (its ACL)?"),
        (30, "the container is open for reading alone"),
        (28, "No space left on device"),
    ],
)
def test_an_errno_of_the_file_system_is_told_in_words(
    tmp_path: Path, errno: int, cause: str
) -> None:
    line = f"ERROR (aiori-DFS.c:675): 0: {errno}: dfs_mkdir() of a Failed\n"
    assert f": {cause} (dfs_mkdir() of a Failed, errno {errno})" in ended(tmp_path, line, 1)


def test_a_rank_that_crashed_comes_before_what_its_peers_print(tmp_path: Path) -> None:
    """As Open MPI 4.1.4 printed it under srun; its peers report a lost connection."""
    printed = (Path(__file__).parents[1] / "recorded/mpirun/openmpi_rank_crashed.txt").read_text()
    assert ended(tmp_path, printed, 143) == (
        "ior (write.1) failed with exit status 143: rank 3 on nid002 crashed (Segmentation fault)"
    )


@pytest.mark.parametrize("ranks", ["2-3", "0,2"])
def test_several_ranks_of_a_host_that_crashed_are_all_named(ranks: str, tmp_path: Path) -> None:
    """Srun has one line for all tasks of a host that ended alike."""
    printed = (
        f"srun: error: nid002: tasks {ranks}: Segmentation fault (core dumped)\n"
        "srun: error: nid001: tasks 0-1: Terminated\n"
    )
    assert ended(tmp_path, printed, 143) == (
        f"ior (write.1) failed with exit status 143: ranks {ranks} on nid002 crashed"
        " (Segmentation fault)"
    )


@pytest.mark.parametrize("signal", ["Killed", "Out Of Memory"])
def test_a_rank_that_the_kernel_killed_is_named_with_the_likely_reason(
    tmp_path: Path, signal: str
) -> None:
    """As srun 22.05 printed it when IOR's option -M took more memory than there was."""
    printed = (
        f"srun: error: c2: task 2: {signal}\n"
        "srun: launch/slurm: _step_signal: Terminating StepId=14.15\n"
        "slurmstepd-c1: error: *** STEP 14.15 ON c1 CANCELLED AT 2026-11-29T08:00:49 ***\n"
        "srun: error: c1: task 0: Terminated\n"
        "srun: error: c2: task 3: Terminated\n"
    )
    assert ended(tmp_path, printed, 143) == (
        "ior (write.1) failed with exit status 143: rank 2 on c2 was killed, as if memory ran out:"
        " see dmesg there"
    )


def test_a_rank_that_srun_killed_after_another_one_ended_is_not_accused(tmp_path: Path) -> None:
    printed = "srun: error: c1: task 0: Terminated\nsrun: error: c2: tasks 2-3: Killed\n"
    assert "memory" not in ended(tmp_path, printed, 143)
