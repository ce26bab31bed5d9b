"""The described release of DAOS, and those that the description itself records otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assay.cluster.description import Site
from assay.cluster.releases import release_of
from assay.preflight.rules.context import OfSite
from assay.problems import Problem

_PACKAGES, _OF_PACKAGES = ("daos", "daos-client"), Path("/usr")


@OfSite.rule
def release_rules(of: OfSite) -> Iterator[Problem]:
    """Refuse a release that is not that of what was found, built or installed.

    Bounds, floors, tags and known defects are those of the described release.
    """
    daos = of.site.daos
    if daos is None:
        return
    for key, printed in _recorded(of.site):
        release = release_of(printed)
        if release is not None and release != daos.version:
            yield Problem(
                None, "daos.version", daos.version, f"should be {release}: {key} says {printed}"
            )


def _recorded(site: Site) -> Iterator[tuple[str, str]]:
    if site.daos and site.daos.found and site.daos.found.release:
        yield "daos.found.release", site.daos.found.release
    for kind, packages in site.built.items():
        for package in packages:
            if package.name == "daos" and not package.external:
                yield f"built.{kind}", package.version
    # With another prefix DAOS's programs are not a package's, which an image may have all the same.
    if site.daos and site.daos.prefix == _OF_PACKAGES:
        for name in _PACKAGES:
            if name in site.versions:
                yield f"versions.{name}", site.versions[name]
