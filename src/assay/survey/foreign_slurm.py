"""A Slurm that is the site's own: its nodes, and what a small job sees on each of them."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from assay.cluster.slurm import Slurm
from assay.foreign import limits
from assay.foreign.documents import first_error, from_json
from assay.foreign.files import ForeignError
from assay.foreign.sources import Missing, output_of
from assay.foreign.text import one_line, shorten
from assay.subject import folded, nodelist
from assay.tools.host import probe, sysfs
from assay.tools.slurm import launchers, reservation, sinfo, squeue

ANSWER_S = 60
"""How long Slurm's own programs may take to answer."""

_FREE = ("idle", "planned")
"""How the states begin of a node that takes a short job at once. Slurm's backfill has planned a
node for a job that waits, and shows that for some seconds after the job is gone (seen in 22.05)."""

_KEPT = ("maint", "reserved")
"""The same of a node that is kept for a reservation: its own jobs run there."""

_SHOWN = 5
"""Nodes that are off in one sentence (own choice)."""

LOOK_S = 5.0
"""How long the probe's job waits before Slurm is asked why (own choice)."""

JOB = f"assay-describe-{os.getpid()}"
"""The name of the probe's job; another of this user may wait for something else."""


class SlurmError(Exception):
    """Why nothing is described, in a sentence that the user can act on."""


class Place(BaseModel):
    """A directory of a host, as the probe saw it."""

    directory: Path
    filesystem: str
    device: str
    inode: int | None = None
    writable: bool


class Campaigns(BaseModel):
    """The directory of campaigns, as a host sees it."""

    inode: int | None = None
    writable: bool = False
    error: str | None = None


class Seen(BaseModel):
    """What the probe printed on one host."""

    name: str
    host: dict[str, Any]
    campaigns: Campaigns
    scratch: Place | None
    shared: Place | None = None
    boot: str | None = None
    """Which boot of a kernel this is: containers of one host have the same."""
    programs: Mapping[str, Path]
    dfs: Sequence[str] = ()
    """Those that are linked with DAOS's file system library."""
    engines: int = 0
    """Engines of DAOS that run there."""


@dataclass(frozen=True, slots=True)
class Question:
    """What the probe is asked."""

    campaigns: Path
    scratch: Path | None
    shared: Path | None
    programs: Sequence[str]

    @property
    def words(self) -> list[str]:
        """The probe's arguments."""
        places = (self.scratch or "", self.shared or "")
        return [str(self.campaigns), *map(str, places), *self.programs]


def name() -> str:
    """What Slurm calls this cluster."""
    for line in _printed(["scontrol", "show", "config"]).split("\n"):
        key, _, value = line.partition("=")
        if key.strip() == "ClusterName" and value.strip():
            return value.strip()
    raise SlurmError("scontrol show config reports no cluster name; pass it with --name")


def longest_min(partition: str) -> int | None:
    """How long a job may take there, in minutes; None: there is no limit."""
    return sinfo.limit_min(_printed(sinfo.limit_command(partition)))


def refuse_other_plugin(slurm: Slurm) -> None:
    """Refuse a plugin for MPI that srun does not have.

    Raises:
        SlurmError: it is not one of those that srun lists.
    """
    known = launchers.plugins("".join(_run(["srun", "--mpi=list"], "", ANSWER_S)))
    if slurm.launcher == "srun" and known and slurm.mpi not in known:
        raise SlurmError(
            f"--mpi={slurm.mpi}: srun has no such plugin; choose from: {', '.join(known)}, or name"
            " the MPI's own mpirun with --launcher"
        )


def partitions() -> list[str]:
    """The names of the partitions that this user can see."""
    return sorted(set(_printed(["sinfo", "--noheader", "--format=%R"]).split()))


