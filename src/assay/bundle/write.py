"""The bundle that records a sign-off: every figure, every raw output, and a checksum of each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from assay.bundle import checksums, derive, sbom, signature
from assay.campaign.results import Results
from assay.campaign.run_report import ReportError
from assay.cluster.description import Cluster
from assay.foreign import private
from assay.foreign.files import ForeignError
from assay.judge.signoff import SignOff
from assay.report import html, junit, record, summary


class BundleError(RuntimeError):
    """The bundle cannot be written; the message says what to do."""


class ContradictionError(RuntimeError):
    """The raw outputs of a campaign contradict its run reports, so nothing is judged."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(problems[0])
        self.problems = problems


def texts(signed: SignOff) -> dict[str, str]:
    """The files of a bundle that follow from a sign-off byte for byte, by name."""
    cluster, made_at = signed.cluster, signed.made_at
    materials = {"sbom.spdx.json": sbom.render(cluster.name, cluster.built, made_at)}
    return (materials if cluster.built else {}) | {
        "cluster.json": cluster.model_dump_json(by_alias=True, indent=2) + "\n",
        "report.json": record.render(signed),
        "report.html": html.render(signed),
        "junit.xml": junit.render(signed),
        "summary.txt": summary.render(signed),
        **{path: text for each in signed.evidence or () for path, text in each.excerpts.items()},
    }


def write(
    measured: Results,
    cluster: Cluster,
    judge: Callable[[Results], SignOff],
    directory: Path,
    key: Path | None = None,
) -> SignOff:
    """Judge a copy of what was measured, and write the bundle completely or not at all.

    The copy is private until it is the bundle. Only the copy is judged and signed, and only if its
    run reports say what its raw outputs do.

    Args:
        measured: what was measured.
        cluster: the cluster.
        judge: judges the copy.
        directory: the bundle, which must not exist.
        key: the approver's SSH key, which signs the bundle.

    Raises:
        BundleError: the directory exists already or cannot be written, signing failed, or the
            clock of this host is behind.
        ContradictionError: the raw outputs contradict the run reports.
    """
    if directory.exists():
        raise BundleError(f"{directory} already exists; choose another path")
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with private.directory(directory.parent) as unfinished:
            bundle = unfinished / "bundle"
            bundle.mkdir()
            measured.copy(bundle)
            copied = derive.measured(bundle, cluster, with_outputs=measured.with_outputs)
            if contradictions := list(derive.contradictions(copied, cluster, bundle)):
                raise ContradictionError(contradictions)
            signed = judge(copied)
            for problem in derive.too_early(signed.made_at, copied):
                raise BundleError(
                    f"{directory} would not verify: {problem}; is the clock of this host right?"
                )
            for name, text in texts(signed).items():
                (bundle / name).parent.mkdir(parents=True, exist_ok=True)
                (bundle / name).write_text(text, encoding="utf-8")
            checksums.seal(bundle)
            if key:
                signature.sign(bundle / checksums.SUMS, key)
            os.rename(bundle, directory)
            return signed
    except signature.SignatureError as error:
        raise BundleError(f"cannot sign with {key}: {error}") from error
    except (ForeignError, ReportError) as error:
        raise BundleError(f"{directory} cannot be written: {error}") from error
    except OSError as error:
        raise BundleError(f"{directory} cannot be written: {error.strerror or error}") from error
