"""For checks that take a part of a DAOS system away under load, and bring it back."""

import os
import pwd
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from reframe.core.builtins import run_before, variable

from assay.campaign.steps import Shell, Step
from assay.checks.benchmarks.loss_load import (
    BACK,
    CONTAINER,
    LABEL,
    LOST,
    OCLASS,
    pool_mib,
    pools_at_risk,
    processes,
    the_last_engine,
    writings,
    written_mib,
)
from assay.checks.benchmarks.losses import LossCheck, containers, line_of
from assay.checks.subjects import each_engine
from assay.foreign.files import ForeignError
from assay.shell import RAW, Text
from assay.subject import Subject
from assay.tools import fio_load
from assay.tools.daos import container, daos_properties, dmg, recovery
from assay.tools.daos.dfs import Dfs
from assay.tools.daos.dmg import CONTROL
from assay.tools.daos.losses import Loss
from assay.tools.daos.pools import container_create
from assay_check import HERE, Commands
from bring_back import COMMAND_LIMIT_S, JOINED_S, LEDGER, WHOLE_S, Lost, read
from lose_rank import LOAD_S, Plan, made_for, read_from
from mixins.daos import NeedsDaos, srun
from mixins.launch import StartsItsPrograms

CONSENT = "ASSAY_FAILURE"
"""The variable of the environment that must have the name of the system; `-e assay_failure=NAME`
sets it."""

RECOVERY_S = {"quick": 900, "acceptance": 7200}
"""How long each recovery is waited for, in seconds (own choice)."""

SLOWEST_MIB_S = 10
"""Time limits allow for clients that together are as slow as this (own choice)."""


