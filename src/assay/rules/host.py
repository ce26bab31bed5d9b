"""What a host needs besides its engines."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster import Host
from assay.findings import Finding
from assay.hardware import pmem_modules, ssds


def host_rules(name: str, host: Host) -> Iterator[Finding]:
    """The interface of the checks is there, and devices that are named have a datasheet."""
    known = ", ".join(sorted(host.interfaces)) or "none"
    if host.interface not in host.interfaces:
        yield Finding(name, "interface", host.interface, f"an interface of this host: {known}")
    for key, device, sheets in (
        ("scratch.ssd", host.scratch.ssd if host.scratch else None, ssds()),
        ("datasheets.ssd", host.datasheets.ssd, ssds()),
        ("datasheets.pmem", host.datasheets.pmem, pmem_modules()),
    ):
        if device is not None and device not in sheets:
            yield Finding(name, key, device, f"a name in hardware.yml: {', '.join(sheets)}")
