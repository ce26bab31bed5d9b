"""The words of DAOS's releases, from the tables that the preflight judges them by."""

from __future__ import annotations

from typing import Any

from assay.cluster.daos_packages import packages
from assay.cluster.releases import PROVIDERS
from assay.preflight.keys import written


def providers(version: str) -> list[str]:
    """How a release spells the fabric providers."""
    return list(PROVIDERS[version])


class FilterModule:
    """The filters of this role."""

    def filters(self) -> dict[str, Any]:
        """Their names in templates."""
        return {
            "daos_keys": written,
            "daos_providers": providers,
            "daos_packages": packages,
        }
