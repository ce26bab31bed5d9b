"""The distributions: the names that differ between them, by family.

No role knows a distribution. `platforms.yml` has what differs, and the filters of
`playbooks/filter_plugins/` hand it to the roles.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

Component = Literal["facts", "munge", "python", "benchmarks", "dfuse", "time"]
"""What the roles install of a distribution, but for Slurm and DAOS."""

Source = Literal["distribution", "epel", "ohpc", "schedmd"]
"""Whose packages of Slurm are installed."""

Tried = Literal["hosts", "stand-ins", "read"]
"""How a family was tried: on hosts that run it, on hosts that call themselves that and have
packages of its names, or in the sources alone that its names were read from."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TimeService(_Model):
    """Where chrony is configured."""

    service: str
    configuration: PurePosixPath
    reads_sources: bool
    """Whether that file reads /etc/chrony/sources.d by itself."""


class SlurmPackages(_Model):
    """Slurm's packages from one source."""

    packages: Mapping[Literal["common", "slurmctld", "slurmd"], tuple[str, ...]]
    needs_further: bool = False
    """Whether they are in the further repositories."""
    make_account: bool = False
    """Whether they make the user slurm with a number of its own, the same on all hosts."""
    purged_with_files: tuple[str, ...] = ()
    """Packages whose purge takes the configuration and the state of Slurm with it."""


class Further(_Model):
    """Repositories that Slurm or DAOS need, and that a fresh host does not use."""

    releases: tuple[str, ...] = ()
    """Packages of the distribution that set them up."""
    enabled: Mapping[str, str] = Field(default_factory=dict)
    """One that is there and disabled, by distribution; `others` for the rest."""


class Platform(_Model):
    """A family of distributions."""

    distributions: str
    """Those that the names were read from, for people."""
    manager: Literal["apt", "dnf", "zypper"]
    tried: Tried
    packages: Mapping[Component, tuple[str, ...]]
    python: PurePosixPath
    """A Python that ReFrame runs on, 3.10 at least."""
    time: TimeService
    ior_directory: PurePosixPath | None = None
    """Where the package `ior` of DAOS's own repository has its programs; None without one."""
    further: Further = Field(default_factory=lambda: Further())
    """Repositories that are not set up by themselves."""
    slurm: Mapping[Source, SlurmPackages]
    """By source; the first is the default."""
    sources: Mapping[str, str]
    """Where the names were read."""


@cache
def platforms() -> Mapping[str, Platform]:
    """All families, by the name that Ansible gives them (`os_family`)."""
    text = (files("assay.cluster") / "platforms.yml").read_text(encoding="utf-8")
    return {name: Platform.model_validate(each) for name, each in yaml.safe_load(text).items()}
