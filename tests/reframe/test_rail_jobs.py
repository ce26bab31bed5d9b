"""The jobs of clients with several rails; those of clients with one stay as they were."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from run_reframe import scripts

from assay.checks.entry import run_of
from assay.checks.plan import CHECKS
from assay.checks.raw import directory_of
from clusters import described
from sites import site

NAMES = "--name=^(FiPingpong|SelfTestClientServer|SelfTestByRail|IorEasy|FioDfs)"


def clients(rails: int) -> dict[str, Any]:
    document = site(servers=1, engines=2, clients=2, rails=rails)
    document["benchmarks"] = {
        "fi_pingpong": "/opt/bin/fi_pingpong",
        "ior": "/opt/bin/ior",
        "ior_apis": ["DFS"],
        "fio_dfs": "/opt/bin/fio",
    }
    document["daos"] |= {"pool": "tank", "container": "posix"}
    return document


def made(rails: int, directory: Path) -> dict[str, str]:
    return scripts(clients(rails), directory, NAMES, "--tag=quick")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return made(2, tmp_path_factory.mktemp("two"))


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return made(1, tmp_path_factory.mktemp("one"))


def commands(script: str, step: str) -> list[list[str]]:
    """The commands of a step, one for each subject, as words."""
    lines = re.findall(rf"^step {re.escape(step)} (.*)$", script, re.MULTILINE)
    return [shlex.split(line) for line in lines]


def test_clients_of_one_rail_have_the_jobs_they_had(one: dict[str, str]) -> None:
    assert set(one) == {"FiPingpong", "SelfTestClientServer", "IorEasy", "FioDfs"}
    assert not re.search("rail|crossing|INTERFACE|--distribution|^spread", "".join(one.values()))
    (pingpong,) = (c for c in commands(one["FiPingpong"], "bandwidth_1m.1") if "--mpi=none" in c)
    end = "env FI_TCP_IFACE=ib0 /opt/bin/fi_pingpong -p tcp -e msg -S 1048576 -I 1000"
    assert " ".join(pingpong).endswith(
        f"--mpi=none bash pingpong.sh c1 {end} -B 27592 -- {end} -P 27592 192.0.2.101"
    )
    rate = commands(one["SelfTestClientServer"], "get_1m.1.1")[0]
    assert "--ntasks=2 --ntasks-per-node=1 --overlap" in " ".join(rate)


def test_each_end_of_a_pair_of_rails_counts_what_crosses_its_own(two: dict[str, str]) -> None:
    found = [c for c in commands(two["FiPingpong"], "bandwidth_1m.1") if "crossing.sh" in c]
    assert len(found) == 2
    for rail, words in zip(("ib0", "ib1"), found, strict=True):
        crossing = (
            f"bash crossing.sh {rail} 1048576000 env FI_TCP_IFACE={rail} /opt/bin/fi_pingpong"
        )
        assert " ".join(words).count(crossing) == 2


def test_all_rails_together_have_a_process_each(two: dict[str, str]) -> None:
    for words in commands(two["SelfTestClientServer"], "get_1m.1.1"):
        text = " ".join(words)
        assert "--ntasks=4 --ntasks-per-node=2 --overlap" in text
        assert (
            "--label bash rail.sh infiniband D_INTERFACE D_DOMAIN c1=ib0,ib1 c2=ib0,ib1 --" in text
        )


def test_a_latency_is_that_of_one_process(two: dict[str, str], one: dict[str, str]) -> None:
    name, step = "SelfTestClientServer", "latency_empty.1.1"
    here, there = (
        [re.sub(r"/\S+/bin", "", " ".join(c)) for c in commands(of[name], step)]
        for of in (one, two)
    )
    assert here == there


def test_a_rail_at_a_time_is_measured_to_each_of_two_engines(two: dict[str, str]) -> None:
    script = two["SelfTestByRail"]
    subjects = re.findall(r"^subject (\S+)$", script, re.MULTILINE)
    assert sorted(subjects) == sorted(
        f"c{client}/rail-ib{rail}-to-s1/engine{engine}"
        for client in (1, 2)
        for rail in (0, 1)
        for engine in (0, 1)
    )
    for subject, words in zip(subjects, commands(script, "get_1m.1.1"), strict=True):
        client, rail = subject[:2], re.findall("ib[01]", subject)[0]
        text = " ".join(words)
        assert f"--nodelist={client} --nodes=1 --ntasks=1 --ntasks-per-node=1" in text
        assert f"rail.sh infiniband D_INTERFACE D_DOMAIN {client}={rail} --" in text
        assert f"--endpoint {subject[-1]}:" in text


def test_the_steps_of_rails_are_those_of_the_catalogue(two: dict[str, str]) -> None:
    cluster = described(clients(2))
    run = run_of(cluster, CHECKS["SelfTestByRail"], "clients", "quick")
    for block in re.findall(r"^\($(.*?)^\)", two["SelfTestByRail"], re.MULTILINE | re.DOTALL):
        (subject,) = re.findall(r"^subject (\S+)$", block, re.MULTILINE)
        (planned,) = (each for each in run.subjects if directory_of(each) == subject)
        steps = re.findall(r"^step (\S+) ", block, re.MULTILINE)
        assert steps == [*run.check.reading.steps(run, planned)]


def test_ranks_take_the_numa_nodes_of_a_client_in_turn(two: dict[str, str]) -> None:
    started = [
        line for line in two["IorEasy"].splitlines() if " --mpi=" in line and "/ior " in line
    ]
    assert started
    assert all(
        " --cpu-bind=cores --kill-on-bad-exit --distribution=block:cyclic " in s for s in started
    )


def test_processes_of_fio_are_on_the_nodes_of_all_rails(
    two: dict[str, str], one: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert re.findall(r"^spread .*$", two["FioDfs"], re.MULTILINE) == ["spread 0 1"] * 2
    assert not re.findall(r"^spread .*$", one["FioDfs"], re.MULTILINE)
    for rails, is_bound in (("two0", True), ("one0", False)):
        (jobs,) = (tmp_path_factory.getbasetemp() / rails).rglob("samples.fio")
        assert ("cpus_allowed=${CPUS}\ncpus_allowed_policy=split" in jobs.read_text()) == is_bound
