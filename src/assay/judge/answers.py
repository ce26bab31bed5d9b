"""What DAOS answered before and after the checks of a campaign, as their jobs kept it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from assay.campaign.cases import Case
from assay.campaign.results import Results
from assay.foreign.files import ForeignError


def answers(results: Results, name: str) -> Iterator[str]:
    """The answers of a name, such as ``system.before``, of all checks; each text once."""
    every = (text for case in results.cases.values() for text in answers_of(case, name))
    yield from dict.fromkeys(every)


def answers_of(case: Case, name: str) -> Iterator[str]:
    """The answers of a name that the jobs of one check kept."""
    for job in case.jobs:
        if job.output is not None:
            with contextlib.suppress(ForeignError, OSError):
                yield job.output.raw.answer(name)
