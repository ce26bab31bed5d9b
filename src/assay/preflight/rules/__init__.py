"""The rules of the preflight, in a folder for each subject: from the description to problems.

A problem is a sentence with host, key, value and remedy. DAOS itself refuses many of these when a
server starts, one at a time and on that host. It accepts the others, and is slow or fails later.
For the rules that are DAOS's own, tests/recorded/bad_configs has DAOS's error messages.

A rule registers itself with the context that it judges (`context.py`); every module is imported
here, so that a new rule is a new function or file, and no list of them is kept.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Collection, Iterator, Mapping
from importlib import import_module

from assay.cluster.description import Host, Site
from assay.cluster.releases import Version
from assay.preflight.rules.context import OfHost, OfServer, OfSite, OfSystem
from assay.problems import Problem

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)


def rules_of_host(
    name: str, host: Host, version: Version | None, system: str | None, provider: str | None
) -> Iterator[Problem]:
    """The problems of one host, regardless of the other hosts.

    Args:
        name: the host's name.
        host: the host.
        version: the version of DAOS if engines run on it; otherwise None.
        system: the name of that DAOS system.
        provider: the provider of its fabric.
    """
    yield from OfHost(name, host, version, system, provider).problems()
    if version is not None:
        yield from OfServer(name, host, version, system, provider).problems()


def rules_of_site(
    site: Site, hosts: Mapping[str, Host], described: Collection[str]
) -> Iterator[Problem]:
    """The problems that only all hosts together show.

    Args:
        site: the part of the description that applies to all hosts.
        hosts: the hosts without errors of their own.
        described: the names of all hosts, valid or not.
    """
    yield from OfSite(site, hosts, described).problems()
    if site.daos is not None and site.daos.found is None:
        yield from OfSystem(site, site.daos, hosts, described).problems()
