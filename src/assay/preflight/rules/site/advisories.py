"""What upstream knows against the release of DAOS."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.advisories import advisories
from assay.preflight.rules.context import OfSite
from assay.problems import Problem


@OfSite.rule
def advisory_rules(of: OfSite) -> Iterator[Problem]:
    """Warn of each defect of the release that matters on this system; the report repeats it."""
    if of.site.daos is None:
        return
    for each in advisories(of.site.daos, of.site.provider, of.hosts):
        yield Problem(None, "daos.version", each.release, each.sentence, severity="warning")
