"""Write the floors in `docs/derivations.md` from `references.yml`, or check that they agree."""

from __future__ import annotations

import sys

from pages import ROOT, part_up_to_date

from assay.checks.plan import CHECKS
from assay.checks.references import Law, Reference, entries

PAGE = ROOT / "docs/derivations.md"


def figures(entry: Reference) -> str:
    """The figures of an entry: each check once, with its metrics."""
    by_check: dict[str, list[str]] = {}
    for figure in entry.figures:
        check, _, metric = figure.partition(".")
        by_check.setdefault(check, []).append(metric)
    alike: dict[tuple[str, ...], list[str]] = {}
    for check, metrics in by_check.items():
        alike.setdefault(tuple(metrics), []).append(f"`{check}`")
    return "; ".join(
        f"{', '.join(checks)}: {', '.join(metrics)}" for metrics, checks in alike.items()
    )


def is_time(entry: Reference) -> bool:
    """Whether an entry limits times, of which less is better."""
    check, _, metric = entry.figures[0].partition(".")
    return any(each.name == metric and each.better == "lower" for each in CHECKS[check].metrics)


def required(entry: Reference) -> str:
    """What an entry requires, with the part of a published figure that is kept."""
    parts = []
    if entry.derived:
        return of_law(entry.derived, entry.kept)
    if entry.fraction and is_time(entry):
        parts.append(f"at most {1 / (entry.fraction * entry.kept):.3g} times the bound")
    elif entry.fraction:
        parts.append(f"{100 * entry.fraction * entry.kept:.4g} %")
    if entry.of_ports:
        parts[-1] += f" ({100 * entry.of_ports * entry.kept:.4g} % of network ports)"
    for quantity, word in (
        (entry.least, "{}"),
        (entry.most, "at most {}"),
        (entry.each_process, "{} for each process"),
        (entry.each_target, "{} for each target"),
    ):
        if quantity:
            kept = 1 / entry.kept if quantity is entry.most else entry.kept
            parts.append(word.format(f"{quantity.value * kept:,.6g} {quantity.unit}"))
    return ", or ".join(parts)


def of_law(law: Law, kept: float) -> str:
    """What a law requires: the part that is kept of parts whose times add up."""
    parts = [
        f"{each.value:,.6g} {each.unit} for each {thing}"
        for each, thing in (
            (law.each_process, "process"),
            (law.each_target, "target"),
            (law.each_copy, "target with a further copy"),
        )
        if each
    ]
    if law.fraction:
        parts.append(f"{100 * law.fraction:.4g} % of the bound")
    return f"{100 * kept:.4g} % of: {' + '.join(parts)}"


def table() -> str:
    """The table, as Markdown."""
    lines = ["| figures | where | required | why |", "| -- | -- | -- | -- |"]
    for entry in entries():
        where = ", ".join((*entry.backends, *entry.providers, *entry.scm)) or "everywhere"
        lines.append(f"| {figures(entry)} | {where} | {required(entry)} | {entry.word} |")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Write the table; with `--check`, say whether the page has another one."""
    return 0 if part_up_to_date(PAGE, "floors", table(), "references.yml", arguments) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
