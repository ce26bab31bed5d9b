"""The description of a cluster that was there before: from what its nodes showed a normal user."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.checks.entry import LAYERS
from assay.cluster.hardware import shipped
from assay.cluster.slurm import Slurm
from assay.cluster.storage import is_network
from assay.subject import folded
from assay.survey.foreign_slurm import Question, Seen
from assay.survey.found_daos import FoundDaos, Wanted

PROGRAMS = ("fio", "fi_pingpong", "ior", "mdtest", "io500")
"""Benchmarks that are looked for on the PATH of the nodes, after the modules are loaded."""

OF_DAOS = ("daos", "dmg")
"""Programs that report on DAOS; clients need the first."""

_NEED_A_PLACE = {"ior", "mdtest", "io500"}
"""Programs that write to a shared directory, or to a container of DAOS."""


_NAME_A_SHEET = (
    "name a data sheet with --{0}, such as {1} (for any other word it lists all), or write your own"
    " into hardware.{0}"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user said of the cluster."""

    name: str
    slurm: Slurm
    prefix: Path
    scratch: Path | None = None
    shared: Path | None = None
    interface: str | None = None
    daos: Wanted | None = None
    ssd: str | None = None
    """The data sheet of the SSD that has the scratch directory, on each node."""
    fabric: str | None = None
    """The data sheet of the interface, on each node."""

    @property
    def question(self) -> Question:
        """What the nodes are asked."""
        of_daos = OF_DAOS if self.daos else ()
        return Question(self.prefix, self.scratch, self.shared, (*PROGRAMS, *of_daos))


@dataclass(frozen=True, slots=True)
class Open:
    """What nobody saw, and the key of the description that a person may fill in."""

    key: str
    why: str

    def __str__(self) -> str:
        return f"{self.key}: {self.why}"


def document(
    asked: Asked, here: Seen, seen: Sequence[Seen], found: FoundDaos | None = None
) -> dict[str, Any]:
    """The description, for `examine` to judge."""
    hosts = {each.name: _host(each, asked) for each in seen}
    return {
        "name": asked.name,
        "controller": here.name,
        "clients": [each.name for each in seen],
        "servers": [],
        "slurm": asked.slurm.model_dump(mode="json", exclude_defaults=True),
        "benchmarks": {
            **{program: str(path) for program, path in _everywhere(seen, asked).items()},
            **({"shared_directory": str(asked.shared)} if asked.shared else {}),
            **(_with_dfs(seen, asked) if found else {}),
        },
        **(_system(found) if found else {}),
        "hosts": {here.name: _host(here, asked, with_scratch=False)} | hosts,
    }


def _system(found: FoundDaos) -> dict[str, Any]:
    """The keys of the system that was found."""
    return {"daos": found.system, "provider": found.provider, "colocated": found.colocated}


def _with_dfs(seen: Sequence[Seen], asked: Asked) -> dict[str, Any]:
    """What the programs can that are linked with DAOS's file system library on each node."""
    able = set.intersection(*(set(each.dfs) for each in seen))
    present = _everywhere(seen, asked)
    named: dict[str, Any] = {}
    if able & {"ior", "mdtest"} and {"ior", "mdtest"} & present.keys() <= able:
        named["ior_apis"] = ["DFS"]
    if "fio" in able and "fio" in present:
        named["fio_dfs"] = str(present["fio"])
    return named


def refusals(asked: Asked, here: Seen, seen: Sequence[Seen]) -> list[str]:
    """What must be otherwise before anything can be measured, a sentence each."""
    elsewhere = [each.name for each in seen if each.campaigns.inode != here.campaigns.inode]
    refused = []
    if elsewhere:
        refused.append(
            f"{asked.prefix} on {folded(elsewhere)} is not the same directory as on this host, but"
            " jobs run in it: name one on a file system that all nodes share, such as below your"
            " home"
        )
    closed = [each.name for each in seen if each.scratch and not each.scratch.writable]
    if closed:
        refused.append(
            f"--scratch {asked.scratch}: on {folded(closed)} it does not exist, or you may not"
            " write to it"
        )
    refused += _unshared(asked, seen)
    if asked.interface is not None:
        lacking = [e.name for e in seen if asked.interface not in e.host["interfaces"]]
        if lacking:
            refused.append(
                f"--interface {asked.interface}: {folded(lacking)} has no interface of that name"
            )
    return refused


