"""The devices of an engine's tiers: SSDs, VMD controllers, PMem namespaces, files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from assay.cluster.daos import Tier
from assay.cluster.description import Host, controller_of
from assay.preflight.rules.context import OfServer
from assay.preflight.rules.storage.tiers import bus_range
from assay.problems import Problem

_PCI = re.compile(r"([0-9a-f]{4}|[0-9a-f]{6}):[0-9a-f]{2}:[01][0-9a-f]\.[0-7]", re.IGNORECASE)

TARGETS_PER_SSD = 64
"""Maximum number of targets that share an SSD; it is divided by the number of the SSD's roles.

Source: `targets` in utils/config/daos_server.yml of DAOS 2.8.0: 64 without roles, 21 with three.
"""

WANTED_LBA_BYTES = 4096


@OfServer.rule
def device_rules(of: OfServer) -> Iterator[Problem]:
    """Require devices that exist, are used once, suffice for the targets and are fit for DAOS."""
    name, host = of.name, of.host
    metadata = host.server.control_metadata
    users: dict[str, str] = {}
    if metadata is not None and metadata.device is not None:
        users[metadata.device] = "server.control_metadata.device"
    controllers: dict[str, str] = {}
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            key = f"engines[{number}].storage[{index}].{'scm' if tier.is_scm else 'bdev'}_list"
            malformed = [device for device in tier.devices if not _is_well_formed(device, tier)]
            if malformed:
                yield Problem(name, key, ", ".join(malformed), _form(malformed, tier))
                continue
            yield from _used_twice(name, key, tier, users)
            if tier.class_ == "nvme":
                yield from _controllers(name, host, key, tier, controllers)
            yield from _absent(name, host, key, tier)
            if not tier.is_scm:
                yield from _enough(name, host, number, index)
            if tier.class_ == "nvme":
                yield from _vmd_off(name, host, key, tier)
                yield from _unfit(name, host, key, tier)
                yield from _out_of_range(name, host, key, tier)
    yield from _iommu(name, host)


def is_absent(device: str, host: Host) -> bool:
    """Whether a host lacks a block device; links, as below /dev/disk, cannot be checked."""
    return (
        PurePosixPath(device).parent == PurePosixPath("/dev") and device not in host.block_devices
    )


def _is_well_formed(device: str, tier: Tier) -> bool:
    if tier.class_ == "nvme":
        return _PCI.fullmatch(device) is not None
    return device.startswith("/")


_KERNEL_VMD = re.compile(r"1[0-9a-f]{4}:[0-9a-f]{2}:[01][0-9a-f]\.[0-7]", re.IGNORECASE)
"""The kernel's own VMD driver gives these addresses to SSDs behind a controller."""


def _form(malformed: list[str], tier: Tier) -> str:
    if tier.class_ == "nvme":
        if all(_KERNEL_VMD.fullmatch(device) for device in malformed):
            return (
                "should be the PCI address of the VMD controller, such as 0000:5d:05.5, or"
                " 5d0505:01:00.0 for one SSD behind it: this is how the kernel's own driver numbers"
                " them, from which DAOS takes the controller"
            )
        return "should be PCI addresses such as 0000:81:00.0, or behind VMD 5d0505:01:00.0"
    return "should be absolute paths"


def _used_twice(name: str, key: str, tier: Tier, users: dict[str, str]) -> Iterator[Problem]:
    for device in tier.devices:
        if device in users:
            yield Problem(
                name, key, device, f"should be listed once; {users[device]} already has it"
            )
        users.setdefault(device, key)


def _controllers(
    name: str, host: Host, key: str, tier: Tier, users: dict[str, str]
) -> Iterator[Problem]:
    """Require that a VMD controller has one engine; SPDK claims it with all SSDs behind it."""
    listed = {
        d for e in host.engines for t in e.bdev_tiers if t.class_ == "nvme" for d in t.devices
    }
    for device in tier.devices:
        controller = controller_of(device) or (device if device in host.vmd else None)
        if controller is None:
            continue
        owner = users.setdefault(controller, key)
        if _engine(owner) != _engine(key):
            yield Problem(
                name,
                key,
                device,
                f"should be behind another VMD controller: {_spelt(device, controller)} is of"
                f" {_engine(owner)}, and a controller goes to one engine with all SSDs behind it",
            )
        elif device != controller and controller in listed:
            where = "the list" if controller in tier.devices else "another tier"
            yield Problem(
                name,
                key,
                device,
                f"should be left out: it is behind {controller}, which {where} has, too",
            )


def _engine(key: str) -> str:
    return key.partition(".")[0]


def _spelt(device: str, controller: str) -> str:
    return controller if device == controller else f"{controller}, which {device} is behind,"


def _absent(name: str, host: Host, key: str, tier: Tier) -> Iterator[Problem]:
    # A device that is listed twice is one device.
    devices = dict.fromkeys(tier.devices)
    if tier.class_ == "nvme":
        missing = [d for d in devices if d not in host.nvme and host.vmd_of(d) is None]
        what, known = "SSDs or VMD controllers", [*sorted(host.nvme), *sorted(host.vmd)]
    elif tier.class_ == "file":
        yield from _no_file(name, host, key, devices)
        return
    else:
        missing = [device for device in devices if is_absent(device, host)]
        what, known = "block devices", list(host.block_devices)
    if missing:
        behind = [f"{device} is behind {c}" for device in missing if (c := controller_of(device))]
        hint = f"; {', '.join(behind)}" if behind else ""
        yield Problem(
            name,
            key,
            ", ".join(missing),
            f"should be {what} of this host: {', '.join(known) or 'none'}{hint}",
        )


