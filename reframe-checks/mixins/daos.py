"""For checks of DAOS: its programs, and a system that is healthy before and after the job."""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from reframe.core.builtins import run_before
from reframe.core.exceptions import ReframeError

import asking
from assay.checks import redundancy
from assay.checks.backends import container, library_directory
from assay.checks.ranks import SYSTEM_BEFORE, NoRankError, rank
from assay.cluster.daos import Engine, System
from assay.cluster.description import Cluster
from assay.foreign import sources
from assay.foreign.files import ForeignError, Tree
from assay.shell import Text
from assay.subject import Subject
from assay.tools.daos import (
    attach,
    daos_properties,
    device_health,
    dmg,
    health_check,
    network_scan,
    printed_releases,
    telemetry,
)
from assay.tools.daos import container as containers
from assay.tools.daos.daos_answer import read_answer
from assay.tools.daos.daos_user import container_properties, refusal
from assay_check import HERE, Commands
from mixins import own_container
from mixins.plugin import Mixin

LIMIT_S = 120
"""Time limit of RPCs in seconds, beyond their transfers: an RPC without an answer costs about 60 s
for each batch (seen with DAOS 2.8)."""

SLOWEST_RPC_S, SLOWEST_MIB_S = 0.001, 0.016
"""Allowed time in seconds of an RPC, and of each MiB of it, with 16 in flight: as on a network of
10 Gbit/s (this project's own choice)."""


def patience_s(rpcs: int, in_flight: int, size: int = 0) -> int:
    """Time limit of RPCs, in seconds.

    Args:
        rpcs: RPCs of all clients together.
        in_flight: RPCs in flight that do not wait for each other.
        size: bytes of each RPC.
    """
    return LIMIT_S + int(rpcs / in_flight * (SLOWEST_RPC_S + size / 2**20 * SLOWEST_MIB_S))


def srun(hosts: Sequence[str], each: int = 1) -> list[str]:
    """The beginning of a command that runs on each host, by default once."""
    return [
        *("srun", f"--nodelist={','.join(hosts)}", f"--nodes={len(hosts)}"),
        *(f"--ntasks={len(hosts) * each}", f"--ntasks-per-node={each}", "--overlap", "--mpi=none"),
        "--cpu-bind=none",
    ]


def in_container(cluster: Cluster, name: Text) -> list[Text]:
    """A command that makes the job remove a subject's files from the container, by their prefix."""
    place, library = container(cluster), library_directory(cluster) / "libpil4dfs.so"
    assert place
    return ["in_container", place.pool, place.container, str(library), name]


class RunsDaosPrograms(Mixin):
    """Runs programs that come with DAOS."""

    @property
    def daos(self) -> System:
        """The DAOS system; the plan has these checks only if there is one."""
        assert self.cluster.daos
        return self.cluster.daos

    def command(self, argv: Sequence[Text]) -> list[Text]:
        """The command line of one of DAOS's programs, by its path."""
        program, *arguments = argv
        # dmg and self_test find the system by other means.
        system = ["--sys-name", self.daos.name] if program == "daos" else []
        # The administrator's key belongs to root; `daos_admin` allows the account just these. On a
        # system that is found, dmg is asked only if it answers this account.
        needs_sudo = program == "dmg" and os.geteuid() != 0 and self.daos.found is None
        by = ["sudo", "--non-interactive"] if needs_sudo else []
        return [*by, f"{self.daos.prefix}/bin/" + program, *system, *arguments]

    def engine(self, subject: Subject) -> Engine:
        """The engine of a subject."""
        return self.cluster.engine(subject)


