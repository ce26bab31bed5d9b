"""dmg storage query list-devices --health: the state of the SSDs that engines drive.

Source of the names: `NvmeHealth` and `NvmeDevState` in src/control/server/storage/bdev.go of DAOS
2.4 to 2.8. A file that stands for an SSD has no health statistics, and engines without SSDs have
no devices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import AliasChoices, AliasPath, BaseModel, Field, ValidationError

from assay.tools.daos.daos_answer import read_answer
from assay.tools.daos.dmg import begin
from assay.tools.text import first_error

_UNUSABLE = {"EVICTED": "evicted as faulty", "UNPLUGGED": "unplugged"}

_WARNINGS = {
    "temp_warn": "is too hot, or too cold",
    "avail_spare_warn": "has few spare blocks left",
    "dev_reliability_warn": "is degraded by media or internal errors",
    "read_only_warn": "is read-only",
    "volatile_mem_warn": "cannot save its volatile memory any more",
}
"""The critical warnings of the NVMe specification, which DAOS passes on."""

_COUNTED = {
    "media_errs": "media errors",
    "bio_read_errs": "read errors",
    "bio_write_errs": "write errors",
    "bio_unmap_errs": "errors when it released space",
    "checksum_errs": "checksum errors",
}
"""Counters of errors; they do not grow while an SSD is healthy."""


_NO_ROLES = "NA"
"""The roles of an SSD where metadata is in SCM (`bdevRoleNoneName` in config.go of DAOS 2.8); DAOS
2.4 has no key for them."""


def query(config: str | None = None) -> list[str]:
    """Command line that reports every SSD's state; `config` is the path of daos_control.yml."""
    return [*begin(config), "storage", "query", "list-devices", "--health"]


def _of_controller(key: str, older: str) -> AliasChoices:
    """Where a key is; 2.4 has what belongs to the controller beside the rest."""
    return AliasChoices(AliasPath("ctrlr", key), older)


class _Device(BaseModel):
    uuid: str
    rank: int
    targets: tuple[int, ...] | None = Field(None, alias="tgt_ids")
    roles: str = _NO_ROLES
    state: str = Field(validation_alias=_of_controller("dev_state", "dev_state"))
    address: str = Field("", validation_alias=_of_controller("pci_addr", "tr_addr"))
    health: dict[str, Any] | None = Field(
        None, validation_alias=_of_controller("health_stats", "health")
    )

    @property
    def name(self) -> str:
        """How an administrator finds it; a file that stands for an SSD has no address."""
        return f"SSD {self.address or self.uuid} of rank {self.rank}"

    @property
    def has_data(self) -> bool:
        """Whether clients' data is on it, and not only metadata or the write-ahead log."""
        return self.roles.upper() == _NO_ROLES or "data" in self.roles.lower().split(",")

    @property
    def counted(self) -> Mapping[str, int]:
        """The errors that it counted since it was powered on, or the engine started."""
        health = self.health or {}
        return {key: value for key in _COUNTED if isinstance(value := health.get(key), int)}

    def problems(self) -> Iterator[str]:
        if unusable := _UNUSABLE.get(self.state.upper()):
            yield f"{self.name} is {unusable}"
        for key, what in _WARNINGS.items():
            if (self.health or {}).get(key) is True:
                yield f"{self.name} {what}"


class _Devices(BaseModel):
    devices: list[_Device] | None = None


class _Storage(BaseModel):
    of_engines: _Devices | None = Field(None, alias="smd_info")


class _Host(BaseModel):
    storage: _Storage


class _Response(BaseModel):
    hosts: dict[str, _Host] | None = Field(None, alias="host_storage_map")


def problems(text: str) -> list[str]:
    """Why the SSDs are unfit to be measured, each reason in a sentence.

    Args:
        text: standard output of `query`.
    """
    devices, problem = _read(text)
    return [problem] if problem else [why for device in devices for why in device.problems()]


def grown(before: str, after: str) -> list[str]:
    """The errors that SSDs counted between two answers to `query`, each in a sentence."""
    was = {device.uuid: device.counted for device in _read(before)[0]}
    return [
        f"{device.name} counted {_COUNTED[key]}: {more}"
        for device in _read(after)[0]
        for key, value in device.counted.items()
        if (more := value - was.get(device.uuid, {}).get(key, value)) > 0
    ]


def of_targets(text: str) -> Mapping[tuple[int, int], tuple[str, ...]]:
    """The SSDs with the data of each target, by rank and target; empty if they are not known.

    Each is named by its PCI address; a file that stands for an SSD, by its UUID.
    """
    known: dict[tuple[int, int], tuple[str, ...]] = {}
    for device in _read(text)[0]:
        for target in (device.targets or ()) if device.has_data else ():
            place = device.rank, target
            known[place] = (*known.get(place, ()), device.address or device.uuid)
    return known


def _read(text: str) -> tuple[list[_Device], str]:
    """The SSDs, and the reason if they are not known."""
    answer = read_answer(text)
    if answer.error:
        return [], f"the health of the SSDs is unknown: {answer.error}"
    try:
        hosts = _Response.model_validate(answer.response).hosts or {}
    except ValidationError as error:
        return [], f"the health of the SSDs is unknown: {first_error(error)}"
    stored = (host.storage.of_engines for host in hosts.values())
    return [device for each in stored if each for device in each.devices or ()], ""
