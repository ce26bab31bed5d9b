"""Saved outputs, judged as a sign-off would judge them."""

from pathlib import Path

import pytest

import recordings
from assay.cluster.description import Cluster
from assay.judge.verdict import Verdict
from assay.saved.judging import NotJudgedError, SavedJudgements, judged
from assay.saved.reading import read
from clusters import described, description, system


def judge(directory: Path, cluster: Cluster, backend: str | None = None) -> SavedJudgements:
    return judged(cluster, read([directory], stonewall_s=30).runs, backend)


def verdicts(found: SavedJudgements) -> dict[str, Verdict]:
    return {each.judgement.requirement.name: each.judgement.verdict for each in found.judgements}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Results of IO500 on DAOS, the figures and the size made up; one phase is beside them."""
    text = recordings.recorded("io500", "posted/io500_2023_result_ini.txt")
    (tmp_path / "result.txt").write_text(text)
    phase = recordings.recorded("ior", "posted/ior_dfs_io500_hard_write.txt")
    (tmp_path / "ior-hard-write.txt").write_text(phase)
    return tmp_path


def test_figures_beyond_the_hardware_are_implausible(results: Path) -> None:
    found = judge(results, system("wal-meta", clients=300))
    assert verdicts(found)["ior_easy_write"] is Verdict.IMPLAUSIBLE
    assert verdicts(found)["find"] is Verdict.UNRATED
    assert not found.good
    keys = [each.judgement.requirement.key for each in found.judgements]
    assert keys[0] == "Io500.ior_easy_write on clients/dfs"
    assert "Io500Program.score on clients/dfs" in keys


def test_a_run_on_other_nodes_is_missing_as_in_a_sign_off(results: Path) -> None:
    found = judge(results, system("wal-meta", clients=2))
    assert set(verdicts(found).values()) == {Verdict.MISSING}
    assert found.judgements[0].judgement.reason == (
        "it ran on 300 nodes; the description has 2 clients"
    )


def test_figures_that_differ_from_their_phases_are_missing(results: Path) -> None:
    text = (results / "result.txt").read_text()
    (results / "result.txt").write_text(text.replace("4216.340094", "4317.532000"))
    found = judge(results, system("wal-meta", clients=300))
    assert verdicts(found)["ior_hard_write"] is Verdict.MISSING


def test_a_summary_alone_says_what_is_assumed(results: Path) -> None:
    (results / "ior-hard-write.txt").unlink()
    found = judge(results, system("wal-meta", clients=300))
    name = results / "result.txt"
    assert found.notes == (
        f"{name}: it does not say by which interface it ran; dfs is assumed",
        f"{name}: it does not say on how many nodes it ran; the description has 300 clients",
    )


def test_the_output_of_io500_is_judged_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "job.out").write_text(recordings.recorded("io500", "valid.txt"))
    found = judge(tmp_path, system("wal-meta", clients=1))
    assert verdicts(found)["ior_easy_write"] is Verdict.UNSTEADY
    (reason,) = {
        each.judgement.reason
        for each in found.judgements
        if each.judgement.requirement.name == "ior_easy_write"
    }
    assert reason.startswith("one sample, 0.271 GiB/s, does not show on which side of the floor")
    assert not found.good


def test_ior_alone_is_judged_by_its_own_transfer(tmp_path: Path) -> None:
    text = recordings.recorded("ior", "dfs_2rank.txt")
    (tmp_path / "ior.txt").write_text(text)
    (each,) = {
        each.judgement.requirement.check
        for each in judge(tmp_path, system("wal-meta", clients=1)).judgements
    }
    assert each == "IorEasy"


def test_mdtest_alone_is_judged_by_the_size_of_its_files(tmp_path: Path) -> None:
    text = recordings.recorded("mdtest", "posted/mdtest_34_all_files_392s.txt")
    (tmp_path / "mdtest.txt").write_text(text)
    document = description(clients=10)
    document["benchmarks"]["shared_directory"] = "/shared"
    found = judge(tmp_path, described(document))
    assert {each.judgement.requirement.check for each in found.judgements} == {"MdtestHard"}


def test_one_host_of_many_is_not_judged(tmp_path: Path) -> None:
    (tmp_path / "fio.txt").write_text(recordings.recorded("fio", "dfs_normal.txt"))
    found = judge(tmp_path, system("wal-meta"))
    assert found.judgements == ()
    assert not found.good
    assert found.notes == (
        f"{tmp_path / 'fio.txt'}: not judged: it does not say which host or SSD it measured",
    )


def test_a_storage_that_is_not_described_is_named(results: Path) -> None:
    with pytest.raises(NotJudgedError, match=r"it ran by DFS, and the description has no such"):
        judge(results, described(description()))


def test_a_backend_that_is_not_there_is_refused(results: Path) -> None:
    with pytest.raises(NotJudgedError, match=r"--backend posix: should be one of dfs, dfuse, "):
        judge(results, system("wal-meta"), "posix")
