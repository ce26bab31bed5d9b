"""The packet filters of the servers, which must let others reach the ports of DAOS."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from assay.preflight.rules.context import OfSystem
from assay.problems import Problem


@OfSystem.rule
def firewall_rules(of: OfSystem) -> Iterator[Problem]:
    """Report chains that drop or reject packets to the ports of `daos_server` and the engines.

    What of a packet filter cannot be judged is a warning.
    """
    system, hosts = of.system, of.hosts
    for name in system.servers if len(hosts) > 1 else ():
        if name not in hosts:
            continue
        for chain, ports in _by_reason(hosts[name].setup.blocked):
            yield Problem(
                name,
                "setup.blocked",
                spans(ports),
                f"should be open to the other hosts: the chain {chain} of nftables closes these TCP"
                " ports of DAOS. Open them (firewall-cmd --permanent --zone=trusted"
                " --add-interface=INTERFACE, or a rule of nftables), or stop the firewall",
            )
        for doubt, ports in _by_reason(hosts[name].setup.unjudged):
            yield Problem(
                name,
                "setup.unjudged",
                spans(ports),
                "should be open to the other hosts, but whether these TCP ports of DAOS are cannot"
                f" be judged ({doubt}). Try one from another host (nc -z HOST PORT, with nc -l -p"
                " PORT here), or accept them before that rule",
                "warning",
            )


def _by_reason(ports: Mapping[str, str]) -> Iterator[tuple[str, list[int]]]:
    by_reason: dict[str, list[int]] = defaultdict(list)
    for port, reason in ports.items():
        by_reason[reason].append(int(port))
    yield from by_reason.items()


def spans(ports: list[int]) -> str:
    """The ports as numbers and ranges: `10001, 31316-31337`."""
    runs: list[tuple[int, int]] = []
    for port in sorted(ports):
        if runs and port == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], port)
        else:
            runs.append((port, port))
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)