class LosesPart(NeedsDaos, StartsItsPrograms):
    """A part is taken away while fio keeps all clients busy in a pool of the check's own.

    Another process, `lose_rank.py`, takes it away and brings it back. It waits for the end of
    ReFrame, so that the part comes back even if ReFrame is killed.
    """

    functions = ("steps.sh", "daos_client.sh")
    scripts: Sequence[str] = ("attach.py", "load.sh")

    #: Only root may take a part of a system away, and nobody gets a sudo rule for that.
    needs_root = True

    #: Seconds of load before the loss, and after each recovery.
    window_s = variable(int)

    #: MiB of each file; each process of fio has two.
    file_mib = variable(int)

    _director: "subprocess.Popen[str] | None" = None

    @property
    def loss(self) -> Loss:
        """What the check loses."""
        assert isinstance(self.entry, LossCheck)
        return self.entry.loss

    @property
    def client(self) -> str:
        """The client that loses its agent; empty if it is an engine that loses something."""
        return self.present[0].host if self.loss.by_job else ""

    # Before the job.

    def problems_before(self) -> list[str]:
        """Require the second consent, and a system that has no pool of others."""
        if problems := super().problems_before():
            return problems
        if os.environ.get(CONSENT) != self.daos.name:
            return [
                f"{self.measured.check.name} takes a part of {self.daos.name} away: to agree, pass"
                f" -e assay_failure={self.daos.name} to playbooks/validate.yml, or set"
                f" {CONSENT}={self.daos.name} where you call reframe yourself"
            ]
        if self.is_dry_run():
            return []
        return self.away() or self.pools_of_others() or self.begin()

    def away(self) -> list[str]:
        """What an earlier run took away and did not bring back."""
        try:
            lost = read(LEDGER)
        except (ForeignError, OSError, ValueError) as error:
            return [f"{LEDGER} cannot be read: {error}"]
        if lost is None:
            return []
        return [f"{lost.words} is still away since an earlier run: playbooks/stop.yml"]

    def pools_of_others(self) -> list[str]:
        """Pools that the inventory does not have: they would lose redundancy, or data."""
        described = {str(pool.get("name")) for pool in self.daos.pools}
        labels = dmg.labels(self.answer("pools.before"))
        return pools_at_risk(labels, described, self.measured.check.name)

    def begin(self) -> list[str]:
        """Let the ledger be written, and make the pool; return the problems."""
        engines = self.present
        if self.loss.takes_leader or self.loss.by_job:
            # Nobody knows yet who will lead: the ledger has any rank until lose_rank.py knows. And
            # where no engine is lost, that rank is there all the time.
            engines = the_last_engine(self.cluster, self.partition)
        (rank,) = self.ranks_of(engines)
        user = pwd.getpwuid(os.geteuid()).pw_name
        size = f"{pool_mib(self.measured)}MiB"
        pool = recovery.pool_create(LABEL, size, user, CONTROL, self.pool_ranks(rank))
        self.lost = Lost(
            system=self.daos.name,
            kind=self.loss.name,
            rank=rank,
            pool=LABEL,
            control=CONTROL,
            prefix=str(self.daos.prefix),
            client=self.client,
            containers=tuple(
                (str(pool.get("name")), str(each.get("name")))
                for pool in self.daos.pools
                for each in pool.get("containers") or ()
            ),
        )
        if why := self.start_the_director(pool):
            return [why]
        made = self.change("failure_pool.made", pool)
        if why := dmg.failure(made):
            return [f"dmg made no pool of {size}: {why}", *self.end_the_director()]
        service = recovery.service(made)
        if self.loss.takes_leader and service and service.unable:
            return [service.unable, *self.end_the_director()]
        return []

    def pool_ranks(self, rank: int) -> list[int]:
        """The ranks of the pool, if it is extended to another one; otherwise it has all."""
        engines = each_engine(self.cluster, "servers")
        return sorted({*self.ranks_of(engines)} - {rank}) if self.loss.grows else []

    def start_the_director(self, pool: list[str]) -> str:
        """Start what takes the part away, and brings it back; why it did not, or nothing.

        Args:
            pool: the command line that makes the check's pool.
        """
        plan = Plan(
            lost=self.lost,
            pool=pool,
            ledger=LEDGER,
            stage=Path(self.stagedir).resolve(),
            losses=self.repetitions,
            window_s=self.window_s,
            limit_s=RECOVERY_S[self.scale],
        )
        # What campaign.sh ends with a campaign has this variable; the rank must come back first.
        environment = {k: v for k, v in os.environ.items() if k != "ASSAY_CAMPAIGNS"}
        with Path(self.stagedir, "director.err").open("w", encoding="utf-8") as errors:
            self._director = subprocess.Popen(
                [sys.executable, str(HERE / "lose_rank.py")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
                env=environment,
            )
        assert self._director.stdin
        assert self._director.stdout
        self._director.stdin.write(plan.model_dump_json() + "\n")
        self._director.stdin.flush()
        if (said := self._director.stdout.readline().strip()) == "ready":
            return ""
        self._director = None
        return f"what takes the part away did not start: {said or 'see director.err'}"

    # After the job.

    def end_the_director(self) -> list[str]:
        """Wait until the rank is back and the pool gone; why not, in sentences."""
        director, self._director = self._director, None
        if director is None:
            return []
        try:
            printed, _ = director.communicate(timeout=JOINED_S + WHOLE_S + COMMAND_LIMIT_S)
        except subprocess.TimeoutExpired:
            return ["what was taken away is not back: playbooks/stop.yml"]
        lines = printed.splitlines()
        return [
            line.removeprefix("problem: ") for line in lines if line.startswith("problem: ")
        ] or ([] if director.returncode == 0 else ["lose_rank.py failed: see director.err"])

    def problems_after(self) -> list[str]:
        """Report first what the system did not do, then whether it is whole."""
        back = self.end_the_director()
        lines = [line_of(self.raw, number) for number in self.times]
        said = [why for line in lines for why in line.problems]
        return [*said, *back, *super().problems_after()]

    def changed(self) -> list[str]:
        """Where an engine ended, ranks and pools are not as before; all else must be."""
        if not self.loss.ends_engine:
            return super().changed()
        before, after = self.answer("pools.before"), self.answer("pools.after")
        changes = []
        if set(dmg.labels(before)) != set(dmg.labels(after)):
            changes.append("the pools are not those of before: see pools.before and pools.after")
        before, after = self.answer("container.before"), self.answer("container.after")
        if before and not container.same(before, after):
            changes.append(f"{self.daos.container} is not the same container as before")
        for what, names in daos_properties.OF.items():
            before, after = (self.answer(f"{what}_properties.{w}") for w in ("before", "after"))
            changes += daos_properties.changed(before, after, names, f"the {what}")
        return changes

    # The job.

    def guards(self, subject: Subject) -> Commands:
        """The agents of the clients give what is described, and stay the same."""
        del subject
        launcher = srun(self.hosts)
        return [["same_agent", *launcher], self.attached(self.hosts, *launcher)]

    @run_before("run")
    def write_the_job_files(self) -> None:
        load = fio_load.Load(
            Dfs(LABEL, CONTAINER, oclass=OCLASS),
            self.file_mib,
            processes(self.measured),
            limit_s=self.load_s,
        )
        for number in self.times:
            before, away = writings(number)
            for name, text in {
                f"write.{before}": load.write(before),
                f"{LOST}.{number}": load.run(before),
                f"write.{away}": load.write(away),
                f"{BACK}.{number}": load.run(away),
                f"verify.{number}": load.verify(away),
            }.items():
                self.write(f"{name}.fio", [text])

    @property
    def load_s(self) -> int:
        """The longest time of a load, in seconds."""
        return 2 * self.window_s + 2 * RECOVERY_S[self.scale] + COMMAND_LIMIT_S

    def steps(self, subject: Subject) -> Sequence[Step | Shell]:
        """Write, lose the part under load, write anew, take it back under load, verify."""
        del subject
        moved_s = 300 + written_mib(self.measured) // SLOWEST_MIB_S
        steps: list[Step | Shell] = []
        for number in self.times:
            before, away = writings(number)
            if number in containers(self.measured):
                steps += self.container(number)
            steps += [
                self.fio(f"write.{before}", moved_s),
                self.fio(f"{LOST}.{number}", LOAD_S + self.load_s, end=True),
                self.fio(f"write.{away}", moved_s),
                self.fio(f"{BACK}.{number}", LOAD_S + self.load_s, end=True),
                self.fio(f"verify.{number}", moved_s),
            ]
        return steps

    def container(self, number: int) -> list[Step | Shell]:
        """Make the container, after the first time in a pool that lose_rank.py makes anew."""
        made = container_create(LABEL, CONTAINER, {"type": "POSIX"}, {"rd_fac": 1})
        create = [*srun(self.hosts[:1]), *self.command(["daos", *made])]
        step = Step(f"container.{number}", 120, "daos", [create])
        if number == 1:
            return [step]
        until = f"until [[ -e {made_for(number)} ]]; do sleep 1; done"
        wait = ["timeout", str(2 * COMMAND_LIMIT_S), "bash", "-c", until]
        return [
            Shell(["touch", read_from(number - 1)]),
            Shell(wait, f"the pool {LABEL} was not made anew"),
            step,
        ]

    def fio(self, name: str, limit_s: int, *, end: bool = False) -> Step:
        """A run of fio on each client at once; with an end, lose_rank.py says when."""
        program = str(self.benchmark("fio_dfs"))
        until = [f"{name}.end"] if end else []
        run: list[Text] = ["bash", "load.sh", RAW, name, program, *until]
        hangs = "do its I/Os wait for what is away?"
        return Step(name, limit_s, program, [[*srun(self.hosts), *run]], hangs=hangs)
