"""The names of devices, each of which must have a datasheet."""

from __future__ import annotations

from collections.abc import Iterator

from assay.preflight.rules.context import OfSite
from assay.problems import Problem


@OfSite.rule
def datasheet_rules(of: OfSite) -> Iterator[Problem]:
    """Require a datasheet for each named device, in hardware.yml or from the site."""
    site, hosts = of.site, of.hosts
    sheets = site.sheets
    for name, host in hosts.items():
        named = host.datasheets
        for key, device, known in (
            ("scratch.ssd", host.scratch.ssd if host.scratch else None, sheets.ssd),
            ("datasheets.ssd", named.ssd, sheets.ssd),
            ("datasheets.pmem", named.pmem, sheets.pmem),
            ("datasheets.memory", named.memory, sheets.memory),
            ("datasheets.fabric", named.fabric, sheets.fabric),
        ):
            if device is not None and device not in known:
                yield Problem(name, key, device, f"should be a data sheet: {', '.join(known)}")
    for name, ssd in site.hardware.ssd.items():
        generation = ssd.pcie.partition(" ")[0] if ssd.pcie else None
        if generation is not None and generation not in sheets.pcie:
            allowed = f"should be a generation of {', '.join(sheets.pcie)}"
            yield Problem(None, f"hardware.ssd.{name}.pcie", ssd.pcie, allowed)
