"""Devices and files that the inventory gives away twice, under different names.

DAOS compares only what is listed (`FaultConfigOverlappingBdevDeviceList`). It takes a disk by two
links, an SSD by its PCI address and by its namespace, or a disk and its partition, and then writes
over its own data.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer
from assay.preflight.rules.storage.given import Given, block_devices, given_devices
from assay.problems import Problem

_PARTITION = re.compile(r"(/dev/(?:nvme\d+n\d+|mmcblk\d+|pmem\d+)(?=p\d)|/dev/[hsv]d[a-z]+)p?\d+")
"""A partition by the name that the kernel gives it: of /dev/nvme0n1 it is /dev/nvme0n1p1."""


@OfServer.rule
def overlap_rules(of: OfServer) -> Iterator[Problem]:
    """Refuse a device or a file that is given twice, and a device that is a part of another."""
    name, host = of.name, of.host
    reported = set()
    given = [*given_devices(host, None), *_scratch(host)]
    for first, second in combinations(given, 2):
        if first.name == second.name:
            continue  # other rules compare what is listed
        how = _relation(host, first.device, second.device)
        if how and (first.name, second.name) not in reported:
            reported.add((first.name, second.name))
            yield Problem(
                name,
                second.key,
                second.name,
                f"should be a device of its own: it is {how} {first.name}, which {first.key} has."
                " Both would be written, each over the other's data",
            )
    yield from _files(name, host)


def _scratch(host: Host) -> Iterator[Given]:
    """The device of the scratch directory, unless its mounts are known, which other rules judge."""
    if host.scratch is not None and host.scratch.device not in host.blocks:
        for device in block_devices(host, host.scratch.device):
            yield Given("scratch.directory", str(host.scratch.directory), device)


def _relation(host: Host, device: str, other: str) -> str | None:
    if device == other:
        return "the same device as"
    if device in _whole(host, other):
        return "a part of"
    return "the whole of" if other in _whole(host, device) else None


def _whole(host: Host, device: str) -> set[str]:
    """The devices that a device is a part of, by what lsblk reports or else by its name."""
    if device not in host.blocks:
        partition = _PARTITION.fullmatch(device)
        return {partition[1]} if partition else set()
    whole, ahead = set[str](), [device]
    while ahead:
        block = host.blocks.get(ahead.pop())
        new = set(block.parents if block else ()) - whole
        whole |= new
        ahead += new
    return whole


def _files(name: str, host: Host) -> Iterator[Problem]:
    """Refuse a backing file twice, or within an SCM mount, which would hide it."""
    users: dict[str, tuple[str, str]] = {}
    files = {
        real_path(host, path)
        for engine in host.engines
        for tier in engine.bdev_tiers
        for path in tier.bdev_list
        if tier.class_ == "file"
    }
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            key = f"engines[{number}].storage[{index}].bdev_list"
            for path in tier.bdev_list if tier.class_ == "file" else ():
                owner, listed = users.setdefault(real_path(host, path), (key, path))
                if listed != path:
                    yield Problem(
                        name,
                        key,
                        path,
                        f"should be a file of its own: it is {listed}, which {owner} has",
                    )
                above = {str(parent) for parent in Path(real_path(host, path)).parents}
                for other in sorted(files & above):
                    allowed = f"should not be in {other}, which is to be a file, too"
                    yield Problem(name, key, path, allowed)
                yield from _hidden(name, host, key, path)


def _hidden(name: str, host: Host, key: str, path: str) -> Iterator[Problem]:
    """Refuse a file in a directory that is emptied: an SCM mount, or the scratch directory."""
    places = {
        engine.scm_tier.scm_mount: f"engines[{number}].storage[0].scm_mount: it would take the"
        " space of the SCM, and be lost with it"
        for number, engine in enumerate(host.engines)
        if engine.scm_tier is not None
    }
    if host.scratch is not None:
        places[host.scratch.directory] = "scratch.directory: the disk checks have it to themselves"
    parents = Path(real_path(host, path)).parents
    for place, which in places.items():
        if place in parents:
            yield Problem(name, key, path, f"should not be in {place}, which is {which}")


def real_path(host: Host, path: str) -> str:
    """A path without links, as far as the host was asked, and without `//`, `.` and `..`."""
    return posixpath.normpath(host.links.get(path, path))
