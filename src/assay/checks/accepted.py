"""The figures of an accepted campaign of the same cluster, as a floor for the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from assay.checks.entry import Expectation, Requirement
from assay.units import Quantity

KEPT = 0.9
"""The part of an accepted figure that is required again; `assay compare` finds smaller losses, of
many figures together.

Source: EuroHPC's hosting agreements, Performance testing: benchmarks that are run again, at least
every two years, "must achieve at least a 90 % of the performances measured after the installation".
"""


class Accepted(BaseModel):
    """The figures of an accepted campaign."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    campaign: str = Field(description="of which cluster and day it is")
    measured_to: AwareDatetime = Field(description="the end of its last session")
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$", description="of its bundle's SHA256SUMS")
    medians: Mapping[str, float] = Field(description="by the metric's key, in its unit")

    def median(self, required: Requirement) -> float | None:
        """Its median of a metric; for a pair, in either order of its ends."""
        subject = required.subject
        keys = [required.key]
        if subject.peer is not None:
            keys.append(f"{required.figure} on {subject.peer.to(subject.end)}")
        return next((self.medians[key] for key in keys if key in self.medians), None)


def at_least(
    required: Requirement, expected: Expectation, accepted: Accepted | None
) -> Expectation:
    """Require the accepted figure, unless the floor is already stricter."""
    median = accepted.median(required) if accepted else None
    if accepted is None or median is None or expected.ground == "count":
        return expected
    more = required.metric.better == "higher"
    worst = median * KEPT if more else median / KEPT
    expected = replace(expected, accepted=worst)
    limit = expected.floor if more else expected.ceiling
    if limit is not None and (limit >= worst if more else limit <= worst):
        return expected
    ground = expected.ground
    return replace(
        expected,
        ground="baseline" if ground in ("nothing", "reference") else ground,
        floor=worst if more else expected.floor,
        ceiling=expected.ceiling if more else worst,
        derivation=(
            f"{expected.derivation}; required: {KEPT:.0%} of the {Quantity(median, required.unit)}"
            f" that were accepted ({accepted.campaign})"
        ),
    )
