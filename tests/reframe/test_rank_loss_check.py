"""RankLoss and its siblings as ReFrame would run them: both consents, and what their jobs do."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from run_reframe import scripts

from sites import site


def agreed() -> dict[str, Any]:
    document = site(servers=3, clients=2)
    document["daos"] |= {"pool": "tank", "container": "posix", "failure": True}
    document["benchmarks"] = {"fio_dfs": "/opt/bin/fio"}
    return document


def script(directory: Path, scale: str = "quick", check: str = "RankLoss") -> str:
    return scripts(agreed(), directory, f"--name=^{check}", f"--tag={scale}")[check]


def test_without_the_consent_of_this_run_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        script(tmp_path)
    assert "to agree, pass -e assay_failure=daos_server to playbooks/validate.yml" in (
        " ".join(failed.value.stdout.split())
    )


def test_a_drain_needs_the_same_consent(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError) as failed:
        script(tmp_path, check="Drain")
    assert (
        "Drain takes a part of daos_server away: to agree, pass -e assay_failure=daos_server"
        in (" ".join(failed.value.stdout.split()))
    )


def test_the_consent_must_name_this_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_FAILURE", "other")
    with pytest.raises(subprocess.CalledProcessError):
        script(tmp_path)


@pytest.mark.parametrize(("scale", "losses"), [("quick", 1), ("acceptance", 3)])
def test_each_loss_is_written_loaded_and_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scale: str, losses: int
) -> None:
    monkeypatch.setenv("ASSAY_FAILURE", "daos_server")
    text = script(tmp_path, scale)
    steps = re.findall(r"^step (\S+)", text, re.MULTILINE)
    assert steps == [
        "container.1",
        *(
            step
            for number in range(1, losses + 1)
            for step in (
                f"write.{2 * number - 1}",
                f"lost.{number}",
                f"write.{2 * number}",
                f"back.{number}",
                f"verify.{number}",
            )
        ),
    ]
    # Only the loads wait for a word from the controller.
    assert len(re.findall(r" (?:lost|back)\.\d /opt/bin/fio \S+\.end$", text, re.MULTILINE)) == (
        2 * losses
    )
    assert re.findall(r" write\.1 /opt/bin/fio$", text, re.MULTILINE)
    assert "--nodelist=c1,c2" in text
    written = {path.name for path in tmp_path.rglob("*.fio")}
    assert {"write.1.fio", "lost.1.fio", "write.2.fio", "back.1.fio", "verify.1.fio"} <= written


def test_each_pool_that_is_extended_has_a_container_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_FAILURE", "daos_server")
    text = script(tmp_path, "acceptance", "Extend")
    steps = re.findall(r"^step (\S+)", text, re.MULTILINE)
    assert [step for step in steps if step.startswith(("container", "verify"))] == [
        *("container.1", "verify.1", "container.2", "verify.2", "container.3", "verify.3"),
    ]
    # Nobody destroys a pool that is still read.
    told = [text.index(f"\ntouch pool.{number}.read ") for number in (1, 2)]
    assert text.index("step verify.1 ") < told[0] < text.index("pool.2.made") < told[1]


@pytest.mark.parametrize("check", ["ServiceLoss", "Drain", "TargetLoss", "Extend", "AgentLoss"])
def test_whatever_is_lost_the_job_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check: str
) -> None:
    monkeypatch.setenv("ASSAY_FAILURE", "daos_server")
    steps = re.findall(r"^step (\S+)", script(tmp_path, check=check), re.MULTILINE)
    assert steps == ["container.1", "write.1", "lost.1", "write.2", "back.1", "verify.1"]


def test_one_client_waits_to_lose_its_agent_and_those_of_the_others_must_stay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_FAILURE", "daos_server")
    text = script(tmp_path, "acceptance", "AgentLoss")
    assert re.findall(r"^same_agent srun --nodelist=(\S+)", text, re.MULTILINE) == ["c1"]
    waits = re.findall(r"^step lost\.\d .* : srun --nodelist=(\S+) .*(lose_agent.*)$", text, re.M)
    assert waits == [
        (
            "c2",
            f"lose_agent.sh {number} 300 {tmp_path}/bin/daos --sys-name daos_server pool query"
            " assay-failure",
        )
        for number in (1, 2, 3)
    ]
    assert [path.name for path in tmp_path.rglob("lose_agent.sh")] == ["lose_agent.sh"]
