"""Whether hosts reach the services of others that they need: routes, packet filters and MTU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from assay.cluster.setup import FailedConnection
from assay.preflight.rules.context import OfSite
from assay.problems import Problem
from assay.subject import folded


@OfSite.rule
def reach_rules(of: OfSite) -> Iterator[Problem]:
    """Report the connections between hosts that failed, by service, and those not tried."""
    untried: dict[str, list[str]] = defaultdict(list)
    failed: dict[tuple[str, tuple[int, ...], str], dict[str, list[str]]] = {}
    for name, host in of.hosts.items():
        connections = host.setup.connections
        if connections is None:
            continue
        if connections.untried is not None:
            untried[connections.untried].append(name)
        for each in connections.failed:
            what = ("", (), each.why) if each.why.endswith(MTU_HERE) else _what(each)
            failed.setdefault(what, {}).setdefault(each.to, []).append(name)
    for reason, names in untried.items():
        yield Problem(
            None,
            "connections",
            f"not tried from {folded(names)}",
            f"should be tried: routes, packet filters and MTU are unknown ({reason})",
            "warning",
        )
    for (service, ports, why), froms in failed.items():
        # One host that reaches no other is one problem, as is one that no other reaches.
        targets: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for to, names in froms.items():
            targets[tuple(names)].append(to)
        for unheard, tos in targets.items():
            yield Problem(
                tos[0] if len(tos) == 1 else None,
                "connections",
                " ".join(filter(None, (service, spans(ports)))) or "full packets",
                f"should reach {folded(tos)} from {folded(unheard)}: {why}. {_remedy(why)}",
                # TCP works with the smaller MTU of two hosts.
                "warning" if why.endswith(MTU_HERE) else "error",
            )


def _what(failure: FailedConnection) -> tuple[str, tuple[int, ...], str]:
    """The service, its ports and the reason; srun has another port on each host."""
    ports = () if failure.service == "srun" else failure.ports
    return failure.service, ports, failure.why


MTU_HERE = "the MTU here"
"""How `cluster_ports` ends if full packets are lost that no TCP connection sends."""

_OPEN = (
    "Open the port (firewall-cmd --permanent --zone=trusted --add-interface=INTERFACE, or a rule of"
    " nftables)"
)


def _remedy(why: str) -> str:
    if why == "refused":
        return f"A packet filter rejects it. {_OPEN}"
    if why == "no answer":
        return f"A packet filter drops it, or a route is wrong. {_OPEN}"
    if why.startswith("no answer to "):
        return "Set one MTU on the interfaces and switches between them"
    return "Correct the routes between them"


def spans(ports: tuple[int, ...]) -> str:
    """The ports as numbers and ranges: `10001, 31316-31337`."""
    runs: list[tuple[int, int]] = []
    for port in sorted(ports):
        if runs and port == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], port)
        else:
            runs.append((port, port))
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in runs)
