"""dmg storage scan: the SSDs of each server that its engines drive, which the kernel does not see.

Source: `NvmeController` in src/control/server/storage/bdev.go of DAOS 2.8. An emulated SSD has
neither a model nor a serial number.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from assay.tools.daos.daos_answer import read_answer


@lru_cache(maxsize=4)
def controllers(printed: str) -> dict[str, list[dict[str, str]]]:
    """The SSDs by the name or address of their server, as `host_identity` has those of the kernel.

    Args:
        printed: standard output of `dmg -j storage scan --verbose`.
    """
    response = read_answer(printed).response
    entries = response.get("HostStorage") if isinstance(response, dict) else None
    ssds: dict[str, list[dict[str, str]]] = {}
    for entry in entries.values() if isinstance(entries, dict) else ():
        if not isinstance(entry, dict) or not isinstance(entry.get("storage"), dict):
            continue
        host = str(entry.get("hosts", "")).rpartition(":")[0]
        ssds[host] = list(_ssds(entry["storage"].get("nvme_devices")))
    return ssds


def _ssds(devices: Any) -> Iterator[dict[str, str]]:
    for device in devices if isinstance(devices, list) else ():
        if isinstance(device, dict) and device.get("model"):
            yield {
                "address": str(device.get("pci_addr", "")),
                "model": str(device["model"]).strip(),
                "serial": str(device.get("serial", "")).strip(),
                "firmware": str(device.get("fw_rev", "")).strip(),
            }
