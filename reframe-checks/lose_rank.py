"""Take a part away while a load runs, watch how the system recovers, and bring the part back.

Usage: lose_rank.py, with a plan as JSON in the first line of standard input

It prints `ready` when it has written down what it will take away. Standard input ends with ReFrame,
also if that is killed: then the part comes back at once. What was done and seen, and when, is in
`raw/system/timeline.N.json` of the plan's directory; the problems are printed at the end.
"""

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pydantic import BaseModel

import bring_back
from assay.checks.benchmarks.loss_load import BACK, LOST
from assay.foreign.files import Tree
from assay.tools.daos import daos_properties, dmg, losses, timeline
from assay.tools.daos.losses import Act
from assay.tools.daos.recovery import Service
from assay.tools.daos.timeline import Event, Moment, Observed, Timeline
from bring_back import Asker, Lost

BETWEEN_S = 1.0
"""Seconds between two questions, which an answer that takes long extends."""

NOTED_BYTES = 2**20
"""The most that a job may note of one loss (own choice); a second takes 60 bytes."""

LOAD_S = 600
"""How long a load may take to begin, in seconds: it waits for the nodes of the job (own choice)."""


def read_from(number: int) -> str:
    """The file that the job makes when it has read all data of a loss."""
    return f"pool.{number}.read"


def made_for(number: int) -> str:
    """The file that says to the job that the pool was made anew for a loss."""
    return f"pool.{number}.made"


def asked_of_job(number: int) -> str:
    """The file that asks the job to end the agent of a client (`lose_agent.sh`)."""
    return f"agent.{number}.end"


def noted_by_job(number: int) -> str:
    """The file with what the job notes of it, in lines as those of the time line."""
    return f"agent.{number}.seen"


class Plan(BaseModel):
    """What is taken away, and for how long the system is watched."""

    lost: Lost
    pool: list[str]
    """The command line that makes the check's pool, for what needs another one each time."""
    ledger: Path
    stage: Path
    """The directory of the job, which all clients see."""
    losses: int
    window_s: int
    limit_s: int
    """How long each recovery may take, in seconds."""


def say(text: str) -> None:
    """Tell ReFrame, if it is still there."""
    with contextlib.suppress(OSError):
        print(text, flush=True)


class EndedError(Exception):
    """ReFrame has ended."""


