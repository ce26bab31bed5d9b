"""The SSDs that engines drive, as dmg lists them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.tools.daos.storage_scan import controllers
from recordings import recorded

SSD = {"model": "INTEL SSDPF2KX038TZ ", "serial": "PHAX1", "fw_rev": "9CV10490"}


def printed(devices: Any, hosts: str = "s1:10001") -> str:
    storage = {"nvme_devices": devices, "scm_modules": None}
    entry = {"storage": storage, "hosts": hosts}
    response = {"host_errors": {}, "HostStorage": {"8689153459321439115": entry}}
    return json.dumps({"response": response, "error": None, "status": 0})


def test_each_ssd_has_its_server_address_model_serial_and_firmware() -> None:
    assert controllers(printed([{**SSD, "pci_addr": "0000:65:00.0"}])) == {
        "s1": [
            {
                "address": "0000:65:00.0",
                "model": "INTEL SSDPF2KX038TZ",
                "serial": "PHAX1",
                "firmware": "9CV10490",
            }
        ]
    }


@pytest.mark.parametrize("devices", [None, [], [{"model": "", "pci_addr": ""}], [1], "x"])
def test_an_emulated_ssd_says_nothing(devices: Any) -> None:
    assert controllers(printed(devices)) == {"s1": []}


def test_a_file_that_stands_for_an_ssd_has_no_model() -> None:
    _, answer = recorded("dmg", "storage_scan_file.txt").split("\n", 1)
    assert controllers(answer.rpartition("# exit")[0]) == {"127.0.0.1": []}


def test_without_verbose_servers_leave_out_what_names_an_ssd() -> None:
    brief = {"model": "", "serial": "", "pci_addr": "0000:65:00.0", "fw_rev": "", "socket_id": 0}
    assert controllers(printed([brief])) == {"s1": []}


@pytest.mark.parametrize("entry", [7, {}, {"storage": None, "hosts": "s1:10001"}])
def test_a_host_of_another_form_says_nothing(entry: Any) -> None:
    response = {"HostStorage": {"1": entry}}
    assert controllers(json.dumps({"response": response, "error": None, "status": 0})) == {}


@pytest.mark.parametrize("text", ["", "dmg: not found", "[]", '{"response": null}'])
def test_without_an_answer_there_are_none(text: str) -> None:
    assert controllers(text) == {}
