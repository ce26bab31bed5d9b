"""The steps of a job script, driven by bash as a job drives them."""

from __future__ import annotations

import gzip
import http.server
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assay.campaign.steps import Evict, Shell, Step, busy_s, problems
from assay.checks.raw import Done, SubjectOutputs
from assay.foreign.files import Tree
from assay.shell import SCRATCH, Text
from needs import without

STEPS = Path(__file__).parents[2] / "reframe-checks" / "steps.sh"


@dataclass
class Job:
    """A stage directory and a scratch directory, and what a script does in them."""

    stage: Path
    scratch: Path

    @property
    def raw(self) -> Path:
        return self.stage / "raw" / "s1"

    @property
    def left(self) -> SubjectOutputs:
        return SubjectOutputs(Tree(self.raw))

    def script(self, *lines: str) -> str:
        return "\n".join([f". {STEPS}", "subject s1", *lines])

    def start(self, *lines: str) -> subprocess.Popen[str]:
        environment = {**os.environ, "SLURMD_NODENAME": "s1"}
        return subprocess.Popen(
            ["bash", "-c", self.script(*lines)],
            cwd=self.stage,
            env=environment,
            text=True,
            start_new_session=True,
        )

    def run(self, *lines: str) -> int:
        return self.start(*lines).wait(60)

    def program(self, text: str) -> str:
        """A file for `bash`."""
        path = self.stage / "program.sh"
        path.write_text(text)
        return str(path)

    def output(self, name: str) -> str:
        return (self.raw / name).read_text()


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    # Not below /tmp, which may be a tmpfs: the page cache is that of a disk.
    with tempfile.TemporaryDirectory(prefix="assay-steps.", dir="/var/tmp") as scratch:
        yield Job(tmp_path, Path(scratch))


def step(name: str, *commands: list[Text], limit_s: int = 10) -> Step:
    return Step(name, limit_s=limit_s, program=commands[0][0], commands=commands)


def test_a_step_leaves_its_output_its_messages_and_its_status(job: Job) -> None:
    before = time.time()
    told = step("greet", ["sh", "-c", "echo hello; echo careful >&2"])
    assert job.run(told.line()) == 0
    assert job.output("greet.out") == "hello\n"
    assert job.output("greet.err") == "careful\n"
    (done,) = job.left.steps()
    assert (done.name, done.status) == ("greet", 0)
    assert before <= done.start <= done.end <= time.time()
    assert problems(job.left, [told]) == []


def test_a_failure_ends_the_job_and_its_last_words_are_kept(job: Job) -> None:
    first = step("first", ["sh", "-c", "echo disk is on fire >&2; exit 3"])
    second = step("second", ["true"])
    assert job.run(first.line(), second.line()) == 1
    assert [done.status for done in job.left.steps()] == [3]
    assert problems(job.left, [first, second]) == [
        "sh (first) failed with exit status 3: disk is on fire"
    ]


def test_a_crash_is_told_by_its_signal(job: Job) -> None:
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
    said = "slurmstepd-c2: error: execve(): /nowhere/ior: No such file or directory"
    failed = "srun: error: c2: tasks 2-3: Exited with exit code 2"
    absent = step("write.1", ["sh", "-c", f"printf '%s\\n' '{said}' '{failed}' >&2; exit 2"])
    assert job.run(absent.line()) == 1
    assert problems(job.left, [replace(absent, program="/nowhere/ior")]) == [
        "/nowhere/ior (write.1) is missing or cannot be run: is it installed there?"
    ]


