"""What a job left in its stage directory that is not an output."""

from collections.abc import Iterable
from pathlib import Path

from assay.campaign.outputs import EVERYTHING, Counted, listed
from assay.checks.raw import source_of
from assay.foreign.files import ForeignError, Tree
from assay.subject import Subject


def strange(stage: Path, subjects: Iterable[Subject]) -> dict[Subject | None, list[str]]:
    """Why outputs are none, by subject, or None: a sign-off would refuse them, too.

    ReFrame keeps the outputs of a job and follows links, so a host could name any file of the
    controller.
    """
    sources = {subject: source_of(subject) for subject in subjects}
    try:
        refused = listed(Tree(stage), ".", set(sources.values()), Counted()).refused
    except (ForeignError, OSError) as error:
        return {None: [f"what the job left cannot be read: {error}"]}
    by_subject: dict[Subject | None, list[str]] = {
        subject: [refused[source]] for subject, source in sources.items() if source in refused
    }
    if EVERYTHING in refused:
        by_subject[None] = [refused[EVERYTHING]]
    return by_subject


def core_dumps(stage: Path) -> list[str]:
    """The crashed programs, even if their exit status was not recorded."""
    dumps = sorted(path.name for path in stage.glob("core*"))
    return [f"a program crashed and left {', '.join(dumps)}"] if dumps else []
