"""The names and paths that job scripts and their programs accept.

A script passes on any word; control characters are refused with the description. Some programs
give a meaning to characters of a path, and no quoting prevents it: these rules refuse them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from assay.cluster.daos import System
from assay.cluster.description import Benchmarks
from assay.preflight.rules.context import OfHost, OfSite
from assay.problems import Problem

_LABEL = re.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,126}")
"""A label of DAOS (`daos_label_is_valid`), here without a dash at its start, as options have."""

_JUDGED = ("scm_mount", "control_metadata.path")
"""Keys of paths for which other rules report that they are not absolute."""

_FIO = (":$", "fio takes a colon for the end of a path, and $ for the beginning of a keyword")
_IOR = ("@", "IOR and mdtest take @ for the end of a path")
_IO500 = ("@;#\"' \\", "these have a meaning in io500's configuration file")
_ENV = ("=", "env takes a word with = for a variable and not for a program")
_LOADER = (": =", "the loader takes colons and spaces in LD_PRELOAD for the end of a path")
_MOUNTS = (" \\", "/proc/mounts spells them differently")


@OfHost.rule
def words_of_host(of: OfHost) -> Iterator[Problem]:
    """Check the words of one host that scripts use."""
    name, host = of.name, of.host
    yield from _absolute(name, host)
    if host.scratch is not None:
        yield from _plain(name, "scratch.directory", host.scratch.directory, _FIO)
    for number, engine in enumerate(host.engines):
        for place, tier in enumerate(engine.storage):
            key = f"engines[{number}].storage[{place}].scm_mount"
            yield from _plain(name, key, tier.scm_mount, _FIO)


@OfSite.rule
def words_of_site(of: OfSite) -> Iterator[Problem]:
    """Check the words of the whole site that scripts use."""
    site = of.site
    yield from _absolute(None, site)
    benchmarks = site.benchmarks
    for key in Benchmarks.model_fields:
        program = getattr(benchmarks, key)
        if isinstance(program, Path) and key != "shared_directory":
            yield from _plain(None, f"benchmarks.{key}", program, _ENV)
    shared = _IO500 if benchmarks.io500 else _IOR
    yield from _plain(None, "benchmarks.shared_directory", benchmarks.shared_directory, shared)
    if site.daos is not None:
        yield from _words_of_system(site.daos)


def _words_of_system(system: System) -> Iterator[Problem]:
    yield from _plain(None, "daos.prefix", system.prefix, _LOADER)
    for reader in (_FIO, _IOR, _MOUNTS):
        yield from _plain(None, "daos.mount", system.mount, reader)
    for key in ("pool", "container", "perf_pool"):
        label = getattr(system, key)
        if label is not None and not _LABEL.fullmatch(label):
            allowed = (
                "should be a label of DAOS: letters, digits, and .:_- after the first, at most 127"
            )
            yield Problem(None, f"daos.{key}", label, allowed)


def _plain(
    host: str | None, key: str, path: Path | None, reader: tuple[str, str]
) -> Iterator[Problem]:
    """Require a path without the characters to which a program gives a meaning."""
    characters, why = reader
    if path is not None and (special := sorted(set(characters) & set(str(path)))):
        named = " or ".join(repr(character) for character in special)
        yield Problem(host, key, path, f"should be a path without {named}: {why}")


def _absolute(host: str | None, model: BaseModel) -> Iterator[Problem]:
    """Require absolute paths: a script runs elsewhere, and a leading - would be an option."""
    for key, path in _paths(model, ""):
        if not path.is_absolute() and not key.endswith(_JUDGED):
            yield Problem(host, key, path, "should be an absolute path, such as /opt/fio/bin/fio")


def _paths(value: object, key: str) -> Iterator[tuple[str, Path]]:
    """Every path below a key, each with its full key."""
    match value:
        case Path():
            yield key, value
        case BaseModel():
            for name, field in type(value).model_fields.items():
                below = field.alias or name
                yield from _paths(getattr(value, name), f"{key}.{below}" if key else below)
        case tuple():
            for number, each in enumerate(value):
                yield from _paths(each, f"{key}[{number}]")
