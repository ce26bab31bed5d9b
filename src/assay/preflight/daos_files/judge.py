"""Judges DAOS's own files, with the facts of their host or without."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.cluster.releases import Version, names, release_of
from assay.foreign import files, limits
from assay.foreign.documents import MOST, from_go_yaml, misfits
from assay.foreign.files import ForeignError
from assay.foreign.sources import Missing, output_of
from assay.foreign.text import one_line, quoted
from assay.preflight.daos_files.keys import OF_CONTROL, FileKind, guess, kind_of
from assay.preflight.daos_files.site import CLIENT, HERE, Document, HostFiles, described
from assay.preflight.daos_files.words import in_words_of_files
from assay.preflight.examine import examine
from assay.problems import Problem

_FACTS = {
    "cores": "its cores",
    "memory": "its memory",
    "numa_nodes": "its NUMA nodes",
    "interfaces": "its interfaces",
    "nvme": "its SSDs",
    "setup": "the setup of its kernel",
}
"""The facts of a host that rules judge by, and what they are called."""


class FilesError(ValueError):
    """A file cannot be judged, and why."""


@dataclass(frozen=True)
class JudgedFiles:
    """What can be said of some files."""

    version: Version
    source: str
    """How the release is known."""
    problems: tuple[Problem, ...]
    unknown: tuple[str, ...]
    """What of the hosts is not known, and so not judged."""

    @property
    def is_valid(self) -> bool:
        """Whether no problem is an error."""
        return all(problem.severity == "warning" for problem in self.problems)


def read(path: Path) -> tuple[FileKind, Document]:
    """One of DAOS's three files, and which of them it is.

    Raises:
        FilesError: it cannot be read, or is no YAML with keys and values.
    """
    try:
        document = from_go_yaml(files.read(path, limits.WAIVERS_BYTES))
    except OSError as error:
        raise FilesError(f"{path}: cannot be read: {error.strerror}") from error
    except ForeignError as error:
        raise FilesError(f"{quoted(path)}: {files.wrong_with(path, error)}") from error
    if document is None:
        document = {}  # DAOS's own examples have every key commented out
    if not isinstance(document, dict) or not all(isinstance(key, str) for key in document):
        raise FilesError(f"{quoted(path)}: should have keys and values, as DAOS's own files")
    for key, value, why in misfits(document):
        raise FilesError(f"{quoted(path)}: {key} = {value}: {why}")
    return kind_of(document, path.name), document


def release_of_program(program: Path) -> Version:
    """The release of one of DAOS's programs, as it prints it.

    Raises:
        FilesError: it prints none, or one that is not supported.
    """
    found = shutil.which(program) or shutil.which(program.absolute())
    if found is None:
        raise FilesError(f"{program}: there is no such program; should be a daos_server, say")
    answer = output_of([str(found), "version"], limits.PROGRAM)
    printed = str(answer) if isinstance(answer, Missing) else answer.out
    version = next((r for word in printed.split() if (r := release_of(word.lstrip("v")))), None)
    if version is None:
        raise FilesError(
            f"{program} version prints {quoted(printed.strip())}; should be a release of DAOS that"
            f" is supported: {', '.join(names())}"
        )
    return version


def judge(
    hosts: Sequence[HostFiles],
    release: Version | None = None,
    *,
    program: Path | None = None,
    pool: str | None = None,
    complete: bool = False,
) -> JudgedFiles:
    """Judge the files of some hosts.

    Args:
        hosts: the hosts; one of the name `HERE` is that of files of which nobody said the host.
        release: the release of DAOS, if somebody said it.
        program: a program of DAOS that knows it.
        pool: the size of a pool, if one is to be judged.
        complete: whether the hosts are all of the system.

    Raises:
        FilesError: the program does not say its release.
    """
    if release is not None:
        version, source = release, "as --release says"
    elif program is not None:
        version, source = release_of_program(program), f"as {program} says"
    else:
        version, source = _guessed(hosts)
    found: list[dict[tuple[Any, ...], Problem]] = []
    for generous in (True, False):
        document, problems = described(
            hosts, version, generous=generous, pool=pool, complete=complete
        )
        _, judged = examine(document, version)
        found.append({_key(each): each for each in (*problems, *judged)})
    both = [problem for key, problem in found[0].items() if key in found[1]]
    # No file of DAOS names benchmarks, and of a guessed release no advice is given.
    others = {"benchmarks"} | ({"daos.version"} if release is None and program is None else set())
    both = [problem for problem in both if problem.key not in others]
    of_other_key = any("servers" in (host.server or {}) for host in hosts)  # that of DAOS 1.2
    both = [_of_discovery(problem) for problem in both if not (of_other_key and _is_bare(problem))]
    both += _of_control(hosts, version)
    named = {host.name for host in hosts} - {HERE, CLIENT}
    # The other servers have the same file, so they have no other problems.
    both = [p for p in both if not named or p.host is None or p.host in {*named, CLIENT}]
    replicas = "access_points" if _has(hosts, "access_points") else "mgmt_svc_replicas"
    said = [
        replace(
            in_words_of_files(problem, replicas),
            host=problem.host if problem.host in named else None,
        )
        for problem in both
    ]
    unique = {_key(problem): problem for problem in said}
    return JudgedFiles(version, source, tuple(unique.values()), tuple(_unknown(hosts)))


def _is_bare(problem: Problem) -> bool:
    """Whether there is no engine at all."""
    return problem.key == "engines" and problem.value is None


def _of_discovery(problem: Problem) -> Problem:
    """Without engines DAOS starts and looks for hardware (`Validate` of the server's config)."""
    if not _is_bare(problem):
        return problem
    allowed = "should have at least one engine: without any, daos_server only discovers hardware"
    return replace(problem, allowed=allowed, severity="warning")


def _key(problem: Problem) -> tuple[Any, ...]:
    value = str(problem.value)
    return problem.host, problem.key, value, problem.allowed, problem.severity


def _guessed(hosts: Sequence[HostFiles]) -> tuple[Version, str]:
    documents: dict[FileKind, Document] = {}
    for host in hosts:
        documents = {**host.documents, **documents}
    guessed = guess(documents)
    telling = ", ".join(guessed.telling[:MOST])
    why = f"guessed from {telling}" if telling else "since its keys fit every release"
    return guessed.version, why


def _has(hosts: Iterable[HostFiles], key: str) -> bool:
    return any(key in (host.server or {}) for host in hosts)


def _of_control(hosts: Iterable[HostFiles], version: Version) -> list[Problem]:
    return [
        Problem(host.name, f"daos_control.yml: {where.removeprefix('.')}", value, allowed)
        for host in hosts
        if (document := host.documents.get("control")) is not None
        for where, value, allowed in OF_CONTROL.judge(document, version)
    ]


def _unknown(hosts: Sequence[HostFiles]) -> list[str]:
    """What the facts of no host say."""
    known: Collection[str] = set().union(*(host.facts.keys() for host in hosts))
    return [what for key, what in _FACTS.items() if key not in known]


def on_one_host(
    documents: Mapping[FileKind, Document], facts: Document | None = None
) -> list[HostFiles]:
    """The files of a host whose name only its facts may say."""
    listed = (facts or {}).get("names") or []
    names_of_host = [str(name) for name in listed if str(name)]
    shortest = min(names_of_host, key=len, default=HERE)
    return [HostFiles(one_line(shortest), documents, facts or {})]
