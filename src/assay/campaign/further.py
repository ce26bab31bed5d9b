"""Further rounds: what they took, and which checks may take another within the budget of time.

A round is the whole check once more, with all of its subjects: under another load it would be
another measurement, and what is measured again only where it was slow pulls the worse half of its
peers up to their middle, and leaves the better half where chance had put it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from assay.campaign.cases import REPETITIONS, Case
from assay.campaign.ordinals import ordinal
from assay.campaign.results import Results
from assay.checks.estimates import JOB_S
from assay.checks.hours import spelled
from assay.checks.plan import CHECKS, CaseKey


def further_rounds(results: Results) -> Iterator[str]:
    """A sentence for each round that open verdicts made the campaign take."""
    for case in results.cases.values():
        for job in case.jobs:
            if job.open:
                subjects = "1 subject" if job.open == 1 else f"{job.open:,} subjects"
                yield (
                    f"{ordinal(job.round)} round: {subjects} of {job.key} left open,"
                    f" {spelled(_took_s(job))}"
                )


def may_go_on(results: Results) -> set[CaseKey]:
    """The checks for which the campaign has planned another round."""
    return {
        key
        for key, case in results.cases.items()
        if not case.problem and len(case.jobs) < case.looks and key not in results.stopped
    }


def not_taken(results: Results, scattering: Collection[CaseKey]) -> Iterator[str]:
    """A sentence about the planned rounds that the budget, or an end by hand, left out.

    Args:
        results: the results of the whole campaign.
        scattering: the checks with verdicts that scatter leaves open.
    """
    if left := sorted(may_go_on(results) & set(scattering)):
        each = ", ".join(f"{key} ({spelled(_takes_s(results.cases[key]))})" for key in left)
        yield (
            f"open, with a further round left that would decide some of it: {each}; run the same"
            " campaign again with a larger assay_more_hours"
        )


def affordable(wanted: Collection[CaseKey], results: Results, budget_s: float) -> list[CaseKey]:
    """The checks that may take another round, the shortest first: so most of them are decided.

    Args:
        wanted: the checks with open verdicts.
        results: the results of the campaign so far.
        budget_s: time of all further rounds of the campaign together, in seconds.
    """
    jobs = (job for case in results.cases.values() for job in case.jobs)
    left_s = budget_s - sum(_took_s(job) for job in jobs if job.open)
    takes_s = {key: _takes_s(results.cases[key]) for key in wanted}
    chosen = []
    for key in sorted(wanted, key=lambda key: (takes_s[key], key)):
        left_s -= takes_s[key]
        if left_s < 0:
            break
        chosen.append(key)
    return chosen


def _took_s(job: Case) -> float:
    return job.benchmark_seconds + JOB_S


def _takes_s(case: Case) -> float:
    """Seconds of one more round, by those so far."""
    asked = CHECKS[case.check].scales[case.scale][REPETITIONS]
    return case.benchmark_seconds * asked / max(case.taken, 1) + JOB_S
