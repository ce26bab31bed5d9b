"""The sign-off's sentences, the same in each of its formats."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assay.campaign.results import LONGEST
from assay.checks.plan import Layer
from assay.cluster.advisories import advisories
from assay.cluster.description import Cluster
from assay.foreign.text import printable
from assay.judge.limits import FALSE_ALARMS
from assay.judge.signoff import Gate, SignOff
from assay.judge.verdict import Verdict

LAYER: Mapping[Layer, str] = {
    "network": "What two hosts move between each other, one message at a time.",
    "scm": "The memory in which an engine keeps its index and its small values.",
    "ssd": "The disks on their own: direct I/O, bypassing every cache.",
    "client": "Whether each process of a client runs on the core assigned to it.",
    "endtoend": "What an application gets: files and fields, through everything below.",
    "metadata": "How many files per second are created, examined (stat), read and removed.",
}
"""Each layer in one sentence."""

GATES: Mapping[Gate, str] = {
    Gate.ACCEPTANCE: "acceptance",
    Gate.MEASURED: "the gate measured",
}
"""What each gate lets through, as the object of a sentence."""


def blocks(gate: Gate, *, blocking: bool) -> str:
    """The heading of the causes that block a gate, or of those that do not."""
    return f"What blocks {GATES[gate]}" if blocking else f"What does not block {GATES[gate]}"


SIGN: Mapping[Verdict, str] = {
    Verdict.MISSING: "✕",
    Verdict.IMPLAUSIBLE: "▲",
    Verdict.BELOW: "▼",
    Verdict.UNSTEADY: "≈",
    Verdict.WAIVED: "◇",
    Verdict.UNRATED: "○",
    Verdict.PASS: "✓",
}
"""A shape for each verdict, for readers and printers without colour."""

MEANING: Mapping[Verdict, str] = {
    Verdict.MISSING: "required, but without one valid sample",
    Verdict.IMPLAUSIBLE: "better than the hardware can be",
    Verdict.BELOW: "misses its limit with statistical confidence",
    Verdict.UNSTEADY: "too much scatter to tell on which side of its limit it lies",
    Verdict.WAIVED: "accepted under a named waiver",
    Verdict.UNRATED: "measured; no reference available",
    Verdict.PASS: "meets its limit with statistical confidence",
}
"""What each verdict means."""

ADVICE: Mapping[Verdict, str] = {
    Verdict.MISSING: "Fix what the reason names, and measure again.",
    Verdict.IMPLAUSIBLE: (
        "Explain it before anything else: caches that were not dropped, a file that was read"
        " before it was written, a wrong unit, a wrong entry in the inventory. Until it is"
        " explained, no figure derived from this one can be believed either."
    ),
    Verdict.BELOW: (
        "Look at the layers underneath first: what is slow there is slow here. Then compare with"
        " the peers of this device or host in the table of its layer."
    ),
    Verdict.UNSTEADY: (
        "Measure again on idle hosts and with more samples; the acceptance scale takes more."
    ),
}
"""What to do about each verdict that may stop a sign-off."""

UNJUDGED = (
    "Give these figures something to be judged by, such as a data sheet or a commitment (assay"
    " expect says what each lacks) that asks for no less than the reference, or accept all of them"
    " in a file of waivers."
)
"""What to do about a layer in a direction of which too little was judged."""


def shares(signed: SignOff) -> list[str]:
    """The checks of which not every subject was judged as strictly as by the reference."""
    return [
        f"{each}, {share}"
        for each in signed.coverage
        for share in each.checks
        if share.judged < share.subjects
    ]


def window(signed: SignOff) -> str:
    """When it was measured, and how far apart its checks may be."""
    return (
        f"{signed.measured_from:%Y-%m-%d %H:%M} to {signed.measured_to:%Y-%m-%d %H:%M} UTC, all"
        f" checks within {LONGEST.days} days"
    )


MOST_WEAKENED = 20
"""Maximum number of weakened yardsticks in a list (own choice)."""


def weakened(signed: SignOff) -> list[str]:
    """The weakened yardsticks of the site, and what each replaces."""
    found = [str(each) for each in signed.weakened]
    more = len(found) - MOST_WEAKENED
    return found[:MOST_WEAKENED] + ([f"and {more:,} more kinds of figures"] if more > 0 else [])


_GATE: Mapping[Gate, str] = {
    Gate.ACCEPTANCE: (
        "The acceptance gate requires that every metric required of this cluster was measured with"
        " at least what its scale asks for, and that none is implausible, below or unsteady. In"
        " each layer and direction, each host must have a metric that was judged as strictly as the"
        " reference asks, or waivers by name; patterns may waive a third of that and of the plan."
        " Users' writes to DAOS and reads from it, where there is DAOS, must be in the plan."
    ),
    Gate.MEASURED: (
        "This is a measurement and not an acceptance. The measured gate requires that every metric"
        " required of this cluster was measured and that none is implausible. The speed of the"
        " cluster does not matter here."
    ),
}


def gate(signed: SignOff) -> str:
    """The requirements of the gate; for `measured`, also that it is no acceptance."""
    sentences = _GATE[signed.gate]
    for verdict, meaning in (
        (Verdict.WAIVED, MEANING[Verdict.WAIVED]),
        (Verdict.UNRATED, MEANING[Verdict.UNRATED]),
    ):
        if count := signed.counts[verdict]:
            them = "1 metric is" if count == 1 else f"{count:,} metrics are"
            sentences += f" {them} {verdict}: {meaning}."
    return sentences


def comparisons(signed: SignOff) -> str:
    """How many comparisons the judgement made, and how it corrects for their number."""
    return (
        f"{signed.comparisons:,} comparisons were made, of metrics with their floors and peers and"
        " of samples with time. Each might raise a false alarm, so each gets an equal share of one"
        f" allowance: that 1 of {1 / FALSE_ALARMS:.0f} campaigns of a sound cluster is stopped"
        " (Bonferroni)."
    )


SLIPS: Mapping[str, float] = {"bits for bytes": 8.0, "GB for GiB": 2**30 / 10**9}
"""Mistakes of units, and the factor by which each changes a bandwidth."""


def units(signed: SignOff) -> list[str]:
    """The mistakes of units that the limits of some bandwidths would not show, with the checks.

    A mistake shows only where floor and ceiling are nearer to each other than its factor.
    """
    widest: dict[str, float] = {}
    for judgement in signed.judgements:
        expected, check = judgement.expectation, judgement.requirement.check
        if judgement.summary is not None and expected.unit.endswith("B/s"):
            floor, ceiling = expected.floor, expected.ceiling
            apart = ceiling / floor if floor and ceiling else math.inf
            widest[check] = max(apart, widest.get(check, 0.0))
    hidden = {
        slip: [check for check, apart in widest.items() if apart >= factor]
        for slip, factor in SLIPS.items()
    }
    return [f"{slip}: {', '.join(checks)}" for slip, checks in hidden.items() if checks]


def system(cluster: Cluster) -> str | None:
    """The DAOS system that was measured, including a warning if its transport is insecure."""
    daos = cluster.daos
    if daos is None:
        return None
    if daos.found:
        what = "container made by the checks" if daos.found.own_container else "found container"
        where = (
            f"pool {daos.pool}, {what} {daos.container}" if daos.container else f"pool {daos.pool}"
        )
        return (
            f"DAOS {daos.version}, system {daos.name}, as a user of it sees it:"
            f" {numbered(daos.found.ranks, 'rank')}, {cluster.provider}; {where}."
        )
    engines = sum(len(cluster.hosts[server].engines) for server in daos.servers)
    transport = (
        "Transport INSECURE (allow_insecure: true): requests are neither authenticated nor"
        " encrypted."
        if daos.allow_insecure
        else "Transport secured by certificates."
    )
    servers = numbered(len(daos.servers), "server")
    return (
        f"DAOS {daos.version}, system {daos.name}: {servers} with"
        f" {numbered(engines, 'engine')}, {cluster.provider}. {transport}"
    )


def known_defects(cluster: Cluster) -> list[str]:
    """What upstream knows against the release of DAOS that was measured."""
    if cluster.daos is None:
        return []
    found = advisories(cluster.daos, cluster.provider, cluster.hosts)
    return [f"DAOS {each.release}: {each.sentence}" for each in found]


def engines(signed: SignOff) -> list[tuple[str, str]]:
    """Each sentence about the engines, with the checks to which it applies."""
    checks: dict[str, list[str]] = {}
    for each in signed.engines:
        checks.setdefault(each.sentence, []).append(each.check)
    return [(", ".join(names), sentence) for sentence, names in checks.items()]


def counted(verdicts: Mapping[Verdict, int]) -> str:
    """Numbers of metrics: ``5 below, 2 unsteady``."""
    return ", ".join(f"{count:,} {verdict}" for verdict, count in verdicts.items())


def numbered(number: int, thing: str) -> str:
    """A number of things: ``1 deviation``, ``2 deviations``."""
    return f"{number:,} {thing}{'s' * (number != 1)}"


def shorten(text: str, width: int) -> str:
    """The first line of a text, cut with `…` to at most `width` characters."""
    line, *more = printable(text).strip().split("\n", 1)
    if len(line) <= width and not more:
        return line
    return f"{line[: width - 1].rstrip()}…"
