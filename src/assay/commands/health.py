"""`assay health`: a short campaign every night, held against limits and against its own history."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.commands.inputs import DEFAULT_CLUSTER, ClusterFile
from assay.commands.terminal import complain, finite, misuse, refuse_no_directory, warn
from assay.commands.watching import (
    BaselineBundle,
    WaiversFile,
    WatchOptions,
    endings,
    prepare,
    show,
)
from assay.subject import folded

if TYPE_CHECKING:
    from assay.health import nights
    from assay.health.outcome import Health


CLOCKS_APART = timedelta(minutes=10)
"""Tolerance between the clocks of the hosts that measure and show (this project's own choice)."""


def health(
    directory: Annotated[Path, typer.Argument(help="Where the nights are kept; one a cluster.")],
    minutes: Annotated[
        float,
        typer.Option(help="The time for all runs of the night.", min=3, max=600, callback=finite),
    ] = 15,
    baseline: BaselineBundle = None,
    waivers_file: WaiversFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    textfile: Annotated[
        Path | None,
        typer.Option(help="A file NAME.prom to write for node_exporter's textfile collector."),
    ] = None,
    last: Annotated[
        bool, typer.Option("--last", help="Measure nothing; show the last night again.")
    ] = False,
    host: Annotated[
        str | None, typer.Option(help="With --last: only what names this host.")
    ] = None,
    max_age_h: Annotated[
        float,
        typer.Option(
            help="With --last: the age at which a night is too old, in hours.",
            min=0,
            max=8_784,
            callback=finite,
        ),
    ] = 36,
    file: ClusterFile = DEFAULT_CLUSTER,
) -> None:
    """Measure for some minutes, judge, measure what is suspected once more, and remember.

    Exit 0 if all is well, 1 at an alarm, 2 if the command cannot be used, 3 if something was not
    measured, 75 if another campaign is running.
    """
    warn([directory])
    refuse_no_directory(directory)
    of_a_night = {"baseline": baseline, "waivers": waivers_file, "textfile": textfile}
    if last and (idle := [f"--{name}" for name, given in of_a_night.items() if given]):
        misuse(f"{', '.join(idle)}: only for a night; --last measures and writes nothing")
    if last:
        outcome = _last(directory.absolute(), host, max_age_h)
        show(outcome, as_json=as_json)
    elif host is not None:
        misuse("--host needs --last: a night measures all hosts")
    else:
        asked = WatchOptions(directory.absolute(), file, minutes, baseline, waivers_file)
        outcome = _night(asked, textfile, as_json=as_json)
    raise typer.Exit(outcome.status)


def _night(asked: WatchOptions, textfile: Path | None, *, as_json: bool) -> Health:
    """Measure, show the outcome, and write it for Prometheus."""
    from assay.health import nights
    from assay.health import textfile as prometheus

    if textfile is not None and (why := prometheus.refusal(textfile.absolute())):
        misuse(f"--textfile {textfile}: {why}")
    try:
        outcome, night = _measure(nights.Nights(asked.directory), asked)
        show(outcome, as_json=as_json)
        if textfile is not None:
            prometheus.write(textfile, outcome, night)
    except nights.HistoryError as error:
        misuse(str(error))
    return outcome


def _measure(kept: nights.Nights, asked: WatchOptions) -> tuple[Health, nights.Night | None]:
    """A night; ends the command where there is none."""
    from assay.health.night import Watched
    from assay.health.watch import Watch

    if (asked.directory / "rounds").exists():
        misuse(f"{asked.directory} has rounds of `assay soak`; name another directory")
    ready = prepare(asked)
    kept.refuse_other_hardware(ready.cluster)
    watched = Watched(ready.cluster, ready.accepted, ready.waivers, kept.read(), ready.notes)
    with endings(asked, "the campaign was ended, and the night does not count"):
        return Watch(kept, watched, ready.chosen, asked.minutes, ready.run).night()


def _last(directory: Path, host: str | None, max_age_h: float) -> Health:
    """The outcome of the last night; ends the command where there is none that counts."""
    from assay.health import nights
    from assay.health.outcome import STATUS, Health, State

    kept = nights.Nights(directory)
    if not kept.last.exists():
        complain(f"UNKNOWN: there was no night in {kept.directory}")
        raise typer.Exit(STATUS[State.UNKNOWN])
    try:
        outcome = nights.load(kept.last, Health)
    except nights.HistoryError as error:
        misuse(str(error))
    age = datetime.now(UTC) - outcome.measured_to
    if age < -CLOCKS_APART:
        ended = f"{outcome.measured_to:%Y-%m-%d %H:%M} UTC"
        complain(f"UNKNOWN: the last night ended at {ended}, in the future; is the clock right?")
        raise typer.Exit(STATUS[State.UNKNOWN])
    if age > timedelta(hours=max_age_h):
        hours = age.total_seconds() / 3600
        complain(f"UNKNOWN: the last night ended {hours:.0f} h ago, and {max_age_h:g} is the limit")
        raise typer.Exit(STATUS[State.UNKNOWN])
    if host is None:
        return outcome
    try:
        measured = kept.hosts()
    except nights.HistoryError as error:
        misuse(str(error))
    if host not in measured:
        complain(f"UNKNOWN: no night measures {host}; it measures {folded(measured)}")
        raise typer.Exit(STATUS[State.UNKNOWN])
    return outcome.of_host(host)
