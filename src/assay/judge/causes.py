"""The causes of verdicts that are not `pass`: one each, however many metrics it concerns."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from assay.foreign.text import printable
from assay.judge.judgement import Judgement
from assay.judge.verdict import Verdict

CAUSED = (Verdict.MISSING, Verdict.IMPLAUSIBLE, Verdict.BELOW, Verdict.UNSTEADY)
"""The verdicts that have a cause on the cluster or in its measurement, the worst first."""

_LONGEST_TITLE = 120
_JOB = re.compile(r"\[jobid=\d+\] ")
"""The number of a job, by which ReFrame's reasons differ from check to check."""

_RPC = re.compile(r" \(\w+\(\) [^()]*DER_\w+\(-\d+\)[^()]*\)")
"""The line of DAOS's log that explains an error, with the addresses of one RPC and its object."""


@dataclass(frozen=True, slots=True)
class Cause:
    """Judgements with one cause: a reason, what makes them slow, or their check."""

    judgements: tuple[Judgement, ...]
    """The worst verdict first."""

    @property
    def verdict(self) -> Verdict:
        """The worst of its verdicts."""
        return self.judgements[0].verdict

    @property
    def reason(self) -> str:
        """The reason for its worst verdict."""
        return printable(_JOB.sub("", self.judgements[0].reason))

    @property
    def counts(self) -> dict[Verdict, int]:
        """Number of metrics with each of its verdicts, the worst first."""
        return dict(Counter(judgement.verdict for judgement in self.judgements))

    @property
    def title(self) -> str:
        """The cause in a few words: ``localhost is down``, ``network: c4 (FiPingpong...)``."""
        first = self.judgements[0]
        if first.verdict is Verdict.MISSING:
            line = self.reason.strip().partition("\n")[0]
            return textwrap.shorten(line, _LONGEST_TITLE, placeholder="…")
        metrics = named(self.judgements, 1)
        culprit = first.culprit
        what = f"{culprit} ({metrics})" if culprit else metrics
        return f"{first.requirement.layer}: {what}"

    def named(self, most: int) -> str:
        """Its metrics in words; see the function `named`."""
        return named(self.judgements, most)


def causes(judgements: Iterable[Judgement]) -> list[Cause]:
    """Group judgements by their cause: the worst verdict first, then from the lowest layer up.

    Missing metrics belong together if their reasons are the same; slow ones if the same host,
    device or path makes them slow; all others if they are of one check.
    """
    alike: dict[Hashable, list[Judgement]] = {}
    for judgement in judgements:
        if judgement.verdict in CAUSED:
            alike.setdefault(_kind(judgement), []).append(judgement)
    found = [Cause(tuple(sorted(each, key=_rank))) for each in alike.values()]
    return sorted(found, key=lambda cause: _rank(cause.judgements[0]))


def _rank(judgement: Judgement) -> int:
    return CAUSED.index(judgement.verdict)


def _kind(judgement: Judgement) -> Hashable:
    if judgement.verdict is Verdict.MISSING:
        return _RPC.sub("", _JOB.sub("", judgement.reason))
    if judgement.culprit:
        return "slow", judgement.culprit
    return judgement.verdict, judgement.requirement.check


def named(judgements: Iterable[Judgement], most: int) -> str:
    """Metrics in words: ``SsdFio.read_1m on n1, n2 and 510 more``.

    At most `most` metrics are named, with at most `most` subjects each.
    """
    subjects: dict[str, list[str]] = {}
    for judgement in judgements:
        subjects.setdefault(metric(judgement), []).append(str(judgement.requirement.subject))
    metrics = [f"{name} on {_several(names, most)}" for name, names in subjects.items()]
    # What was counted already is told apart from what is counted now.
    folds = any(len(names) > most for names in [*subjects.values()][:most])
    return _several(metrics, most, "; ", " metrics", last="; and" if folds else " and")


def metric(judgement: Judgement) -> str:
    """The metric without its subject: ``SsdFio.read_1m``."""
    return f"{judgement.requirement.check}.{judgement.requirement.name}"


def _several(
    names: Sequence[str], most: int, between: str = ", ", what: str = "", last: str = " and"
) -> str:
    if len(names) <= most:
        return between.join(names)
    more = len(names) - most
    kind = what.removesuffix("s") if more == 1 else what
    return f"{between.join(names[:most])}{last} {more:,} more{kind}"
