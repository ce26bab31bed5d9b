"""Write the tables in `docs/platforms.md` from `platforms.yml`, or check that they agree."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from pages import ROOT, part_up_to_date

from assay.cluster.platforms import Platform, platforms

PAGE = ROOT / "docs/platforms.md"

_TRIED = {
    "hosts": "on hosts that run it",
    "stand-ins": "its names, on hosts that call themselves that, with Debian's programs inside",
    "read": "not run: names read in the sources below",
}


def _words(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def packages(each: Platform) -> Iterator[tuple[str, str]]:
    """What is installed for what."""
    for component, names in each.packages.items():
        yield component, _words(names)
    for source, slurm in each.slurm.items():
        names = tuple(dict.fromkeys(name for part in slurm.packages.values() for name in part))
        yield f"Slurm, `{source}`", _words(names)


def table() -> str:
    """Families, how they were tried, and their packages, as Markdown."""
    known = platforms().values()
    components = dict.fromkeys(component for each in known for component, _ in packages(each))
    lines = [
        "| | " + " | ".join(each.distributions for each in known) + " |",
        "| -- |" + " -- |" * len(known),
        "| tried | " + " | ".join(_TRIED[each.tried] for each in known) + " |",
        "| package manager | " + " | ".join(f"`{each.manager}`" for each in known) + " |",
    ]
    for component in components:
        cells = (dict(packages(each)).get(component, "") for each in known)
        lines.append(f"| {component} | " + " | ".join(cells) + " |")
    lines += ["", "Sources:", ""]
    for each in known:
        for subject, source in each.sources.items():
            lines.append(f"- {each.distributions}, {subject}: {source}.")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Write the tables; with `--check`, say whether the page has others."""
    return 0 if part_up_to_date(PAGE, "platforms", table(), "platforms.yml", arguments) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
