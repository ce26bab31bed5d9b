"""The packages of DAOS's own RPM repositories that a host needs.

Source: utils/rpms/daos.spec of v2.4.0 and v2.6.0, and utils/rpms/daos.sh of v2.8.0, in
github.com/daos-stack/daos. Upstream publishes none for Debian; a site that builds its own gives
them these names.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.cluster.releases import ByRelease, since

_OF_COMPONENT = {
    "daos_server": ("daos-server", "daos-server-tests"),  # the second has vos_perf
    "daos_agent": ("daos-client",),
    "daos_admin": ("daos-admin",),
    "daos_system": ("daos-admin", "daos-client"),
    # daos_perf is in the tests; without what links it to Open MPI, its processes run alone. The
    # tests need IOR and fio with DAOS. (daos-client-tests-mpich has no file.)
    "daos_client": ("daos-client", "daos-client-tests", "daos-client-tests-openmpi"),
}

_SPDK_PERF = ByRelease({"2.4": "spdk", "2.8": "daos-spdk"})
"""The package that has SPDK's perf."""

_PMEM_TOOLS = since("2.8")
"""Releases whose daos-server does not bring the tools of PMem, which the server calls."""


def packages(
    version: str, components: Collection[str], provider: str, classes: Collection[str]
) -> list[str]:
    """The packages of a host.

    Args:
        version: the release.
        components: the roles that it has: `daos_server`, `daos_agent` and others.
        provider: the fabric provider.
        classes: the classes of its engines' storage tiers: `dcpm`, `nvme` and others.
    """
    return list(dict.fromkeys(_packages(version, components, provider, classes)))


def _packages(
    version: str, components: Collection[str], provider: str, classes: Collection[str]
) -> Iterator[str]:
    for component in components:
        yield from _OF_COMPONENT[component]
    if "daos_server" in components and "nvme" in classes:
        yield _SPDK_PERF[version]
    if "daos_server" in components and "dcpm" in classes and version in _PMEM_TOOLS:
        yield from ("ndctl", "ipmctl")
    if provider.startswith("ucx+") and {"daos_server", "daos_agent", "daos_client"} & {*components}:
        yield "mercury-ucx"
