"""daos_agent's log: which interface each client got, and whether it is on the client's NUMA node.

When a client starts, it asks the agent of its host for an interface. The agent gives it one on the
client's own NUMA node, or on another node if that one has none, and logs its choice at level INFO.
The agent's default `log_level` includes these lines. DAOS's documentation quotes the sentence "No
network devices bound to client NUMA node", but no source from 2.4 on contains it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from assay.tools.contract import OF_DAOS, Contract
from assay.tools.output import Parsed, Sample

TOOL = "agent_log"

KNOWS = Contract(TOOL, OF_DAOS, "the log of one agent")

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

    The metric is `near_clients` if `nodes` is given; otherwise it is `clients`, labelled `numa` and
    `interface`. The unit is process, since each process asks once.

    Args:
        text: the part of the log that was written during the run.
        nodes: the NUMA node of each interface of the host.
        program: count only the processes of this program, and not those of `daos` or `dfuse`.
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
        f"the agent could not determine a client's NUMA node: {line[1]}"
        for line in _NO_NUMA.finditer(text)
    )
    if not given and not problems:
        problems.append(
            "the agent's log names no client: did any client ask, and is the log level INFO?"
        )
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
