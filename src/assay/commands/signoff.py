"""`assay signoff`: judges a campaign and writes its bundle."""

from __future__ import annotations

import glob
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from assay.campaign.support_logs import SupportLog
from assay.commands.inputs import (
    DEFAULT_CLUSTER,
    ClusterFile,
    accepted_figures,
    campaign_of,
    load_with_digests,
    read_campaign,
)
from assay.commands.terminal import NO, misuse, warn
from assay.foreign import limits
from assay.foreign.files import ForeignError
from assay.foreign.text import printable, shorten

if TYPE_CHECKING:
    from assay.campaign.begun import RecordOfBegun

MOST = 20
"""Maximum number of contradictions that are printed."""


def sign_off(
    reports: Annotated[str, typer.Option(help="The ReFrame run reports, as a glob pattern.")],
    out: Annotated[Path, typer.Option(help="The bundle's directory, which must not exist.")],
    file: ClusterFile = DEFAULT_CLUSTER,
    outputs: Annotated[
        Path | None,
        typer.Option(help="ReFrame's output directory; by default that of the reports' campaign."),
    ] = None,
    gate: Annotated[
        Literal["measured", "acceptance"], typer.Option(help="What the campaign must pass.")
    ] = "acceptance",
    waivers_file: Annotated[
        Path | None,
        typer.Option(
            "--waivers", help="A file of waivers: which metrics are accepted, by whom and why."
        ),
    ] = None,
    approver: Annotated[
        str | None, typer.Option(help="Who approves the sign-off, as named in the allowed signers.")
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            help="The bundle of an accepted campaign, whose figures must be reached again."
        ),
    ] = None,
    support_logs: Annotated[
        Path | None,
        typer.Option(
            help="A directory of `dmg support collect-log`, whose logs go into the bundle, bounded"
            " and without keys."
        ),
    ] = None,
    sign_key: Annotated[
        Path | None, typer.Option(help="The approver's SSH key, which signs the bundle.")
    ] = None,
) -> None:
    """Judge a campaign against the plan and write the bundle.

    Exit 0 if the campaign passes the gate, 1 if it does not, 2 if it cannot be judged.
    """
    from assay.bundle import signature
    from assay.bundle import write as bundle
    from assay.judge import signoff, waivers
    from assay.report import summary

    if approver is not None and not (approver.strip() and approver.isprintable()):
        misuse(f"--approver {approver!r} is not a name of printable characters")
    if sign_key is not None and approver is None:
        misuse("--sign-key needs --approver: name the signer")
    if sign_key is not None:
        try:
            signature.refuse_no_key(sign_key)
        except signature.SignatureError as error:
            misuse(f"--sign-key {error}")
    if out.exists():
        misuse(f"{out} already exists; choose another path")
    if outputs is not None and not outputs.is_dir():
        misuse(f"--outputs {outputs} is not a directory; name the campaign's")
    campaign = outputs or campaign_of(reports)
    warn(
        [file, campaign, *map(Path, glob.glob(reports)), *([waivers_file] if waivers_file else [])]
    )
    described, digests = load_with_digests(file)
    results = read_campaign(reports, described, campaign)
    results = replace(results, begun=_begun(campaign))
    if support_logs:
        results = replace(results, support_logs=_collected(support_logs))
    accepted = accepted_figures(baseline, described, results.started) if baseline else None
    try:
        agreed = waivers.load(waivers_file) if waivers_file else ()
        signed = bundle.write(
            results,
            described,
            lambda copied: signoff.sign_off(
                described,
                copied,
                signoff.Gate(gate),
                agreed,
                approver,
                baseline=accepted,
                described=digests,
            ),
            out,
            sign_key,
        )
    except waivers.WaiverError as error:
        misuse("\n".join(f"{waivers_file}: {problem}" for problem in error.problems))
    except bundle.ContradictionError as error:
        more = f" (the first {MOST} are above)" if len(error.problems) > MOST else ""
        misuse(
            "\n".join(
                [
                    *(shorten(problem, limits.SHOWN_REASON) for problem in error.problems[:MOST]),
                    f"no bundle was written: the raw outputs in {campaign} contradict the run"
                    f" reports {len(error.problems):,} times{more}; measure again in a new"
                    " campaign",
                ]
            )
        )
    except bundle.BundleError as error:
        misuse(str(error))
    print(printable(summary.render(signed)), end="")
    print(f"\nreport: {out / 'report.html'}")
    if not signed.passed:
        raise typer.Exit(NO)


def _begun(campaign: Path) -> tuple[RecordOfBegun, ...]:
    """The record of the campaigns beside this one; end the command if it was changed."""
    from assay.campaign.begun import kept

    try:
        return kept(campaign.absolute())
    except OSError as error:
        misuse(f"{error.filename or campaign}: {error.strerror}")
    except ForeignError as error:
        misuse(str(error))


def _collected(directory: Path) -> tuple[SupportLog, ...]:
    """The logs below a directory; end the command if there are none."""
    from assay.campaign.support_logs import read

    try:
        logs = read(directory)
    except OSError as error:
        misuse(f"--support-logs {error.filename or directory}: {error.strerror}")
    except ForeignError as error:
        misuse(f"--support-logs {error}")
    if not logs:
        misuse(f"--support-logs {directory} has no files; dmg support collect-log prints its path")
    return logs
