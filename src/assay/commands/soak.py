"""`assay soak`: rounds of checks for hours, judged as one."""

from __future__ import annotations

from collections.abc import Callable
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
from assay.foreign.text import one_line

if TYPE_CHECKING:
    from assay.soak.outcome import Soak


def soak(
    directory: Annotated[Path, typer.Argument(help="Where its rounds are kept; one a soak.")],
    hours: Annotated[
        float | None,
        typer.Option(
            help="How long all rounds take together, without pauses: 24, or 72.",
            min=0.05,
            max=720,
            callback=finite,
        ),
    ] = None,
    minutes: Annotated[
        float, typer.Option(help="The time for a round.", min=3, max=600, callback=finite)
    ] = 15,
    checks: Annotated[
        str | None,
        typer.Option(help="Checks of a round, A,B; by default those that show the most."),
    ] = None,
    variation: Annotated[
        float,
        typer.Option(
            help="The largest coefficient of variation from round to round, in percent.",
            min=0.1,
            max=100,
            callback=finite,
        ),
    ] = 5,
    baseline: BaselineBundle = None,
    waivers_file: WaiversFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
    last: Annotated[
        bool, typer.Option("--last", help="Measure nothing; show the outcome so far.")
    ] = False,
    file: ClusterFile = DEFAULT_CLUSTER,
) -> None:
    """Measure round after round for hours, and judge drift, variation and errors.

    A soak that was interrupted goes on where the same command is given again. Exit 0 if all is
    well, 1 at an alarm, 2 if the command cannot be used, 3 if something was not measured, 75 if
    another campaign is running.
    """
    warn([directory])
    refuse_no_directory(directory)
    where = directory.absolute()
    of_a_run = {"hours": hours, "checks": checks, "baseline": baseline, "waivers": waivers_file}
    if last and (idle := [f"--{name}" for name, given in of_a_run.items() if given is not None]):
        misuse(f"{', '.join(idle)}: only for a soak that measures; --last measures nothing")
    if checks is not None and not _named(checks):
        misuse("--checks names no check; write them as A,B")
    if last:
        outcome = _last(where)
    elif hours is None:
        misuse("--hours: how long should it be? Acceptances ask for 24 or 72 hours")
    else:
        asked = WatchOptions(where, file, minutes, baseline, waivers_file, _named(checks))
        say = complain if as_json else _say
        outcome = _soak(asked, hours, variation / 100, say)
    show(outcome, as_json=as_json)
    raise typer.Exit(outcome.status)


def _named(checks: str | None) -> tuple[str, ...]:
    """The names of the checks, each once."""
    return tuple(dict.fromkeys(filter(None, (checks or "").split(","))))


def _say(line: str) -> None:
    print(one_line(line), flush=True)


def _last(directory: Path) -> Soak:
    """The outcome so far; ends the command where there is none."""
    from assay.health import nights
    from assay.health.outcome import STATUS, State
    from assay.soak.outcome import Soak
    from assay.soak.rounds import Rounds

    kept = Rounds(directory)
    if not kept.outcome.exists():
        complain(f"UNKNOWN: there was no round in {directory}")
        raise typer.Exit(STATUS[State.UNKNOWN])
    try:
        return nights.load(kept.outcome, Soak)
    except nights.HistoryError as error:
        misuse(str(error))


def _soak(asked: WatchOptions, hours: float, limit: float, say: Callable[[str], None]) -> Soak:
    """Measure and judge; ends the command where it cannot."""
    from assay.health import nights
    from assay.soak.rounds import Rounds
    from assay.soak.soaking import Soaking
    from assay.survey import host_counters

    ready = prepare(asked)
    kept = Rounds(asked.directory)
    soaking = Soaking(
        kept,
        ready.cluster,
        ready.accepted,
        ready.waivers,
        ready.notes,
        ready.chosen,
        asked.minutes,
        hours,
        limit,
        measure=ready.run,
        counters=host_counters.ask,
        say=say,
    )
    interrupted = "the round was ended and does not count; the same command goes on"
    try:
        kept.nights.refuse_other_hardware(ready.cluster)
        with endings(asked, interrupted, "the same command goes on"):
            return soaking.run()
    except nights.HistoryError as error:
        misuse(str(error))
