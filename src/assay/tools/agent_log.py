"""daos_agent's log: which interface each client got, and whether it is near to it.

A client asks the agent of its host when it starts, and the agent gives it an interface of the NUMA
node that the client runs on, or of another node when that one has none. It says which in a line of
level INFO; with `log_level` left at the default of the agent those lines are there. The sentence
"No network devices bound to client NUMA node" of the documents is in no source from 2.4 on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from assay.tools.output import Parsed, Sample

TOOL = "agent_log"

_GIVEN = re.compile(
    r"pid:\d+(?: \((?P<program>[^)\n]{0,64})\))?: numa:(?P<numa>\d+) iface:(?P<interface>\S+)"
    r" dom:\S*"
)
_NONE = re.compile(r"no network devices detected in fabric scan", re.IGNORECASE)
_FAR = re.compile(r"No network devices bound to client NUMA node \d+.*", re.IGNORECASE)
_NO_NUMA = re.compile(r"unable to get NUMA node: (.*)")


def parse(
    text: str, *, nodes: Mapping[str, int] | None = None, program: str | None = None
) -> Parsed:
    """Count the clients that got an interface of their own NUMA node.

    `near_clients` where `nodes` is given; otherwise `clients`, each labelled `numa` and
    `interface`. The unit is process: each asks once.

    Args:
        text: the part of the log that was written during the run.
        nodes: the NUMA node of each interface of the host.
        program: count its processes alone, and not `daos` or `dfuse`.
    """
    given = Counter(
        (int(line["numa"]), line["interface"])
        for line in _GIVEN.finditer(text)
        if program in (None, line["program"])
    )
    problems = []
    if _NONE.search(text):
        problems.append("the agent found no network device: see include_fabric_ifaces and provider")
    problems += dict.fromkeys(f"the agent: {line[0]}" for line in _FAR.finditer(text))
    problems += dict.fromkeys(
        f"the agent could not tell a client's NUMA node: {line[1]}"
        for line in _NO_NUMA.finditer(text)
    )
    if not given and not problems:
        problems.append("the agent's log names no client: did any ask, and is its level INFO?")
    if nodes is None:
        return Parsed(TOOL, _clients(given), tuple(problems))
    near = 0
    for (numa, interface), clients in sorted(given.items()):
        if interface not in nodes:
            problems.append(
                f"{interface}, given to {clients} clients, has no NUMA node in the description"
            )
        elif nodes[interface] == numa:
            near += clients
        else:
            problems.append(
                f"{clients} clients on NUMA node {numa} got {interface}, which is on node"
                f" {nodes[interface]}: each message crosses the sockets"
            )
    samples = (Sample("near_clients", float(near), "process"),) if near else ()
    return Parsed(TOOL, samples, tuple(problems))


def _clients(given: Mapping[tuple[int, str], int]) -> tuple[Sample, ...]:
    return tuple(
        Sample("clients", float(count), "process", {"numa": str(numa), "interface": interface})
        for (numa, interface), count in sorted(given.items())
    )
