"""The inputs of several commands: a description, a campaign, a bundle."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.commands.terminal import complain, misuse
from assay.foreign import limits
from assay.foreign.text import shorten

if TYPE_CHECKING:
    from assay.campaign.results import Results
    from assay.checks.accepted import Accepted
    from assay.cluster.description import Cluster
    from assay.report.record import Record

ClusterFile = Annotated[
    Path,
    typer.Option("--cluster", help="The description of the cluster.", envvar="ASSAY_CLUSTER"),
]
DEFAULT_CLUSTER = Path("/etc/assay/cluster.json")
"""The path to which the play writes it on the controller."""


def load(path: Path) -> Cluster:
    """Load the described cluster; end the command if the description is invalid."""
    return load_with_digests(path)[0]


def load_with_digests(path: Path) -> tuple[Cluster, Mapping[str, str]]:
    """The described cluster, and the digest of each part of its description."""
    from assay.campaign.redescribed import digests
    from assay.preflight import examine as preflight

    try:
        document = preflight.read(path)
        return preflight.validated(path, document), digests(document)
    except preflight.ClusterError as error:
        # A guest has none there, and forgets the environment in a new shell.
        unread = path == DEFAULT_CLUSTER and not path.exists()
        hint = "; read the cluster's environment.sh first, or name another with --cluster"
        misuse(f"{error}{hint if unread else ''}")


def read_campaign(pattern: str, cluster: Cluster, outputs: Path | None = None) -> Results:
    """Read the results of a campaign; end the command if a run report is invalid."""
    from assay.campaign import results, run_report

    try:
        return results.read(pattern, cluster, outputs)
    except run_report.ReportError as error:
        misuse(str(error))


def campaign_of(reports: str) -> Path:
    """The campaign's directory; `campaign.sh` writes the reports to its `reports/`."""
    directory = Path(reports).parent
    return directory.parent if directory.name == "reports" else directory


def accepted_figures(bundle: Path, described: Cluster, before: datetime) -> Accepted:
    """Read the figures of an accepted campaign of the same hardware, from before this one."""
    from assay.bundle import compare as comparison

    record, sums = verified(bundle, earlier=True)
    try:
        return comparison.accepted(record, sums, described, before)
    except ValueError as error:
        misuse(f"--baseline {bundle}: {error}")


def verified(bundle: Path, *, earlier: bool = False) -> tuple[Record, bytes]:
    """The report and the checksums of a bundle; end the command if it does not verify.

    Args:
        bundle: its directory.
        earlier: whether it may be of another release, which alone can judge its figures again. They
            are taken as they are, with a warning.
    """
    from assay.bundle import verify as verification

    try:
        checked = verification.verify(bundle)
    except verification.NoBundleError as error:
        misuse(str(error))
    unjudged = checked.unjudged if earlier else ""
    problems = [each for each in checked.problems if each != unjudged]
    if checked.record is None or problems:
        # Without a report, the last problem is why.
        first = problems[0 if checked.record else -1]
        misuse(
            f"{bundle} does not verify, so it is not compared (`assay verify` lists"
            f" {len(problems):,}): {shorten(first, limits.SHOWN_REASON)}"
        )
    if unjudged:
        complain(f"warning: {bundle}: {unjudged}; its figures are taken as they are")
    return checked.record, checked.sums
