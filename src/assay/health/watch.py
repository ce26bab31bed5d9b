"""A night of `assay health`: measure, judge, measure again what is suspected, and remember."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from assay.campaign import results
from assay.campaign.results import Results
from assay.campaign.run_report import ReportError
from assay.health.choice import LEFT_S, SCALE, Chosen
from assay.health.measure import MeasureError
from assay.health.night import JudgedRun, Watched, findings, gaps, judged, medians
from assay.health.nights import STAMP, Night, Nights, newer
from assay.health.outcome import Finding, Gap, Health
from assay.judge.verdict import Verdict

AGAIN = "-again"
"""Suffix of the directory of a confirmation."""


def now() -> datetime:
    """The time."""
    return datetime.now(UTC)


Measure = Callable[[Path, Sequence[str], float], bool]
"""Measures some checks into a directory within so many seconds; returns whether it ended by itself
(see `assay.health.measure`)."""


@dataclass(frozen=True)
class Watch:
    """What a night needs."""

    nights: Nights
    watched: Watched
    chosen: Chosen
    minutes: float
    """The time for all runs."""
    measure: Measure
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = now

    def night(self) -> tuple[Health, Night | None]:
        """Measure and judge; returns the outcome, and the figures of the night if there are any.

        Raises:
            MeasureError: no campaign began.
            WaiverError: a waiver does not fit.
            HistoryError: the directory cannot be written.
        """
        began, start = self.clock(), self.now()
        name = start.strftime(STAMP)
        checks = self.chosen.checks
        first, problem = self._run(name, checks, self._left_s(began))
        if first is None:
            health = self.unmeasured(start, problem)
            self.nights.keep(health)
            return health, None
        run = judged(first, checks, self.watched)
        suspects = run.suspects
        second = self._again(name, run, suspects, began)
        confirmed = suspects & second.suspects if second else frozenset[int | str]()
        again = suspects & second.measured if second else frozenset[int | str]()
        health = self._outcome(
            start, run, findings(run, confirmed), findings(run, suspects - again), gaps(run), second
        )
        night = Night(
            measured_from=first.started,
            scale=first.scale,
            versions={"ReFrame": first.reframe, **self.watched.cluster.versions},
            medians=medians(run.judgements),
            units={j.requirement.figure: j.requirement.unit for j in run.judgements},
        )
        self.nights.add(name, night)
        self.nights.keep(health)
        self.nights.remove_old_campaigns()
        return health, night

    def unmeasured(self, start: datetime, why: str) -> Health:
        """The outcome of a night without any figure."""
        gap = Gap(check=", ".join(self.chosen.checks), hosts=(), figures=0, reason=why)
        return self._outcome(start, None, (), (), [gap])

    def _left_s(self, began: float) -> float:
        return 60 * self.minutes - LEFT_S - (self.clock() - began)

    def _run(self, name: str, checks: Sequence[str], limit_s: float) -> tuple[Results | None, str]:
        """The results of some checks, or why there are none."""
        directory = self.nights.campaigns / name
        ended = self.measure(directory, checks, limit_s)
        late = "" if ended else f"it was ended after {limit_s / 60:.0f} min, all that was left"
        try:
            found = results.read(f"{directory}/reports/*.json", self.watched.cluster, directory)
        except ReportError as error:
            return None, "; ".join(filter(None, [late, str(error)]))
        return found.cut_short(late) if late else found, ""

    def _again(
        self, name: str, run: JudgedRun, suspects: frozenset[int | str], began: float
    ) -> JudgedRun | None:
        """A second run of what is suspected; None where it measured nothing."""
        checks = self._repeated(run, suspects, self._left_s(began))
        if not checks:
            return None
        try:
            second, _ = self._run(f"{name}{AGAIN}", checks, self._left_s(began))
        except MeasureError:
            return None
        return judged(second, self.chosen.checks, self.watched) if second else None

    def _repeated(
        self, run: JudgedRun, suspects: frozenset[int | str], left_s: float
    ) -> tuple[str, ...]:
        """The checks to repeat: those of suspects, the cheapest first, as far as time allows."""
        chosen: list[str] = []
        for check in sorted(run.checks(suspects), key=self.chosen.seconds.__getitem__):
            left_s -= self.chosen.seconds[check]
            if left_s >= 0:
                chosen.append(check)
        return tuple(chosen)

    def _outcome(
        self,
        start: datetime,
        run: JudgedRun | None,
        confirmed: Sequence[Finding],
        unconfirmed: Sequence[Finding],
        missing: Sequence[Gap],
        second: JudgedRun | None = None,
    ) -> Health:
        verdicts = [each.verdict for each in run.judgements] if run else []
        measured = [each for each in verdicts if each is not Verdict.MISSING]
        cluster, nights = self.watched.cluster, self.watched.nights
        charted: set[int] = set()
        if run is not None:
            for number in np.flatnonzero(~np.isnan(run.shown.limit)).tolist():
                charted.update(run.families.members[number].rows)
        notes = [*self.watched.notes, *newer(nights, cluster.versions)]
        if self.chosen.unseen:
            notes.append(f"no check measures by itself: {', '.join(self.chosen.unseen)}")
        return Health(
            cluster=cluster.name,
            scale=SCALE,
            measured_from=start,
            measured_to=self.now(),
            checks=self.chosen.checks,
            left_out=self.chosen.left_out,
            figures=len(measured),
            limited=sum(each is not Verdict.UNRATED for each in measured),
            charted=len(charted),
            nights=len(nights),
            findings=tuple(confirmed),
            unconfirmed=tuple(unconfirmed),
            gaps=tuple(missing),
            notes=tuple(notes),
            engines=tuple(
                dict.fromkeys(each for one in (run, second) if one for each in one.engines)
            ),
            unseen=tuple(
                dict.fromkeys(each for one in (run, second) if one for each in one.unseen)
            ),
        )
