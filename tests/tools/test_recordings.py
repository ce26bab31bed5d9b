"""The recordings: each is told of in the README beside it, and what is good in it is read."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from assay import tools
from assay.tools import PARSERS
from recordings import ROOT, recorded

TOOLS = sorted(tool for tool in PARSERS if (ROOT / tool).is_dir())


@pytest.mark.parametrize("tool", TOOLS)
def test_each_says_where_it_comes_from(tool):
    listed = re.findall(r"`([\w./*-]+)`", (ROOT / tool / "README.md").read_text())
    files = [
        str(path.relative_to(ROOT / tool))
        for path in (ROOT / tool).rglob("*")
        if path.is_file() and path.name != "README.md"
    ]
    untold = [name for name in files if not any(fnmatch(name, pattern) for pattern in listed)]
    assert files
    assert untold == []


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("self_test", "put.txt"),
        ("vos_perf", "bandwidth.txt"),
        ("vos_perf", "ult.txt"),
        ("spdk_nvme_perf", "read_1m.txt"),
        ("daos_perf", "echo.txt"),
        ("ior", "dfuse_ioil_report.txt"),
        ("dmg", "system_query_joined.txt"),
    ],
)
def test_a_good_one_has_no_problem(tool, name):
    assert PARSERS[tool](recorded(tool, name)).problems == ()


@pytest.mark.parametrize(
    ("tool", "name", "problem"),
    [
        ("vos_perf", "unwritable.txt", "vos_perf did not start: DAOS error -1025 ("),
        ("daos_perf", "no_space.txt", "daos_perf did not start: no space left ("),
        ("ior", "dfs_no_agent.txt", "ERROR: Failed to initialize DAOS DFS driver"),
        ("dmg", "system_query_engine_killed.txt", "rank 0 at 127.0.0.1:10001 is errored: "),
    ],
)
def test_a_bad_one_has_a_problem(tool, name, problem):
    assert PARSERS[tool](recorded(tool, name)).problems[0].startswith(problem)


def test_every_tool_has_its_module_and_is_known_by_its_name():
    package = Path(tools.__file__).parent
    modules = {path.stem for path in package.rglob("*.py") if "\nTOOL = " in path.read_text()}
    assert set(PARSERS) == modules - {"placement"}  # a script of the checks
    assert all(PARSERS[tool]("").tool == tool for tool in PARSERS)
    assert "iometer" not in PARSERS
