"""`assay progress` and `assay overhead`: the state of a campaign, and its run time."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.commands.inputs import DEFAULT_CLUSTER, ClusterFile, load, read_campaign
from assay.commands.terminal import misuse, print_lines, warn
from assay.foreign.files import ForeignError
from assay.foreign.text import one_line

if TYPE_CHECKING:
    from assay.campaign.progress import Progress

FOLLOWED_EVERY_S = 5
"""Interval between two checks of `assay progress --follow`."""

LEFT_EVERY_S = 60
"""Least time between two lines of `assay progress --follow` that say how much is left."""

NEXT_EVERY_S = 1
"""Interval between two checks of `assay progress --next`."""

NEXT_AT_MOST_S = 60
"""Time after which it lists what runs, even if that ran before: it may have started too late."""

DEFAULT_CAMPAIGNS = Path("/var/lib/assay/shared/campaigns")
"""Where the play keeps them, unless the inventory says otherwise."""

MORE = 3
"""Exit status of `assay progress --next` while the campaign goes on."""


def progress(
    directory: Annotated[
        Path | None,
        typer.Argument(
            help="The campaign's directory, or its name; without it, the newest of --campaigns."
        ),
    ] = None,
    campaigns: Annotated[
        Path, typer.Option(help="The directory of all campaigns.", envvar="ASSAY_CAMPAIGNS")
    ] = DEFAULT_CAMPAIGNS,
    follow: Annotated[
        bool, typer.Option("--follow", help="Follow the campaign until it ends.")
    ] = False,
    next_check: Annotated[
        bool,
        typer.Option(
            "--next",
            help="Wait for the next check, and list all that started; exit status 3 if it goes on.",
        ),
    ] = False,
    file: ClusterFile = DEFAULT_CLUSTER,
) -> None:
    """Show the state of a campaign: what runs where, since when, and the figures so far."""
    from assay.campaign import progress as campaign
    from assay.campaign import telling
    from assay.checks import hours
    from assay.checks.entry import SCALES
    from assay.checks.plan import requirements

    if follow and next_check:
        misuse("--follow and --next: choose one of them")
    described = load(file)
    plan = requirements(described)
    if directory is None:
        directory = _newest(campaigns)
        print(one_line(str(directory)))
    elif len(directory.parts) == 1 and not os.path.lexists(directory):
        directory = campaigns / directory  # also from where this user may not look around
    warn([directory])

    def read() -> campaign.Progress:
        try:
            return campaign.read(directory, plan, described.name)
        except FileNotFoundError:
            misuse(f"no campaign has begun in {directory}: campaign.sh writes {campaign.OUTPUT}")
        except OSError as error:
            misuse(f"{error.filename} cannot be read: {error.strerror}")
        except ForeignError as error:
            misuse(str(error))

    def is_measuring() -> bool:
        try:
            return campaign.is_measuring(directory)
        except OSError as error:
            misuse(f"{error.filename} cannot be read: {error.strerror}")
        except ForeignError as error:
            misuse(str(error))

    def left_s(seen: campaign.Progress) -> float:
        takes = hours.of_checks(described, seen.scale or SCALES[0])
        return telling.seconds_left(seen, takes, time.time())

    if next_check:
        raise typer.Exit(_wait_for_next(directory, read, is_measuring, left_s))
    printed: set[str] = set()
    said, said_at = "", time.monotonic()
    while True:
        seen = read()
        shown = telling.lines(seen, None if follow else time.time())
        new = [one_line(line) for line in shown if line not in printed]
        printed.update(shown)
        if new:
            print_lines("\n".join(new))
        # Between its rounds and its phases, a campaign has no ReFrame session.
        measuring = is_measuring()
        ended = seen.ended and not measuring
        if seen.failure and not measuring:
            misuse(f"ReFrame ended before its first check: {one_line(seen.failure)}")
        if seen.empty and not measuring:
            misuse(f"no campaign runs in {directory}, and ReFrame wrote nothing there")
        if seen.scale and seen.done < len(seen.checks):
            left = f"about {hours.spelled(left_s(seen))}"
            stopped = ended and described.daos is None
            sentence = f"nothing is running; the rest takes {left}" if stopped else f"{left} left"
            if new or (sentence != said and time.monotonic() >= said_at + LEFT_EVERY_S):
                print(sentence, flush=True)
                said, said_at = sentence, time.monotonic()
        # One that was killed, or never began, has no end in its output.
        over = not measuring if described.daos is None else ended and seen.done == len(seen.checks)
        if not follow or over:
            return
        time.sleep(FOLLOWED_EVERY_S)


def _newest(campaigns: Path) -> Path:
    """The campaign that was measured last; end the command with status 2 if there is none."""
    from assay.campaign.progress import OUTPUT

    def measured(directory: Path) -> float:
        output = directory / OUTPUT
        return (output if output.exists() else directory).lstat().st_mtime

    def is_campaign(directory: Path) -> bool:
        # A link, which another user may have put there, is none; nor is where ReFrame ran by hand.
        by_hand = (directory / "stage").exists() and not (directory / OUTPUT).exists()
        return directory.is_dir() and not directory.is_symlink() and not by_hand

    try:
        newest = max(filter(is_campaign, campaigns.iterdir()), key=measured, default=None)
    except OSError as error:
        misuse(f"{campaigns} cannot be read: {error.strerror}; name the campaign's directory")
    if newest is None:
        misuse(f"{campaigns} has no campaign; name the campaign's directory")
    return newest


def _wait_for_next(
    directory: Path,
    read: Callable[[], Progress],
    is_measuring: Callable[[], bool],
    left_s: Callable[[Progress], float],
) -> int:
    """Print the checks that started once another is running, none any more, or a minute is over.

    Returns:
        The exit status.
    """
    from assay.campaign import progress as campaign
    from assay.campaign import telling

    first: list[tuple[str, str]] | None = None
    end = time.monotonic() + NEXT_AT_MOST_S
    while True:
        # In this order, or what happened in between would not be read any more.
        goes_on = is_measuring()
        # Where nothing is measured at the first look, and nothing was, nothing will come.
        nothing = first is None and not goes_on
        written = (directory / campaign.OUTPUT).exists()
        seen = read() if written or nothing else campaign.Progress((), ended=False)
        running = [(check.name, check.partition) for check in seen.running if check.since]
        first = running if first is None else first
        if not goes_on or (running and (running != first or time.monotonic() > end)):
            print_lines("\n".join(map(one_line, telling.started(seen, left_s(seen), time.time()))))
            return MORE if goes_on else 0
        time.sleep(NEXT_EVERY_S)


def overhead(
    reports: Annotated[str, typer.Option(help="The ReFrame run reports, as a glob pattern.")],
    file: ClusterFile = DEFAULT_CLUSTER,
) -> None:
    """Compare the wall time of the ReFrame runs with the benchmarks' own run time."""
    results = read_campaign(reports, load(file))
    own = sum(case.benchmark_seconds for case in results.cases.values())
    if own == 0:
        misuse(f"no benchmark ran in the sessions of {reports}")
    print(f"reframe -r        {results.seconds:8.1f} s")
    print(f"benchmarks' own   {own:8.1f} s")
    print(f"ratio             {results.seconds / own:8.2f}")
