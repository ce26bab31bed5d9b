"""What the filters of the role daos_system make of what its tasks have registered."""

from __future__ import annotations

import runpy
from typing import Any

import pytest
from rendering import ROLES

from recordings import recorded

FILTERS = runpy.run_path(str(ROLES / "daos_system" / "filter_plugins" / "daos_system.py"))[
    "FilterModule"
]().filters()


def run(name: str) -> dict[str, Any]:
    """A recording of dmg, as `ansible.builtin.command` returns it."""
    *printed, status = recorded("dmg", f"{name}.txt").splitlines()
    return {"rc": int(status.removeprefix("# exit: ")), "stdout": "\n".join(printed[1:])}


def test_an_answer_says_what_is_wrong_and_whether_there_is_a_system() -> None:
    answer = FILTERS["daos_system_answer"]
    assert answer(run("system_query_joined")) == {"error": "", "uninitialized": False}
    assert answer(run("system_query_uninitialized"))["uninitialized"]
    assert answer({"msg": "no such host"})["error"] == "no such host"


def test_engines_are_unformatted_by_what_each_host_has_registered() -> None:
    engine = {"port": None, "log": "", "superblock": "/mnt/daos0/superblock", "persistent": False}
    server = {"name": "s1", "addresses": [], "names": [], "engines": [engine]}
    hosts: dict[str, Any] = {"s1": {"__daos_system_superblocks": {"stdout_lines": []}}}
    unformatted = FILTERS["daos_system_unformatted"]
    assert [row["host"] for row in unformatted([server], hosts)] == ["s1"]
    hosts["s1"]["__daos_system_superblocks"]["stdout_lines"].append("/mnt/daos0/superblock")
    assert unformatted([server], hosts) == []
    with pytest.raises(KeyError):
        unformatted([server], {"s1": {}})
