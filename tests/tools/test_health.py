"""The health of SSDs, interfaces and clients of a DAOS system."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.tools.daos import device_health, health_check, network_scan
from recordings import recorded

HEALTHY = recorded("dmg", "list_devices.txt")
SCANNED = recorded("dmg", "network_scan.txt")
CHECKED = recorded("dmg", "health_check.txt")


def devices(state: str = "NORMAL", **health: Any) -> str:
    """An answer about one SSD, as DAOS's source spells it."""
    ssd = {
        "uuid": "91751d0a-8fb4-4bcb-8a9f-fbd32a4d9a7d",
        "rank": 3,
        "ctrlr": {"pci_addr": "0000:81:00.0", "dev_state": state, "health_stats": health},
    }
    hosts = {"1": {"storage": {"smd_info": {"devices": [ssd]}}, "hosts": "s1:10001"}}
    response = {"host_errors": {}, "host_storage_map": hosts}
    return json.dumps({"response": response, "error": None, "status": 0}, indent=2)


def test_asks_for_json() -> None:
    config = "/etc/daos/daos_control.yml"
    assert " ".join(device_health.query(config)) == (
        f"dmg -j -o {config} storage query list-devices --health"
    )
    assert " ".join(network_scan.query(config)) == f"dmg -j -o {config} network scan"
    assert " ".join(health_check.query()) == "daos -j health check"


def test_what_is_healthy_has_no_problem() -> None:
    assert device_health.problems(HEALTHY) == []
    assert device_health.problems(devices(temp_warn=False, media_errs=7)) == []
    assert network_scan.problems(SCANNED, "ofi+tcp") == []
    assert health_check.problems(CHECKED) == []


@pytest.mark.parametrize(
    ("wanted", "listed", "is_there"),
    [
        ("ofi+tcp;ofi_rxm", "ofi+tcp", True),
        ("ofi+verbs", "ofi+verbs;ofi_rxm", True),
        ("ofi+tcp,ofi+verbs", "ofi+tcp", False),
        ("ucx+dc_x", "ucx+dc_mlx5", True),
        ("ofi+verbs", "ofi+tcp", False),
        ("ucx+dc_x", "ofi+verbs;ofi_rxm", False),
    ],
)
def test_a_provider_is_there_however_it_is_spelled(
    wanted: str, listed: str, *, is_there: bool
) -> None:
    scanned = SCANNED.replace('"ofi+tcp"', f'"{listed}"')
    assert (network_scan.problems(scanned, wanted) == []) == is_there


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (devices("EVICTED"), "SSD 0000:81:00.0 of rank 3 is evicted as faulty"),
        (devices("UNPLUGGED"), "SSD 0000:81:00.0 of rank 3 is unplugged"),
        (devices(temp_warn=True), "SSD 0000:81:00.0 of rank 3 is too hot, or too cold"),
        (devices(read_only_warn=True), "SSD 0000:81:00.0 of rank 3 is read-only"),
        (
            HEALTHY.replace("NORMAL", "EVICTED"),
            "SSD 91751d0a-8fb4-4bcb-8a9f-fbd32a4d9a7d of rank 0 is evicted as faulty",
        ),
    ],
)
def test_an_ssd_that_is_not_healthy_is_named(text: str, problem: str) -> None:
    assert device_health.problems(text) == [problem]


def test_2_4_has_the_controller_beside_the_rest() -> None:
    ssd = {"uuid": "u", "rank": 3, "tr_addr": "0000:81:00.0", "dev_state": "NORMAL"}
    hosts = {"1": {"storage": {"smd_info": {"devices": [ssd | {"health": {"temp_warn": True}}]}}}}
    response = {"host_errors": {}, "host_storage_map": hosts}
    text = json.dumps({"response": response, "error": None}, indent=2)
    assert device_health.problems(text) == ["SSD 0000:81:00.0 of rank 3 is too hot, or too cold"]


def test_engines_without_ssds_have_none_that_could_fail() -> None:
    for info in (None, {}, {"devices": None}):
        hosts = {"1": {"storage": {"smd_info": info}}}
        text = json.dumps({"response": {"host_storage_map": hosts}, "error": None}, indent=2)
        assert device_health.problems(text) == []


def test_an_ssd_without_a_state_is_not_known() -> None:
    devices = {"devices": [{"uuid": "u", "rank": 3}]}
    hosts = {"1": {"storage": {"smd_info": devices}}}
    text = json.dumps({"response": {"host_storage_map": hosts}, "error": None}, indent=2)
    (problem,) = device_health.problems(text)
    assert problem.startswith("the health of the SSDs is unknown: ")


def test_errors_that_an_ssd_counted_meanwhile_are_named() -> None:
    before, after = devices(media_errs=7, checksum_errs=1), devices(media_errs=9, checksum_errs=1)
    assert device_health.grown(before, after) == [
        "SSD 0000:81:00.0 of rank 3 counted media errors: 2"
    ]
    (one,) = device_health.grown(before, devices(media_errs=8))
    assert one.endswith("counted media errors: 1")
    assert device_health.grown(after, after) == []
    # An engine that restarted counts from 0 again.
    assert device_health.grown(after, before) == []
    assert device_health.grown(devices(), after) == []


