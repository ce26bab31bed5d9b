"""Yardsticks that rest on the site's word alone, since no reference is there to compare them with.

They are as good as whoever wrote them: a sheet with half of the true figures accepts half.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.checks.yardsticks import without_own
from assay.cluster.description import Cluster
from assay.cluster.hardware import Hardware, shipped
from assay.judge.judgement import Judgement
from assay.judge.weakened import is_weakened


def on_word(cluster: Cluster, judgements: Iterable[Judgement]) -> tuple[str, ...]:
    """The names of the site's yardsticks of which no reference is known, each once."""
    return tuple(dict.fromkeys((*_sheets(cluster), *_others(judgements))))


def _sheets(cluster: Cluster) -> Iterator[str]:
    """The site's sheets of devices that `hardware.yml` does not have."""
    hosts = (without_own(cluster) or cluster).hosts.values()
    named: dict[str, set[str | None]] = {
        "ssd": {each.datasheets.ssd for each in hosts}
        | {each.scratch.ssd for each in hosts if each.scratch},
        "pmem": {each.datasheets.pmem for each in hosts},
        "memory": {each.datasheets.memory for each in hosts},
        "fabric": {each.datasheets.fabric for each in hosts},
    }
    for kind in Hardware.model_fields:
        ours = getattr(shipped(), kind)
        for name in getattr(cluster.hardware, kind):
            if name not in ours and name in named.get(kind, ()):
                yield f"the site's sheet of {name}"


def _others(judgements: Iterable[Judgement]) -> Iterator[str]:
    """The commitments and floors of figures that have no other."""
    for each in judgements:
        own = each.expectation.own
        if own and own.reference is None and not is_weakened(each):
            yield own.by
