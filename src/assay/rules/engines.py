"""The engines of a host, each by itself and beside the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay.cluster import Host
from assay.findings import Finding


def engine_rules(name: str, host: Host) -> Iterator[Finding]:
    """Each engine has an interface of the host, and a tmpfs of its own that fits into memory."""
    known = ", ".join(sorted(host.interfaces)) or "none"
    mounts = Counter(
        engine.ram_tier.scm_mount for engine in host.engines if engine.ram_tier is not None
    )
    for number, engine in enumerate(host.engines):
        where = f"engines[{number}]"
        if engine.fabric_iface not in host.interfaces:
            yield Finding(
                name,
                f"{where}.fabric_iface",
                engine.fabric_iface,
                f"an interface of this host: {known}",
            )
        tier = engine.ram_tier
        if tier is None:
            continue
        if tier.scm_mount is None or not tier.scm_mount.is_absolute():
            yield Finding(
                name, f"{where}.storage.scm_mount", tier.scm_mount, "the absolute path of a mount"
            )
        elif mounts[tier.scm_mount] > 1:
            yield Finding(
                name, f"{where}.storage.scm_mount", tier.scm_mount, "a mount of its own per engine"
            )
        if tier.scm_size is not None and tier.scm_size * 1024 >= host.memory.total_mib:
            yield Finding(
                name,
                f"{where}.storage.scm_size",
                f"{tier.scm_size} GiB",
                f"less than the host's memory of {host.memory.total_mib / 1024:.1f} GiB",
            )