def unknown_sheets(ssd: str | None, fabric: str | None) -> Iterator[str]:
    """Which of the data sheets that were named there are not, a sentence each."""
    sheets = shipped()
    for option, name, known in (("ssd", ssd, sheets.ssd), ("fabric", fabric, sheets.fabric)):
        if name is not None and name not in known:
            yield f"--{option} {name}: there is no such data sheet; choose from: {', '.join(known)}"


def _unshared(asked: Asked, seen: Sequence[Seen]) -> Iterator[str]:
    """Why the directory for IOR and mdtest is not one that all nodes share."""
    if asked.shared is None:
        return
    closed = [each.name for each in seen if not (each.shared and each.shared.writable)]
    if closed:
        yield (
            f"--shared {asked.shared}: on {folded(closed)} it does not exist, or you may not write"
            " to it"
        )
        return
    first, *further = seen
    if own := [each.name for each in further if not _share(first, each)]:
        yield (
            f"--shared {asked.shared}: {folded(own)} has another directory there than {first.name}:"
            " name one on a file system that all nodes mount"
        )


def _share(one: Seen, other: Seen) -> bool:
    """Whether two nodes have the same directory for IOR and mdtest."""
    mine, its = one.shared, other.shared
    # The roots of local file systems have the same inode on every node.
    if mine is None or its is None or mine.inode != its.inode:
        return False
    same_kernel = one.boot is not None and one.boot == other.boot
    return same_kernel or (is_network(mine.filesystem) and is_network(its.filesystem))


def left_open(asked: Asked, seen: Sequence[Seen], found: FoundDaos | None = None) -> list[Open]:
    """What the description lacks, with the key that has it and how to fill it in."""
    programs = _everywhere(seen, asked)
    unknown = [
        Open(f"benchmarks.{program}", _absent(program, seen))
        for program in PROGRAMS
        if program not in programs
    ]
    able = {name for each in seen for name in each.dfs}
    if {"ior", "mdtest"} & {*programs, *_somewhere(seen)} - able and asked.shared is None:
        unknown.append(
            Open(
                "benchmarks.shared_directory",
                "IOR and mdtest write to a directory that all clients share; name it with --shared",
            )
        )
    if asked.scratch is None:
        unknown.append(
            Open(
                f"hosts.{folded(each.name for each in seen)}.scratch",
                "no disk is measured; pass --scratch with a directory on a disk of each node",
            )
        )
    elif asked.ssd is None:
        unknown.append(
            Open(
                f"hosts.{folded(each.name for each in seen)}.scratch.ssd",
                "which SSD has the scratch directory is unknown, so its figures have no limits;"
                f" {_NAME_A_SHEET.format('ssd', 'Samsung PM9A3 U.2 7.68TB')}",
            )
        )
    slow = [
        each.name
        for each in seen
        if _interfaces(each)[_carrier(each, asked.interface)].get("speed_gbits") is None
    ]
    if slow and asked.fabric is None:
        unknown.append(
            Open(
                f"hosts.{folded(slow)}.datasheets.fabric",
                "the kernel reports no speed of the interface, so no network figure can be judged;"
                f" {_NAME_A_SHEET.format('fabric', 'InfiniBand HDR')}",
            )
        )
    if found is None:
        why = "DAOS is not described, so it is not measured; name a pool with --pool"
        return [*unknown, Open("daos", why)]
    return [*unknown, *_open_of_daos(found)]


def summary(found: FoundDaos) -> str:
    """What was found of DAOS, in a line."""
    system, seen = found.system, found.system["found"]
    whose = "to be made by the checks" if seen["own_container"] else "of yours"
    return (
        f"DAOS {system['version']}, system {system['name']}: {seen['ranks']} ranks; pool"
        f" {system['pool']} with {seen['targets']} targets and {seen['free_mib']} MiB free; the"
        f" container {system['container']} {whose}"
    )


def _open_of_daos(found: FoundDaos) -> Iterator[Open]:
    """What the description of a DAOS that was found lacks."""
    if found.refused_by_dmg:
        yield Open(
            "daos.found.control",
            f"dmg does not answer you ({found.refused_by_dmg}), so no check examines ranks, SSDs"
            " and other pools before it measures; pass --control with a daos_control.yml whose key"
            " you may read",
        )
    if "telemetry" not in found.system["found"]:
        yield Open(
            "daos.found.telemetry",
            "no server gives this host the metrics of its engines at the usual port, so a slow rank"
            " shows only in figures of all ranks together; list each server with its port",
        )
    if "mount" not in found.system:
        yield Open(
            "daos.mount",
            "nothing is measured through dfuse; mount a container of yours at the same directory of"
            " each node, and name both with --container and --mount",
        )
    yield Open(
        "daos.servers",
        "engines, their SSDs and interfaces are unknown to a user, so figures are judged by the"
        " clients' interfaces, by commitments and by an accepted campaign",
    )


