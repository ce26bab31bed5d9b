"""What the engines logged as errors while a check ran: who, how often, and the first of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from assay.campaign.cases import Case
from assay.campaign.engine_logs import EngineLog
from assay.campaign.results import Results
from assay.checks.plan import CHECKS, CaseKey, Plan
from assay.checks.ranks import SYSTEM_BEFORE, NoRankError, rank
from assay.cluster.description import Cluster
from assay.foreign.files import ForeignError
from assay.foreign.text import one_line, shorten
from assay.subject import Subject

MOST_NAMED = 5
"""Maximum number of engines and facilities that are named of a check."""

MOST_CHARACTERS = 120
"""Length at which the first message is cut."""

Engine = tuple[str, int]
"""A host, and the index of an engine there."""


def logged(cluster: Cluster, plan: Plan, results: Results) -> dict[CaseKey, tuple[str, ...]]:
    """The sentences about each check of the phase `system`."""
    if not any(
        log.errors or log.unread for each in results.engine_errors for log in each.logs.values()
    ):
        return {}
    return {
        key: sentences
        for key in plan.cases
        if CHECKS[key.check].phase == "system"
        if (case := results.cases.get(key)) is not None
        if (sentences := tuple(_of_case(cluster, results, case, plan.subjects(key))))
    }


@dataclass(frozen=True, slots=True)
class While:
    """When a check ran, and what its engines are called."""

    windows: tuple[tuple[float, float], ...]
    """Start and end of each of its jobs' steps, in seconds since the epoch; empty if none ran."""
    steps: tuple[str, ...]
    """The names of the steps, in the order in which they began."""
    answer: str
    """dmg's answer about the system, which has the ranks."""

    def name(self, cluster: Cluster, engine: Engine) -> str:
        """An engine by its rank, if dmg reported it."""
        host, index = engine
        try:
            return f"rank {rank(cluster, Subject(host, engine=index), self.answer)} on {host}"
        except (NoRankError, KeyError):
            return f"engine {index} of {host}"

    def has(self, at: float) -> bool:
        """Whether a step of the check ran at a time."""
        return any(start <= at <= end for start, end in self.windows)


def while_it_ran(case: Case, subjects: Iterable[Subject]) -> While:
    """When a check ran, from the record of its subjects' steps."""
    windows, answer = [], ""
    began: dict[str, float] = {}
    subjects = list(subjects)
    for output in (job.output for job in case.jobs):
        if output is None:
            continue
        raw = output.raw
        try:
            steps = [step for subject in subjects for step in raw.of(subject).steps()]
            answer = answer or raw.answer(SYSTEM_BEFORE)
        except (ForeignError, OSError):
            continue  # the samples of such a check do not count either
        if steps:
            # Logs are read to the second.
            windows.append((min(s.start for s in steps) - 1, max(s.end for s in steps)))
        for step in steps:
            began.setdefault(step.name, step.start)
    return While(tuple(windows), tuple(sorted(began, key=began.__getitem__)), answer)


def errors_meanwhile(
    results: Results, ran: While
) -> Iterator[tuple[Engine, EngineLog, tuple[float, str, str]]]:
    """The errors that engines logged while a check ran, each with its engine and its log."""
    for session in results.engine_errors:
        for engine, log in session.logs.items():
            for error in log.errors:
                if ran.has(error[0]):
                    yield engine, log, error


def _of_case(
    cluster: Cluster, results: Results, case: Case, subjects: Sequence[Subject]
) -> Iterator[str]:
    ran = while_it_ran(case, subjects)
    messages_of: dict[tuple[Engine, str], list[str]] = defaultdict(list)
    cut = set()
    name = partial(ran.name, cluster)
    for session in results.engine_errors if ran.windows else ():
        for engine, log in session.logs.items():
            if log.unread:
                yield f"the log of {name(engine)} was not read: {_words(log.unread)}"
    reading = CHECKS[case.check].reading
    for engine, log, (_, facility, message) in errors_meanwhile(results, ran):
        if reading.expects(facility, message):
            continue
        messages_of[engine, facility].append(message)
        if log.cut:
            cut.add(engine)
    worst = sorted(messages_of.items(), key=lambda item: -len(item[1]))
    for (engine, facility), messages in worst[:MOST_NAMED]:
        count = f"{len(messages):,} error{'s' * (len(messages) > 1)}"
        more = "at least " if engine in cut else ""
        yield (
            f"{name(engine)} logged {more}{count} of its part {_words(facility)}, the first:"
            f" {_words(messages[0])}"
        )
    if len(worst) > MOST_NAMED:
        yield f"and {len(worst) - MOST_NAMED:,} more engines and parts logged errors"


def _words(text: str) -> str:
    return shorten(one_line(text), MOST_CHARACTERS)
