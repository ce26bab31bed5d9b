"""What the sign-off says in words, the same in every form of it."""

from __future__ import annotations

from collections.abc import Mapping

from assay.checks.plan import Layer
from assay.cluster.description import Cluster
from assay.foreign.text import printable
from assay.judge.rating import FALSE_ALARMS
from assay.judge.signoff import Gate, SignOff
from assay.judge.verdict import Verdict

LAYER: Mapping[Layer, str] = {
    "network": "What two hosts move between each other, one message at a time.",
    "scm": "The memory that an engine keeps its index and its small values in.",
    "ssd": "The disks by themselves: direct I/O, past every cache.",
    "client": "Whether each process of a client runs on the core that it was given.",
    "endtoend": "What an application gets: files and fields, through everything below.",
    "metadata": "How many files a second are created, looked up, read and removed.",
}
"""What each layer is, in one sentence."""

SIGN: Mapping[Verdict, str] = {
    Verdict.MISSING: "✕",
    Verdict.IMPLAUSIBLE: "▲",
    Verdict.BELOW: "▼",
    Verdict.UNSTEADY: "≈",
    Verdict.WAIVED: "◇",
    Verdict.UNRATED: "○",
    Verdict.PASS: "✓",
}
"""A shape for each verdict, for readers and printers to whom colours say nothing."""

MEANING: Mapping[Verdict, str] = {
    Verdict.MISSING: "owed, and without one valid sample",
    Verdict.IMPLAUSIBLE: "better than the hardware can be",
    Verdict.BELOW: "worse than it should be, and surely so",
    Verdict.UNSTEADY: "too much scatter to say on which side of its limit it lies",
    Verdict.WAIVED: "measured, and let through on somebody's word",
    Verdict.UNRATED: "measured, with nothing to judge it by",
    Verdict.PASS: "as good as it should be, and surely so",
}
"""What each verdict means."""

ADVICE: Mapping[Verdict, str] = {
    Verdict.MISSING: "Put right what the reason names, and measure again.",
    Verdict.IMPLAUSIBLE: (
        "Explain it before anything else: caches that were not dropped, a file that was read"
        " before it was written, a wrong unit, a wrong entry in the inventory. Until then nothing"
        " that stands on this figure can be believed either."
    ),
    Verdict.BELOW: (
        "Look at the layers underneath first: what is slow there is slow here. Then compare with"
        " the equals of this device or host in the table of its layer."
    ),
    Verdict.UNSTEADY: (
        "Measure again on idle hosts and with more samples; the acceptance scale takes more."
    ),
}
"""What to do about each verdict that may stop a sign-off."""

_GATE: Mapping[Gate, str] = {
    Gate.ACCEPTANCE: (
        "The acceptance gate asks that every metric that this cluster owes was measured, and that"
        " none is implausible, below its floor or unsteady."
    ),
    Gate.MEASURED: (
        "This is a measurement and no acceptance. The measured gate asks that every metric that"
        " this cluster owes was measured and that none is implausible. How fast the cluster is"
        " decides nothing here."
    ),
}


def gate(signed: SignOff) -> str:
    """What the gate asks for; of `measured` also that passing it accepts nothing."""
    said = _GATE[signed.gate]
    for verdict, meaning in (
        (Verdict.WAIVED, "what speaks against a figure is let through on its owner's word"),
        (Verdict.UNRATED, "measured, and vouched for by nothing"),
    ):
        if count := signed.counts[verdict]:
            them = "1 metric is" if count == 1 else f"{count} metrics are"
            said += f" {them} {verdict}: {meaning}."
    return said


def comparisons(signed: SignOff) -> str:
    """How many comparisons the judgement made, and how that is paid for."""
    return (
        f"{signed.comparisons:,} comparisons were made, of metrics with their floors and equals and"
        " of samples with time. Each might raise a false alarm, and so each has an equal share of"
        f" one chance: that 1 of {1 / FALSE_ALARMS:.0f} campaigns of a sound cluster is stopped"
        " (Bonferroni)."
    )


def system(cluster: Cluster) -> str | None:
    """The DAOS system that was measured; where nobody is authenticated, that too."""
    daos = cluster.daos
    if daos is None:
        return None
    engines = sum(len(cluster.hosts[server].engines) for server in daos.servers)
    transport = (
        "Transport INSECURE (allow_insecure: true): requests are neither authenticated nor"
        " encrypted."
        if daos.allow_insecure
        else "Transport secured by certificates."
    )
    servers = _counted(len(daos.servers), "server")
    return (
        f"DAOS {daos.version}, system {daos.name}: {servers} with"
        f" {_counted(engines, 'engine')}, {cluster.provider}. {transport}"
    )


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}{'s' * (number != 1)}"


def shorten(text: str, width: int) -> str:
    """The first line of a text, cut with `…` to at most `width` characters."""
    line, *more = printable(text).strip().split("\n", 1)
    if len(line) <= width and not more:
        return line
    return f"{line[: width - 1].rstrip()}…"