def test_a_provider_that_no_interface_has_is_named() -> None:
    assert network_scan.problems(SCANNED, "ofi+verbs") == [
        "no interface of 127.0.0.1:10001 has the provider ofi+verbs, only ofi+tcp"
    ]


def test_a_client_of_another_release_is_named() -> None:
    client, libdaos = '"client": {\n        "version": "2.8.0"', '"libdaos": {\n        "version": '
    assert client in CHECKED
    assert health_check.problems(CHECKED.replace(client, client.replace("8.0", "6.3"))) == [
        "DAOS differs between its parts: server 2.8.0, client 2.6.3, libdaos 2.8.0; were the"
        " clients upgraded, too?"
    ]
    (problem,) = health_check.problems(CHECKED.replace(f'{libdaos}"2.8.0"', f'{libdaos}"2.8.1"'))
    assert "libdaos 2.8.1" in problem


def test_parts_that_report_no_version_are_not_compared() -> None:
    for libdaos in ({}, {"libdaos": {"version": ""}}):
        builds = {"server": {"version": "2.8.0"}, "client": {"version": "2.8.0"}, **libdaos}
        response = {"component_build_info": builds}
        text = json.dumps({"response": response, "error": None, "status": 0})
        assert health_check.problems(text) == []


def test_a_rank_that_a_pool_lost_is_named() -> None:
    dead = CHECKED.replace('"enabled_ranks": [', '"dead_ranks": [1],\n        "enabled_ranks": [')
    assert health_check.problems(dead) == ["the pool tank has ranks that are dead: 1"]


NO_ANSWER = "dmg did not answer within 60 s"


@pytest.mark.parametrize("text", [NO_ANSWER, "", "{}"])
def test_what_is_not_known_is_not_healthy(text: str) -> None:
    if "{" not in text:
        (problem,) = device_health.problems(text)
        assert problem == f"the health of the SSDs is unknown: {text or 'no answer'}"
        (problem,) = network_scan.problems(text, "ofi+tcp")
        assert problem == f"the servers' interfaces are unknown: {text or 'no answer'}"
    (problem,) = health_check.problems(text)
    if "{" not in text:
        assert problem == f"daos health check failed: {text or 'no answer'}"


@pytest.mark.parametrize(
    "response",
    [
        {"host_storage_map": 3, "HostFabrics": 3},
        {"host_storage_map": {"1": {}}, "HostFabrics": {"1": {}}},
    ],
)
def test_what_has_another_form_is_not_healthy(response: dict[str, Any]) -> None:
    text = json.dumps({"response": response, "error": None}, indent=2)
    (problem,) = device_health.problems(text)
    assert problem.startswith("the health of the SSDs is unknown: ")
    (problem,) = network_scan.problems(text, "ofi+tcp")
    assert problem.startswith("the servers' interfaces are unknown: ")


def test_a_server_that_does_not_answer_is_named() -> None:
    errors = {"host_errors": {"connection refused": "s2:10001"}}
    text = json.dumps({"response": errors, "error": "1 host had errors"}, indent=2)
    assert device_health.problems(text) == [
        "the health of the SSDs is unknown: s2:10001: connection refused"
    ]
    assert network_scan.problems(text, "ofi+tcp") == [
        "the servers' interfaces are unknown: s2:10001: connection refused"
    ]


def test_each_target_has_its_ssd() -> None:
    listed = recorded("dmg", "list_devices_two_engines.txt")
    assert device_health.of_targets(listed) == {
        (0, 0): ("920da111-dc7b-48a8-bb64-d20bfde25b3d",),
        (0, 1): ("cd988ed4-0996-459c-a4bb-e143d7399a61",),
        (1, 0): ("4609e2ad-d12f-4702-9bcf-05ad0719b0ab",),
        (1, 1): ("8c815e1f-0d71-42da-81f6-1bf09898982f",),
    }
    assert device_health.of_targets(HEALTHY) == {(0, 0): ("91751d0a-8fb4-4bcb-8a9f-fbd32a4d9a7d",)}


def test_the_ssds_of_a_target_are_those_with_its_data() -> None:
    answer = json.loads(devices())
    (host,) = answer["response"]["host_storage_map"].values()
    (ssd,) = host["storage"]["smd_info"]["devices"]
    host["storage"]["smd_info"]["devices"] = [
        {**ssd, "tgt_ids": [0, 1]},  # 2.4 reports no roles
        {**ssd, "tgt_ids": [1], "roles": "data,meta"},
        {**ssd, "tgt_ids": [0, 1], "roles": "wal"},
        {**ssd, "tgt_ids": None},
    ]
    name = "0000:81:00.0"
    assert device_health.of_targets(json.dumps(answer, indent=2)) == {
        (3, 0): (name,),
        (3, 1): (name, name),
    }
    assert device_health.of_targets("no answer") == {}
