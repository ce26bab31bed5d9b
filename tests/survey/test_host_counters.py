"""Which hosts are asked for their kernels' counters, and what is said of the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.survey import foreign_slurm, host_counters
from clusters import described, description

CLUSTER = described(description(clients=2, servers=3))


class Slurm:
    """Nodes that answer, but for those that are silent: a job that names one of these fails."""

    def __init__(self, **silent: str) -> None:
        self.silent = silent
        self.asked: list[list[str]] = []
        self.printed = "assay-counter {0} boot 0 a\nassay-counter {0} oom_kills 0 memory\n"

    def on_each(self, _: object, __: str, hosts: Sequence[str], ___: str) -> tuple[str, str]:
        self.asked.append(list(hosts))
        if self.silent.keys() & set(hosts):
            raise foreign_slurm.SlurmError("ReqNodeNotAvail")
        each = self.printed + "assay-counter {0} end {1} -\n"
        return "".join(each.format(name, self.printed.count("\n")) for name in hosts), ""


def answers(monkeypatch: pytest.MonkeyPatch, slurm: Slurm) -> host_counters.Answers:
    monkeypatch.setattr(foreign_slurm, "on_each", slurm.on_each)
    monkeypatch.setattr(foreign_slurm, "silent", lambda _: slurm.silent)
    return host_counters.ask(CLUSTER)


def test_a_node_that_is_down_costs_its_own_counters_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    found = answers(monkeypatch, Slurm(s2="s2 is down in Slurm (no power)"))
    assert sorted(found.hosts) == ["c1", "c2", "s1", "s3"]
    assert found.unread == ("s2: s2 is down in Slurm (no power)",)


def test_the_job_is_not_taken_for_one_of_a_campaign(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was still ending let the next round of a soak wait for itself."""
    asked: list[Sequence[str]] = []

    def ran(command: Sequence[str], *_: object, **__: object) -> tuple[str, str]:
        asked.append(command)
        return "", ""

    monkeypatch.setattr(foreign_slurm, "_run", ran)
    foreign_slurm.on_each(CLUSTER.jobs, "clients", ["c1"], "true")
    (command,) = asked
    lock = (Path(foreign_slurm.__file__).parents[3] / "reframe-checks" / "lock.sh").read_text()
    assert "$comment != daos-assay ]]" in lock
    assert "--comment=daos-assay" not in command


def test_no_job_asks_more_hosts_than_may_print(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_counters, "AT_A_TIME", 2)
    slurm = Slurm()
    assert len(answers(monkeypatch, slurm).hosts) == 5
    assert slurm.asked == [["c1", "c2"], ["s1", "s2"], ["s3"]]


@pytest.mark.parametrize(
    "printed", ["assay-counter {0} boot 0 a\n", "assay-counter {0} oom_kills 0 memory\n"]
)
def test_a_kernel_that_shows_no_counters_or_no_boot_was_not_read(
    monkeypatch: pytest.MonkeyPatch, printed: str
) -> None:
    """Its errors, or its restarts, would not be seen."""
    slurm = Slurm()
    slurm.printed = printed
    found = answers(monkeypatch, slurm)
    assert found.hosts == {}
    assert found.unread == (
        "c[1-2]: sysfs and procfs show no counters, or no boot",
        "s[1-3]: sysfs and procfs show no counters, or no boot",
    )