def cluster(option: str | None) -> str | None:
    """The one of several clusters whose jobs these are, for all programs of Slurm from now on.

    Args:
        option: the cluster that the user named; None: that of SLURM_CLUSTERS, if it is set.

    Raises:
        SlurmError: there is more than one.
    """
    named = option or os.environ.get("SLURM_CLUSTERS") or None
    if named is not None and ("," in named or named == "all"):
        raise SlurmError(
            f"{'--option clusters' if option else 'SLURM_CLUSTERS'} names several clusters"
            f" ({named}): choose one with --option clusters=NAME"
        )
    if named is not None:
        os.environ["SLURM_CLUSTERS"] = named
    return named


def is_exclusive(partition: str, wanted: bool) -> bool:
    """Whether the nodes of a job run nothing else: as it asks, or as the partition has it.

    Raises:
        SlurmError: it asks for what the partition does not give.
    """
    printed = _printed(sinfo.sharing_command(partition))
    if wanted and sinfo.is_shared_by_force(printed):
        raise SlurmError(
            f"--exclusive has no effect in the partition {partition}, where nodes run several jobs"
            f" at once (OverSubscribe={printed.strip()}); name another partition"
        )
    return wanted or sinfo.is_exclusive(printed)


def is_shared_by_force(partition: str) -> bool:
    """Whether other jobs may run on the nodes of a job, and nothing keeps them away."""
    return sinfo.is_shared_by_force(_printed(sinfo.sharing_command(partition)))


def nodes(
    partition: str, wanted: str | None, reserved: str | None = None
) -> tuple[list[str], dict[str, str]]:
    """The nodes of a partition that are asked, and those that are not, each with the reason.

    Args:
        partition: of the site's Slurm.
        wanted: a list of nodes in Slurm's words; None: those that run nothing at the moment.
        reserved: the reservation that jobs run in; they run on no other node.

    Raises:
        SlurmError: there are none.
    """
    asked = sinfo.Nodes(partition)
    printed = _printed(asked.command)
    states = asked.states(printed)
    if not states:
        raise SlurmError(
            f"the partition {partition} has no nodes that you can see; choose from:"
            f" {', '.join(partitions())}"
        )
    lost = dict(asked.lost(printed))
    if wanted is None:
        free = _FREE if reserved is None else (*_FREE, *_KEPT)
        kept = None if reserved is None else _reserved(reserved)
        off = asked.off(printed)
        busy = {
            node: off.get(node) or f"{node} is {state}"
            for node, state in states.items()
            if node not in lost
            and (kept is None or node in kept)
            and (node in off or not state.startswith(free))
        }
        idle = [
            node
            for node in states
            if node not in lost and node not in busy and (kept is None or node in kept)
        ]
        if not idle:
            where = f" in the reservation {reserved}" if reserved else ""
            also = f"; {'; '.join(list(off.values())[:_SHOWN])}" if off else ""
            raise SlurmError(
                f"no node of the partition {partition}{where} is idle ({_by_state(states)}{also});"
                " name some with --nodes, and the job will wait for them"
                + ", or power them up"
                * bool(off)
            )
        return idle, {**lost, **busy}
    listed = _printed(["scontrol", "show", "hostnames", wanted]).split()
    if strange := [node for node in listed if node not in states]:
        raise SlurmError(f"{folded(strange)} is not in the partition {partition}: {folded(states)}")
    absent = {node: why for node, why in lost.items() if node in listed}
    if absent.keys() >= set(listed):
        raise SlurmError(f"no node of --nodes takes jobs: {'; '.join(absent.values())}")
    return [node for node in listed if node not in lost], absent


def silent(partition: str) -> Mapping[str, str]:
    """The nodes of a partition that take no job now or do not respond, each with the reason.

    Raises:
        SlurmError: Slurm does not answer.
    """
    asked = sinfo.Nodes(partition)
    printed = _printed(asked.command)
    return {**asked.silent(printed), **asked.lost(printed)}


def _reserved(name: str) -> set[str]:
    """The nodes of a reservation whose jobs may run now."""
    printed = _printed(reservation.command(name))
    listed = reservation.nodes(printed)
    if listed is None or not reservation.is_active(printed):
        raise SlurmError(
            f"the reservation {name} "
            + ("is not active now" if listed else "has no nodes")
            + ": see scontrol show reservation"
        )
    return set(_printed(["scontrol", "show", "hostnames", listed]).split())