def test_the_status_is_that_of_the_rank_that_failed_and_not_of_those_that_srun_ended(
    job: Job,
) -> None:
    said = "srun: error: c1: task 0: Exited with exit code 64"
    failed = step("write.1", ["sh", "-c", f"echo '{said}' >&2; exit 143"])
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
    assert problems(job.left, [hang]) == ["bash (hang) hung: it was ended after 1 s"]
    told = replace(hang, hangs="it waits for a dead rank")
    assert problems(job.left, [told]) == [
        "bash (hang) hung: it was ended after 1 s; it waits for a dead rank"
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


def test_refuses_a_scratch_directory_without_room_before_the_first_write(job: Job) -> None:
    write = step("write", ["touch", SCRATCH / "file"])
    room = shutil.disk_usage(job.scratch).free // 2**20
    need = room + 100_000
    assert job.run(f"scratch {job.scratch} {need}", write.line()) == 1
    assert list(job.scratch.iterdir()) == []
    assert job.left.steps() == []
    (problem,) = problems(job.left, [write])
    assert re.fullmatch(
        rf"{job.scratch} has room for \d+ MiB and {need} MiB are needed;"
        " free some, or name another directory",
        problem,
    )


def test_refuses_a_scratch_directory_that_is_not_there(job: Job) -> None:
    assert job.run("scratch /nowhere/scratch 1", step("write", ["true"]).line()) == 1
    assert problems(job.left, []) == [
        "there is no directory /nowhere/scratch; make it, or name another"
    ]


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
def test_a_script_that_is_told_to_end_waits_until_the_scratch_is_taken_away(
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


def test_evicted_files_are_read_from_the_disk(job: Job) -> None:
    evict = Evict("read", SCRATCH)
    fill = 'dd if=/dev/zero of="$SCRATCH/file" bs=1M count=8 status=none'
    assert job.run(f"scratch {job.scratch} 8", f"{{ {fill}; }} || exit 1", evict.line()) == 0
    assert job.output("read.resident") == "0\n"
    assert problems(job.left, [evict]) == []


def test_empty_files_need_no_eviction(job: Job) -> None:
    # What looks at them takes a process for each: minutes for what mdtest leaves.
    evict = Evict("read", SCRATCH)
    fill = 'echo data >"$SCRATCH/file" && touch "$SCRATCH"/{1..9}'
    fake = "mkdir bin; printf '#!/bin/sh\\necho >>touched\\n' >bin/dd; chmod +x bin/dd"
    path = "PATH=$PWD/bin:$PATH"
    job.run(fake, path, f"scratch {job.scratch} 8", f"{{ {fill}; }} || exit 1", evict.line())
    assert (job.stage / "touched").read_text() == "\n"


def test_files_that_stay_in_memory_are_told(job: Job) -> None:
    # A tmpfs is nothing but page cache.
    with tempfile.TemporaryDirectory(prefix="assay-steps.", dir="/dev/shm") as memory:
        Path(memory, "file").write_bytes(bytes(8 * 2**20))
        evict = Evict("read", memory)
        assert job.run(evict.line()) == 0
        assert problems(job.left, [evict]) == [
            "8 MiB stayed in the page cache (read), so what was read next came from memory and"
            " not from the disk"
        ]


def test_an_eviction_that_nobody_looked_at_is_no_eviction(job: Job) -> None:
    (problem,) = problems(job.left, [Evict("read", SCRATCH)])
    assert "is fincore there?" in problem


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
    assert "is fincore there?" in problem


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


def stand_in(program: str, script: str) -> str:
    """A line of a job script that puts something else in the place of a program."""
    return f"{program}() {{ {script}; }}"


@pytest.mark.parametrize(("need", "status"), [(100, 0), (101, 1)])
def test_there_is_room_for_as_much_as_is_there(job: Job, need: int, status: int) -> None:
    room = stand_in("df", "printf '%s\\n' Avail 100")
    assert job.run(room, f"scratch {job.scratch} {need}") == status
    assert (job.raw / "refusal").exists() is bool(status)


@pytest.mark.parametrize(
    ("pgrep", "refusal"),
    [
        ("echo 0; return 1", None),
        ("echo 2", "2 engines of DAOS are running here and would disturb the measurement"),
        ("return 127", "it is not known whether an engine of DAOS is running here"),
    ],
    ids=["none", "two", "no pgrep"],
)
def test_nothing_is_measured_beside_an_engine(job: Job, pgrep: str, refusal: str | None) -> None:
    line = "engines_stopped raw"
    assert job.run(stand_in("pgrep", pgrep), line, "touch measured") == (1 if refusal else 0)
    assert (job.stage / "measured").exists() is (refusal is None)
    if refusal:
        assert job.output("refusal").startswith(refusal)


@pytest.mark.parametrize(
    ("answers", "refusal"),
    [
        ("0 0", None),
        ("0", "it is not known whether an engine of DAOS is running here: 1 of 2 hosts answered"),
        ("", "it is not known whether an engine of DAOS is running here: 0 of 2 hosts answered"),
        ("1", "1 engines of DAOS are running here and would disturb the measurement"),
    ],
    ids=["both", "one", "none", "one has an engine"],
)
def test_every_host_has_to_answer_whether_an_engine_runs(
    job: Job, answers: str, refusal: str | None
) -> None:
    launcher = stand_in("srun", f"printf '%s\\n' {answers}")
    line = "engines_stopped raw 2 srun --nodes=2"
    assert job.run(launcher, line, "touch measured") == (1 if refusal else 0)
    assert (job.stage / "measured").exists() is (refusal is None)
    if refusal:
        assert job.output("refusal").startswith(refusal)


DFUSE = "DAOS.POSIX://11/22"


@pytest.fixture
def mount(job: Job) -> Path:
    """A directory that passes for a dfuse mount of the container 11/22."""
    mounted = job.stage / "mnt"
    mounted.mkdir()
    os.setxattr(mounted, "user.daos", DFUSE.encode())
    (job.stage / "mounts").write_text(f"dfuse {mounted} fuse.daos rw 0 0\n")
    programs = job.stage / "bin"
    programs.mkdir()
    awk = programs / "awk"
    awk.write_text(f'#!/bin/bash\nexec /usr/bin/awk "${{@/\\/proc\\/mounts/{job.stage}/mounts}}"\n')
    awk.chmod(0o755)
    return mounted


def path_of(job: Job) -> str:
    return f"PATH={job.stage}/bin:$PATH"


def test_a_dfuse_of_the_container_is_taken(job: Job, mount: Path) -> None:
    assert job.run(path_of(job), f"on_dfuse {mount} 11 22", "touch measured") == 0
    assert (job.stage / "measured").exists()
    assert not (job.raw / "refusal").exists()


def test_a_dfuse_of_another_container_is_refused(job: Job, mount: Path) -> None:
    assert job.run(path_of(job), f"on_dfuse {mount} 11 33", "touch measured") == 1
    assert not (job.stage / "measured").exists()
    assert job.output("refusal").startswith(
        f"what is mounted at {mount} is not a dfuse of the container (pool 11, container 33):"
        f" {DFUSE} on s1"
    )


def test_a_local_disk_is_refused(job: Job, mount: Path) -> None:
    (job.stage / "mounts").write_text("")
    assert job.run(path_of(job), f"on_dfuse {mount} 11 22") == 1
    assert "container 22): nothing on s1" in job.output("refusal")


def test_a_mount_that_is_replaced_in_the_run_is_reported_and_cleaned(job: Job, mount: Path) -> None:
    swap = f'python3 -c \'import os; os.setxattr("{mount}", "user.daos", b"DAOS.POSIX://11/44")\''
    status = job.run(
        path_of(job),
        f"on_dfuse {mount} 11 22",
        "MADE=assay.7",
        step("work", ["touch", f"{mount}/assay.7.ior", f"{mount}/theirs"]).line(),
        swap,
    )
    assert status == 0
    assert job.output("refusal").startswith(
        f"during the run something else was mounted at {mount}: DAOS.POSIX://11/44 on s1"
    )
    assert [path.name for path in mount.iterdir()] == ["theirs"]


@pytest.mark.parametrize(
    ("later", "said"),
    [("7", False), ("8", True), ("", True)],
    ids=["the same", "restarted", "ended"],
)
def test_an_agent_that_restarts_in_the_run_is_named(job: Job, later: str, said: bool) -> None:
    programs = job.stage / "bin"
    programs.mkdir()
    (job.stage / "pid").write_text("7")
    pgrep = programs / "pgrep"
    pgrep.write_text(f"#!/bin/sh\ngrep . {job.stage}/pid\n")
    pgrep.chmod(0o755)
    begun = [path_of(job), "same_agent", f"printf '%s' '{later}' >{job.stage}/pid"]
    failed = step("work", ["sh", "-c", "exit 22"])
    assert job.run(*begun, failed.line()) == 1
    (problem,) = problems(job.left, [failed])
    assert problem.startswith("daos_agent restarted or ended during the run: s1;") is said


@pytest.mark.parametrize("status", [124, 1])
def test_a_step_that_fails_has_the_first_cause(job: Job, status: int) -> None:
    said = Path(__file__).parents[1] / "recorded" / "ior" / "dfs_pool_evicted.txt"
    failed = step("work", ["sh", "-c", f"cat {said}; exit {status}"])
    job.run(failed.line())
    (problem,) = problems(job.left, [failed])
    begin = "hung: it was ended after 10 s" if status == 124 else "failed with exit status 1"
    assert f"{begin}: invalid handle: the pool was evicted, its container destroyed" in problem


@pytest.mark.parametrize("status", [1, 124, 137])
def test_a_container_in_which_a_step_hung_is_left_alone(job: Job, status: int) -> None:
    # By the library in it find would wait for ever, too.
    asked = stand_in("timeout", '[[ $* != *find* ]] || touch "$RAW/asked"; shift 2; "$@"')
    made = "in_container tank posix /lib/libpil4dfs.so assay.7"
    failed = step("work", ["sh", "-c", f"exit {status}"]).line()
    assert job.run(asked, made, failed) == 1
    assert (job.raw / "asked").exists() is (status == 1)


class _Metrics(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'kept{rank="0"} 3\nkept{rank="1"} 0\nother{rank="0"} 5\n')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def metrics() -> Iterator[str]:
    with http.server.HTTPServer(("127.0.0.1", 0), _Metrics) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/metrics"
        server.shutdown()


def test_the_engines_are_read_before_the_first_step_and_after_each(job: Job, metrics: str) -> None:
    shutil.copy(STEPS.with_name("read_engines.py"), job.stage)
    assert (
        job.run(f"watch_engines 'kept' s1={metrics} s2=http://127.0.0.1:1/", "step one 5 true") == 0
    )
    for name in ("start", "one"):
        kept = gzip.decompress((job.raw / f"{name}.engines.gz").read_bytes()).decode()
        first, figure, silent = kept.splitlines()
        assert (first, figure) == ("# server s1", 'kept{rank="0"} 3')
        assert silent.startswith("# no answer of s2: ")
        assert "refused" in silent


def test_no_step_fails_where_the_engines_cannot_be_read(job: Job) -> None:
    assert job.run("watch_engines 'kept' s1=http://127.0.0.1:1/", "step one 5 true") == 0
    assert "read_engines.py" in (job.raw / "one.engines.err").read_text()
    assert [step.name for step in job.left.steps()] == ["one"]


def test_a_step_that_fails_is_read_too(job: Job, metrics: str) -> None:
    shutil.copy(STEPS.with_name("read_engines.py"), job.stage)
    assert job.run(f"watch_engines 'kept' s1={metrics}", "step one 5 false") == 1
    assert (job.raw / "one.engines.gz").exists()
