"""What a job left in its stage directory that is not an output."""

from collections.abc import Iterable
from pathlib import Path

from assay.checks.raw import directory_of
from assay.foreign.files import ForeignError, Tree
from assay.foreign.text import quoted
from assay.subject import Subject


def strange(stage: Path, subjects: Iterable[Subject]) -> dict[Subject | None, list[str]]:
    """Outputs that are neither a file nor a directory, by subject, or None.

    ReFrame keeps the outputs of a job and follows links, so a host could name any file of the
    controller.
    """
    by_subject: dict[Subject | None, list[str]] = {}
    own = {Path("raw", directory_of(subject)): subject for subject in subjects}
    try:
        for entry in Tree(stage).walk():
            path = Path(entry.name)
            # Files that everywhere.sh sends are not kept; they remain only if it was killed.
            if path.parts[0].startswith(".outgoing."):
                continue
            if not (entry.is_file or entry.is_directory):
                owner = next((own[at] for at in (path, *path.parents) if at in own), None)
                problem = f"the job left {entry.kind} ({quoted(path)}), which is not an output"
                by_subject.setdefault(owner, []).append(problem)
    except (ForeignError, OSError) as error:
        by_subject.setdefault(None, []).append(f"what the job left cannot be read: {error}")
    return by_subject


def core_dumps(stage: Path) -> list[str]:
    """The crashed programs, even if their exit status was not recorded."""
    dumps = sorted(path.name for path in stage.glob("core*"))
    return [f"a program crashed and left {', '.join(dumps)}"] if dumps else []
