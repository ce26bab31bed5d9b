"""Two loads at once: how shares are read from real outputs, and what is expected of them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.campaign.samples import samples_of
from assay.checks.benchmarks.interference import INTERFERENCE, ranks_of_load
from assay.checks.entry import Expectation, Run, run_of
from assay.checks.expect import Measured, expectation
from assay.checks.plan import requirements
from assay.checks.raw import RawOutputs
from assay.cluster.description import Cluster
from assay.foreign.files import Tree
from assay.subject import Subject
from clusters import described, find
from recordings import ROOT
from sites import put, site

SUBJECT = Subject("clients", backend="dfs")


def system(changes: dict[str, Any] | None = None, **more: Any) -> Cluster:
    document = site("ephemeral", servers=2, clients=1)
    document["hosts"]["c1"]["cores"] = 4
    document["benchmarks"] = {"ior": "/opt/ior", "mdtest": "/opt/mdtest", "ior_apis": ["DFS"]}
    document["daos"] |= {"pool": "tank", "container": "posix"}
    return described(put(document | more, changes or {}))


def a_run() -> Run:
    changed = {"repetitions": 1, "load_s": 4, "file_mib": 16}
    return run_of(system(), INTERFERENCE, "clients", "acceptance", changed)


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """The directory of outputs, as the job leaves them."""
    return Path(shutil.copytree(ROOT / "interference", tmp_path / "raw/clients/dfs"))


def read(left: Path) -> tuple[dict[str, list[float]], list[str]]:
    samples, problems = samples_of(a_run(), SUBJECT, RawOutputs(Tree(left.parents[2])))
    return {name: [round(each, 1) for each in found] for name, found in samples.items()}, problems


def change(file: Path, pattern: str, by: str) -> None:
    text, times = re.subn(pattern, by, file.read_text())
    assert times == 1
    file.write_text(text)


def test_a_share_is_the_rate_beside_another_load_over_the_rate_alone(left: Path) -> None:
    samples, problems = read(left)
    assert problems == []
    assert samples == {
        "write_beside_create": [119.8],  # 306.2104 of 255.6765 MiB/s
        "create_beside_write": [97.6],  # 286517.0 of 293578.0 files of each process by the deadline
        "write_and_create": [217.4],
        "write_beside_read": [151.5],
        "read_beside_write": [71.1],
        "write_and_read": [222.5],
    }


def problem(left: Path) -> str:
    samples, problems = read(left)
    assert not any(samples.values())
    return problems[0]


@pytest.mark.parametrize(("start", "part"), [("38:26", "49%"), ("38:22", "51%"), ("39:24", "0%")])
def test_loads_that_were_not_beside_each_other_are_not_measured(
    start: str, part: str, left: Path
) -> None:
    """In the recording both begin at 13:38:24, and last 4.04 and 4 s."""
    begins_at(left, start)
    assert problem(left).startswith(
        f"write_and_create.1: its loads ran at once for {part} of the time, and 80% are needed"
    )


def test_a_load_may_last_a_little_longer_than_the_other(left: Path) -> None:
    change(left / "write_and_create.1.write.json", '"totalTime": 4.0430', '"totalTime": 4.9')
    assert read(left)[1] == []


def begins_at(left: Path, start: str) -> None:
    file = left / "write_and_create.1.write.json"
    change(file, r'(?<="StartTime": "Sun Nov 29 13:)38:24', start)


def loses_a_file(left: Path) -> None:
    (left / "write_and_read.1.read.json").unlink()


def ends_early(left: Path) -> None:
    change(left / "write_and_read.1.read.json", r'"totalTime": 4.0541', '"totalTime": 2.0')


def has_no_deadline(left: Path) -> None:
    change(left / "create.1.out", "Continue stonewall hit .*", "")


def runs_alone(left: Path) -> None:
    change(left / "write_and_create.1.out", r"with 2 total task\(s\)", "with 1 total task(s)")


def loses_data(left: Path) -> None:
    with (left / "write_and_create.1.out").open("a") as file:
        file.write("0: ERROR: write() failed, errno 28\n")


def has_no_time(left: Path) -> None:
    change(left / "read.1.json", '"StartTime": "Sun Nov 29 13:38:19 2026"', '"StartTime": "soon"')


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (loses_a_file, "read of write_and_read.1: neither a table nor a summary from IOR"),
        (ends_early, "read of write_and_read.1: the read took 2 s, less than its deadline of 4 s"),
        (has_no_deadline, "create of create.1: creation ended before its deadline of 4 s"),
        (runs_alone, "create of write_and_create.1: mdtest ran with the wrong number of tasks: 1"),
        (loses_data, "write of write_and_create.1: ERROR: write() failed"),
        (has_no_time, "read of read.1: its output does not show what it did, and when"),
    ],
)
def test_a_load_with_a_problem_is_named_with_its_step(
    fault: Callable[[Path], None], why: str, left: Path
) -> None:
    fault(left)
    assert problem(left).startswith(why)


def test_files_that_could_not_be_written_are_a_problem(left: Path) -> None:
    (left / "fill.json").unlink()
    assert "IOR" in problem(left)


# What is expected.


def expected(name: str) -> Expectation:
    cluster = system()
    metric = find(cluster, f"Interference.{name} on clients/dfs")
    return expectation(cluster, metric, Measured({}, "acceptance"))


@pytest.mark.parametrize("name", ["write_and_create", "write_and_read"])
def test_two_shares_add_up_to_a_whole_system_and_at_most_to_two(name: str) -> None:
    figure = expected(name)
    assert (figure.floor, figure.bound, figure.ceiling) == (80, 200, 400)
    assert figure.ground == "measured"
    assert "this project's own choice" in figure.derivation


@pytest.mark.parametrize(
    "name",
    ["write_beside_create", "create_beside_write", "write_beside_read", "read_beside_write"],
)
def test_a_load_with_less_than_a_tenth_starves(name: str) -> None:
    figure = expected(name)
    assert (figure.floor, figure.bound, figure.ceiling) == (10, 100, 200)


@pytest.mark.parametrize(
    "changes",
    [
        {"benchmarks/mdtest": None},
        {"benchmarks/ior": None},
        {"benchmarks/ior_apis": []},
        {"daos/container": None, "benchmarks/shared_directory": "/share"},
        {"daos/pool": None, "daos/container": None, "benchmarks/shared_directory": "/share"},
    ],
)
def test_without_mdtest_or_dfs_nothing_is_required(changes: dict[str, Any]) -> None:
    assert "Interference" in {each.check for each in requirements(system())}
    assert "Interference" not in {each.check for each in requirements(system(changes))}


def test_where_hosts_are_clients_and_servers_loads_would_compete_with_engines() -> None:
    trial = system(colocated=True)
    assert "Interference" not in {each.check for each in requirements(trial)}


def test_a_client_of_one_core_has_a_rank_of_each_load_all_the_same() -> None:
    run = run_of(system({"hosts/c1/cores": 1}), INTERFERENCE, "clients", "quick")
    assert ranks_of_load(run) == 1
