"""What differs between distributions, from the table that the project keeps of them."""

from __future__ import annotations

from typing import Any

from assay.cluster.platforms import platforms


def platform(family: str) -> dict[str, Any]:
    """What a family of distributions has; nothing, if it is not known."""
    known = platforms().get(family)
    return known.model_dump(mode="json") if known else {}


def platform_packages(family: str, component: str) -> list[str]:
    """The packages of a component; none for a family that is not known, which is refused."""
    packages: list[str] = platform(family).get("packages", {}).get(component, [])
    return packages


def platform_names(_: object = None) -> str:
    """The distributions that are known, as a refusal lists them."""
    return ", ".join(each.distributions for each in platforms().values())


class FilterModule:
    """The filters of all roles."""

    def filters(self) -> dict[str, Any]:
        """Their names in templates."""
        return {
            "platform": platform,
            "platform_packages": platform_packages,
            "platform_names": platform_names,
        }
