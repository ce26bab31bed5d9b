"""The expectation of loopback, which crosses no wire, but copies bytes like a tmpfs."""

from __future__ import annotations

from statistics import median

from assay.checks.benchmarks import fio
from assay.checks.bounds import Limit
from assay.checks.entry import Expectation, Lower, Measured, Requirement, credible
from assay.checks.figures import nothing, standing_on
from assay.checks.subjects import each_ram_engine
from assay.cluster.description import Cluster
from assay.units import Quantity


def bandwidth(cluster: Cluster, requirement: Requirement, measured: Measured) -> Expectation:
    """Bound the bandwidth by the measured copies of this host's kernel, and require nearly as much.

    Each byte is copied into the kernel and out of it again, like fio's bytes to a tmpfs and back.
    At best two cores do both at once; a single core does one after the other.
    """
    why = "loopback has no line rate"
    engines = [e for e in each_ram_engine(cluster, "servers") if e.host == requirement.host]
    if not engines or cluster.benchmarks.fio is None:
        return nothing(requirement, f"{why}, and {fio.TMPFS.name} is not in the plan of its host")
    copies = [
        Requirement(fio.TMPFS.name, fio.TMPFS.layer, "servers", fio.TMPFS.metric(name), engines[0])
        for name in ("write_1m", "read_1m")
    ]
    into, out = (measured.own(copy) for copy in copies)
    if into is None or out is None:
        lacking = copies[0] if into is None else copies[1]
        return nothing(requirement, f"{why}, and {lacking.key} has not been measured")
    unit = requirement.unit
    in_turn = 1 / (1 / median(into.samples) + 1 / median(out.samples))
    made_of = "their medians, one copy after the other"
    return standing_on(
        cluster,
        requirement,
        [
            _best("copies into the kernel", into, unit),
            _best("copies out of the kernel", out, unit),
        ],
        Limit(made_of, Quantity(in_turn, unit), made_of, into.named),
    )


def _best(who: str, copied: Lower, unit: str) -> Limit:
    made_of = f"best of {len(copied.samples)} samples of {who}"
    return Limit(who, Quantity(max(credible(copied.samples)), unit), made_of, copied.named)