class NeedsDaos(RunsDaosPrograms):
    """A running system, which must be healthy before the job and unchanged after it.

    ReFrame queries it from the controller, which administers the system and has an agent. The
    answers are kept under `raw/system`. Without DAOS, nothing is queried.
    """

    #: Whether the check writes to the container, which must exist, since tools create their own.
    uses_container = False

    #: The clients share the system's performance, so with fewer clients each would get more.
    needs_all_hosts = True

    @run_before("run")
    def bring_what_reads_the_engines(self) -> None:
        """Copy the program that reads their metrics, and what it imports from `assay`."""
        if not self.entry.reading.watches_engines:
            return
        beside = Path(self.stagedir, "assay", "foreign")
        beside.mkdir(parents=True, exist_ok=True)
        shutil.copy(sources.__file__, beside)
        shutil.copy(HERE / "read_engines.py", self.stagedir)

    def problems_before(self) -> list[str]:
        """Check also that the system is healthy, and that what is written may be written there."""
        if problems := super().problems_before():
            return problems
        if problems := self.look("before"):
            return [f"the system is not ready: {each}" for each in problems]
        if self.written_bytes() and self.daos.found and self.daos.pool:
            return self.short_of_room("pool.before", self.daos.pool, self.written_bytes())
        return []

    def written_bytes(self) -> int:
        """Bytes that all clients together write to the container, if it is known before."""
        return 0

    def problems_after(self) -> list[str]:
        """Check that the system is still healthy, and that nothing restarted."""
        return [f"after the run, {problem}" for problem in self.look("after") or self.changed()]

    def on_dfuse(self, directory: Path, *launcher: str) -> list[Text]:
        """A guard: the container is mounted at a directory, on the launcher's hosts if given."""
        container = containers.identity(self.answer("container.before"))
        if container is None:
            raise ReframeError("daos did not report the UUIDs of the pool and the container")
        return ["on_dfuse", str(directory), *container, *launcher]

    def watched(self, *servers: str) -> Commands:
        """A guard: the engines' metrics are read before the first step of a subject and after each.

        Nothing is read if a server does not show them, or if the judgement would not use them.
        Only the named servers are asked, if any.
        """
        if not self.entry.reading.watches_engines:
            return []
        asked = [
            address
            for address in telemetry.addresses(self.cluster)
            if not servers or address.partition("=")[0] in servers
        ]
        return [["watch_engines", telemetry.PATTERN, *asked]] if asked else []

    def attached(self, hosts: Sequence[str], *launcher: str) -> list[Text]:
        """A guard: the agents of hosts, on which the launcher starts, give what is described."""
        expected = attach.expected(self.cluster, hosts)
        ask = self.command(["daos", "-j", "system", "query"])
        described = [self.daos.name, self.cluster.provider, *expected]
        return [
            *("attached", str(len(hosts)), *launcher),
            *("python3", "attach.py", *described, "--", *ask),
        ]

    @property
    def ranks(self) -> int:
        """Number of ranks of the system: one for each engine."""
        if self.daos.found:
            return self.daos.found.ranks
        return sum(len(self.cluster.hosts[name].engines) for name in self.daos.servers)

    @property
    def control(self) -> str | None:
        """The configuration of dmg; None if this account may not ask what administrators may."""
        found = self.daos.found
        if found is None:
            return dmg.CONTROL
        return str(found.control) if found.control else None

    def look(self, when: str) -> list[str]:
        """Query the system's state, keep the answers, and return the problems."""
        system = self.cluster.daos
        if system is None:
            return []
        # With a dead rank, the pool's service may not answer at all.
        problems = self.look_at_ranks(when) or self.look_at_others(when)
        if not problems and system.pool:
            problems += self.look_at_pool(f"pool.{when}", system.pool)
        if not problems and self.uses_container and system.pool and system.container:
            problems += self.look_at_container(when, system.pool, system.container)
        if not problems:
            self.note_properties(when)
            if when == "before" and self.uses_container:
                problems += redundancy.differs(
                    self.cluster, self.answer("container_properties.before")
                )
        if not problems and when == "before":
            problems += self.look_once()
        return problems

    def look_at_ranks(self, when: str) -> list[str]:
        """Query the ranks, and return the problems."""
        if self.control is None:
            return []
        asked = self.ask(f"system.{when}", dmg.system_query(self.control))
        return list(dmg.parse(asked, expected_ranks=self.ranks).problems)

    def look_at_others(self, when: str) -> list[str]:
        """Query the other pools and the SSDs, and return the problems."""
        if self.control is None:
            return []
        listed = self.ask(f"pools.{when}", dmg.pool_list(self.control))
        problems = dmg.busy_pools(listed, self.daos.pool)
        problems += device_health.problems(
            self.ask(f"devices.{when}", device_health.query(self.control))
        )
        return problems

    def look_once(self) -> list[str]:
        """Query what is asked once in a session, before its first check, and return the problems.

        The answers are also those of the other checks.
        """
        problems: list[str] = []
        if self.control is not None:
            scanned = self.ask("network.before", network_scan.query(self.control), once=True)
            problems += network_scan.problems(scanned, self.cluster.provider)
        if self.daos.version in health_check.RELEASES:
            asked = self.ask("health.before", health_check.query(), once=True)
            problems += health_check.problems(asked)
        else:
            asked = self.ask("version.before", printed_releases.query(), once=True)
        problems += printed_releases.others(asked, self.daos.version)
        if problems or self.daos.found:
            return problems  # its other users do not stop for a check
        return list(asking.unrest(tuple(telemetry.addresses(self.cluster))))

    def look_at_pool(self, name: str, pool: str) -> list[str]:
        """Query a pool's state, keep the answer under a name, and return the problems."""
        if self.control is not None:
            return list(dmg.parse(self.ask(name, dmg.pool_query(pool, self.control))).problems)
        asked = self.ask(name, dmg.pool_query_of_user(pool))
        if error := read_answer(asked).error:
            return [refusal(error, f"the pool {pool}", "this account")]
        return list(dmg.parse(asked, program="daos").problems)

    def look_at_container(self, when: str, pool: str, label: str) -> list[str]:
        """Query the container, which is made first if the session has its own."""
        found = self.daos.found
        if found and found.own_container and when == "before":
            daos = tuple(map(str, self.command(["daos", "-j"])))
            # Below it are system, partition, environment and check.
            stage = str(Path(self.stagedir).resolve().parents[3])
            if why := own_container.made(daos, pool, label, stage):
                return [why]
        asked = self.ask(f"container.{when}", containers.query(pool, label))
        problems = list(containers.parse(asked).problems)
        if problems:
            health = self.ask(f"container_status.{when}", containers.status(pool, label))
            problems = containers.unclean(health, pool, label) or problems
        if not problems and found:
            problems += containers.other_layout(asked, self.daos.file_oclass, self.daos.dir_oclass)
        return problems

    def note_properties(self, when: str) -> None:
        """Keep the properties in force of the pool and the container that are used."""
        pool, label = self.daos.pool, self.daos.container
        if pool and self.control is not None:
            self.ask(f"pool_properties.{when}", dmg.pool_properties(pool, self.control))
        if pool and label and self.uses_container:
            asked = ["daos", "-j", *container_properties(pool, label)]
            self.ask(f"container_properties.{when}", asked)

    def short_of_room(self, name: str, pool: str, needed: float) -> list[str]:
        """Report a pool with less room than the needed bytes, from the answer of a name."""
        free = self.free(name)
        found = self.daos.found
        has, room, asked = (round(b / 2**20) for b in (free, self.room_in(name), needed))
        if needed <= self.room_in(name):
            return []
        if not found:
            return [f"the pool {pool} has {has} MiB free, but {asked} MiB are needed"]
        return [
            f"the pool {pool} has {has} MiB free, of which the files of a check may take {room} MiB"
            f" ({found.share:.2g}, daos.found.share), but {asked} MiB are needed"
        ]

    def free(self, name: str, *, least: bool = False) -> float:
        """Free bytes of a pool, where data goes, from the answer of a name.

        Data is on the SSDs if there are any, and these are larger than the SCM; `least` is of the
        tier that has least of them, where names of files are.
        """
        tiers = [tier.value for tier in dmg.parse(self.answer(name)).samples]
        return (min if least else max)(tiers, default=0.0)

    def room_in(self, name: str, *, least: bool = False) -> float:
        """Bytes of a pool that the files of a check may take: of one that is found, a share."""
        found = self.daos.found
        return self.free(name, least=least) * (found.share if found else 1.0)

    def changed(self) -> list[str]:
        """Report ranks, pools and containers that are no longer those of before."""
        changes: list[str] = []
        if self.cluster.daos is None:
            return changes
        if self.control is not None:
            before, after = self.answer("system.before"), self.answer("system.after")
            changes += dmg.restarted(before, after)
            before, after = self.answer("devices.before"), self.answer("devices.after")
            changes += device_health.grown(before, after)
        changes += dmg.remapped(self.answer("pool.before"), self.answer("pool.after"))
        before, after = self.answer("container.before"), self.answer("container.after")
        if before and not containers.same(before, after):
            label = self.daos.container
            changes.append(f"{label} is not the same container as before: something recreated it")
        for what, names in daos_properties.OF.items():
            before, after = (self.answer(f"{what}_properties.{w}") for w in ("before", "after"))
            changes += daos_properties.changed(before, after, names, f"the {what}")
        return changes

    def ask(self, name: str, argv: Sequence[str], *, once: bool = False) -> str:
        """Ask dmg or daos, or only once in a session; the answer is also kept under a name."""
        command = tuple(map(str, self.command(argv)))
        return self.kept(name, argv, (asking.once if once else asking.ask)(command, argv[0]))

    def change(self, name: str, argv: Sequence[str]) -> str:
        """Let dmg make or destroy a pool; the answer is also kept under a name."""
        command = tuple(map(str, self.command(argv)))
        return self.kept(name, argv, asking.ask(command, argv[0], dmg.POOL_LIMIT_S))

    def kept(self, name: str, argv: Sequence[str], answer: str) -> str:
        """The answer of a program, kept under a name, or why it cannot be kept."""
        try:
            # The job could have left a link there, or a FIFO.
            Tree(Path(self.stagedir)).write(f"raw/system/{name}.json", answer.encode())
        except (ForeignError, OSError) as error:
            return f"the answer of {argv[0]} cannot be kept: {error}"
        return answer

    def answer(self, name: str) -> str:
        """The kept answer of a name; empty if there is none."""
        try:
            return self.raw.answer(name)
        except (ForeignError, OSError) as error:
            return f"the answer {name} cannot be read: {error}"

    def ranks_of(self, engines: Iterable[Subject]) -> tuple[int, ...]:
        """The ranks of engines, in ascending order."""
        answer = self.answer(SYSTEM_BEFORE)
        try:
            return tuple(sorted(rank(self.cluster, engine, answer) for engine in engines))
        except NoRankError as error:
            raise ReframeError(str(error)) from error
