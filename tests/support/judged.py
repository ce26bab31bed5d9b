"""A metric to judge, and the limits by which tests judge it."""

from __future__ import annotations

from assay.checks.expect import Expectation
from assay.checks.figures import Unrated
from assay.checks.plan import Metric, Requirement
from assay.subject import Subject

OWED = Requirement(
    "SsdFio", "ssd", "servers", Metric("read_1m", "MiB/s", Unrated("a trial")), Subject("s1")
)
RATED = Expectation("MiB/s", "hardware", 1000.0, 850.0, 1000.0, "1000 MiB/s: one disk")
UNRATED = Expectation("MiB/s", "nothing", None, None, None, "nothing to judge by: no datasheet")
