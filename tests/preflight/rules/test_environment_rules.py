"""Environment and logs of engines."""

import pytest

from sites import only, problems, put, site


@pytest.mark.parametrize("entry", ["CRT_TIMEOUT", "=30", "CRT TIMEOUT=30", "CRT_TIMEOUT = 30", ""])
def test_an_unknown_variable(entry: str) -> None:
    problem = only(put(site(), {"s1: engines/0/env_vars": ["FI_LOG_LEVEL=warn", entry]}))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].env_vars", entry)
    assert problem.allowed == "should be KEY=VALUE, where the key is a word"


def test_a_variable_that_is_set_twice() -> None:
    entries = ["CRT_TIMEOUT=30", "CRT_TIMEOUT=60"]
    problem = only(put(site(), {"s1: engines/0/env_vars": entries}))
    assert (problem.host, problem.key) == ("s1", "engines[0].env_vars")
    assert problem.value == "CRT_TIMEOUT=60"
    assert "should not set CRT_TIMEOUT again" in problem.allowed


@pytest.mark.parametrize(
    ("layout", "eadr", "message"),
    [
        ("pmem", False, "should not be set where server.eadr is false"),
        ("ephemeral", True, "should not be set with SCM of class ram"),
        ("ephemeral", False, "should not be set with SCM of class ram"),
    ],
)
def test_no_flush_where_a_flush_is_needed(layout: str, eadr: bool, message: str) -> None:
    document = put(site(layout), {"s1: engines/0/env_vars": ["PMEM_NO_FLUSH=1"]})
    problem = only(put(document, {"s1: server/eadr": eadr}))
    assert (problem.host, problem.key, problem.value) == (
        "s1",
        "engines[0].env_vars",
        "PMEM_NO_FLUSH",
    )
    assert problem.allowed.startswith(message)


def test_no_flush_is_for_trials_even_with_eadr() -> None:
    document = put(site("pmem"), {"s1: engines/0/env_vars": ["PMEM_NO_FLUSH=1"]})
    problem = only(put(document, {"s1: server/eadr": True}))
    assert (problem.key, problem.severity) == ("engines[0].env_vars", "warning")
    assert "DAOS-19292" in problem.allowed


def test_no_flush_that_is_off_disturbs_nobody() -> None:
    document = put(site("pmem"), {"s1: engines/0/env_vars": ["PMEM_NO_FLUSH=0"]})
    assert problems(document) == []


@pytest.mark.parametrize("mask", ["ERR", "debug", "ERR,RPC=DEBUG,bulk=info", "RPC=DEBUG"])
def test_a_log_mask(mask: str) -> None:
    assert problems(put(site(), {"s1: engines/0/log_mask": mask})) == []


@pytest.mark.parametrize("mask", ["LOUD", "ERR,DEBUG", "ERR,RPC", "ERR,NOPE=DEBUG", "ALL=ERR"])
def test_a_word_that_is_not_a_log_mask(mask: str) -> None:
    problem = only(put(site(), {"s1: engines/0/log_mask": mask}))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].log_mask", mask)
    assert problem.allowed.startswith("should be one of DEBUG, DBUG, INFO, NOTE, WARN, ERROR, ERR")


def test_a_log_mask_of_the_server_that_only_engines_have() -> None:
    problem = only(put(site(), {"s1: server/log_mask": "WARN"}))
    assert (problem.host, problem.key, problem.value) == ("s1", "server.log_mask", "WARN")
    assert problem.allowed == "should be one of DISABLED, TRACE, DEBUG, INFO, NOTICE, ERROR"


@pytest.mark.parametrize("host", ["c1", "s1"])
def test_a_log_mask_of_the_agent_that_only_engines_have(host: str) -> None:
    problem = only(put(site(), {f"{host}: agent": {"log_mask": "WARN"}}))
    assert (problem.host, problem.key, problem.value) == (host, "agent.log_mask", "WARN")


def test_a_filter_of_libfabric_is_not_taken_for_a_misspelt_variable_of_daos() -> None:
    problem = only(put(site(), {"s1: engines/0/env_vars": ["FI_PROVIDER=tcp"]}))
    assert problem.severity == "warning"
    assert problem.allowed.startswith("should be left out: libfabric then offers these providers")
