"""The commands that a check's page quotes are those that it runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from run_reframe import TESTS, scripts

from sites import site

PAGES = TESTS.parent / "docs" / "checks"
QUOTING = (
    *(
        "ClientPlacement",
        "DaosPerf",
        "FdbHammer",
        "Interference",
        "IorEasy",
        "MdtestEasy",
        "NetTest",
    ),
    *("PageCacheHonesty", "SelfTestClientServer"),
)
"""Checks whose pages quote whole commands, of clients of two cores and engines of 16 targets."""

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What each check runs, as pages spell it."""
    document = site(clients=2)
    for name in document["clients"]:
        document["hosts"][name]["cores"] = 2
    document["daos"] |= {"pool": "POOL", "container": "CONT", "perf_pool": "PERF"}
    document["benchmarks"] = {tool: f"/opt/bin/{tool}" for tool in ("ior", "mdtest")} | {
        "fdb_hammer": "/opt/bin/fdb-hammer",
        "fdb_share": "/opt/share",
        "ior_apis": ["DFS"],
        "shared_directory": "/share",
    }
    names = "|".join(QUOTING)
    made = scripts(document, tmp_path_factory.mktemp("site"), "--tag=quick", f"--name=^({names})%")
    return {check: spelled(script) for check, script in made.items()}


@pytest.mark.parametrize(
    ("check", "count"),
    [("MdtestEasy", " -n 100 "), ("Io500", " -n 200 "), ("Io500Program", "n = 200")],
)
def test_a_trial_on_one_machine_creates_some_files_without_a_deadline(
    check: str, count: str, tmp_path: Path
) -> None:
    document = site("file", servers=1, engines=1)
    document |= {"clients": ["s1"], "colocated": True}
    document["hosts"] = {name: document["hosts"][name] for name in ("login", "s1")}
    document["daos"] |= {"pool": "tank", "container": "posix", "agents": ["s1"]}
    document["daos"]["mount"] = "/mnt/dfuse"
    document["benchmarks"] = {"ior_apis": ["DFS"]} | {
        tool: f"/opt/bin/{tool}" for tool in ("ior", "mdtest", "io500")
    }
    script = scripts(document, tmp_path, "--tag=quick", f"--name=^{check}%")[check]
    assert count in script
    assert " -W " not in script


def spelled(command: str) -> str:
    """A command as a page has it: without quotes and directories."""
    command = UUID.sub("UUID", re.sub(r"""["']|\$(RAW|SCRATCH)"?/""", "", command))
    command = re.sub(r"(?<=[ ])/[^ ]*/", "", command.replace("$SLURM_JOB_ID", "JOB"))
    return re.sub(r" +", " ", command.replace("\\\n", "").replace("=n1 ", "=c1 "))


def quoted(check: str) -> list[str]:
    """The commands of a page."""
    text = (PAGES / f"{check}.md").read_text(encoding="utf-8")
    fenced = re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    lines = [line for block in fenced for line in spelled(block).splitlines()]
    return lines + [spelled(line) for line in re.findall(r"`(srun [^`]+)`", text)]


@pytest.mark.parametrize("check", QUOTING)
def test_a_page_quotes_what_is_run(check: str, ran: dict[str, str]) -> None:
    commands = quoted(check)
    assert commands
    assert [command for command in commands if command not in ran[check]] == []
