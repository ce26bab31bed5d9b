"""The bundle that records a sign-off: every figure, every raw output, and a checksum of each."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from assay.bundle import checksums, sbom, signature
from assay.campaign.results import Results
from assay.foreign.files import ForeignError
from assay.judge.signoff import SignOff
from assay.report import html, junit, record, summary


class BundleError(RuntimeError):
    """The bundle cannot be written; the message says what to do."""


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


def write(signed: SignOff, results: Results, directory: Path, key: Path | None = None) -> None:
    """Write the bundle completely or not at all, and sign it if a key is given.

    Raises:
        BundleError: the directory exists already or cannot be written, or signing failed.
    """
    if directory.exists():
        raise BundleError(f"{directory} already exists; choose another path")
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory.parent, prefix=".assay.") as unfinished:
            bundle = Path(unfinished, "bundle")
            bundle.mkdir()
            results.copy(bundle)
            for name, text in texts(signed).items():
                (bundle / name).parent.mkdir(parents=True, exist_ok=True)
                (bundle / name).write_text(text, encoding="utf-8")
            checksums.seal(bundle)
            if key:
                signature.sign(bundle / checksums.SUMS, key)
            os.rename(bundle, directory)
    except signature.SignatureError as error:
        raise BundleError(f"cannot sign with {key}: {error}") from error
    except ForeignError as error:
        raise BundleError(f"{directory} cannot be written: {error}") from error
    except OSError as error:
        raise BundleError(f"{directory} cannot be written: {error.strerror or error}") from error
