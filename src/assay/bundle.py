"""The bundle that records a sign-off: every figure, every raw output, and a checksum of each."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from assay.report import html, junit, record, summary
from assay.results import Results
from assay.signoff import SignOff


class BundleError(RuntimeError):
    """A bundle that cannot be written, and what to do."""


def write(signed: SignOff, results: Results, directory: Path) -> None:
    """Write the bundle whole or not at all.

    Raises:
        BundleError: the directory is there already, or cannot be written.
    """
    if directory.exists():
        raise BundleError(f"{directory} is there already; name a directory that is not")
    try:
        directory.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=directory.parent, prefix=".assay.") as unfinished:
            bundle = Path(unfinished, "bundle")
            bundle.mkdir()
            results.copy_raw(bundle)
            for report in signed.reports:
                target = bundle / "reframe" / report.name
                target.parent.mkdir(exist_ok=True)
                shutil.copyfile(report, target)
            texts = {
                "cluster.json": signed.cluster.model_dump_json(by_alias=True, indent=2) + "\n",
                "report.json": record.render(signed),
                "report.html": html.render(signed),
                "junit.xml": junit.render(signed),
                "summary.txt": summary.render(signed),
            }
            for name, text in texts.items():
                (bundle / name).write_text(text, encoding="utf-8")
            (bundle / "SHA256SUMS").write_text(_checksums(bundle), encoding="utf-8")
            os.rename(bundle, directory)
    except OSError as error:
        raise BundleError(f"{directory} cannot be written: {error.strerror}") from error


def _checksums(bundle: Path) -> str:
    """Every file of the bundle, as `sha256sum --check` reads it."""
    return "".join(
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(bundle)}\n"
        for path in _files(bundle)
    )


def _files(bundle: Path) -> Iterable[Path]:
    return sorted(path for path in bundle.rglob("*") if path.is_file())
