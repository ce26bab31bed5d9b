"""How much memory a job may occupy: what is left, and no more than its cgroups allow."""

from __future__ import annotations

import pytest

from jobs import CHECKS, Job

SOURCE = f". {CHECKS}/memory.sh"


def answers(*percents: str) -> str:
    """A launcher whose hosts answer so."""
    return f"srun() {{ printf '%s\\n' {' '.join(percents)}; }}"


@pytest.mark.parametrize(
    ("percents", "occupied"),
    [(("100",), "60"), (("96.4", "31.7", "96.5"), "19"), (("1.7",), "1")],
    ids=["all is left", "the host with least decides", "hardly any"],
)
def test_the_host_with_the_least_memory_decides(
    job: Job, percents: tuple[str, ...], occupied: str
) -> None:
    lines = [SOURCE, answers(*percents), "occupy 60 srun", 'echo "$OCCUPIED" >"$RAW/occupied"']
    assert job.run(*lines) == 0
    assert job.output("occupied") == f"{occupied}\n"


@pytest.mark.parametrize(
    "percents",
    [("1.6",), ("0", "50"), ("50", "0"), ("''",), ("''", "50"), ("50; return 1",)],
    ids=["little", "none on the first", "none on the last", "unknown", "of one", "no answer"],
)
def test_what_no_percentage_can_name_is_refused(job: Job, percents: tuple[str, ...]) -> None:
    assert job.run(SOURCE, answers(*percents), "occupy 60 srun", "touch measured") == 1
    assert job.output("refusal").startswith("60 % of the memory that jobs may still take is less ")
    assert not (job.stage / "measured").exists()


MEMINFO = "MemTotal: 1000 kB\nMemFree: 10 kB\nMemAvailable: 900 kB\n"


@pytest.mark.parametrize(
    ("groups", "limits", "percent"),
    [
        ("0::/", {}, "90"),
        ("0::/job/step", {"job/step/memory.max": "max", "job/memory.max": "512000"}, "50"),
        ("0::/job/step", {"job/step/memory.max": "256000", "job/memory.max": "512000"}, "25"),
        ("4:memory:/job\n0::/", {"memory/job/memory.limit_in_bytes": "102400"}, "10"),
        ("4:cpu,memory:/", {"memory/memory.limit_in_bytes": "9223372036854771712"}, "90"),
        ("4:cpuset:/job", {"job/memory.max": "1024"}, "90"),
    ],
    ids=["no limit", "above", "own", "v1", "v1 without one", "another controller"],
)
def test_limits_of_cgroups_count_as_far_as_they_are_less(
    job: Job, groups: str, limits: dict[str, str], percent: str
) -> None:
    files = {"proc/meminfo": MEMINFO, "proc/self/cgroup": groups + "\n"}
    files |= {f"sys/fs/cgroup/{name}": text + "\n" for name, text in limits.items()}
    for name, text in files.items():
        path = job.stage / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    script = (CHECKS / "memory.sh").read_text()
    for place in ("/proc/", "/sys/"):
        script = script.replace(place, f"{job.stage}{place}")
    assert job.run(f". {job.program(script)}", 'still_free >"$RAW/free"') == 0
    assert job.output("free") == f"{percent}\n"
