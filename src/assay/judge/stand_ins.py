"""What stands in for a bad figure where others of the same subject are judged by it.

The floor of a rate follows from the latency of the same engine, and that of a file from the disk
under it. If a fault makes both slow, a floor that follows from the lower figure is as slow as the
fault, and the upper figure passes. So a figure that is bad itself is no measure of another one:
that of a peer is, or else the limit that it misses.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from assay.checks.entry import Lower, Requirement
from assay.judge.judgement import Judgement, Measurement, peer_group
from assay.judge.verdict import Verdict


@dataclass(frozen=True, slots=True)
class _Figure:
    """A measured figure, its median, and whether it is bad."""

    judgement: Judgement
    median: float
    is_bad: bool

    @property
    def requirement(self) -> Requirement:
        return self.judgement.requirement

    @property
    def limit(self) -> float | None:
        """The worst that is allowed."""
        expected = self.judgement.expectation
        is_more = self.requirement.metric.better == "higher"
        return expected.floor if is_more else expected.ceiling


def stand_ins(
    measurements: Sequence[Measurement], judgements: Sequence[Judgement]
) -> dict[Requirement, Lower]:
    """The figures that stand in for bad ones, by the metric that is bad.

    Of the peers whose figures are not bad, it is the middle one, or the worse of two middle ones.
    If there is none, it is the limit of the bad figure itself. A bad figure that has neither stays.

    Args:
        measurements: the metrics of a campaign.
        judgements: how each of them was judged.
    """
    groups: dict[Hashable, list[_Figure]] = {}
    for measurement, judgement in zip(measurements, judgements, strict=True):
        if judgement.summary is not None:
            median = judgement.summary.median
            figure = _Figure(judgement, median, _is_bad(judgement, median))
            groups.setdefault(peer_group(measurement), []).append(figure)
    return {
        figure.requirement: instead
        for group in groups.values()
        if any(figure.is_bad for figure in group)
        for instead_of in [_usual([figure for figure in group if not figure.is_bad])]
        for figure in group
        if figure.is_bad and (instead := _instead(figure, instead_of)) is not None
    }


def _is_bad(judgement: Judgement, median: float) -> bool:
    """Whether a figure is `below` or `implausible`, or `unsteady` beyond one of its limits."""
    if judgement.verdict is Verdict.UNSTEADY:
        floor, ceiling = judgement.expectation.floor, judgement.expectation.ceiling
        return (floor is not None and median < floor) or (ceiling is not None and median > ceiling)
    return judgement.verdict in (Verdict.BELOW, Verdict.IMPLAUSIBLE)


def _usual(peers: Sequence[_Figure]) -> _Figure | None:
    """The peer in the middle; the worse one of two."""
    if not peers:
        return None
    is_more = peers[0].requirement.metric.better == "higher"
    from_the_worst = sorted(peers, key=lambda peer: peer.median, reverse=not is_more)
    return from_the_worst[(len(peers) - 1) // 2]


def _instead(figure: _Figure, peer: _Figure | None) -> Lower | None:
    why = f"since its own is {figure.judgement.verdict}"
    if peer is not None:
        where = f"on {peer.requirement.subject}, {why}"
        return Lower(peer.judgement.samples, figure.requirement.key, where)
    if figure.limit is None:
        return None
    return Lower((figure.limit,), figure.requirement.key, f"at its limit, {why}")
