"""Populations that the site declares, and which figures pass by that alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.cluster.description import OTHERS, Cluster
from assay.judge.culprits import several
from assay.judge.judgement import Judgement
from assay.judge.verdict import Verdict

REST = "what no declared population has"
"""How the others are named, which nobody has named."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A declared population, and what it changes."""

    name: str
    members: tuple[str, ...]
    spared: tuple[Judgement, ...]
    """The metrics that would be below or unsteady among all peers, and are not by themselves."""

    def __str__(self) -> str:
        named = f"declared population {self.name}" if self.name != OTHERS else REST
        said = f"{named}: {several(self.members)}; judged by itself"
        if not self.spared:
            return said
        count = len(self.spared)
        metrics = "1 metric passes" if count == 1 else f"{count:,} metrics pass"
        return f"{said}, by which {metrics}: the first is {self.spared[0].requirement.key}"


_OPEN = (Verdict.BELOW, Verdict.UNSTEADY)


def undeclared(cluster: Cluster) -> Cluster:
    """The cluster whose hosts are all of one population."""
    return cluster.model_copy(update={"populations": {}})


def declared(
    cluster: Cluster, judged: Sequence[Judgement], together: Sequence[Judgement]
) -> Iterator[Declared]:
    """Each declared population, and that of all others, with what it spares.

    Whoever declares the sound hosts leaves the slow ones to the others, without a sound peer.

    Args:
        cluster: the cluster.
        judged: the metrics of the plan, each judged in its population.
        together: the same in the same order, judged as if nothing were declared.
    """
    of = {**cluster.populations, OTHERS: _rest(cluster)}
    spared: Mapping[str, list[Judgement]] = {name: [] for name in of}
    for own, among_all in zip(judged, together, strict=True):
        if among_all.verdict in _OPEN and own.verdict not in _OPEN:
            for name in cluster.population(own.requirement.subject) - {OTHERS} or {OTHERS}:
                spared[name].append(own)
    for name, members in of.items():
        if name != OTHERS or spared[name]:
            yield Declared(name, members, tuple(spared[name]))


def _rest(cluster: Cluster) -> tuple[str, ...]:
    """The hosts of no declared population."""
    names = {name for members in cluster.populations.values() for name in members}
    return tuple(
        each for each in dict.fromkeys((*cluster.clients, *cluster.servers)) if each not in names
    )
