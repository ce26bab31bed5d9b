"""The packages that were built from source for a cluster, from a lock file of Spack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from assay.cluster.daos import Described

NAMED = ("daos", "libfabric", "mercury", "ior", "io500", "fio", "fdb")
"""Packages that affect the figures most; the sign-off names each of them."""


class Package(Described):
    """One package of a lock file."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$")
    version: str = Field(pattern=r"^[A-Za-z0-9._=-]+$")
    hash: str = Field(pattern=r"^[a-z0-9]{32}$", description="of all that decides the build")
    commit: str | None = Field(default=None, pattern=r"^[0-9a-f]{40}$")
    external: bool = Field(default=False, description="the distribution's, not built")
    needs: tuple[str, ...] = Field(default=(), description="hashes of what it links or runs")


class _Edge(BaseModel):
    deptypes: frozenset[str] = frozenset()


class _Needed(BaseModel):
    hash: str
    parameters: _Edge


class _Parameters(BaseModel):
    commit: str | None = None


class _Spec(BaseModel):
    name: str
    version: str
    parameters: _Parameters
    external: Any = None
    dependencies: tuple[_Needed, ...] = ()


class _Lock(BaseModel):
    """What is read of a lock; Spack writes more."""

    concrete_specs: Mapping[str, _Spec]


def of_lock(document: Any) -> tuple[Package, ...]:
    """The packages of a spack.lock, by name.

    Raises:
        ValidationError: it is no lock.
    """
    packages = (
        Package(
            name=spec.name,
            version=spec.version,
            hash=hash_,
            commit=spec.parameters.commit,
            external=spec.external is not None,
            needs=tuple(
                sorted(
                    needed.hash
                    for needed in spec.dependencies
                    if needed.parameters.deptypes & {"link", "run"}
                )
            ),
        )
        for hash_, spec in _Lock.model_validate(document).concrete_specs.items()
    )
    return tuple(sorted(packages, key=lambda package: (package.name, package.hash)))


def versions(built: Mapping[str, Sequence[Package]]) -> dict[str, str]:
    """Version, commit and hash of the packages in `NAMED`, by kind of host if there are several."""
    return {
        f"{package.name} from source{f' ({kind})' if len(built) > 1 else ''}": _word(package)
        for kind, packages in sorted(built.items())
        for name in NAMED
        for package in packages
        if package.name == name and not package.external
    }


def _word(package: Package) -> str:
    commit = f", commit {package.commit}" if package.commit else ""
    return f"{package.version}{commit}, hash {package.hash}"
