"""What a job writes: its scratch directory, and its files in the page cache."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import pytest

from assay.campaign.steps import Evict, problems
from assay.checks import from_disk
from assay.shell import SCRATCH
from jobs import Job, stand_in, step


def test_refuses_a_scratch_directory_without_room_before_the_first_write(job: Job) -> None:
    write = step("write", ["touch", SCRATCH / "file"])
    room = shutil.disk_usage(job.scratch).free // 2**20
    need = room + 100_000
    assert job.run(f"scratch {job.scratch} {need}", write.line()) == 1
    assert list(job.scratch.iterdir()) == []
    assert job.left.steps() == []
    (problem,) = problems(job.left, [write])
    assert re.fullmatch(
        rf"{job.scratch} has room for \d+ MiB, but {need} MiB are needed;"
        " free some, or name another directory",
        problem,
    )


def test_refuses_a_scratch_directory_that_is_not_there(job: Job) -> None:
    assert job.run("scratch /nowhere/scratch 1", step("write", ["true"]).line()) == 1
    assert problems(job.left, []) == [
        "the directory /nowhere/scratch does not exist; create it, or name another"
    ]


def test_refuses_a_directory_in_which_none_can_be_made(job: Job) -> None:
    mktemp = stand_in("mktemp", "echo 'mktemp: Permission denied' >&2; false")
    write = step("write", ["touch", SCRATCH / "file"])
    assert job.run(mktemp, f"scratch {job.scratch} 1", write.line()) == 1
    (problem,) = problems(job.left, [write])
    assert f"cannot make a directory in {job.scratch}: mktemp: Permission denied" in problem
    assert job.left.steps() == []


@pytest.mark.parametrize(("command", "status"), [("true", 0), ("false", 1)])
def test_scratch_goes_away_with_the_job(job: Job, command: str, status: int) -> None:
    write = step("write", ["bash", job.program('touch "$SCRATCH/file"; ls "$SCRATCH"')])
    last = step("last", [command])
    assert job.run(f"scratch {job.scratch} 1", write.line(), last.line()) == status
    assert job.output("write.out") == "file\n"
    assert list(job.scratch.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_scratch_goes_away_with_a_job_that_is_told_to_end(job: Job, number: signal.Signals) -> None:
    begun = job.stage / "begun"
    hang = step("hang", ["sh", "-c", f"touch {begun}; exec sleep 300"], limit_s=400)
    process = job.start(f"scratch {job.scratch} 1", hang.line())
    while not begun.exists():
        time.sleep(0.01)
    assert list(job.scratch.iterdir())
    process.send_signal(number)
    assert process.wait(60) == 143
    assert list(job.scratch.iterdir()) == []


def test_scratch_goes_away_though_a_program_writes_until_its_end(job: Job) -> None:
    writes = 'trap : TERM; touch "$1/first"; sleep 60; sleep 1; touch "$1/last" && echo last'
    write = step("write", ["bash", job.program(writes), SCRATCH], limit_s=90)
    process = job.start(f"scratch {job.scratch} 1", write.line())
    while not list(job.scratch.glob("*/first")):
        time.sleep(0.01)
    process.terminate()
    assert process.wait(60) == 143
    assert list(job.scratch.iterdir()) == []
    assert job.output("write.0.out") == "last\n"


SLOW_RM = (
    "mkdir bin; printf '#!/bin/sh\\ntouch taking; sleep 1; exec /bin/rm \"$@\"\\n' >bin/rm",
    "chmod +x bin/rm; PATH=$PWD/bin:$PATH",
)


def test_a_signal_to_all_does_not_reach_what_takes_the_scratch_away(job: Job) -> None:
    process = job.start(*SLOW_RM, f"scratch {job.scratch} 1", step("end", ["true"]).line())
    while not (job.stage / "taking").exists():
        time.sleep(0.01)
    subprocess.run(["pkill", "--session", str(process.pid)], check=True)
    process.wait(60)
    assert list(job.scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("begin", "end"),
    [("", ""), ("(", ")"), ("(", ") & wait")],
    ids=["subject", "host", "partition"],
)
def test_a_script_that_is_told_to_end_waits_until_the_scratch_is_removed(
    job: Job, begin: str, end: str
) -> None:
    # Slurm kills at once what still runs when the script has ended.
    write = step("write", ["sleep", "60"], limit_s=90).line()
    subject = ["subject s1", f"scratch {job.scratch} 1", write]
    process = job.start(*SLOW_RM, begin, *subject, end, "touch next")
    for sign in (job.raw / "write.0.out", job.stage / "taking"):
        while not sign.exists():
            time.sleep(0.01)
        subprocess.run(["pkill", "--session", str(process.pid)], check=True)
    assert process.wait(60) == 143
    assert list(job.scratch.iterdir()) == []
    assert not (job.stage / "next").exists()


def test_what_a_killed_job_left_goes_away_with_the_next_of_the_same_host(job: Job) -> None:
    process = job.start(f"scratch {job.scratch} 1", step("wait", ["sleep", "60"]).line())
    while not list(job.scratch.iterdir()):
        time.sleep(0.01)
    process.kill()
    process.wait()
    (left,) = job.scratch.iterdir()
    other = job.scratch / left.name.replace(".s1.", ".s2.")
    other.mkdir()
    assert job.run(f"scratch {job.scratch} 1") == 0
    assert list(job.scratch.iterdir()) == [other]


def test_only_what_the_disk_gave_is_counted_as_read(job: Job) -> None:
    written = 8 * 2**20
    fill = f'head --bytes={written} /dev/urandom >"$SCRATCH/file"'
    first, again = (
        replace(step(name, ["cat", SCRATCH / "file"]), counts_reads=True)
        for name in ("first", "again")
    )
    evict = Evict("first", SCRATCH)
    lines = [f"{{ {fill}; }} || exit 1", evict.line(), first.line(), again.line()]
    assert job.run(f"scratch {job.scratch} 8", *lines) == 0
    assert from_disk.problems(job.left, "first", written) == ()
    (problem,) = from_disk.problems(job.left, "again", written)
    assert re.match(r"\d of 8 MiB were read from the disk, by the kernel's count;", problem)


def test_what_nobody_counted_was_not_read_from_the_disk(job: Job) -> None:
    """Kernels can be built without the count of a process."""
    read = replace(step("read", ["true"]), counts_reads=True)
    assert job.run("COUNTS=/nowhere", read.line()) == 0
    (problem,) = from_disk.problems(job.left, "read", 0)
    assert "is unknown: the job left no read.read_bytes; does the kernel have" in problem


def test_a_step_that_counts_fails_as_any_other(job: Job) -> None:
    fails = replace(step("read", ["false"]), counts_reads=True)
    assert job.run(fails.line(), step("next", ["true"]).line()) == 1
    assert [(done.name, done.status) for done in job.left.steps()] == [("read", 1)]


def test_evicted_files_are_read_from_the_disk(job: Job) -> None:
    evict = Evict("read", SCRATCH)
    fill = 'dd if=/dev/zero of="$SCRATCH/file" bs=1M count=8 status=none'
    assert job.run(f"scratch {job.scratch} 8", f"{{ {fill}; }} || exit 1", evict.line()) == 0
    assert job.output("read.resident") == "0\n"
    assert problems(job.left, [evict]) == []


def _instead_of_dd(script: str) -> str:
    return f"mkdir bin; printf '#!/bin/sh\\n%s\\n' {shlex.quote(script)} >bin/dd; chmod +x bin/dd"


def test_a_page_that_the_kernel_skips_once_is_evicted_after_all(job: Job) -> None:
    evict = Evict("read", SCRATCH)
    fill = 'head --bytes=8M /dev/zero >"$SCRATCH/file"'
    fake = _instead_of_dd('[ -e skipped ] && exec /bin/dd "$@"\ntouch skipped')
    path = "PATH=$PWD/bin:$PATH"
    job.run(fake, path, f"scratch {job.scratch} 8", f"{{ {fill}; }} || exit 1", evict.line())
    assert (job.stage / "skipped").exists()
    assert job.output("read.resident") == "0\n"


def test_empty_files_need_no_eviction(job: Job) -> None:
    # What looks at them takes a process for each: minutes for what mdtest leaves.
    evict = Evict("read", SCRATCH)
    fill = 'echo data >"$SCRATCH/file" && touch "$SCRATCH"/{1..9}'
    fake = _instead_of_dd('echo >>touched\nexec /bin/dd "$@"')
    path = "PATH=$PWD/bin:$PATH"
    job.run(fake, path, f"scratch {job.scratch} 8", f"{{ {fill}; }} || exit 1", evict.line())
    assert (job.stage / "touched").read_text() == "\n"


def test_files_that_stay_in_memory_are_reported(job: Job) -> None:
    # A tmpfs is nothing but page cache.
    with tempfile.TemporaryDirectory(prefix="assay-steps.", dir="/dev/shm") as memory:
        Path(memory, "file").write_bytes(bytes(8 * 2**20))
        evict = Evict("read", memory)
        assert job.run(evict.line()) == 0
        assert problems(job.left, [evict]) == [
            "8 MiB stayed in the page cache (read), so the next read came from memory and"
            " not from the disk"
        ]


def test_an_eviction_that_nobody_looked_at_is_not_an_eviction(job: Job) -> None:
    (problem,) = problems(job.left, [Evict("read", SCRATCH)])
    assert "is fincore installed?" in problem


@pytest.mark.parametrize("fincore", ["exit 127", "echo 0; exit 1"])
def test_files_that_fincore_did_not_look_at_are_not_taken_for_evicted(
    job: Job, fincore: str
) -> None:
    evict = Evict("read", SCRATCH)
    fill = 'for n in 1 2; do dd if=/dev/zero of="$SCRATCH/$n" bs=1M count=1 status=none; done'
    fake = f"mkdir bin; printf '#!/bin/sh\\n{fincore}\\n' >bin/fincore; chmod +x bin/fincore"
    path = "PATH=$PWD/bin:$PATH"
    job.run(fake, path, f"scratch {job.scratch} 8", f"{{ {fill}; }} || exit 1", evict.line())
    (problem,) = problems(job.left, [evict])
    assert "is fincore installed?" in problem


@pytest.mark.parametrize(("need", "status"), [(100, 0), (101, 1)])
def test_there_is_room_for_as_much_as_is_there(job: Job, need: int, status: int) -> None:
    room = stand_in("df", "printf '%s\\n' Avail 100")
    assert job.run(room, f"scratch {job.scratch} {need}") == status
    assert (job.raw / "refusal").exists() is bool(status)
