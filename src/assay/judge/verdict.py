"""The verdicts on a metric."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """A verdict on a metric; the worst come first."""

    MISSING = "missing"
    IMPLAUSIBLE = "implausible"
    BELOW = "below"
    UNSTEADY = "unsteady"
    WAIVED = "waived"
    UNRATED = "unrated"
    PASS = "pass"
