"""What each metric should be: bound, floor and ceiling, and where they come from.

An expectation is a pure function from the cluster (and from what its lower layers were measured
to do) to numbers and a sentence. What the hardware can do is in `assay.checks.bounds`; here is
which of it bounds which metric, and what fraction of it a sound system reaches: each layer has its
rules in a module of its own, as `assay.checks.plan` has its checks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.checks.expectations.client import CLIENT
from assay.checks.expectations.endtoend import ENDTOEND, FDB_PROCESSES, stands_on
from assay.checks.expectations.io500 import IO500
from assay.checks.expectations.metadata import METADATA
from assay.checks.expectations.network import NETWORK
from assay.checks.expectations.scm import SCM
from assay.checks.expectations.ssd import ROUNDED, SSD
from assay.checks.figures import (
    MEASURED_CEILING,
    Expectation,
    Ground,
    Measured,
    Rule,
    nothing,
)
from assay.checks.floors import FLOORS, Efficiency
from assay.checks.plan import Owed
from assay.cluster.description import Cluster

__all__ = [
    "FDB_PROCESSES",
    "FLOORS",
    "MEASURED_CEILING",
    "ROUNDED",
    "Efficiency",
    "Expectation",
    "Ground",
    "Measured",
    "expectation",
    "stands_on",
]

_RULES: Mapping[str, Rule] = {**NETWORK, **SCM, **SSD, **CLIENT, **ENDTOEND, **IO500, **METADATA}
"""What derives the expectations of each check's metrics; the others are `unrated`."""


def expectation(
    cluster: Cluster, metric: Owed, measured: Mapping[Owed, Sequence[float]]
) -> Expectation:
    """Work out what a metric should be.

    Args:
        cluster: whose metric it is.
        metric: what is owed.
        measured: what lower layers were measured to do. For many metrics make that a `Measured`
            once, which remembers what it has worked out, and knows the scale.
    """
    rule = _RULES.get(metric.check)
    if rule is None:
        return nothing(metric, "no datasheet and no lower layer speaks of it")
    lower = measured if isinstance(measured, Measured) else Measured(measured)
    return rule(cluster, metric, lower)
