"""Campaigns of nights that never ran, for `assay health`."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from assay.checks.plan import CHECKS, requirements
from assay.cluster.description import Cluster
from assay.health.nights import STAMP, Night, Nights
from assay.health.outcome import Health
from outputs import report_with_outputs

Change = Callable[[str, str], float | None]
"""Metric (``SsdFio.read_1m``) and subject to a factor of its figures; None if it has none."""

LEVELS = {"ScmFio.write_4k": 150.0, "ScmFio.read_4k": 200.0}
"""What makes sound figures of those of `outputs`."""

LOWER_IS_BETTER = {
    f"{name}.{metric.name}"
    for name, check in CHECKS.items()
    for metric in check.metrics
    if metric.better == "lower"
}

FIRST = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)


def sound(figure: str, subject: str) -> float | None:
    """Nothing is wrong."""
    del figure, subject
    return 1.0


def slower(loss: float, *subjects: str, check: str = "") -> Change:
    """All figures of some subjects are worse."""

    def change(figure: str, subject: str) -> float | None:
        if subject not in subjects or not figure.startswith(check):
            return 1.0
        return 1 / (1 - loss) if figure in LOWER_IS_BETTER else 1 - loss

    return change


def absent(subject: str, check: str) -> Change:
    """A check has no figures of a subject."""
    return lambda figure, name: None if name == subject and figure.startswith(f"{check}.") else 1.0


class Campaigns:
    """In the place of campaign.sh: writes what it leaves, each run as the next change has it."""

    def __init__(self, cluster: Cluster, *changes: Change) -> None:
        self.cluster = cluster
        self.changes = list(changes)
        self.ran: list[tuple[str, ...]] = []
        self.limits_s: list[float] = []

    def __call__(self, directory: Path, checks: Sequence[str], limit_s: float) -> bool:
        self.ran.append(tuple(checks))
        self.limits_s.append(limit_s)
        leave(self.cluster, directory, checks, self.changes.pop(0), len(self.ran))
        return True


def leave(
    cluster: Cluster, directory: Path, checks: Sequence[str], change: Change, number: int = 1
) -> None:
    """Leave a report and raw outputs of some checks in the directory of a campaign."""
    document = report_with_outputs(cluster, directory, chosen=lambda name, _: name in checks)
    for case in document["runs"][0]["testcases"]:
        name = case["name"].partition(" ")[0]
        for metric, by_subject in case["samples"].items():
            for subject, samples in by_subject.items():
                factor = change(f"{name}.{metric}", subject)
                noise = Random(f"{number} {name} {metric} {subject}")
                if factor is None:
                    case["problems"][subject] = [f"{subject} was lost"]
                    case.update(result="fail", fail_phase="sanity", fail_reason="a host was lost")
                elif case["units"][metric] != "process":
                    level = factor * LEVELS.get(f"{name}.{metric}", 1.0)
                    by_subject[subject] = [
                        each * level * noise.uniform(0.999, 1.001) for each in samples
                    ]
    reports = directory / "reports"
    reports.mkdir(parents=True)
    (reports / "root-1.json").write_text(json.dumps(document))


def remember(kept: Nights, cluster: Cluster, medians: dict[str, float], nights: int) -> None:
    """Nights with the same figures, but for 1 % of scatter."""
    rng = Random(7)
    for number in range(nights):
        at = FIRST + timedelta(days=number)
        scattered = {
            key: value if ".bound_" in key else value * rng.gauss(1, 0.01)
            for key, value in medians.items()
        }
        units = {each.figure: each.unit for each in requirements(cluster)}
        kept.add(
            at.strftime(STAMP),
            Night(
                measured_from=at,
                scale="quick",
                versions=dict(cluster.versions),
                medians=scattered,
                units={figure: units[figure] for figure in {k.split(" on ")[0] for k in medians}},
            ),
        )


def outcome(ended: datetime, **other: Any) -> Health:
    """The outcome of a sound night that took four minutes."""
    sound_night: dict[str, Any] = {
        "cluster": "borealis",
        "scale": "quick",
        "measured_from": ended - timedelta(minutes=4),
        "measured_to": ended,
        "checks": ("SsdFio",),
        "left_out": (),
        "figures": 4,
        "limited": 2,
        "charted": 4,
        "nights": 20,
        "findings": (),
        "unconfirmed": (),
        "gaps": (),
        "notes": (),
    }
    return Health(**sound_night | other)
