"""Writes `docs/modules.md`, the modules of `src/assay` with the first sentence of each.

python scripts/modules_page.py [--check]
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import mdformat
from pages import ROOT, STYLE, brought_up_to_date

SOURCE = ROOT / "src" / "assay"
PAGE = ROOT / "docs" / "modules.md"

HEAD = """\
# The modules of src/assay

`make docs` writes this page from the first sentences of the modules, from the ground up.
[architecture.md](architecture.md) explains the floors.
"""


def floors() -> Iterator[str]:
    """The packages and modules of the house, from the ground up."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    (contract,) = (each for each in contracts if each["id"] == "floors")
    for layer in reversed(contract["layers"]):
        yield from re.findall(r"\w+", layer)


def sentence(module: Path) -> str:
    """The first sentence of a module's docstring, without its full stop."""
    text = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    first = re.split(r"(?<=\.)\s", text.replace("\n", " "), maxsplit=1)[0]
    if not first.endswith("."):
        raise SystemExit(f"{module}: the docstring begins with no sentence: {first!r}")
    return first[:-1].replace("|", "\\|")


def rows(package: Path) -> Iterator[str]:
    """A row for each folder and module of a package."""
    for init in sorted(package.rglob("__init__.py"), key=lambda path: path.parent):
        folder = init.parent
        if folder != package:
            yield f"| `{folder.relative_to(package)}/` | {sentence(init)} |"
        for module in sorted(folder.glob("*.py")):
            if module != init:
                yield f"| `{module.relative_to(package)}` | {sentence(module)} |"


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    alone = []
    for name in floors():
        package = SOURCE / name
        if package.is_dir():
            parts += [f"## {name}/", f"{sentence(package / '__init__.py')}.", table(rows(package))]
        else:
            module = package.with_suffix(".py")
            alone.append(f"| `{module.name}` | {sentence(module)} |")
    parts += ["## Beside the packages", table(alone)]
    return mdformat.text("\n\n".join(parts), options=STYLE, extensions={"gfm", "tables"})


def table(rows: Iterable[str]) -> str:
    """The rows below their head."""
    return "\n".join(["| module | subject |", "| -- | -- |", *rows])


if __name__ == "__main__":
    sys.exit(0 if brought_up_to_date(PAGE, page(), "the docstrings", sys.argv[1:]) else 1)
