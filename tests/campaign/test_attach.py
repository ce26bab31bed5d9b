"""A client whose agent gives another system, provider or interface is refused with a sentence."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.tools.daos.attach import expected
from assay.tools.daos.network_scan import _transports
from clusters import system
from jobs import STEPS, Job
from recordings import ROOT

ATTACH = STEPS.with_name("attach.py")

ANSWER = {
    "system_name": "daos_server",
    "fabric_provider": "ofi+tcp",
    "rank_uris": [{"rank": 0, "uri": "ofi+tcp://127.0.0.1:31316"}],
}
RECORDED = ROOT / "attach"

LOGGED = (
    (RECORDED / "client.log")
    .read_text(encoding="utf-8")
    .replace("Network interface: lo, Domain: lo", "Network interface: {}, Domain: {}")
)
"""What DAOS's library logged for a client, with another interface."""


def agent(place: Path, answer: Any = ANSWER, *interfaces: str) -> Path:
    """A stand-in of `daos`, which gives an interface by the first core on which it may run."""
    program = place / "daos"
    text = answer if isinstance(answer, str) else json.dumps({"response": answer, "error": None})
    program.write_text(
        f"#!{sys.executable}\n"
        "import os\n"
        f"names, logged = {list(interfaces)!r}, {LOGGED!r}\n"
        "name = names[min(os.sched_getaffinity(0)) % len(names)] if names else None\n"
        "if name:\n"
        "    assert os.environ['D_LOG_MASK'] == 'INFO'\n"
        "    open(os.environ['D_LOG_FILE'], 'w').write(logged.format(name, name))\n"
        f"print({text!r})\n"
    )
    program.chmod(0o755)
    return program


def ask(program: Path, described: str = "c1=ib0/0", *, nodes: Path | None = None) -> str:
    command = [sys.executable, str(ATTACH), "daos_server", "ofi+tcp", "c9=x/", described, "--"]
    environment = {**os.environ, "SLURMD_NODENAME": "c1", "ASSAY_NODES": str(nodes)}
    argv = [*command, str(program), "-j", "system", "query"]
    return subprocess.run(argv, env=environment, text=True, capture_output=True, check=True).stdout


def test_an_answer_of_daos_itself_passes(tmp_path: Path) -> None:
    answer = json.loads((RECORDED / "system_query.json").read_text(encoding="utf-8"))
    assert ask(agent(tmp_path, answer["response"], "lo"), "c1=lo/0") == "as described: c1: lo\n"
    assert "gives the interface lo" in ask(agent(tmp_path, answer["response"], "lo"))


def test_what_is_described_passes(tmp_path: Path) -> None:
    assert ask(agent(tmp_path, ANSWER, "ib0")) == "as described: c1: ib0\n"


@pytest.mark.parametrize(
    "provider", ["ofi+tcp", "ofi+tcp;ofi_rxm", "ofi+verbs;ofi_rxm, ofi+tcp", "ucx+dc_x", "ucx+all"]
)
def test_a_job_and_the_controller_compare_providers_in_the_same_way(provider: str) -> None:
    assert runpy.run_path(str(ATTACH))["transports"](provider) == _transports(provider)


def test_an_interface_that_is_not_logged_is_not_compared(tmp_path: Path) -> None:
    printed = ask(agent(tmp_path))
    assert printed == "as described: c1: an interface that it does not name\n"


@pytest.mark.parametrize("provider", ["ofi+tcp;ofi_rxm", "ofi+tcp"])
def test_a_provider_may_be_spelled_in_two_ways(tmp_path: Path, provider: str) -> None:
    printed = ask(agent(tmp_path, ANSWER | {"fabric_provider": provider}, "ib0"))
    assert printed.startswith("as described")


@pytest.mark.parametrize(
    ("answer", "interface", "problem"),
    [
        (ANSWER, "eth0", "gives the interface eth0, not ib0"),
        (ANSWER | {"system_name": "other"}, "ib0", "is of the system other, not daos_server"),
        (
            ANSWER | {"fabric_provider": "ofi+verbs;ofi_rxm"},
            "ib0",
            "gives the provider ofi+verbs;ofi_rxm, not ofi+tcp",
        ),
        (
            '{"response": null, "error": "DER_AGENT_COMM(-1029): no agent"}',
            "",
            "does not answer: DER_AGENT_COMM(-1029): no agent",
        ),
        ("out of memory", "", "does not answer: out of memory"),
        ("", "", "does not answer: daos printed nothing"),
    ],
)
def test_what_is_not_as_described_is_named(
    tmp_path: Path, answer: Any, interface: str, problem: str
) -> None:
    printed = ask(agent(tmp_path, answer, *filter(None, [interface])))
    assert printed == f"wrong: daos_agent of c1 {problem}\n"


def test_lines_of_the_library_before_the_answer_are_skipped(tmp_path: Path) -> None:
    text = LOGGED.format("ib0", "ib0") + json.dumps({"response": ANSWER, "error": None})
    assert ask(agent(tmp_path, text, "ib0")).startswith("as described")