class Director:
    """Goes through the steps of a plan."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.asker = plan, Asker(plan.lost)
        self.kind = losses.LOSSES[plan.lost.kind]
        self.ended, self.done = threading.Event(), threading.Event()
        self.entries: list[Observed] = []
        self.blind: list[Exception] = []
        """Why nothing is seen any more."""
        self.writing = threading.Lock()
        self.number = 1
        self.service: Service | None = None
        """That of the pool, as it was last seen."""
        self.taken = 0
        """How many lines of what the job notes are kept."""
        self.unable = ""
        """Why the job did not end the agent, or nobody connected again."""

    def note(self, entry: Observed) -> None:
        """Keep an entry, also on the disk."""
        with self.writing:
            self.entries.append(entry)
            name = f"{timeline.NAME}.{self.number}.json"
            place = self.plan.stage / "raw" / "system"
            place.mkdir(parents=True, exist_ok=True)
            with (place / name).open("a") as file:
                file.write(entry.line())

    def event(self, event: Event, why: str = "", at: float | None = None) -> None:
        """Note that something happens now, or happened at a time."""
        self.note(Observed(time=at or time.time(), event=event, why=why))

    def watch(self, asked: Callable[[], Observed]) -> None:
        """Ask again and again, until all is done."""
        while not (self.done.wait(BETWEEN_S) or self.blind):
            self.see(asked)

    def watch_service(self) -> None:
        """Ask once a second who leads until another one does, whatever was not answered yet.

        An engine may have sent an earlier question to the lost leader, and wait for it.
        """
        while not (self.done.wait(BETWEEN_S) or self.blind):
            if self.line.lost and not self.line.served:
                threading.Thread(target=self.see, args=[self.see_service], daemon=True).start()

    def see(self, asked: Callable[[], Observed]) -> None:
        """Ask once, and keep the answer."""
        try:
            self.note(asked())
        except Exception as error:  # whatever it is, who waits for what is seen must know
            self.blind.append(error)

    def see_rank(self) -> Observed:
        """The state of the rank at the time of the answer."""
        rank = self.asker.rank()
        return Observed(time=time.time(), rank=rank)

    def see_pool(self) -> Observed:
        """The state of the pool at the time of the answer."""
        pool = self.asker.pool(self.plan.lost.pool)
        return Observed(time=time.time(), pool=pool)

    def see_service(self) -> Observed:
        """Who leads the service of the pool at the time of the answer."""
        self.service = self.asker.service()
        return Observed(time=time.time(), service=self.service)

    @property
    def line(self) -> Timeline:
        """The moments so far."""
        with self.writing:
            return timeline.timeline(self.entries)

    def wait(self, true: Callable[[], object], limit_s: float) -> bool:
        """Whether something becomes true within a time.

        Raises:
            EndedError: ReFrame has ended.
            RuntimeError: nobody watches any more.
        """
        end = time.monotonic() + limit_s
        while not true():
            if self.ended.wait(0.5):
                raise EndedError
            if self.blind:
                raise RuntimeError("what was seen could not be kept") from self.blind[0]
            if time.monotonic() > end:
                return False
        return True

    def pause(self) -> None:
        """Let a window pass."""
        if self.ended.wait(self.plan.window_s):
            raise EndedError

    def begun(self, name: str) -> bool:
        """Whether a load has begun on a client within a time."""
        return self.wait((self.plan.stage / f"{name}.{self.number}.end.begun").exists, LOAD_S)

    def end(self, name: str) -> None:
        """End a load."""
        (self.plan.stage / f"{name}.{self.number}.end").touch()

    def losses(self) -> str:
        """Lose the part as often as planned; why not all of it was done, or nothing."""
        for number in range(1, self.plan.losses + 1):
            with self.writing:
                self.number, self.entries, self.taken = number, [], 0
            if why := self.another_pool() or self.loss():
                return why
            self.end(BACK)
        return ""

    def another_pool(self) -> str:
        """Make the pool anew if the last one cannot be used again; why it was not, or nothing."""
        if self.number == 1 or not self.kind.grows:
            return ""
        lost, limit_s = self.plan.lost, LOAD_S + self.plan.limit_s
        if not self.wait((self.plan.stage / read_from(self.number - 1)).exists, limit_s):
            return f"the data of loss {self.number - 1} was not read within {limit_s} s"
        why = self.asker.change(dmg.pool_destroy(lost.pool, lost.control))
        if why := why or self.asker.change(self.plan.pool):
            return f"dmg did not make the pool {lost.pool} anew: {why}"
        (self.plan.stage / made_for(self.number)).touch()
        return ""

    def loss(self) -> str:
        """Lose the part, and take it back; why not all of that was done, or nothing."""
        if not self.begun(LOST):
            return f"no load began within {LOAD_S} s"
        self.pause()
        if why := self.choose() or self.go(self.kind.away):
            return why
        self.pause()
        self.end(LOST)
        if not self.begun(BACK):
            return f"no load began within {LOAD_S} s after the loss of {self.plan.lost.words}"
        if why := self.go(self.kind.back):
            return why
        self.pause()
        return ""

    def choose(self) -> str:
        """Write down the rank that leads, if that is lost; why it cannot be, or nothing."""
        if not self.kind.takes_leader:
            return ""
        # After an earlier loss the service gets its replicas back by itself.
        if not self.wait(self.survives, self.plan.limit_s) or self.service is None:
            return self.service.unable if self.service else "nobody leads the service of the pool"
        lost = self.plan.lost.model_copy(update={"rank": self.service.svc_ldr})
        bring_back.keep(self.plan.ledger, lost)
        self.plan.lost = self.asker.lost = lost
        return ""

    def survives(self) -> bool:
        """Whether the service of the pool survives the loss of its leader."""
        self.note(self.see_service())
        return self.service is not None and not self.service.unable

    def go(self, acts: tuple[Act, ...]) -> str:
        """Do what a kind asks for, and wait for what follows; what did not, or nothing."""
        lost, limit_s = self.plan.lost, self.plan.limit_s
        for act in acts:
            if act.command is None:
                (self.plan.stage / asked_of_job(self.number)).touch()
            else:
                self.event(act.event)
                if why := self.asker.change(act.command(lost)):
                    return f"dmg did not {act.verb} rank {lost.rank}: {why}"
            for wait in act.waits:
                reached = self.wait(partial(self.reached, wait.moment), limit_s)
                if self.unable:
                    return self.unable
                if not reached:
                    late = wait.late.format(rank=lost.rank, limit_s=limit_s)
                    return late + (self.settings() if wait.by_settings else "")
        return ""

    def reached(self, moment: Moment) -> bool:
        """Whether a moment was seen, or never will be."""
        if self.kind.by_job:
            self.take_in()
        return bool(self.unable) or getattr(self.line, moment) is not None

    def take_in(self) -> None:
        """Keep what the job has noted since it was last looked at."""
        with contextlib.suppress(FileNotFoundError):
            text = Tree(self.plan.stage).read(noted_by_job(self.number), NOTED_BYTES)
            whole, _, _ = text.decode().rpartition("\n")
            lines = whole.splitlines()
            for line in lines[self.taken :]:
                entry = Observed.model_validate_json(line)
                if entry.event == "failed":
                    self.unable = entry.why
                else:
                    self.note(entry)
            self.taken = len(lines)

    def settings(self) -> str:
        """The settings of the pool that decide whether it excludes and rebuilds."""
        asked = dmg.pool_properties(self.plan.lost.pool, self.plan.lost.control)
        values = daos_properties.kept(self.asker.ask(asked), ("self_heal", "rd_fac"))
        shown = ", ".join(f"{name} {value or 'none'}" for name, value in values.items())
        return f"; its pool has {shown}" if shown else ""

    def main(self) -> list[str]:
        """Go through all steps, and bring the part back whatever happens."""
        for asked in (self.see_rank, self.see_pool):
            threading.Thread(target=self.watch, args=[asked], daemon=True).start()
        if self.kind.takes_leader:
            threading.Thread(target=self.watch_service, daemon=True).start()
        try:
            why = self.losses()
        except EndedError:
            why = f"ReFrame ended before {self.plan.lost.words} was back"
        except Exception as error:  # whatever it is, the rank must come back
            why = f"lose_rank.py failed: {error.__cause__ or error!r}"
        self.done.set()
        if why:
            # A full disk, too, must not keep the rank away.
            try:
                self.event("failed", why)
            except OSError as error:
                say(f"problem: {why}; nothing more could be kept: {error}")
            with contextlib.suppress(OSError):
                self.end_the_loads()
        else:
            # The job still verifies what it wrote.
            self.ended.wait()
        return bring_back.restore(self.plan.lost, say)

    def end_the_loads(self) -> None:
        """Let no load of the job wait for what will not come."""
        for number in range(self.number, self.plan.losses + 1):
            self.number = number
            self.end(LOST)
            self.end(BACK)


def main() -> int:
    """Read the plan, write down what it takes away, and go."""
    # Whoever ends the campaign ends its whole group or session; this comes after it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    plan = Plan.model_validate_json(sys.stdin.readline())
    if plan.lost.kind not in losses.LOSSES:
        say(f"unknown kind of loss {plan.lost.kind}; choose from: {', '.join(losses.LOSSES)}")
        return 1
    plan.ledger.parent.mkdir(parents=True, exist_ok=True)
    with bring_back.alone(plan.ledger):
        if plan.ledger.exists():
            say(f"{plan.ledger} names what is still away: playbooks/stop.yml")
            return 1
        bring_back.keep(plan.ledger, plan.lost)
        say("ready")
        director = Director(plan)

        def end() -> None:
            sys.stdin.read()
            director.ended.set()

        threading.Thread(target=end, daemon=True).start()
        problems = director.main()
        if not problems:
            plan.ledger.unlink()
        for problem in problems:
            say(f"problem: {problem}")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