def _by_state(states: Mapping[str, str]) -> str:
    """The nodes in each state, in words."""
    return ", ".join(
        f"{folded([node for node, its in states.items() if its == state])} {state}"
        for state in dict.fromkeys(states.values())
    )


def ask(slurm: Slurm, hosts: Sequence[str], question: Question) -> list[Seen]:
    """Run the probe on each of these nodes, in one small job.

    Raises:
        SlurmError: Slurm does not take the job, or a host does not answer.
    """
    printed, errors = on_each(slurm, slurm.partitions["clients"], hosts, script(slurm, question))
    seen = answers(printed)
    silent = sorted(set(hosts) - {each.name for each in seen})
    if silent:
        why = errors or "it printed nothing"
        raise SlurmError(f"the job that examines the nodes failed on {folded(silent)}: {why}")
    return sorted(seen, key=lambda each: list(hosts).index(each.name))


def on_each(slurm: Slurm, partition: str, hosts: Sequence[str], script: str) -> tuple[str, str]:
    """Run a script of bash on each of these nodes, in one small job.

    Returns:
        What all of them printed, line by line; and what Slurm reported, in one line.

    Raises:
        SlurmError: Slurm does not take the job.
    """
    srun = [
        *("srun", f"--job-name={JOB}", "--comment=daos-assay-probe", "--mpi=none"),
        *(f"--partition={partition}", *slurm.options),
        *(f"--nodelist={nodelist(hosts)}", f"--nodes={len(hosts)}", f"--ntasks={len(hosts)}"),
        *(
            "--ntasks-per-node=1",
            f"--time={min(2, slurm.longest_min or 2)}",
            "--quit-on-interrupt",
            "bash",
            "-s",
        ),
    ]
    printed, errors = _run(srun, script, slurm.wait_min * 60, job=JOB)
    return printed, _in_one_line(errors)


def ask_here(question: Question) -> Seen:
    """What the host on which this runs has."""
    command = [sys.executable, "-I", "-", *question.words]
    done = output_of(command, limits.SLURM, stdin=_program())
    if isinstance(done, Missing):
        raise SlurmError(f"this host cannot be examined: the probe {done}")
    seen = answers(done.out)
    if not seen:
        raise SlurmError(f"this host cannot be examined: {_in_one_line(done.err)}")
    return seen[0]


def script(slurm: Slurm, question: Question) -> str:
    """The job: the environment of the site as the checks will have it, and the probe in it."""
    prolog = [f". {shlex.quote(str(slurm.prolog))} >/dev/null || exit 1"] if slurm.prolog else []
    modules = [f"module load {shlex.quote(module)} >&2 || exit 1" for module in slurm.modules]
    if modules:
        # A job of cron has none of the functions of a login shell that srun passes on to this one.
        forgotten = [] if prolog else ["unset -f module"]
        modules = [*forgotten, _NEEDS_MODULE, *modules]
    probing = shlex.join(["python3", "-I", "-", *question.words])
    return "\n".join([*prolog, *modules, f"{probing} <<'END_OF_PROBE'", _program(), "END_OF_PROBE"])


# As `load_modules` of reframe-checks/steps.sh, which the nodes do not have yet.
_NEEDS_MODULE = """type module >/dev/null 2>&1 || for file in /etc/profile.d/*mod*.sh; do
    [ ! -r "$file" ] || . "$file" >/dev/null 2>&1
done
type module >/dev/null 2>&1 || {
    echo "there is no command module; pass the shell file that defines it with --prolog" >&2
    exit 1
}"""


