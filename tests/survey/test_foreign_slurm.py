"""What nodes of somebody's Slurm answer, whose lines srun mixes."""

from __future__ import annotations

import io
import os
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from assay.cluster.slurm import Slurm
from assay.survey import foreign_slurm
from assay.survey.foreign_slurm import Question, SlurmError, answers
from assay.tools.host.probe import LINE, look, place, print_answer


def printed(name: str, **more: Any) -> list[str]:
    answer = look(Path("/nowhere"), "/", "", []) | {"name": name, **more}
    with redirect_stdout(io.StringIO()) as out:
        print_answer(answer)
    return out.getvalue().splitlines()


LONG = {"programs": {f"program{number}": "/usr/bin/x" for number in range(100)}}


def test_lines_of_two_nodes_may_be_mixed() -> None:
    one, two = printed("n1", **LONG), printed("n2", **LONG)
    assert len(one) > 2
    assert max(map(len, one)) < LINE + 100
    mixed = [line for pair in zip(reversed(one), two, strict=True) for line in pair]
    assert {each.name: len(each.programs) for each in answers("\n".join(mixed))} == {
        "n1": 100,
        "n2": 100,
    }


def test_an_answer_without_its_end_does_not_count() -> None:
    assert answers("\n".join(printed("n1", **LONG)[:-1])) == []


def test_an_answer_that_lacks_a_part_is_refused_by_name() -> None:
    first, _, *rest = printed("n1", **LONG)
    with pytest.raises(SlurmError, match=r"^n1 gave an unexpected answer: "):
        answers("\n".join([first, *rest]))


def test_a_kernel_that_shows_nothing_is_described_all_the_same() -> None:
    answer = look(Path("/nowhere"), "/nowhere", "", ["no-such-program"])
    assert answer["host"]["numa_nodes"] == 1
    assert answer["host"]["cores"] >= 1
    assert answer["campaigns"] == {"error": "No such file or directory"}
    assert answer["programs"] == {}


@pytest.mark.parametrize(
    ("directory", "filesystem"),
    [("/local/me", "xfs"), ("/localhost", "ext4"), ("/a b/c", "nfs4")],
)
def test_a_directory_is_on_the_innermost_mount(directory: str, filesystem: str) -> None:
    mountinfo = (
        "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "2 1 8:2 / /local rw shared:1 - xfs /dev/sdb1 rw\n"
        "3 1 0:5 / /a\\040b rw - nfs4 server:/b rw\n"
    )
    assert place(directory, mountinfo)["filesystem"] == filesystem


@pytest.mark.parametrize(
    ("reason", "limit_min", "message"),
    [
        (
            "Job's account not permitted to use this partition (staff allows ops not ocean)",
            5,
            "Slurm does not start the job that examines the nodes: Job's account not permitted to"
            " use this partition (staff allows ops not ocean)",
        ),
        (
            "Resources",
            0.01,
            "Slurm did not answer within 0.01 min (Slurm's reason: Resources): name other nodes"
            " with --nodes, or wait longer with --wait-min",
        ),
    ],
)
def test_a_job_that_does_not_start_is_given_up_with_slurms_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str, limit_min: float, message: str
) -> None:
    for name, script in {"srun": "exec sleep 60", "squeue": f'echo "{reason}"'}.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(foreign_slurm, "LOOK_S", 0.1)
    slurm = Slurm(partitions={"clients": "staff"}).model_copy(update={"wait_min": limit_min})
    question = Question(tmp_path, None, None, ())
    with pytest.raises(SlurmError) as error:
        foreign_slurm.ask(slurm, ["nid003"], question)
    assert str(error.value) == message


def test_of_sinfo_no_job_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = {"sinfo": "sleep 0.3; echo 30:00", "squeue": "echo AccountNotAllowed"}
    for name, script in scripts.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(foreign_slurm, "LOOK_S", 0.1)
    assert foreign_slurm.longest_min("staff") == 30


def sinfo_prints(directory: Path, monkeypatch: pytest.MonkeyPatch, lines: str) -> None:
    """Print these lines with the mark that is asked for."""
    marked = "".join(f"$mark|{line}\n" for line in lines.splitlines())
    mark = "for word; do mark=${word#--format=}; done; mark=${mark%%|*}"
    (directory / "sinfo").write_text(f"#!/bin/sh\n{mark}\ncat <<END\n{marked}END\n")
    (directory / "sinfo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:{os.environ['PATH']}")


def test_a_node_that_slurm_has_planned_for_a_job_takes_a_short_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sinfo_prints(tmp_path, monkeypatch, "n1|planned|none\nn2|idle|none\nn3|mixed|none\n")
    assert foreign_slurm.nodes("batch", None) == (["n1", "n2"], {"n3": "n3 is mixed"})


