"""The most that the hardware can do: what the data crosses, and what each of these lets through.

A bound is the least of its limits. Each limit says what it is made of, so that a bound is data for
a program and a sentence for a reader.
"""

from assay.checks.bounds.limit import Bound, Limit, tightest

__all__ = ["Bound", "Limit", "tightest"]
