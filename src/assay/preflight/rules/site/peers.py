"""Hosts that differ from their peers in firmware, parts or tuning."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from assay.preflight.rules.context import OfSite
from assay.problems import Problem


@OfSite.rule
def peer_rules(of: OfSite) -> Iterator[Problem]:
    """Warn of servers that differ from most servers, and of clients that differ from most clients.

    If no more than half of them agree, none is odd: the site is mixed, and one problem lists all
    values.
    """
    site, hosts = of.site, of.hosts
    for what, members in (("server", site.servers), ("client", site.clients)):
        traits: dict[str, dict[str, str]] = defaultdict(dict)
        for name in members:
            for trait, value in hosts[name].fingerprint.traits.items() if name in hosts else ():
                traits[trait][name] = value
        for trait, values in traits.items():
            yield from _odd(what, trait, values)


def _odd(what: str, trait: str, values: Mapping[str, str]) -> Iterator[Problem]:
    counts = Counter(values.values()).most_common()
    if len(counts) < 2:
        return
    usual, having = counts[0]
    if having * 2 <= len(values):
        listed = "; ".join(f"{value} on {count}" for value, count in counts[:4])
        and_more = f"; and {len(counts) - 4} more" * (len(counts) > 4)
        yield Problem(
            None,
            f"fingerprint.{trait}",
            f"{len(counts)} kinds",
            f"should be alike on all {what}s: {listed}{and_more}. They are judged as peers"
            " although they differ, so the slower ones may be judged faulty",
            severity="warning",
        )
        return
    others = f"the other {having} {what}s have" if having > 1 else f"the other {what} has"
    for name, value in values.items():
        if value != usual:
            yield Problem(
                name,
                f"fingerprint.{trait}",
                value,
                f"should be {usual}, as {others}: update this host, or find out why it differs",
                severity="warning",
            )
