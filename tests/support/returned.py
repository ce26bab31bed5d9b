"""Archives as a host may return them."""

from __future__ import annotations

import io
import tarfile


def archive(*members: tuple[str, str], kind: bytes = tarfile.REGTYPE, mode: int = 0o644) -> bytes:
    """An archive of files, each a name and what it holds, or what it leads to."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, text in members:
            info = tarfile.TarInfo(name)
            info.type, info.mode = kind, mode
            if kind == tarfile.REGTYPE:
                info.size = len(text.encode())
            else:
                info.linkname = text
            tar.addfile(info, io.BytesIO(text.encode()))
    return made.getvalue()
