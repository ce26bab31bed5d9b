"""Settings of daos_server.yml that depend on each other, or that all servers share."""

from __future__ import annotations

from typing import Any

import pytest

from sites import only, problems, put, site

SETTINGS = "s1: server/settings"


@pytest.mark.parametrize(
    ("settings", "key", "severity", "message"),
    [
        ({"crt_timeout": 1}, "crt_timeout", "warning", "should be 10 to 3600"),
        ({"crt_timeout": 3601}, "crt_timeout", "warning", "should be 10 to 3600"),
        (
            {"disable_engine_auto_restart": True, "engine_auto_restart_min_delay": 60},
            "engine_auto_restart_min_delay",
            "warning",
            "no engine is restarted",
        ),
        ({"fault_cb": "/etc/daos/../passwd"}, "fault_cb", "error", "a program below /etc/daos"),
        ({"client_env_vars": ["D_PORT=31416"]}, "client_env_vars", "warning", "the same port"),
        ({"client_env_vars": ["D_LOG_MASK=LOUD"]}, "client_env_vars", "error", "DEBUG"),
        ({"client_env_vars": ["DAOS_IO_BYPASS=cli_rpc"]}, "client_env_vars", "error", "figures"),
    ],
)
def test_a_setting_that_does_not_do_what_it_says(
    settings: dict[str, Any], key: str, severity: str, message: str
) -> None:
    problem = only(put(site(), {SETTINGS: settings}))
    assert (problem.key, problem.severity) == (f"server.settings.{key}", severity)
    assert message in problem.allowed


@pytest.mark.parametrize(
    "settings",
    [
        *({"crt_timeout": seconds} for seconds in (0, 10, 3600)),
        {"engine_auto_restart_min_delay": 60},
        {"fault_cb": "/etc/daos/domain.sh"},
        {"client_env_vars": ["D_LOG_MASK=ERR", "FI_MR_CACHE_MONITOR=disabled"]},
        {"bdev_exclude": ["0000:66:00.0", "0000:e2:00.5"]},
    ],
)
def test_a_setting_that_does(settings: dict[str, Any]) -> None:
    assert problems(put(site("vmd"), {SETTINGS: settings})) == []


@pytest.mark.parametrize("excluded", ["0000:64:00.5", "640005:02:00.0", "640005:01:00.0"])
def test_an_excluded_controller_of_vmd(excluded: str) -> None:
    problem = only(put(site("vmd"), {SETTINGS: {"bdev_exclude": [excluded]}}))
    assert (problem.key, problem.value) == ("server.settings.bdev_exclude", "640005:01:00.0")


@pytest.mark.parametrize("key", ["client_env_vars", "disable_srx"])
def test_what_clients_get_is_the_same_on_all_servers(key: str) -> None:
    value: object = ["FI_MR_CACHE_MONITOR=disabled"] if key == "client_env_vars" else True
    document = put(site(servers=3), {SETTINGS: {key: value}})
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", f"server.settings.{key}")
    everywhere = {f"s{number}: server/settings": {key: value} for number in (1, 2, 3)}
    assert problems(put(document, everywhere)) == []


@pytest.mark.parametrize(("provider", "severity"), [("ofi+cxi", "error"), ("ofi+tcp", "warning")])
def test_engines_with_another_key_of_the_fabric(provider: str, severity: str) -> None:
    document = put(site(servers=3), {"provider": provider, SETTINGS: {"fabric_auth_key": "a:b"}})
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", "engines[0].fabric_auth_key")
    assert (problem.value, problem.severity) == ("another key", severity)
    others = {f"s{n}: engines/0/fabric_auth_key": "a:b" for n in (2, 3)}
    assert problems(put(document, others)) == []


def test_metadata_on_ssds_of_one_server_alone() -> None:
    document = put(site(servers=3), {"s1: server/control_metadata": {"path": "/var/daos/config"}})
    put(document, {"s1: engines/0/storage/1/bdev_roles": ["wal", "meta", "data"]})
    problem = only(document)
    assert (problem.host, problem.key, problem.value) == (
        "s1",
        "engines[0].storage",
        "with bdev_roles",
    )
    assert problem.allowed.startswith("should not have bdev_roles, as on most servers")


def rpc(enable: bool, path: str | None = None) -> dict[str, object]:
    return {"enable": enable} | ({"sock_addr": path} if path else {})


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"0/modules": "mgmt,pool"}, "engines[0].modules", "should be left out"),
        (
            {"0/modules": "vos,rdb,rsvc,security,mgmt,dtx,pool,cont,obj,rebuid"},
            "engines[0].modules",
            "should be left out",
        ),
        (
            {"0/spdk_iobuf": {"small_pool_count": 63}},
            "engines[0].spdk_iobuf.small_pool_count",
            "should be at least 64",
        ),
        (
            {"0/spdk_rpc_server": rpc(True)},
            "engines[0].spdk_rpc_server.sock_addr",
            "is missing",
        ),
        (
            {f"{number}/spdk_rpc_server": rpc(True, "/var/tmp/e.sock") for number in (0, 1)},
            "engines[1].spdk_rpc_server.sock_addr",
            "should be a socket of its own: engines[0] has this one",
        ),
    ],
)
def test_a_key_of_an_engine_with_which_it_does_not_start(
    changes: dict[str, object], key: str, message: str
) -> None:
    document = put(site(engines=2), {f"s1: engines/{k}": v for k, v in changes.items()})
    problem = only(document)
    assert (problem.key, problem.severity) == (key, "error")
    assert problem.allowed.startswith(message)


@pytest.mark.parametrize(
    "changes",
    [
        {"0/modules": "vos,rdb,rsvc,security,mgmt,dtx,po,container,object,rebuild"},
        {"0/spdk_iobuf": {"small_pool_count": 0, "large_pool_count": 8}},
        {f"{number}/spdk_rpc_server": rpc(False) for number in (0, 1)},
        {f"{number}/spdk_rpc_server": rpc(True, f"/var/tmp/e{number}.sock") for number in (0, 1)},
    ],
)
def test_a_key_of_an_engine_with_which_it_starts(changes: dict[str, object]) -> None:
    document = put(site(engines=2), {f"s1: engines/{k}": v for k, v in changes.items()})
    assert problems(document) == []
