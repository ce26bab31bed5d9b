"""Measures round after round until the hours are over."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from assay.campaign import results
from assay.campaign.run_report import ReportError
from assay.checks.accepted import Accepted
from assay.checks.plan import CHECKS
from assay.cluster.description import Cluster
from assay.foreign.files import ForeignError
from assay.health.choice import Chosen
from assay.health.measure import BUSY, LASTING, MeasureError
from assay.health.night import Watched
from assay.health.nights import STAMP
from assay.health.outcome import State
from assay.health.watch import Measure, Watch, now
from assay.judge.waivers import Waiver
from assay.soak.judge import judged
from assay.soak.outcome import Soak
from assay.soak.rounds import Round, Rounds, seconds
from assay.survey.host_counters import Answers
from assay.tools.daos import dmg

FAILURES = 3
"""Rounds in succession that do not begin, after which the soak ends (own choice)."""

RETRY_S = 60.0
"""Time before the next one is tried, in seconds (own choice)."""

PATIENCE_S = 7200.0
"""How long a soak waits for another campaign that began between two of its rounds, such as that of
a night, in seconds (own choice)."""


@dataclass(frozen=True)
class Soaking:
    """What a soak needs."""

    rounds: Rounds
    cluster: Cluster
    accepted: Accepted | None
    waivers: Sequence[Waiver]
    notes: Sequence[str]
    """What is to be known of the accepted figures, in words."""
    chosen: Chosen
    minutes: float
    """The time for a round."""
    hours: float
    limit: float
    """The largest coefficient of variation."""
    measure: Measure
    counters: Callable[[Cluster], Answers]
    """Asks the kernels of all hosts."""
    say: Callable[[str], None]
    """Reports a round."""
    now: Callable[[], datetime] = now
    wait: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def run(self) -> Soak:
        """Measure until the hours are over, counting those of an earlier run; judge them.

        Raises:
            MeasureError: another campaign is running, no round begins any more, or the first one
                never will.
            WaiverError: a waiver does not fit.
            HistoryError: the directory cannot be read or written.
        """
        with self.rounds.alone():
            return self._run()

    def _run(self) -> Soak:
        rounds = self.rounds.read()
        self.rounds.begin()
        now = self._steady(rounds)
        failed, measured, waits_since = 0, False, None
        while not rounds or seconds(rounds) < 3600 * self.hours:
            try:
                one, error = self._round(now)
            except MeasureError as busy:
                if not measured:
                    raise
                waits_since = self._wait_for(busy, waits_since)
                continue
            if error and error.status in LASTING and not measured:
                raise error
            measured, waits_since = True, None
            rounds.append(one)
            self.rounds.add(one)
            soak = self._judged(rounds)
            self.rounds.keep(soak)
            self.say(self._line(one, len(rounds), soak))
            failed = failed + 1 if error else 0
            if error and failed == FAILURES:
                raise error
            if error:
                self.wait(RETRY_S)
        soak = self._judged(rounds)
        self.rounds.keep(soak)
        return soak

    def _steady(self, rounds: Sequence[Round]) -> Callable[[], datetime]:
        """A clock that nobody sets: hours are counted by it, and rounds are named and ordered."""
        start, began = self.now(), self.clock()
        if rounds:
            start = max(start, rounds[-1].health.measured_to + timedelta(seconds=1))
        return lambda: start + timedelta(seconds=self.clock() - began)

    def _wait_for(self, busy: MeasureError, since: float | None) -> float:
        """Wait a while for another campaign; returns since when.

        Raises:
            MeasureError: that takes too long.
        """
        if since is None:
            self.say(f"the soak waits: {busy}")
            since = self.clock()
        if self.clock() - since > PATIENCE_S:
            raise busy
        self.wait(RETRY_S)
        return since

    def _judged(self, rounds: Sequence[Round]) -> Soak:
        figures = self.rounds.figures(rounds)
        return judged(self.cluster, rounds, figures, self.hours, self.limit)

    def _round(self, now: Callable[[], datetime]) -> tuple[Round, MeasureError | None]:
        """One round, and why nothing was measured in it.

        Raises:
            MeasureError: another campaign is running.
        """
        before = self.counters(self.cluster)
        nights = self.rounds.nights
        notes = list(self.notes)
        if self.waivers:
            notes.append(f"waivers that may excuse figures below a limit: {len(self.waivers)}")
        watched = Watched(self.cluster, self.accepted, self.waivers, nights.read(), notes)
        watch = Watch(nights, watched, self.chosen, self.minutes, self.measure, now=now)
        began, error = now(), None
        try:
            health, _ = watch.night()
        except MeasureError as failed:
            if failed.status == BUSY:
                raise
            health, error = watch.unmeasured(began, str(failed)), failed
        after = self.counters(self.cluster)
        pools = self._pools(nights.campaigns / health.measured_from.strftime(STAMP))
        unread = (*before.unread, *after.unread)
        return Round(
            health=health,
            before=before.hosts,
            after=after.hosts,
            unread=unread,
            pools=pools,
            held=self.accepted is not None,
        ), error

    def _pools(self, campaign: Path) -> dict[str, float]:
        """The used share of each pool's fullest target after the last check that asked."""
        daos = self.cluster.daos
        if daos is None:
            return {}
        try:
            found = results.read(f"{campaign}/reports/*.json", self.cluster, campaign)
        except ReportError:
            return {}
        used: dict[str, float] = {}
        for case in found.cases.values():
            reading = CHECKS[case.check].reading
            if reading.of_one_rank:
                continue  # its pools are new
            for job in case.jobs:
                if job.output is not None:
                    with contextlib.suppress(ForeignError, OSError):
                        answer = job.output.raw.answer(f"{reading.pool}.after")
                        if (share := dmg.fullest(answer)[0]) > 0:
                            used[str(getattr(daos, reading.pool))] = share
        return used

    def _line(self, one: Round, number: int, soak: Soak) -> str:
        health = one.health
        left = f"round {number}, {soak.measured_h:.1f} of {self.hours:g} h"
        if health.state is State.OK:
            return f"{left}: OK, {health.figures:,} figures"
        return f"{left}: {health.headline}"
