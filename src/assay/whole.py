"""Files that are written as a whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


def write(texts: Mapping[Path, str]) -> None:
    """Write files beside the old ones, and then put them in their places.

    Where there is no room for all of them, the old files stay.

    Args:
        texts: the text of each file.

    Raises:
        OSError: one cannot be written.
    """
    new = {path: path.with_name(f".{path.name}.new") for path in texts}
    try:
        for path, text in texts.items():
            new[path].write_text(text, encoding="utf-8")
        for path, beside in new.items():
            beside.replace(path)
    finally:
        for beside in new.values():
            beside.unlink(missing_ok=True)