def test_where_no_node_is_idle_the_states_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sinfo_prints(tmp_path, monkeypatch, "n1|mixed|none\nn2|mixed|none\nn3|drained|memory\n")
    with pytest.raises(SlurmError) as error:
        foreign_slurm.nodes("batch", None)
    assert str(error.value) == (
        "no node of the partition batch is idle (n[1-2] mixed, n3 drained); name some with"
        " --nodes, and the job will wait for them"
    )


def test_a_program_of_slurm_that_prints_without_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3 GiB were kept."""
    (tmp_path / "sinfo").write_text("#!/bin/sh\nexec yes\n")
    (tmp_path / "sinfo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(SlurmError, match="sinfo has more than 500,000 lines, which is the limit"):
        foreign_slurm.nodes("batch", None)


def test_where_all_named_nodes_take_no_jobs_nothing_is_described(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sinfo_prints(tmp_path, monkeypatch, "n1|idle|none\nn2|drained|memory\nn3|down*|gone\n")
    (tmp_path / "scontrol").write_text("#!/bin/sh\nprintf 'n2\\nn3\\n'\n")
    (tmp_path / "scontrol").chmod(0o755)
    with pytest.raises(SlurmError) as error:
        foreign_slurm.nodes("batch", "n[2-3]")
    assert str(error.value) == (
        "no node of --nodes takes jobs: n2 is drained in Slurm (memory); n3 is down in Slurm (gone)"
    )


AWS = """queue1-dy-compute-resource-1-1|idle~|none
queue1-dy-compute-resource-1-2|idle~|none
queue1-dy-compute-resource-1-3|idle~|none
queue1-dy-compute-resource-1-4|idle#|none
"""
"""Posted by a user of AWS ParallelCluster."""


def program(directory: Path, name: str, script: str) -> None:
    (directory / name).write_text(f"#!/bin/sh\n{script}\n")
    (directory / name).chmod(0o755)


def test_nodes_that_are_off_are_not_powered_up_by_accident(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sinfo_prints(tmp_path, monkeypatch, AWS)
    with pytest.raises(SlurmError, match=r"1-1 is idle, but powered off.*or power them up$"):
        foreign_slurm.nodes("queue1", None)
    one = "queue1-dy-compute-resource-1-1"
    program(tmp_path, "scontrol", f"echo {one}")
    assert foreign_slurm.nodes("queue1", one) == ([one], {})


def test_of_idle_nodes_those_that_are_off_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sinfo_prints(tmp_path, monkeypatch, "n1|idle|none\nn2|idle~|none\nn3|idle*|none\n")
    assert foreign_slurm.nodes("batch", None) == (
        ["n1"],
        {"n2": "n2 is idle, but powered off", "n3": "n3 is idle, but not responding"},
    )


def test_a_reservation_takes_its_nodes_in_maintenance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sinfo_prints(
        tmp_path,
        monkeypatch,
        "sc003|maint|none\nsc004|reserved|none\nsc005|maint*|none\nn9|idle|-\n",
    )
    shown = "echo ReservationName=night Nodes=sc[003-005] NodeCnt=3 State=ACTIVE"
    names = "printf 'sc003\\nsc004\\nsc005\\n'"
    program(tmp_path, "scontrol", f'[ "$2" = hostnames ] && {names} || {shown}')
    assert foreign_slurm.nodes("batch", None, "night") == (
        ["sc003", "sc004"],
        {"sc005": "sc005 is maint, but not responding"},
    )
    assert foreign_slurm.nodes("batch", None)[0] == ["n9"]


def test_of_several_clusters_one_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_CLUSTERS", "cm4,serial")
    with pytest.raises(SlurmError, match="choose one with --option clusters=NAME"):
        foreign_slurm.cluster(None)
    assert foreign_slurm.cluster("cm4") == "cm4"
    assert os.environ["SLURM_CLUSTERS"] == "cm4"
    monkeypatch.delenv("SLURM_CLUSTERS")
    assert foreign_slurm.cluster(None) is None


def test_the_name_of_the_cluster_is_no_partition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "sinfo", "printf 'CLUSTER: cm4\\ncm4_tiny\\ncm4_std\\n'")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert foreign_slurm.partitions() == ["cm4_std", "cm4_tiny"]


@pytest.mark.parametrize(
    "option", ["hint=nomultithread", "gpus-per-node=4", "network=single_node_vni", "clusters=cm4"]
)
def test_options_of_sites(option: str) -> None:
    words = {"partitions": {"clients": "batch"}, "options": [f"--{option}"]}
    slurm = Slurm.model_validate(words)
    name, _, value = option.partition("=")
    assert (slurm.option(name), slurm.option("qos")) == (value, None)


def test_exclusive_is_refused_where_it_has_no_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(tmp_path, "sinfo", "echo FORCE:4")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert foreign_slurm.is_exclusive("batch", False) is False
    with pytest.raises(SlurmError, match="--exclusive has no effect in the partition batch"):
        foreign_slurm.is_exclusive("batch", True)
    program(tmp_path, "sinfo", "echo EXCLUSIVE")
    assert foreign_slurm.is_exclusive("batch", False) is True
