#!/usr/bin/env python3
"""Make docs/images/report.png: the top of the report of a simulated campaign.

    .venv/bin/python scripts/report_picture.py

It needs Chromium. Nothing is measured: the system is the one of tests/support, and every figure is
within its limits, except those of one slow SSD and one slow client.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.checks.expect import Expectation, Measured, expectation
from assay.checks.plan import Requirement, requirements
from assay.cluster.description import Cluster
from assay.judge.signoff import SignOff
from assay.report import html

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "support"))

from synthetic import (  # type: ignore[import-not-found]  # noqa: E402 - by the line above
    campaign,
    daos_system,
)

PICTURE = ROOT / "docs" / "images" / "report.png"
WIDTH, HEIGHT, SCALE = 1000, 1250, 2

SSD = "Kioxia CM6-R 30.72TB"
"""The SSDs of engines and scratch directories: a sheet with every figure that checks need."""

SLOW = {
    ("NvmeBandwidth", "s3/0000:67:00.0"): 1.6,
    ("NvmeIops", "s3/0000:67:00.0"): 1.6,
    ("FioDfs", "c4"): 2.0,
}
"""The slow subjects, each with the ratio between the figure of a sound one and its own."""

NEAR, WITHIN = 0.97, 1.4
"""Sound figures: at most so near to the bound, and so many times as good as required."""


def system() -> Cluster:
    """A system of which nearly every figure has a limit."""
    described = daos_system().cluster
    hosts = {
        name: host.model_copy(
            update={
                "datasheets": host.datasheets.model_copy(update={"ssd": SSD}),
                "scratch": host.scratch and host.scratch.model_copy(update={"ssd": SSD}),
            }
        )
        for name, host in described.hosts.items()
    }
    changed: Cluster = described.model_copy(update={"hosts": hosts})
    return changed


def level(expected: Expectation, more: bool) -> float:
    """The figure of a sound subject."""
    if expected.ground == "count":
        return expected.bound or 1.0
    required = expected.floor if more else expected.ceiling
    known = []
    if expected.bound:
        known.append(NEAR * expected.bound if more else expected.bound / NEAR)
    if required:
        known.append(WITHIN * required if more else required / WITHIN)
    return (min if more else max)(known, default=900.0)


def signed() -> SignOff:
    """A campaign in which each figure follows from those of the layers below."""
    described = system()
    rng = random.Random(1)
    samples: dict[Requirement, list[float]] = {}
    plan = requirements(described)
    for metric in (*plan, *plan):  # once more, since rates follow from latencies that come later
        more = metric.metric.better == "higher"
        expected = expectation(described, metric, Measured(samples))
        worse = SLOW.get((metric.check, str(metric.subject)), 1.0)
        figure = level(expected, more)
        figure = figure / worse if more else figure * worse
        scatter = 0.0 if expected.ground == "count" else 0.005
        samples[metric] = [figure * rng.gauss(1, scatter) for _ in range(7)]
    simulated: SignOff = campaign(described, samples=lambda metric: samples[metric])
    return simulated


def main() -> None:
    """Render the report and take the picture."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("report_picture.py: there is no chromium on the PATH (Debian: chromium)")
    with tempfile.TemporaryDirectory() as directory:
        page = Path(directory, "report.html")
        page.write_text(html.render(signed()), encoding="utf-8")
        subprocess.run(
            [
                chromium,
                *("--headless", "--no-sandbox", "--hide-scrollbars"),
                f"--force-device-scale-factor={SCALE}",
                f"--window-size={WIDTH},{HEIGHT}",
                f"--user-data-dir={directory}/profile",
                f"--screenshot={PICTURE}",
                page.as_uri(),
            ],
            check=True,
        )


if __name__ == "__main__":
    main()
