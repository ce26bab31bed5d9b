"""The files of a running system, a directory for each host, as Ansible's fetch leaves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from assay.cluster.releases import Version
from assay.foreign.text import one_line
from assay.preflight.daos_files import facts
from assay.preflight.daos_files.judge import FilesError, read
from assay.preflight.daos_files.keys import FileKind
from assay.preflight.daos_files.site import Document, HostFiles, described
from assay.problems import Problem
from assay.subject import folded

_FILES = 1_000
"""Files below the directory of one host that are looked at (own choice; a host has four)."""


def collect(directory: Path) -> list[HostFiles]:
    """The hosts that have a directory there, with their files and their facts.

    Raises:
        FilesError: there is none, a host has no facts, or a file cannot be read.
    """
    if not directory.is_dir():
        raise FilesError(f"{directory}: should be a directory with one for each host")
    hosts = [_host(each) for each in sorted(directory.iterdir()) if each.is_dir()]
    if not any(host.server is not None for host in hosts):
        raise FilesError(
            f"{directory}: should have a directory for each host, such as"
            f" {directory}/srv01/daos_server.yml"
        )
    return hosts


def _host(directory: Path) -> HostFiles:
    documents: dict[FileKind, Document] = {}
    found = sorted(islice(directory.rglob("*"), _FILES))
    for path in (each for each in found if each.name.startswith("daos_")):
        if path.suffix in (".yml", ".yaml"):
            kind, document = read(path)
            if kind in documents:
                raise FilesError(f"{path}: {directory.name} has another daos_{kind}.yml")
            documents[kind] = document
    listed = [each for each in found if each.suffix == ".json"]
    if not listed:
        name = one_line(directory.name)
        raise FilesError(
            f"{directory}: has no facts of {name}: assay probe | ssh {name} python3 - >"
            f" {directory}/facts.json"
        )
    return HostFiles(one_line(directory.name), documents, facts.read(listed[0]))


def description(
    hosts: Sequence[HostFiles], version: Version, name: str, partition: str
) -> tuple[dict[str, Any], list[Problem]]:
    """A description of these hosts, for `examine` to judge, and what is wrong with the files.

    Args:
        hosts: the servers and the clients; clients have no daos_server.yml.
        version: the release of DAOS.
        name: of the cluster.
        partition: of the site's Slurm that has the clients.

    Raises:
        FilesError: there are no clients.
    """
    if all(host.server is not None for host in hosts):
        raise FilesError("there are servers only: add a directory with the facts of each client")
    document, problems = described(hosts, version, generous=True, complete=True)
    document |= {
        "name": name,
        "servers_scheduler": "ssh",
        "slurm": {"partitions": {"clients": partition}},
    }
    for host in document["hosts"].values():
        host.pop("setup", None)  # it changes, and cluster.json does not keep it
    return document, problems


def left_open(hosts: Sequence[HostFiles]) -> Iterator[str]:
    """What neither files nor kernels say, each with its key."""
    servers = folded(host.name for host in hosts if host.server is not None)
    yield f"hosts.{servers}.datasheets: which SSDs, PMem and memory they have, which bound figures"
    yield "benchmarks: which programs the clients have, and where"
    yield "daos.pool, daos.container: what the checks write to"
