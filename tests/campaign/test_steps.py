"""The steps of a job script, driven by bash as a job drives them."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from assay.campaign.steps import Shell, busy_s, problems
from assay.checks.raw import Done
from assay.shell import SCRATCH, Text
from assay.tools import ior
from jobs import Job, step
from needs import without


def test_a_step_leaves_its_output_its_messages_and_its_status(job: Job) -> None:
    before = time.time()
    greet = step("greet", ["sh", "-c", "echo hello; echo careful >&2"])
    assert job.run(greet.line()) == 0
    assert job.output("greet.out") == "hello\n"
    assert job.output("greet.err") == "careful\n"
    (done,) = job.left.steps()
    assert (done.name, done.status) == ("greet", 0)
    assert before <= done.start <= done.end <= time.time()
    assert problems(job.left, [greet]) == []


def test_a_failure_ends_the_job_and_its_last_words_are_kept(job: Job) -> None:
    first = step("first", ["sh", "-c", "echo disk is on fire >&2; exit 3"])
    second = step("second", ["true"])
    assert job.run(first.line(), second.line()) == 1
    assert [done.status for done in job.left.steps()] == [3]
    assert problems(job.left, [first, second]) == [
        "sh (first) failed with exit status 3: disk is on fire"
    ]


def test_a_crash_is_identified_by_its_signal(job: Job) -> None:
    crash = step("crash", ["bash", job.program("kill -SEGV $$")])
    assert job.run(crash.line()) == 1
    assert [done.status for done in job.left.steps()] == [128 + signal.SIGSEGV]
    assert "failed with exit status 139" in problems(job.left, [crash])[0]


def test_a_program_that_is_not_there_is_named(job: Job) -> None:
    absent = step("absent", ["/nowhere/fio"])
    assert job.run(absent.line()) == 1
    assert problems(job.left, [absent]) == [
        "/nowhere/fio (absent) is missing or cannot be run: is it installed there?"
    ]


def test_a_program_that_srun_did_not_find_is_named(job: Job) -> None:
    stderr = "slurmstepd-c2: error: execve(): /nowhere/ior: No such file or directory"
    failed = "srun: error: c2: tasks 2-3: Exited with exit code 2"
    absent = step("write.1", ["sh", "-c", f"printf '%s\\n' '{stderr}' '{failed}' >&2; exit 2"])
    assert job.run(absent.line()) == 1
    assert problems(job.left, [replace(absent, program="/nowhere/ior")]) == [
        "/nowhere/ior (write.1) is missing or cannot be run: is it installed there?"
    ]


def test_what_a_launcher_did_not_find_is_named_although_it_waits_for_it(job: Job) -> None:
    stderr = "slurmstepd-c2: error: execve(): /opt/mpi/hydra_pmi_proxy: No such file or directory"
    absent = step("write.1", ["sh", "-c", f"echo '{stderr}' >&2; exit 124"])
    assert job.run(absent.line()) == 1
    assert problems(job.left, [replace(absent, limit_s=0)]) == [
        "/opt/mpi/hydra_pmi_proxy (write.1) is missing or cannot be run: is it installed there?"
    ]


def test_why_nothing_was_started_comes_before_what_the_benchmark_did_not_print(job: Job) -> None:
    stderr = Path(__file__).parents[1] / "recorded" / "mpirun" / "openmpi_unknown_option.txt"
    failed = step("write.1", ["sh", "-c", f"cat {stderr} >&2; exit 1"])
    assert job.run(failed.line()) == 1
    assert problems(job.left, [replace(failed, parse=ior.parse)]) == [
        'sh (write.1) failed with exit status 1: unknown option "--host=nid001:2"'
    ]


def test_the_status_is_that_of_the_rank_that_failed_and_not_of_those_that_srun_ended(
    job: Job,
) -> None:
    stderr = "srun: error: c1: task 0: Exited with exit code 64"
    failed = step("write.1", ["sh", "-c", f"echo '{stderr}' >&2; exit 143"])
    assert job.run(failed.line()) == 1
    (why,) = problems(job.left, [failed])
    assert why.startswith("sh (write.1) failed with exit status 64: ")


@pytest.mark.parametrize("deaf", [False, True], ids=["ends", "ignores SIGTERM"])
def test_a_command_that_hangs_is_ended(job: Job, deaf: bool) -> None:
    trap = 'trap "" TERM; ' if deaf else ""
    program = job.program(f"{trap}while :; do sleep 0.1; done")
    hang = step("hang", ["bash", program], limit_s=1)
    assert job.run(hang.line()) == 1
    (done,) = job.left.steps()
    assert 1 <= done.end - done.start < 60
    assert problems(job.left, [hang]) == ["bash (hang) hung: it was stopped after 1 s"]
    hanging = replace(hang, hangs="it waits for a dead rank")
    assert problems(job.left, [hanging]) == [
        "bash (hang) hung: it was stopped after 1 s; it waits for a dead rank"
    ]


def test_several_commands_run_at_once_and_their_lines_are_labelled(job: Job) -> None:
    # Each waits until the other is there.
    meet = job.program("touch $1; until [[ -e $2 ]]; do sleep 0.01; done; echo $1; echo $1 >&2")
    at_once = step("both", ["bash", meet, "a", "b"], ["bash", meet, "b", "a"])
    assert job.run(at_once.line()) == 0
    assert job.output("both.out") == "0: a\n1: b\n"
    assert job.output("both.err") == "0: a\n1: b\n"
    assert sorted(path.name for path in job.raw.iterdir()) == ["both.err", "both.out", "steps.tsv"]


def test_one_failure_among_several_is_the_status_of_the_step(job: Job) -> None:
    mixed = step("mixed", ["true"], ["sh", "-c", "exit 7"], ["true"])
    assert job.run(mixed.line()) == 1
    assert [done.status for done in job.left.steps()] == [7]


def test_words_reach_the_command_as_they_are(job: Job) -> None:
    odd: list[Text] = ["two words", "it's", 'a "quote"', "$(x)", "back\\slash", "*", ":", "::", ""]
    command = ["printf", "%s\n", SCRATCH / "$x", *odd]
    assert job.run(f"scratch {job.scratch} 1", step("odd", command).line()) == 0
    lines = job.output("odd.out").splitlines()
    assert re.fullmatch(rf"{job.scratch}/assay\S+/\$x", lines[0])
    assert lines[1:] == odd


def test_a_line_of_shell_that_fails_ends_the_job(job: Job) -> None:
    after = step("after", ["true"])
    assert job.run(Shell(["false"]).line(), after.line()) == 1
    assert "the job ended before true (after) did" in problems(job.left, [after])[0]


@pytest.mark.parametrize("rest", ["", "read.1\t0\t3", "\0" * 20], ids=["whole", "part", "zeros"])
def test_a_record_that_was_cut_off_is_a_job_that_ended_early(job: Job, rest: str) -> None:
    job.raw.mkdir(parents=True)
    (job.raw / "steps.tsv").write_text(f"write.1\t0\t1.0\t2.0\n{rest}")
    assert job.left.steps() == [Done("write.1", 0, 1.0, 2.0)]
    (problem,) = problems(job.left, [step("write.1", ["fio"]), step("read.1", ["fio"])])
    assert problem.startswith("the job ended before fio (read.1) did: the node went down")


def test_what_runs_at_once_is_counted_once() -> None:
    ran = [
        Done("write", 0, 10.0, 14.0),
        Done("write", 0, 12.0, 15.0),
        Done("read", 0, 12.5, 13.0),
        Done("read", 0, 20.0, 21.0),
    ]
    assert busy_s(reversed(ran)) == 6.0
    assert busy_s([]) == 0.0


@pytest.mark.parametrize(
    ("cpulists", "nodes", "cores"),
    [
        (["0-31,64-95", "32-63,96-127"], "0 0 1 1", "0,1,32,33"),
        (["0,2,4,6,8,10", "1,3,5,7,9,11"], "0 0 0 1 1 1", "0,2,4,5,7,9"),
        (["0-1"], "0 0 0", "0,1"),
        (["4-7", "0-3"], "0 0 1 1", "0,1,4,5"),
        (["0-3", "4-7"], "1", "4"),
    ],
    ids=["blocks", "interleaved", "too-few", "backwards", "one"],
)
def test_the_cores_of_devices_are_near_in_their_order(
    job: Job, tmp_path: Path, cpulists: list[str], nodes: str, cores: str
) -> None:
    for number, cpulist in enumerate(cpulists):
        (tmp_path / f"node{number}").mkdir()
        (tmp_path / f"node{number}" / "cpulist").write_text(f"{cpulist}\n")
    assert job.run(f"NODES={tmp_path}", f'cores {nodes} >"$RAW/cores"') == 0
    assert job.output("cores") == f"{cores}\n"


def test_processes_of_fio_have_cores_on_the_nodes_that_are_named(job: Job, tmp_path: Path) -> None:
    for number, cpulist in enumerate(["0-3", "4-7"]):
        (tmp_path / f"node{number}").mkdir()
        (tmp_path / f"node{number}" / "cpulist").write_text(f"{cpulist}\n")
    places = f"NODES={tmp_path}"
    assert job.run(places, "spread 0 0 1 1", 'env | grep ^CPUS= >"$RAW/cores"') == 0
    assert job.output("cores") == "CPUS=0,1,4,5\n"
    assert job.run(f"{places}/none", "spread 0 1") == 1
    assert job.output("refusal").startswith("the cores of the NUMA nodes 0 1 are unknown")


def test_times_are_the_same_in_every_language(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Bash writes the fractions of its clock as the language of whoever started it has them.
    made = ["localedef", "--inputfile=de_DE", "--charmap=UTF-8", str(tmp_path / "de_DE.UTF-8")]
    if shutil.which("localedef") is None or subprocess.run(made, check=False).returncode:
        without("there are no sources of locales here (Debian: locales)")
    monkeypatch.setenv("LOCPATH", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    assert job.run(step("one", ["true"]).line()) == 0
    assert [done.name for done in job.left.steps()] == ["one"]


@pytest.mark.parametrize(
    ("printed", "hint"),
    [
        (
            "cat",
            "; its results are complete: does MPI_Finalize of this MPI hang?",
        ),
        ("head --bytes=300", ""),
    ],
    ids=["complete", "cut"],
)
def test_a_hang_after_the_last_result_is_that_of_mpi(job: Job, printed: str, hint: str) -> None:
    """As IOR did with MPICH 4.0.2 over UCX on three hosts: one rank waited in MPI_Finalize."""
    summary = Path(__file__).parents[1] / "recorded" / "ior" / "posix_json.json"
    hang = step("read", ["sh", "-c", f"{printed} {summary}; exec sleep 60"], limit_s=1)
    hang = replace(hang, parse=ior.parse)
    job.run(hang.line())
    assert problems(job.left, [hang]) == [f"sh (read) hung: it was stopped after 1 s{hint}"]


@pytest.mark.parametrize("status", [124, 1])
def test_a_step_that_fails_has_the_first_cause(job: Job, status: int) -> None:
    stderr = Path(__file__).parents[1] / "recorded" / "ior" / "dfs_pool_evicted.txt"
    failed = step("work", ["sh", "-c", f"cat {stderr}; exit {status}"])
    job.run(failed.line())
    (problem,) = problems(job.left, [failed])
    begin = "hung: it was stopped after 10 s" if status == 124 else "failed with exit status 1"
    assert f"{begin}: invalid handle: the pool was evicted, its container destroyed" in problem


def test_what_a_step_before_did_wrong_comes_before_the_step_that_fails(job: Job) -> None:
    """With `srun --mpi=none` each rank of IOR wrote the files of all, and removed them."""
    summary = Path(__file__).parents[1] / "recorded" / "ior" / "posix_json.json"
    parse = partial(ior.parse, expected_tasks=2)
    first = step("write", ["sed", 's/"tasks": 2/"tasks": 1/', str(summary)])
    first = replace(first, parse=parse)
    fails = step("clean", ["sh", "-c", "echo File exists >&2; exit 1"])
    job.run(first.line(), fails.line())
    wrong, failed = problems(job.left, [first, fails])
    assert wrong.startswith(
        "sed (write): ior ran with the wrong number of tasks: 1 instead of 2: each rank ran alone,"
        " without MPI; name the launcher of this MPI"
    )
    assert failed == "sh (clean) failed with exit status 1: File exists"
    # It explains a failure; of steps that all end well the samples are judged.
    assert problems(job.left, [first]) == []
