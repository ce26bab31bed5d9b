"""Files that the playbook leaves beside a campaign's outputs, one or more for each session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TypeVar

from assay.foreign import limits
from assay.foreign.files import ForeignError, Tree, refuse_unprintable
from assay.foreign.text import quoted

T = TypeVar("T")


def read(
    root: Path, directory: str, most_bytes: int, parse: Callable[[bytes], T]
) -> Iterator[tuple[str, bytes, T]]:
    """The name, the content and the parsed content of each file, in the order of their names.

    Args:
        root: the campaign's directory, or a bundle.
        directory: where the files are; there may be none.
        most_bytes: the limit of a file.
        parse: raises ForeignError without the name of the file.

    Raises:
        ForeignError: a file cannot be parsed, or there are too many.
        OSError: one cannot be read.
    """
    tree = Tree(root)
    if not tree.is_directory(directory):
        return
    entries = list(islice(tree.walk(directory), limits.SESSION_FILES + 1))
    if len(entries) > limits.SESSION_FILES:
        raise ForeignError(
            f"{quoted(root / directory)} has more than {limits.SESSION_FILES:,} files, which is the"
            " limit: remove whatever is not of this campaign"
        )
    for entry in entries:
        refuse_unprintable(entry, root)
        content = tree.read(entry.name, most_bytes)
        try:
            parsed = parse(content)
        except ForeignError as error:
            raise ForeignError(f"{quoted(root / entry.name)} {error}") from error
        yield PurePosixPath(entry.name).name, content, parsed
