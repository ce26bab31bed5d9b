"""What `assay health` and `assay soak` need to measure, and how both end where they cannot."""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from assay.commands.describe import checks_directory
from assay.commands.inputs import accepted_figures
from assay.commands.terminal import NOT_DONE, complain, misuse
from assay.foreign.text import one_line

if TYPE_CHECKING:
    from assay.checks.accepted import Accepted
    from assay.cluster.description import Cluster
    from assay.health.choice import Chosen
    from assay.health.outcome import Health
    from assay.judge.waivers import Waiver
    from assay.soak.outcome import Soak


BaselineBundle = Annotated[
    Path | None,
    typer.Option(help="The bundle of an accepted campaign, whose figures must be reached."),
]

WaiversFile = Annotated[
    Path | None,
    typer.Option("--waivers", help="A file of waivers; they excuse what is below a limit."),
]


@dataclass(frozen=True)
class WatchOptions:
    """What the command was asked for."""

    directory: Path
    cluster: Path
    minutes: float
    """The time for all runs of a night or round."""
    baseline: Path | None
    waivers: Path | None
    checks: tuple[str, ...] = ()
    """Those that were named; empty if the command chooses."""


@dataclass(frozen=True)
class Prepared:
    """What a night or a round needs; all of it was read."""

    asked: WatchOptions
    cluster: Cluster
    accepted: Accepted | None
    waivers: Sequence[Waiver]
    notes: Sequence[str]
    """What is to be known of the accepted figures, in words."""
    chosen: Chosen

    def run(self, campaign: Path, checks: Sequence[str], limit_s: float) -> bool:
        """Measure some checks: see `assay.health.measure.run`."""
        from assay.health import measure

        script = checks_directory() / "campaign.sh"
        return measure.run(script, campaign, checks, self.asked.cluster.absolute(), limit_s)


def prepare(asked: WatchOptions) -> Prepared:
    """Read what is needed; ends the command where something cannot be used."""
    from assay.health.choice import ChoiceError, choose
    from assay.judge.waivers import WaiverError
    from assay.judge.waivers import load as load_waivers
    from assay.preflight import examine as preflight

    try:
        described = preflight.load(asked.cluster)
    except preflight.ClusterError as error:
        misuse(str(error))
    accepted, notes = None, list[str]()
    if asked.baseline is not None:
        accepted = accepted_figures(asked.baseline, described, datetime.now(UTC))
        notes = _other_scale(asked.baseline)
    try:
        chosen = choose(described, asked.minutes, asked.checks)
    except ChoiceError as error:
        misuse(str(error))
    if not chosen.checks:
        misuse(f"no check fits into {asked.minutes:g} min; `assay plan` lists them, and their time")
    try:
        agreed = load_waivers(asked.waivers) if asked.waivers else ()
    except WaiverError as error:
        _misfit(asked, error)
    return Prepared(asked, described, accepted, agreed, notes, chosen)


@contextlib.contextmanager
def endings(asked: WatchOptions, interrupted: str, unmeasured: str = "") -> Iterator[None]:
    """End the command with its status where measuring ends with an error or a signal.

    Args:
        asked: what the command was asked for.
        interrupted: what a signal means, in words.
        unmeasured: what to do where no campaign began, in words.
    """
    from assay.health import measure
    from assay.judge.waivers import WaiverError

    try:
        yield
    except WaiverError as error:
        _misfit(asked, error)
    except measure.MeasureError as error:
        complain("; ".join(filter(None, [str(error), unmeasured])))
        raise typer.Exit(measure.BUSY if error.status == measure.BUSY else NOT_DONE) from error
    except measure.Interruption as error:
        complain(f"{error}: {interrupted}")
        raise typer.Exit(128 + error.number) from error
    except KeyboardInterrupt as error:  # 1, with which it would end, is an alarm
        complain(f"SIGINT: {interrupted}")
        raise typer.Exit(128 + signal.SIGINT) from error


def show(outcome: Health | Soak, *, as_json: bool) -> None:
    """Print an outcome."""
    if as_json:
        shown = outcome.model_dump(mode="json")
        print(json.dumps({"state": outcome.state, "headline": outcome.headline, **shown}, indent=2))
    else:
        print("\n".join(map(one_line, outcome.lines())))


def _misfit(asked: WatchOptions, error: Exception) -> NoReturn:
    problems = getattr(error, "problems", [str(error)])
    misuse("\n".join(f"{asked.waivers}: {problem}" for problem in problems))


def _other_scale(baseline: Path) -> list[str]:
    """What is to be known of a baseline that was measured with other sizes."""
    from assay.health.choice import SCALE
    from assay.report import reader

    scale = reader.read(baseline / "report.json").scale
    if scale == SCALE:
        return []
    return [f"the baseline was measured at the scale {scale}, and a night is at {SCALE}"]
