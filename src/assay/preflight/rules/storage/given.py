"""The devices that the inventory gives to DAOS, under the names that the kernel has for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.cluster.daos import Engine
from assay.cluster.description import Host


@dataclass(frozen=True, slots=True)
class Given:
    """A device that the inventory gives to DAOS, and its mount point, if DAOS mounts it."""

    key: str
    name: str
    device: str
    mount: str | None = None
    formatted: bool = False
    """Whether its engine has a superblock of this system."""
    ephemeral: bool = False
    """Whether a reboot loses the data of its engine anyway."""


def given_devices(host: Host, system: str | None) -> Iterator[Given]:
    """Every block device that the inventory gives to DAOS, by its real path.

    Args:
        host: the host.
        system: the name of the deployed system, whose superblocks count.
    """
    metadata = host.server.control_metadata
    if metadata is not None and metadata.device is not None:
        real = host.links.get(metadata.device, metadata.device)
        key = "server.control_metadata.device"
        yield Given(key, metadata.device, real, str(metadata.path))
    for number, engine in enumerate(host.engines):
        formatted = superblock(host, number, engine) == system
        ephemeral = engine.ram_tier is not None and not engine.has_md_on_ssd
        for index, tier in enumerate(engine.storage):
            where = f"engines[{number}].storage[{index}]"
            mount = None if tier.scm_mount is None else str(tier.scm_mount)
            for device in tier.scm_list if tier.class_ == "dcpm" else ():
                real = host.links.get(device, device)
                yield Given(f"{where}.scm_list", device, real, mount, formatted)
            for device in tier.devices if tier.class_ in ("nvme", "kdev") else ():
                for real in block_devices(host, device):
                    key = f"{where}.bdev_list"
                    yield Given(key, device, real, None, formatted, ephemeral)


def block_devices(host: Host, device: str) -> tuple[str, ...]:
    """The block devices of an SSD by its PCI address, or the one that a path leads to."""
    if device in host.nvme:
        return host.nvme[device].namespaces
    return (host.links.get(device, device),)


def superblock(host: Host, number: int, engine: Engine) -> str | None:
    """The name of the system in the superblock of an engine; None if it has none."""
    metadata = host.server.control_metadata
    scm = engine.scm_tier
    directory = (
        f"{metadata.path}/daos_control/engine{number}" if metadata else scm and scm.scm_mount
    )
    return host.superblocks.get(f"{directory}/superblock")
