"""The parts of a description that a rule judges; a rule registers itself with one of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from assay.cluster.daos import System
from assay.cluster.description import Host, Site
from assay.cluster.releases import Version
from assay.problems import Problem

_RULES: dict[type, list[Callable[[Any], Iterator[Problem]]]] = defaultdict(list)


class _Context:
    """What rules judge."""

    __slots__ = ()

    @classmethod
    def rule(
        cls, judge: Callable[[Self], Iterator[Problem]]
    ) -> Callable[[Self], Iterator[Problem]]:
        """Register a rule: a pure function from the context to problems."""
        _RULES[cls].append(judge)
        return judge

    def problems(self) -> Iterator[Problem]:
        """The problems that the rules of this context find."""
        for judge in _RULES[type(self)]:
            yield from judge(self)


@dataclass(frozen=True, slots=True)
class OfHost(_Context):
    """One host, regardless of the others."""

    name: str
    host: Host
    version: Version | None
    """The version of DAOS if engines run on it. None on any other host: engines there only describe
    what the checks measure."""
    system: str | None
    """The name of that DAOS system."""
    provider: str | None
    """The provider of its fabric."""


@dataclass(frozen=True, slots=True)
class OfServer(_Context):
    """One host on which engines of the deployed DAOS run."""

    name: str
    host: Host
    version: Version
    system: str | None
    provider: str | None


@dataclass(frozen=True, slots=True)
class OfSite(_Context):
    """What only all hosts together show."""

    site: Site
    hosts: Mapping[str, Host]
    """The hosts without errors of their own."""
    described: Collection[str]
    """The names of all hosts, valid or not."""


@dataclass(frozen=True, slots=True)
class OfSystem(_Context):
    """The same of a site whose DAOS the roles deploy."""

    site: Site
    system: System
    hosts: Mapping[str, Host]
    described: Collection[str]

    @property
    def provider(self) -> str:
        """The provider of its fabric."""
        return self.site.provider

    @property
    def servers(self) -> Iterator[tuple[str, Host]]:
        """The valid hosts among its servers."""
        return self._valid(self.system.servers)

    @property
    def members(self) -> Iterator[tuple[str, Host]]:
        """The valid hosts among its servers and agents."""
        return self._valid(dict.fromkeys((*self.system.servers, *self.system.agents)))

    def _valid(self, names: Collection[str]) -> Iterator[tuple[str, Host]]:
        return ((name, self.hosts[name]) for name in names if name in self.hosts)
