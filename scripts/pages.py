"""Pages that `make docs` writes, and that `make lint` compares with what they are written from."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Collection
from pathlib import Path

import mdformat

ROOT = Path(__file__).resolve().parents[1]
STYLE = tomllib.loads((ROOT / ".mdformat.toml").read_text(encoding="utf-8"))
"""How `mdformat` writes all other pages."""


def brought_up_to_date(page: Path, text: str, source: str, arguments: Collection[str]) -> bool:
    """Write a page; with `--check`, only print how it differs, and return whether it agrees."""
    there = page.read_text(encoding="utf-8") if page.exists() else ""
    if there == text:
        return True
    if "--check" not in arguments:
        page.write_text(text, encoding="utf-8")
        return True
    name = str(page.relative_to(ROOT))
    print("\n".join(difflib.unified_diff(there.splitlines(), text.splitlines(), name, source)))
    print(f"{name} differs from {source}: run make docs")
    return False


def part_up_to_date(
    page: Path, name: str, text: str, source: str, arguments: Collection[str]
) -> bool:
    """Write a part of a page, between two comments that have its name; the rest is by hand."""
    begin, end = f"<!-- {name}, by `make docs` -->", f"<!-- end of {name} -->"
    part = re.compile(f"{re.escape(begin)}.*{re.escape(end)}", re.DOTALL)
    there = page.read_text(encoding="utf-8")
    whole = part.sub(lambda _: f"{begin}\n\n{text}\n\n{end}", there)
    whole = mdformat.text(whole, options=STYLE, extensions={"gfm", "tables"})
    return brought_up_to_date(page, whole, source, arguments)
