"""Variables that DAOS takes, and what they do."""

from __future__ import annotations

import pytest

from sites import only, problems, put, site

WHERE = "s1: engines/0/env_vars"


@pytest.mark.parametrize(
    ("entry", "severity", "message"),
    [
        ("DAOS_IO_BYPASS=nvme", "error", "data is not stored"),
        ("DAOS_START_POOLS=0", "error", "no engine starts its pools"),
        ("DAOS_REBUILD=no", "warning", "nothing is rebuilt"),
        ("LD_PRELOAD=/usr/lib64/libpil4dfs.so", "error", "an engine would call itself"),
        ("DAOS_MD_ON_SSD_MODE=3", "warning", "or have bdev_roles"),
        ("CRT_CTX_NUM=1", "warning", "an engine ignores it"),
        ("FI_LOG_LEVEL=loud", "warning", "should be one of warn, trace, info, debug"),
        ("HG_LOG_LEVEL=verbose", "warning", "should be one of error"),
        ("UCX_TLS=rc", "warning", "uses libfabric, which does not read it"),
        ("FI_MR_CACHE_MAX_COUNT=all", "error", "whole number"),
        ("D_LOG_STDERR_IN_LOG=yes", "error", "whole number"),
        ("SWIM_PROTOCOL_PERIOD_LEN=0", "error", "whole number of 1"),
    ],
)
def test_a_variable_that_spoils_figures_or_does_nothing(
    entry: str, severity: str, message: str
) -> None:
    problem = only(put(site(), {WHERE: [entry]}))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].env_vars", entry)
    assert (problem.severity, message in problem.allowed) == (severity, True)


@pytest.mark.parametrize(
    "entry",
    [
        *(
            "DAOS_START_POOLS=1",
            "DAOS_REBUILD=yes",
            "LD_PRELOAD=/usr/lib64/libjemalloc.so",
            "FI_LOG_LEVEL=WARN",
            "HG_LOG_LEVEL=warning",
        ),
        *("D_LOG_STDERR_IN_LOG=1", "FI_MR_CACHE_MAX_COUNT=0", "SWIM_PROTOCOL_PERIOD_LEN=2000"),
    ],
)
def test_a_variable_that_does_neither(entry: str) -> None:
    assert problems(put(site(), {WHERE: [entry]})) == []


def test_a_variable_of_the_library_that_the_provider_has() -> None:
    document = put(site(), {WHERE: ["UCX_TLS=rc"], "provider": "ucx+dc_x"})
    assert problems(document) == []
    problem = only(put(document, {WHERE: ["FI_UNIVERSE_SIZE=2048"]}))
    assert "uses UCX, which does not read it" in problem.allowed


@pytest.mark.parametrize(
    ("iface", "severity"), [("eth7", "error"), ("ib1", "warning"), ("ib0", None)]
)
def test_the_interface_of_libfabric_is_that_of_the_engine(iface: str, severity: str | None) -> None:
    entry = f"FI_TCP_IFACE={iface}"
    reported = problems(put(site(), {"provider": "ofi+tcp", WHERE: [entry]}))
    assert [p.severity for p in reported] == ([severity] if severity else [])
    assert problems(put(site(), {WHERE: [entry]})) == []


def test_the_mode_of_metadata_on_ssds_beside_their_roles() -> None:
    assert problems(put(site("md-on-ssd-shared"), {WHERE: ["DAOS_MD_ON_SSD_MODE=3"]})) == []
