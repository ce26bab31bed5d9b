"""IOR and mdtest over two clients, by stand-ins that know the real ones' command lines."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from private_slurm import REPOSITORY, PrivateSlurm
from site_here import Site

MakeSite = Callable[..., Site]

REPLAY = Path(__file__).with_name("replay.py")
RECORDED = REPOSITORY / "tests" / "recorded"


@pytest.fixture
def site(make_site: MakeSite, slurm: PrivateSlurm) -> Site:
    """Two clients that share a directory."""
    shared = slurm.directory / "shared"
    shared.mkdir(exist_ok=True)
    here = make_site({"shared_directory": shared}, clients=["c1", "c2"], servers=["s1"])
    here.scratches["shared"] = shared
    return here


def use(site: Site, tool: str, recordings: str) -> None:
    """Let a program replay all recordings of a directory, each for its own command."""
    paths = sorted(str(path) for path in (RECORDED / tool / recordings).glob("*.txt"))
    assert paths
    words = [sys.executable, str(REPLAY), *paths]
    site.use(tool, f'exec {shlex.join(words)} -- {tool} "$@"')


@pytest.mark.parametrize(
    ("tool", "layer", "check", "recordings"),
    [
        ("ior", "endtoend", "IorEasy", "easy/posix"),
        ("mdtest", "metadata", "MdtestHard", "hard/posix"),
    ],
)
def test_a_shared_directory_is_measured_with_the_commands_that_were_recorded(
    site: Site, tool: str, layer: str, check: str, recordings: str
) -> None:
    use(site, tool, recordings)
    done = site.check(check)
    assert done.returncode == 0, done.stdout
    assert "[  PASSED  ] Ran 1/1 test case(s) from 1 check(s)" in done.stdout
    assert "@clients/posix" in done.stdout
    assert site.left_behind() == []


def test_another_command_is_refused(site: Site) -> None:
    use(site, "mdtest", "hard/posix")
    campaign = site.measure("quick", "metadata")
    assert campaign.exit_code == 1
    signed = campaign.sign_off()
    for metric in signed.of("MdtestEasy"):
        assert metric["verdict"] == "missing"
        assert "mdtest (mdtest.1) failed with exit status 64: " in metric["reason"]
    for metric in signed.of("MdtestHard"):
        assert metric["verdict"] == "unrated"
        assert len(metric["samples"]) == 3
        assert metric["raw"]
    assert site.left_behind() == []


class Daos:
    """A DAOS system of which dmg and daos tell what was recorded."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.answer("system query", "dmg/system_query_joined.txt")
        self.answer("pool query tank", "dmg/pool_query.txt")
        script = f"recording={RECORDED}/container/posix.txt; {GIVE}"
        site.program("daos", script)
        self.write()
        site.describe(self.change)

    def answer(self, question: str, recording: str) -> None:
        """Let dmg answer a question as it was recorded."""
        self.answers = {**getattr(self, "answers", {}), question: recording}
        self.write()

    def write(self) -> None:
        """Write dmg, which knows its questions and no others."""
        asked = "-j -o /etc/daos/daos_control.yml"
        cases = "".join(
            f'"{asked} {question}") recording={RECORDED}/{recording};;\n'
            for question, recording in self.answers.items()
        )
        self.site.program("dmg", f'case "$*" in\n{cases}*) exit 64;;\nesac\n{GIVE}')

    def change(self, document: dict[str, Any]) -> None:
        document["daos"] = {
            "name": "daos_server",
            "version": "2.8",
            "mgmt_svc_replicas": ["s1"],
            "servers": ["s1"],
            "agents": ["c1", "c2"],
            "admin": "c1",
            "prefix": str(self.site.root),
            "pool": "tank",
            "container": "posix",
        }
        document["benchmarks"]["ior_apis"] = ["DFS"]
        document["benchmarks"].pop("shared_directory")
        server = document["hosts"]["s1"]
        server["server"] = {"system_ram_reserved": 1, "disable_vfio": True}
        server["memory"] = {"total_mib": 65536}
        (engine,) = server["engines"]
        engine["env_vars"] = ["DAOS_TARGET_OVERSUBSCRIBE=1"]
        engine["storage"][0]["scm_size"] = 4
        server["engines"] = [
            engine
            | {"fabric_iface_port": 31316 + 100 * number}
            | {"storage": [{**engine["storage"][0], "scm_mount": f"/mnt/daos{number}"}]}
            for number in (0, 1)
        ]
        for host in document["hosts"].values():
            host["interfaces"] = {"lo": {"address": "127.0.0.1"}}


GIVE = "sed '1d; $d' $recording"
"""What was recorded, without its command and its exit code."""


@pytest.fixture
def daos(site: Site) -> Daos:
    """Two clients, and a server with two engines."""
    use(site, "ior", "easy/dfs")
    return Daos(site)


def test_a_container_is_measured_with_the_commands_that_were_recorded(daos: Daos) -> None:
    done = daos.site.check("IorEasy")
    assert done.returncode == 0, done.stdout
    assert "write@clients/dfs" in done.stdout
    assert "read@clients/dfs" in done.stdout
