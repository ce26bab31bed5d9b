"""The checks of metadata: files made, looked at, read and taken away."""

from assay.checks.entry import Check, rates
from assay.checks.subjects import each_mdtest_backend

_PHASES = rates("op/s", "create", "stat", "read", "remove")

METADATA = tuple(
    Check(name, "metadata", "system", ("client", "mdtest"), each_mdtest_backend, _PHASES)
    for name in ("MdtestEasy", "MdtestHard", "MdtestHard2")
)
