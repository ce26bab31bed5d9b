"""`assay verify`: checks that a bundle is intact."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.commands.terminal import NO, misuse, warn
from assay.foreign import limits
from assay.foreign.text import one_line, shorten


def verify(
    directory: Annotated[Path, typer.Argument(help="The bundle.")],
    allowed_signers: Annotated[
        Path | None,
        typer.Option(help="The file that maps signers to SSH keys; requires a signature."),
    ] = None,
    require_signature: Annotated[
        bool, typer.Option("--require-signature", help="Fail where the bundle is not signed.")
    ] = False,
) -> None:
    """Check that a bundle is unchanged and follows from its raw outputs, and who signed it.

    Exit 0 if the bundle is valid, whatever its verdict is, 1 if it is not, 2 if there is none.
    """
    from assay.bundle import verify as verification

    if allowed_signers is not None and not allowed_signers.is_file():
        misuse(f"{allowed_signers} is not a file; pass a file of allowed signers")
    warn([directory, directory / "SHA256SUMS", directory / "report.json"])
    try:
        checked = verification.verify(
            directory, allowed_signers, require_signature=require_signature
        )
    except verification.NoBundleError as error:
        misuse(str(error))
    for sentence in checked.holds:
        print(f"ok    {one_line(sentence)}")
    for problem in checked.problems:
        print(f"BAD   {one_line(shorten(problem, limits.SHOWN_REASON))}")
    if checked.problems:
        count = len(checked.problems)
        print(one_line(f"{directory}: verification failed: {count:,} problem{'s' * (count != 1)}"))
        raise typer.Exit(NO)
    print(one_line(f"{directory} is intact: {checked.says}"))