def answers(printed: str) -> list[Seen]:
    """What hosts printed, whose lines are mixed; it is foreign.

    Raises:
        SlurmError: it is no answer of the probe.
    """
    parts: dict[str, dict[int, str]] = {}
    for line in printed.split("\n"):
        if match := _PART.fullmatch(line):
            parts.setdefault(match["host"], {})[int(match["start"])] = match["text"]
    texts = {
        host: "".join(pieces[start] for start in sorted(pieces)).removesuffix("end")
        for host, pieces in parts.items()
        if pieces[max(pieces)] == "end"
    }
    return [_answer(host, text) for host, text in texts.items()]


_PART = re.compile(r"assay-probe (?P<host>\S+) (?P<start>[0-9]{1,9}) (?P<text>.*)")


def _answer(host: str, text: str) -> Seen:
    try:
        return Seen.model_validate(from_json(text.encode()))
    except ForeignError as error:
        raise SlurmError(f"{host} gave an unexpected answer: {error}") from error
    except ValidationError as error:
        raise SlurmError(f"{host} gave an unexpected answer: {first_error(error)}") from error


_PROGRAM = """import sys, types
sys.modules["assay.tools.host"] = types.ModuleType("assay.tools")
sysfs = sys.modules["assay.tools.host"].sysfs = types.ModuleType("sysfs")
exec({sysfs!r}, vars(sysfs))
exec({probe!r}, {{"__name__": "__main__"}})
"""


def _program() -> str:
    """The probe and the module that it imports, as one program; nodes do not have assay."""
    return _PROGRAM.format(sysfs=inspect.getsource(sysfs), probe=inspect.getsource(probe))


def _printed(command: Sequence[str]) -> str:
    out, errors = _run(command, "", ANSWER_S)
    if not out and errors:
        raise SlurmError(f"{command[0]} failed: {_in_one_line(errors)}")
    return sinfo.of_one_cluster(out)


def _run(
    command: Sequence[str], script: str, limit_s: float, job: str | None = None
) -> tuple[str, str]:
    """What a program of Slurm prints; it gets a signal that makes srun cancel its job."""
    if shutil.which(command[0]) is None:
        raise SlurmError(
            f"{command[0]} is not on the PATH: run this on a host where jobs are submitted"
        )
    reason, late = "", time.monotonic() + limit_s

    def in_vain() -> str:
        nonlocal reason
        reason = _waits_for(job) if job else ""
        if not squeue.is_in_vain(reason):
            return ""
        return f"Slurm does not start the job that examines the nodes: {reason}"

    answer = output_of(
        command,
        replace(limits.SLURM, seconds=limit_s),
        stdin=script,
        meanwhile=in_vain,
        every_s=LOOK_S,
        end_with=signal.SIGTERM,
    )
    if not isinstance(answer, Missing):
        return answer.out, answer.err
    if squeue.is_in_vain(reason):
        raise SlurmError(str(answer))
    if time.monotonic() < late:
        raise SlurmError(f"{command[0]} {answer}")
    why = f" (Slurm's reason: {reason})" if reason else ""
    raise SlurmError(
        f"Slurm did not answer within {limit_s / 60:g} min{why}: name other nodes with --nodes, or"
        " wait longer with --wait-min"
    )


def _waits_for(job: str) -> str:
    """What a job waits for, in Slurm's words; empty if it runs, or nobody says."""
    answer = output_of(squeue.command(job), limits.SLURM)
    reasons = "" if isinstance(answer, Missing) else sinfo.of_one_cluster(answer.out)
    return shorten(one_line(reasons.partition("\n")[0]), limits.SHOWN_REASON)


_KNOWN = re.compile(
    r"^job \d+ |^launch/slurm: |Terminating |: tasks? [\d-]+: Exited|: tasks? [\d-]+: Term"
)


def _in_one_line(errors: str) -> str:
    """Slurm's own words, each once and without its prefixes; that tasks ended is known."""
    lines = [line.removeprefix("srun: ").removeprefix("error: ") for line in errors.splitlines()]
    telling = [line for line in lines if line and not _KNOWN.search(line)]
    return shorten(one_line("; ".join(dict.fromkeys(telling))), limits.SHOWN_REASON)
