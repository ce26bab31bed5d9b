"""The maximum that the hardware can do: each component on the data path has a limit.

A bound is the minimum of its limits. Each limit records how it is computed, so that a bound is data
for a program and a sentence for a reader.
"""

from assay.checks.bounds.limit import Bound, Limit, tightest

__all__ = ["Bound", "Limit", "tightest"]
