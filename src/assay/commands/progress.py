"""`assay progress` and `assay overhead`: the state of a campaign, and its run time."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assay.commands.inputs import DEFAULT_CLUSTER, ClusterFile, load, read_campaign
from assay.commands.terminal import misuse, warn
from assay.foreign.files import ForeignError
from assay.foreign.text import one_line

FOLLOWED_EVERY_S = 5
"""Interval between two checks of `assay progress --follow`."""


def progress(
    directory: Annotated[Path, typer.Argument(help="The campaign's directory.")],
    follow: Annotated[
        bool, typer.Option("--follow", help="Follow the campaign until it ends.")
    ] = False,
    file: ClusterFile = DEFAULT_CLUSTER,
) -> None:
    """Show the state of a campaign: what runs where, since when, and the figures so far."""
    import time

    from assay.campaign import progress as campaign
    from assay.checks import hours
    from assay.checks.plan import requirements

    described = load(file)
    plan = requirements(described)
    warn([directory])
    printed: set[str] = set()
    while True:
        try:
            seen = campaign.read(directory, plan, described.name)
        except OSError as error:
            misuse(f"{error.filename} cannot be read: {error.strerror}")
        except ForeignError as error:
            misuse(str(error))
        shown = campaign.lines(seen, None if follow else time.time())
        new = [one_line(text) for text in shown if text not in printed]
        printed.update(shown)
        if new:
            print("\n".join(new), flush=True)
            if seen.scale and seen.done < len(seen.checks):
                takes = hours.of_checks(described, seen.scale)
                left = campaign.seconds_left(seen, takes, time.time())
                print(f"about {hours.spelled(left)} left", flush=True)
        # Between its phases, a campaign of DAOS has no ReFrame session.
        if not follow or (seen.ended and (described.daos is None or seen.done == len(seen.checks))):
            return
        time.sleep(FOLLOWED_EVERY_S)


def overhead(
    reports: Annotated[str, typer.Option(help="The ReFrame run reports, as a glob pattern.")],
    file: ClusterFile = DEFAULT_CLUSTER,
) -> None:
    """Compare the wall time of the ReFrame runs with the benchmarks' own run time."""
    results = read_campaign(reports, load(file))
    own = sum(case.benchmark_seconds for case in results.cases.values())
    print(f"reframe -r        {results.seconds:8.1f} s")
    print(f"benchmarks' own   {own:8.1f} s")
    if own > 0:
        print(f"ratio             {results.seconds / own:8.2f}")
