"""What has to be equal on all engines and servers, and where the servers are."""

from __future__ import annotations

import pytest

from sites import only, problems, put, site

SETTINGS = "server/settings"


@pytest.mark.parametrize(
    ("changes", "host", "key", "message"),
    [
        ({"s1: engines/1/crt_timeout": 60}, "s1", "engines[1].crt_timeout", "should be 0"),
        ({"s1: engines/0/disable_srx": True}, "s1", "engines[0].disable_srx", "should be false"),
        (
            {
                "s1: engines/0/crt_timeout": 30,
                **{f"s{n}: {SETTINGS}/crt_timeout": 60 for n in (1, 2, 3)},
            },
            "s1",
            "engines[0].crt_timeout",
            "clients get that value",
        ),
        (
            {"s1: engines/1/env_vars": ["FI_OFI_RXM_USE_SRX=1"]},
            "s1",
            "engines[1].env_vars",
            "should be left out, as in engines[0]",
        ),
        (
            {f"s2: {SETTINGS}/crt_timeout": 60},
            "s2",
            "server.settings.crt_timeout",
            "should be 0, as on most servers",
        ),
        (
            {f"s3: {SETTINGS}/fault_path": "/rack1/s3"},
            "s3",
            "server.settings.fault_path",
            "as many levels as those of the other servers, such as /s1",
        ),
    ],
)
def test_one_that_differs(changes: dict[str, object], host: str, key: str, message: str) -> None:
    problem = only(put(site(servers=3, engines=2), changes))
    assert (problem.host, problem.key, problem.severity) == (host, key, "error")
    assert message in problem.allowed


@pytest.mark.parametrize(
    "settings",
    [
        {"crt_timeout": 60},
        {"disable_srx": True},
        {"fault_path": "/rack1"},
        {"fault_path": "/rack1/all"},
        {"fault_cb": "/etc/daos/callback"},
    ],
)
def test_all_alike(settings: dict[str, object]) -> None:
    document = site(servers=3, engines=2)
    for server in ("s1", "s2", "s3"):
        put(document, {f"{server}: server/settings": dict(settings)})
    assert problems(document) == []


def test_an_engine_that_repeats_what_its_server_says() -> None:
    document = put(site(engines=2), {f"s1: {SETTINGS}/crt_timeout": 60})
    assert problems(put(document, {"s1: engines/1/crt_timeout": 60})) == []


def test_servers_in_one_place_are_one_fault_domain() -> None:
    document = put(
        site(servers=3),
        {
            "s1: server/settings/fault_path": "/rack1",
            "s2: server/settings/fault_path": "/rack1",
            "s3: server/settings/fault_path": "/rack2",
            "daos/pools": [
                {"name": "tank", "size": "9%", "containers": [{"name": "c", "oclass": "RP_3GX"}]}
            ],
        },
    )
    problem = only(document)
    assert (problem.key, problem.severity) == ("daos.pools[0].containers[0].oclass", "warning")
    assert "should be of at most 2 parts, one per fault domain" in problem.allowed