def environment(asked: Asked, programs: Path, checks: Path, settings: Path | None) -> str:
    """What a shell reads before `reframe` and `assay`.

    Args:
        asked: what the user said.
        programs: the directory of both.
        checks: the directory of the checks.
        settings: the site's own of ReFrame; ours adds a system to it.
    """
    configuration = [*([settings] if settings else []), checks / "settings.py"]
    variables = {
        "ASSAY_CLUSTER": asked.prefix / "cluster.json",
        "ASSAY_ENVIRONMENT": asked.prefix / "environment.sh",
        "ASSAY_CAMPAIGNS": asked.prefix.parent / "campaigns",
        "RFM_CONFIG_FILES": ":".join(map(str, configuration)),
        "RFM_SYSTEM": asked.name,
        "RFM_CHECK_SEARCH_PATH": ":".join(str(checks / layer) for layer in LAYERS),
    }
    if among := asked.slurm.option("clusters") or os.environ.get("SLURM_CLUSTERS"):
        variables["SLURM_CLUSTERS"] = among
    lines = [f"export {name}={shlex.quote(str(value))}" for name, value in variables.items()]
    path = f"export PATH={shlex.quote(str(programs))}:{shlex.quote(str(checks))}:$PATH"
    return "\n".join(["# Written by `assay describe`; a shell reads it.", path, *lines, ""])


def _host(seen: Seen, asked: Asked, *, with_scratch: bool = True) -> dict[str, Any]:
    carrier = _carrier(seen, asked.interface)
    place = (
        seen.scratch.model_dump(mode="json", exclude={"inode", "writable"})
        | ({"ssd": asked.ssd} if asked.ssd else {})
        if seen.scratch
        else None
    )
    return {
        **seen.host,
        **({"datasheets": {"fabric": asked.fabric}} if asked.fabric else {}),
        "address": _interfaces(seen)[carrier].get("address") or "127.0.0.1",
        "interface": carrier,
        **({"scratch": place} if place and with_scratch else {}),
    }


def _interfaces(seen: Seen) -> Mapping[str, Mapping[str, Any]]:
    interfaces: Mapping[str, Mapping[str, Any]] = seen.host["interfaces"]
    return interfaces


def _carrier(seen: Seen, wanted: str | None) -> str:
    """The interface that is asked for, or else the fastest with an address that is up."""
    interfaces = _interfaces(seen)
    if wanted is not None and wanted in interfaces:
        return wanted
    able = [name for name, each in interfaces.items() if each["up"] and each["address"]]
    real = [name for name in able if not str(interfaces[name]["address"]).startswith("127.")]
    ranked = sorted(real or able, key=lambda n: (-(interfaces[n]["speed_gbits"] or 0), n))
    return ranked[0] if ranked else "lo"


def _everywhere(seen: Sequence[Seen], asked: Asked) -> dict[str, Path]:
    """The programs that each node has at the same path, and what they need."""
    first, *others = seen
    same = {
        name: path
        for name, path in first.programs.items()
        if all(other.programs.get(name) == path for other in others)
    }
    return {
        name: path
        for name, path in same.items()
        if name not in OF_DAOS and not _has_no_place(name, seen, asked)
    }


def _has_no_place(program: str, seen: Sequence[Seen], asked: Asked) -> bool:
    """Whether a program lacks a directory, or a container that it can use, to write to."""
    if program not in _NEED_A_PLACE or asked.shared is not None:
        return False
    return asked.daos is None or not all(program in each.dfs for each in seen)


def _somewhere(seen: Sequence[Seen]) -> set[str]:
    return {name for each in seen for name in each.programs}


def _absent(program: str, seen: Sequence[Seen]) -> str:
    without = [each.name for each in seen if program not in each.programs]
    if without:
        parts = "; Io500 has its phases all the same, by ior and mdtest"
        return (
            f"{program} is not on the PATH of {folded(without)}; load a module with --module"
            f"{parts if program == 'io500' else ''}"
        )
    if len({each.programs[program] for each in seen}) > 1:
        return f"{program} has different paths on the nodes"
    return f"{program} exists, but has no directory to write to"
