"""Clients with fewer rails than others, or than their kernel shows.

The bounds of a client are those of its rails, so a rail that is left out lowers them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from assay.cluster.daos import Agent
from assay.cluster.description import Host, Interface, Site
from assay.cluster.rails import is_physical, networks_of_servers, rails_by


class FewRails(NamedTuple):
    """A client, its rails, and what it could have more."""

    client: str
    rails: tuple[str, ...]
    left_out: tuple[str, ...]
    """Interfaces that its agent would give to clients, if its configuration let it."""
    is_used: bool
    """Whether a client uses a rail of the name of one of them."""
    usual: int
    """Number of rails of most clients."""
    most: int
    """That of the client that has the most."""

    @property
    def is_narrowed(self) -> bool:
        """Whether its configuration alone makes it have fewer than a peer."""
        return self.is_used and len(self.rails) < self.most

    @property
    def why(self) -> str:
        """Why it has fewer, and what others have."""
        if not self.left_out:
            return (
                f"most clients have {self.usual} rails, and no other interface of this one is up,"
                " as fast, and in the servers' networks"
            )
        others = f"a peer has {self.most} rails, and " if self.is_narrowed else ""
        return f"{others}its daos_agent.yml leaves out {', '.join(self.left_out)}"


def few_rails(site: Site, hosts: Mapping[str, Host]) -> Iterator[FewRails]:
    """The clients that have fewer rails than most, or leave some out."""
    networks = networks_of_servers(site, hosts)
    # Of a system that was found, the networks of its servers may be unknown.
    if site.daos is None or not networks:
        return
    clients = [name for name in site.clients if name in hosts]
    own = {name: rails_by(site, hosts[name], hosts[name].agent, networks) for name in clients}
    counts = Counter(map(len, own.values()))
    most = max(counts, default=1)
    usual = max(counts, key=lambda rails: (counts[rails], rails), default=1)
    used = {rail for rails in own.values() for rail in rails}
    for name, rails in own.items():
        faces = hosts[name].interfaces
        slowest = min((faces[rail].speed_gbits or 0 for rail in rails if rail in faces), default=0)
        seen = rails_by(site, hosts[name], Agent(), networks)
        left_out = tuple(
            rail
            for rail in seen
            if rail not in rails
            and is_physical(faces.get(rail, Interface()))
            and (faces[rail].speed_gbits or slowest) >= slowest
        )
        if left_out or len(rails) < usual:
            yield FewRails(
                name, rails, left_out, any(rail in used for rail in left_out), usual, most
            )
