"""Asks the kernels of all hosts what they have counted: by a small job of Slurm, or over ssh."""

from __future__ import annotations

import inspect
import re
import shlex
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from pydantic import BaseModel

from assay.cluster.description import PARTITIONS, Cluster
from assay.foreign import limits
from assay.foreign.sources import Missing, output_of
from assay.foreign.text import one_line, shorten
from assay.subject import folded
from assay.survey import foreign_slurm
from assay.tools.host import counters

AT_A_TIME = 256
"""Hosts of one job (own choice): each prints some hundred lines, and a job may print 500,000."""

AT_ONCE = 16
"""Connections of ssh at once (own choice)."""

_SSH = (
    *("ssh", "-a", "-x", "-T"),
    *("-oBatchMode=yes", "-oStrictHostKeyChecking=yes", "-oForwardAgent=no"),
    *("-oPermitLocalCommand=no", "-oClearAllForwardings=yes", "-oConnectTimeout=10"),
)
"""As `everywhere.sh` of the checks calls it."""

_LINE = re.compile(
    rf"{counters.MARK} (?P<host>\S+) (?P<kind>[a-z_]+) (?P<number>[0-9]{{1,20}}) (?P<place>\S+)"
)


class KernelCounts(BaseModel):
    """The counters of one host at one time."""

    boot: str
    """Which boot of its kernel this is; all numbers begin with it."""
    counts: Mapping[str, Mapping[str, int]]
    """By kind, and by the place within the host."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The counters of the hosts that answered, and why others did not."""

    hosts: Mapping[str, KernelCounts]
    unread: tuple[str, ...] = ()


def ask(cluster: Cluster) -> Answers:
    """Read the counters of all clients and servers."""
    found: dict[str, KernelCounts] = {}
    unread: list[str] = []
    for partition in PARTITIONS:
        hosts = [name for name in cluster.members(partition) if name not in found]
        for first in range(0, len(hosts), AT_A_TIME):
            some = hosts[first : first + AT_A_TIME]
            if partition == "servers" and cluster.servers_scheduler == "ssh":
                answers, why = _over_ssh(cluster, some)
            else:
                answers, why = _by_slurm(cluster, cluster.jobs.partitions[partition], some)
            said = {name: answers[name] for name in some if name in answers}
            if silent := [name for name in some if name not in said]:
                unread.append(f"{folded(silent)}: {why or 'no answer'}")
            if empty := [name for name, each in said.items() if not each.counts or not each.boot]:
                unread.append(f"{folded(empty)}: sysfs and procfs show no counters, or no boot")
            found |= {name: each for name, each in said.items() if name not in empty}
    return Answers(found, tuple(unread))


def _by_slurm(
    cluster: Cluster, partition: str, hosts: Sequence[str]
) -> tuple[dict[str, KernelCounts], str]:
    program = shlex.join(["python3", "-I", "-"])
    script = f"{program} <<'END_OF_PROGRAM'\n{inspect.getsource(counters)}\nEND_OF_PROGRAM\n"
    try:
        # One node that is down would keep the job from all others.
        lost = foreign_slurm.silent(partition)
        asked = [name for name in hosts if name not in lost]
        off = [lost[name] for name in hosts if name in lost]
        if not asked:
            return {}, "; ".join(off)
        printed, why = foreign_slurm.on_each(cluster.jobs, partition, asked, script)
    except foreign_slurm.SlurmError as error:
        return {}, str(error)
    return parse(printed), "; ".join(filter(None, [*off, why]))


def _over_ssh(cluster: Cluster, hosts: Sequence[str]) -> tuple[dict[str, KernelCounts], str]:
    options = [f"-o{each}" for each in cluster.ssh_options]

    def one(name: str) -> tuple[Mapping[str, KernelCounts], str]:
        words = [_SSH[0], *options, *_SSH[1:], "--", str(cluster.hosts[name].address)]
        done = output_of(
            [*words, "python3", "-I", "-"], limits.SLURM, stdin=inspect.getsource(counters)
        )
        if isinstance(done, Missing):
            return {}, f"ssh {done}"
        # It calls itself by the name that it has, which is not always that of the inventory.
        seen = list(parse(done.out).values())
        return ({name: seen[0]}, "") if len(seen) == 1 else ({}, shorten(one_line(done.err), 200))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        done = list(pool.map(one, hosts))
    reasons = dict.fromkeys(why for _, why in done if why)
    return {name: each for found, _ in done for name, each in found.items()}, "; ".join(reasons)


def parse(printed: str) -> dict[str, KernelCounts]:
    """The counters of each host whose lines are all there; the lines of hosts are mixed."""
    lines: dict[str, list[tuple[str, int, str]]] = {}
    for line in printed.split("\n"):
        if match := _LINE.fullmatch(line):
            said = match["kind"], int(match["number"]), match["place"]
            lines.setdefault(match["host"], []).append(said)
    hosts = {}
    for host, printed_there in lines.items():
        *found, (last, total, _) = printed_there
        if last != counters.END or total != len(found):
            continue
        counts: dict[str, dict[str, int]] = {}
        boot = ""
        for kind, number, place in found:
            if kind == "boot":
                boot = place
            else:
                counts.setdefault(kind, {})[place] = number
        hosts[host] = KernelCounts(boot=boot, counts=counts)
    return hosts
