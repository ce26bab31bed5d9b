"""Found on hosts, and not described: a warning, since it would not be measured."""

from __future__ import annotations

from collections.abc import Iterator

from assay.checks.undescribed import undescribed
from assay.preflight.rules.context import OfSite
from assay.problems import Problem


@OfSite.rule
def undescribed_rules(of: OfSite) -> Iterator[Problem]:
    """Warn of devices, models, links and programs that the description leaves out or has slower."""
    for host, key, value, why in undescribed(of.site, of.hosts):
        yield Problem(host, key, value, why, severity="warning")