def _no_file(name: str, host: Host, key: str, paths: Iterable[str]) -> Iterator[Problem]:
    """Refuse block devices as files: DAOS cannot allocate one, and then removes its node.

    Source: `createAioFile` in src/control/server/storage/bdev/backend_class.go of 2.8.0.
    """
    known = {*host.block_devices, *host.blocks}
    for path in paths:
        device = host.links.get(path, path)
        above = PurePosixPath(device).parents
        if device in known or (_DEV in above and _SHM not in above):
            yield Problem(
                name,
                key,
                path,
                "should be a file on a disk, which DAOS creates. A block device takes the class"
                " nvme, or kdev; as a file, DAOS would remove its node",
            )


_DEV, _SHM = PurePosixPath("/dev"), PurePosixPath("/dev/shm")  # noqa: S108 it is not written


def _vmd_off(name: str, host: Host, key: str, tier: Tier) -> Iterator[Problem]:
    behind = [device for device in tier.devices if host.vmd_of(device) is not None]
    if behind and (host.server.disable_vmd or host.server.disable_vfio):
        yield Problem(
            name,
            key,
            ", ".join(behind),
            "should be seen by VMD, without server.disable_vmd and server.disable_vfio",
        )


def _enough(name: str, host: Host, number: int, index: int) -> Iterator[Problem]:
    engine = host.engines[number]
    tier = engine.storage[index]
    devices = set(tier.devices)
    if any(device in host.vmd for device in devices) or not devices:
        return  # the number of SSDs behind a controller is unknown until DAOS has the controller
    each = TARGETS_PER_SSD // max(len(set(tier.bdev_roles)), 1)
    if engine.targets > each * len(devices):
        roles = f" with the roles {', '.join(tier.bdev_roles)}" if tier.bdev_roles else ""
        yield Problem(
            name,
            f"engines[{number}].targets",
            engine.targets,
            f"should be at most {each} for each of the {len(devices)} devices of"
            f" storage[{index}]{roles}",
        )


def _unfit(name: str, host: Host, key: str, tier: Tier) -> Iterator[Problem]:
    ssds = {address: host.nvme[address] for address in tier.devices if address in host.nvme}
    other_lba = [
        f"{address} ({ssd.lba_bytes} bytes)"
        for address, ssd in ssds.items()
        if ssd.lba_bytes not in (None, WANTED_LBA_BYTES)
    ]
    if other_lba:
        yield Problem(
            name,
            key,
            ", ".join(other_lba),
            f"should be formatted with blocks of {WANTED_LBA_BYTES} bytes (nvme format)",
            severity="warning",
        )


def _out_of_range(name: str, host: Host, key: str, tier: Tier) -> Iterator[Problem]:
    """Warn of SSDs on other buses than the tier's range; behind VMD, buses are the controller's."""
    buses = bus_range(tier.bdev_busid_range or "")
    if buses is None or any(host.vmd_of(device) for device in tier.devices):
        return
    outside = [d for d in tier.devices if d in host.nvme and _bus(d) not in buses]
    if outside:
        yield Problem(
            name,
            key.replace("bdev_list", "bdev_busid_range"),
            tier.bdev_busid_range,
            "should include the buses of the tier's SSDs: a replacement of"
            f" {', '.join(outside)} would not be noticed (utils/config/daos_server.yml). Widen it,"
            " or leave it out",
            severity="warning",
        )


def _bus(address: str) -> int:
    _, bus, _ = address.split(":")
    return int(bus, 16)


def _iommu(name: str, host: Host) -> Iterator[Problem]:
    """Require an IOMMU for VFIO; without it, DAOS needs root for SSDs, and does not use VMD."""
    tiers = [tier for engine in host.engines for tier in engine.storage if tier.class_ == "nvme"]
    if tiers and host.server.disable_vfio and host.setup.platform == "el8":
        # Source: docs/admin/predeployment_check.md of DAOS 2.8.0, and spdk issue 1153.
        yield Problem(
            name,
            "server.disable_vfio",
            "true",
            "should be false on Enterprise Linux 8: its uio_pci_generic takes no SSD (probe failed"
            " with error -22), so DAOS requires VFIO there",
        )
    elif tiers and host.server.disable_vfio and host.setup.needs_helper:
        yield Problem(
            name,
            "server.disable_vfio",
            "true",
            "should be false while daos_server_user is not root, since without VFIO only root may"
            " drive an SSD; or set daos_server_user to root",
        )
    if tiers and not host.server.disable_vfio and not host.iommu:
        behind_vmd = any(
            host.vmd_of(device) is not None for tier in tiers for device in tier.devices
        )
        yield Problem(
            name,
            "iommu",
            "off",
            "should be enabled in the firmware and the kernel, so that VFIO can drive the SSDs; or"
            " set server.disable_vfio and run daos_server as root",
            severity="error" if behind_vmd or host.setup.needs_helper else "warning",
        )
