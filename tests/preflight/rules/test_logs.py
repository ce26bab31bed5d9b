"""Logs of engines."""

from __future__ import annotations

import pytest

from sites import only, problems, put, site

LOG = "s1: engines/0/log_file"


def test_two_engines_with_one_log() -> None:
    log = "/var/log/daos/engine.log"
    changes = {f"s1: engines/{number}/log_file": log for number in (0, 1)}
    problem = only(put(site(engines=2), changes))
    assert (problem.host, problem.key) == ("s1", "engines[1].log_file")
    assert str(problem.value) == log
    assert problem.allowed == "should be a file of its own; engines[0] writes to this one"


def test_a_log_in_the_place_of_an_ssd() -> None:
    problem = only(put(site("file"), {LOG: "/var/daos/bdev0"}))
    assert (problem.key, problem.severity) == ("engines[0].log_file", "error")
    assert "engines[0].storage[1].bdev_list has it" in problem.allowed


@pytest.mark.parametrize("log", ["/mnt/dram0/engine.log", "/var/daos/config/log/engine.log"])
def test_a_log_on_what_daos_mounts(log: str) -> None:
    document = put(site("md-on-ssd-shared"), {LOG: log})
    put(document, {"s1: server/control_metadata/device": "/dev/sdb"})
    problem = only(document)
    assert (problem.key, problem.severity) == ("engines[0].log_file", "warning")
    assert "which DAOS mounts" in problem.allowed


def test_a_log_beside_control_metadata_that_is_not_mounted() -> None:
    assert problems(put(site("md-on-ssd-shared"), {LOG: "/var/daos/config/engine.log"})) == []
