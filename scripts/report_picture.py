#!/usr/bin/env python3
"""Make docs/images/report.png: the top of the report of a simulated campaign.

    .venv/bin/python scripts/report_picture.py

It needs Chromium. Nothing is measured: the system is the one of tests/support, and every figure is
slightly worse than its bound, except those of one slow SSD and one slow client.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from assay.checks.expect import Measured, expectation
from assay.checks.plan import Requirement, requirements
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

SLOW = {
    ("NvmeBandwidth", "s3/0000:67:00.0"): 1.6,
    ("NvmeIops", "s3/0000:67:00.0"): 1.6,
    ("FioDfs", "c4"): 2.0,
}
"""The slow subjects, each with the ratio between its bound and its figure."""


def signed() -> SignOff:
    """A campaign in which each figure follows from those of the layers below."""
    described = daos_system().cluster
    rng = random.Random(1)
    samples: dict[Requirement, list[float]] = {}
    for metric in requirements(described):
        bound = expectation(described, metric, Measured(samples)).bound or 900.0
        worse = SLOW.get((metric.check, str(metric.subject)), 1.15)
        level = bound / worse if metric.metric.better == "higher" else bound * worse
        is_count = metric.layer == "client"
        samples[metric] = [bound if is_count else level * rng.gauss(1, 0.008) for _ in range(7)]
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
