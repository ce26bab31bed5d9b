"""The checks of a night: those that show the most in the time, each client and each rank first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass

from assay.checks.hours import of_checks
from assay.checks.plan import CHECKS, requirements
from assay.cluster.description import PARTITIONS, Cluster

SCALE = "quick"
"""The scale of a night: its time does not grow with the number of hosts."""

SHARE = 0.8
"""The part of the allowed time that a plan may fill, since times are estimates, and jobs wait (own
choice)."""

LEFT_S = 90.0
"""Time of a night that is kept for judging, and for ReFrame to end a campaign (own choice)."""

UNITS_OF_COUNTS = ("process", "score", "%")
"""Units of metrics that say nothing of the speed of a part."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The checks of a night."""

    checks: tuple[str, ...]
    """In the order of the catalogue."""
    seconds: Mapping[str, float]
    """The estimated time of each check that the cluster has and that a night may run."""
    unseen: tuple[str, ...]
    """Hosts and engines that none of the checks measures by itself."""

    @property
    def planned_s(self) -> float:
        """The estimated time of all of them."""
        return sum(self.seconds[name] for name in self.checks)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The other checks that a night might run."""
        return tuple(name for name in self.seconds if name not in self.checks)


class ChoiceError(ValueError):
    """The checks that were named cannot be chosen; the message says why."""


def choose(cluster: Cluster, minutes: float, names: Collection[str] = ()) -> Chosen:
    """Choose checks by new evidence per second until the time is full.

    First each host and engine once; then each of them in each layer, writing and reading; then any
    further metric. Time is left to repeat any one of the checks. Engines are not stopped at night,
    so where there is DAOS, only checks of a running system are chosen.

    Args:
        cluster: the cluster.
        minutes: the time for all runs of the night.
        names: the checks to choose in place of those; empty if nobody named any.

    Raises:
        ChoiceError: a check that was named is unknown, or they do not fit into the time.
    """
    seconds = _seconds(cluster)
    if unknown := [name for name in names if name not in seconds]:
        known = ", ".join(name for name in CHECKS if name in seconds)
        raise ChoiceError(f"{unknown[0]} is none of the checks of a night; choose from: {known}")
    if names and not _fits(names, seconds, minutes):
        least = sum(seconds[name] for name in names) / 60
        raise ChoiceError(
            f"{', '.join(names)} take about {least:.0f} min, and one of them may be repeated: that"
            f" does not fit into {minutes:g} min"
        )
    parts, *further = _evidence(cluster, seconds)
    chosen = list(names)
    for shows in () if names else (parts, *further):
        seen: set[Hashable] = set().union(*(shows[name] for name in chosen))
        while True:
            worth = {
                name: len(shows[name] - seen) / seconds[name]
                for name in seconds
                if shows[name] - seen and _fits([*chosen, name], seconds, minutes)
            }
            if not worth:
                break
            best = max(worth, key=worth.__getitem__)
            seen |= shows[best]
            chosen.append(best)
    measured = set().union(*(parts[name] for name in chosen))
    wanted = {*cluster.clients, *cluster.servers}
    wanted |= {
        f"{host}/engine{number}"
        for host in cluster.servers
        for number, _ in enumerate(cluster.hosts[host].engines)
        if cluster.daos is not None
    }
    # A server is seen by its engines.
    hosts = {str(part).partition("/")[0] for part in measured}
    unseen = [name for name in sorted(wanted) if name not in measured and name not in hosts]
    return Chosen(tuple(n for n in CHECKS if n in chosen), seconds, tuple(unseen))


def _fits(names: Collection[str], seconds: Mapping[str, float], minutes: float) -> bool:
    """Whether the checks fit into the time, with any one of them repeated."""
    times = [seconds[name] for name in names]
    return sum(times) + max(times) <= min(SHARE * 60 * minutes, 60 * minutes - LEFT_S)


def _seconds(cluster: Cluster) -> dict[str, float]:
    """The time of each check in all of its partitions."""
    seconds: dict[str, float] = defaultdict(float)
    for (name, _), takes in of_checks(cluster, SCALE).items():
        # Of a system that is found, what can be reached is required.
        if cluster.daos is None or cluster.daos.found or CHECKS[name].phase == "system":
            seconds[name] += takes
    return dict(seconds)


Shown = Mapping[str, set[Hashable]]


def _evidence(cluster: Cluster, names: Collection[str]) -> tuple[Shown, Shown, Shown]:
    """What each check shows: hosts, engines and devices; these by layer and direction; metrics."""
    parts, evidence, metrics = ({name: set[Hashable]() for name in names} for _ in range(3))
    for each in requirements(cluster):
        if each.check not in parts or each.unit in UNITS_OF_COUNTS:
            continue
        metrics[each.check].add(each.key)
        for end in each.subject.ends:
            part = f"{end.host}/{end.part}" if end.backend is None and end.part else end.host
            evidence[each.check].add((each.layer, each.metric.direction, part))
            if end.host not in PARTITIONS:
                parts[each.check].add(part)
    return parts, evidence, metrics