def test_a_host_without_an_interface_is_named(tmp_path: Path) -> None:
    printed = ask(agent(tmp_path, ANSWER, "ib0"), "c2=ib0/0")
    assert printed == (
        "wrong: daos_agent of c1 has no interface in the description that it could give\n"
    )


def test_a_program_that_is_missing_is_named(tmp_path: Path) -> None:
    assert "cannot be asked: [Errno 2] No such file" in ask(tmp_path / "daos")


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one core")
@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (("ib0", "ib1"), ""),
        (("ib0", "ib0"), "gives the interface ib0 to a process on NUMA node 1, not ib1"),
    ],
)
def test_each_numa_node_is_asked(tmp_path: Path, given: tuple[str, str], problem: str) -> None:
    even, odd = (
        next(core for core in sorted(os.sched_getaffinity(0)) if core % 2 == remainder)
        for remainder in (0, 1)
    )
    for node, core in enumerate((even, odd)):
        (tmp_path / f"node{node}").mkdir()
        (tmp_path / f"node{node}" / "cpulist").write_text(f"{core}\n")
    printed = ask(agent(tmp_path, ANSWER, *given), "c1=ib0/0/ib1/1", nodes=tmp_path)
    expected = f"wrong: daos_agent of c1 {problem}" if problem else "as described: c1: ib0, ib1"
    assert printed == f"{expected}\n"


def test_a_numa_node_that_is_not_there_is_named(tmp_path: Path) -> None:
    printed = ask(agent(tmp_path, ANSWER, "ib0"), "c1=ib0/0/ib1/1", nodes=tmp_path)
    assert "daos_agent of c1 runs on a host without NUMA node 0, which the description" in printed


def test_a_job_without_a_core_near_an_interface_is_refused(tmp_path: Path) -> None:
    for node in (0, 1):
        (tmp_path / f"node{node}").mkdir()
        (tmp_path / f"node{node}" / "cpulist").write_text("1000-1001\n")
    printed = ask(agent(tmp_path, ANSWER, "ib0"), "c1=ib0/0/ib1/1", nodes=tmp_path)
    assert printed.startswith("wrong: daos_agent of c1 cannot be asked: the job has no core")


# The guard.


@pytest.fixture
def attached(job: Job) -> Job:
    shutil.copy(ATTACH, job.stage)
    return job


def guard(program: Path, hosts: int = 1) -> str:
    return f"attached {hosts} python3 attach.py daos_server ofi+tcp s1=ib0/ -- {program} -j system"


def test_the_job_measures_where_agents_give_what_is_described(attached: Job) -> None:
    assert attached.run(guard(agent(attached.stage, ANSWER, "ib0")), "touch measured") == 0
    assert (attached.stage / "measured").exists()
    assert attached.output("agents.out") == "as described: s1: ib0\n"


def test_the_job_is_refused_with_the_sentence(attached: Job) -> None:
    assert attached.run(guard(agent(attached.stage, ANSWER, "eth0")), "touch measured") == 1
    assert not (attached.stage / "measured").exists()
    assert attached.output("refusal").startswith(
        "daos_agent of s1 gives the interface eth0, not ib0; see agents.out"
    )


def test_the_sentences_of_several_hosts_are_kept_as_they_are(attached: Job) -> None:
    both = "printf 'wrong: daos_agent of %s gives a;b, not c\\n' c1 c2"
    assert attached.run(f"both() {{ {both}; }}", "attached 2 both") == 1
    assert attached.output("refusal").startswith(
        "daos_agent of c1 gives a;b, not c; daos_agent of c2 gives a;b, not c; see agents.out"
    )


def test_the_job_is_refused_where_not_every_host_answers(attached: Job) -> None:
    assert attached.run(guard(agent(attached.stage, ANSWER, "ib0"), hosts=2)) == 1
    assert "is unknown: 1 of 2 hosts answered" in attached.output("refusal")


# What is described.


def test_agents_give_all_interfaces_but_those_that_are_excluded() -> None:
    document = system().model_dump(mode="json", by_alias=True)
    host = document["hosts"]["c1"]
    host["interfaces"] = {"ib0": {"numa_node": 0}, "ib1": {"numa_node": 1}, "eth0": {}}
    cluster = type(system()).model_validate

    def given(**keys: Any) -> list[str]:
        host["agent"] = keys
        return expected(cluster(document), ["c1"])

    assert given() == ["c1=ib0/0/ib1/1/eth0/"]
    assert given(exclude_fabric_ifaces=["eth0"]) == ["c1=ib0/0/ib1/1"]
    assert given(include_fabric_ifaces=["ib1", "lo"]) == ["c1=ib1/1/lo/"]
    fixed = [{"numa_node": 1, "devices": [{"iface": "ib0", "domain": "mlx5_0"}]}]
    assert given(settings={"fabric_ifaces": fixed}) == ["c1=ib0/1"]
