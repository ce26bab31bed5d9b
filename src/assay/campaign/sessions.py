"""The sessions of ReFrame that make up a campaign: their reports, their order, and their rounds."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from assay.campaign.cases import problem_of
from assay.campaign.ordinals import ordinal
from assay.campaign.run_report import Loaded, ReportError, TestCase
from assay.foreign import limits
from assay.foreign.files import Entry, ForeignError, refuse_unprintable
from assay.foreign.text import one_line


def matching(pattern: str) -> tuple[Path, ...]:
    """The run reports that match a glob pattern, at least one.

    Raises:
        ReportError: none matches, or they cannot be those of one campaign.
    """
    if "\0" in pattern:
        raise ReportError("the pattern of the reports contains a NUL")
    paths = tuple(Path(name) for name in sorted(glob.glob(pattern)))
    if not paths:
        raise ReportError(
            f"no run report matches {pattern}; ReFrame writes one when a session ends, and"
            " `assay progress` shows a campaign that still runs"
        )
    if len(paths) > limits.REPORTS:
        raise ReportError(
            f"{pattern} matches {len(paths):,} files, and {limits.REPORTS:,} is the limit: name the"
            " reports of one campaign"
        )
    if len({path.name for path in paths}) < len(paths):
        raise ReportError(
            f"{pattern} matches two reports with the same file name, by which a bundle keeps them"
        )
    for path in paths:
        try:
            refuse_unprintable(Entry(path.name, 0o100000, 0, 1, 0), path.parent)
        except ForeignError as error:
            raise ReportError(str(error)) from error
    return paths


def refuse_overlaps(loaded: Sequence[Loaded]) -> None:
    """Refuse sessions that ran at once: each has measured the other's load.

    Args:
        loaded: the sessions, in the order of their starts.

    Raises:
        ReportError: two sessions overlap.
    """
    for one, other in pairwise(loaded):
        ended, started = one.report.session_info.time_end_unix, other.report.session_info
        if started.time_start_unix < ended:
            raise ReportError(
                f"{one_line(str(other.path))} began at {started.time_start_unix:%Y-%m-%d %H:%M:%S}"
                f" UTC, before {one_line(str(one.path))} ended at {ended:%H:%M:%S}: sessions that"
                " run at once disturb each other; measure again, one after the other"
            )


Rounds = list[tuple[Loaded, TestCase]]
"""The rounds of a check, each with its session."""


def with_session(rounds: Rounds, session: Loaded, case: TestCase) -> Rounds:
    """The rounds of a check, with those of one more session.

    Raises:
        ReportError: the check must not have been measured again.
    """
    here = f"{session.path}: {case.check} on {case.partition}"
    last = rounds[-1][1] if rounds else None
    which = f"{here} is a {ordinal(max(case.round, 1))} round"
    if last is None or problem_of(last) is not None:
        if case.round < 2 and len(rounds) < 2:
            return [(session, case)]
        if last is not None and case.round == last.round:
            return [*rounds[:-1], (session, case)]
    elif last.round and case.round == last.round + 1 and last.scale == case.scale:
        # Who looks before he plans to look again has a chance of error more.
        if not case.round <= case.planned_looks <= last.planned_looks:
            raise ReportError(f"{which}, which was not planned when its first began")
        return [*rounds, (session, case)]
    if last is None:
        before = ordinal(case.round - 1)
        raise ReportError(f"{which}, and no report has its {before}: name all reports")
    if case.round == last.round + 1 and problem_of(last) is not None:
        raise ReportError(f"{which}, but its {ordinal(last.round)} failed: measure both again")
    raise ReportError(
        f"{here} is also in {rounds[-1][0].path}; a campaign has each check once: name the reports"
        " of one campaign"
    )
