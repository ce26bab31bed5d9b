"""The checks of metadata: files and directories made, looked at and taken away."""

from assay.plan.entry import Check, rates
from assay.plan.subjects import partition_as_one

METADATA = (
    Check(
        "MdtestPosix",
        "metadata",
        "system",
        ("client", "mdtest"),
        partition_as_one,
        rates("op/s", "create", "stat", "read", "remove"),
    ),
)
