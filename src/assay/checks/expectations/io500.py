"""What IO500 should do: its phases are those of IOR and mdtest, and its scores their means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import geometric_mean

from assay.checks.bounds import Bound, Limit
from assay.checks.expectations.endtoend import through_daos
from assay.checks.expectations.metadata import files
from assay.checks.figures import Expectation, Measured, Rule, nothing, within
from assay.checks.load import FILE_BYTES
from assay.checks.plan import CHECKS, Owed
from assay.cluster.description import Cluster
from assay.tools.io500 import BANDWIDTHS, RATES
from assay.units import Quantity

_PHASES = {"write": "create", "delete": "remove"}
"""IO500's words for what mdtest does, where they are others."""

_BANDWIDTHS = tuple(name.replace("-", "_") for name in BANDWIDTHS)
_RATES = tuple(name.replace("-", "_") for name in RATES)
_MEANS: Mapping[str, Sequence[str]] = {
    "bandwidth_score": _BANDWIDTHS,
    "metadata_score": _RATES,
    "metadata_score_without_find": tuple(name for name in _RATES if name != "find"),
    "score": ("bandwidth_score", "metadata_score"),
    "score_without_find": ("bandwidth_score", "metadata_score_without_find"),
}
"""What each score of IO500 is the geometric mean of."""


def _io500(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """A phase of IOR, a phase of mdtest, or a mean of phases."""
    name = metric.metric.name
    if name in _MEANS:
        return _mean(cluster, metric, measured)
    if name == "find":
        return nothing(metric, "one answer of an engine tells of many files")
    if name.startswith("ior_"):
        return through_daos(cluster, metric, measured)
    _, kind, phase = name.split("_")
    size = FILE_BYTES["MdtestHard" if kind == "hard" else "MdtestEasy"]
    return files(cluster, metric, measured, _PHASES.get(phase, phase), size)


def _mean(cluster: Cluster, metric: Owed, measured: Measured) -> Expectation:
    """A geometric mean, which is at most that of the bounds."""
    of = {known.name: known for known in CHECKS[metric.check].metrics}
    names, unit = _MEANS[metric.metric.name], metric.metric.unit
    parts = [_io500(cluster, replace(metric, metric=of[name]), measured) for name in names]
    bounds = [part.bound for part in parts if part.bound is not None]
    ceilings = [part.ceiling for part in parts if part.ceiling is not None]
    if len(bounds) < len(parts) or len(ceilings) < len(parts):
        without = next(name for name, part in zip(names, parts, strict=True) if part.bound is None)
        return nothing(metric, f"{without} has no bound, and no mean that it is part of")
    made_of = f"the geometric mean of the bounds of {', '.join(names)}"
    value, highest = (
        Limit("their bounds", Quantity(geometric_mean(figures), unit), made_of, "as derived there")
        for figures in (bounds, ceilings)
    )
    told = within(cluster, metric, Bound(value.value, (value,)), "", highest)
    if all(part.ground == "hardware" for part in parts):
        return told
    derivation = f"{told.derivation}; ceiling that of their ceilings"
    return replace(told, ground="measured", derivation=derivation)


IO500: Mapping[str, Rule] = dict.fromkeys(("Io500", "Io500Program"), _io500)
