"""The command `assay`.

A command imports what it needs when it runs: to judge takes numpy and scipy, to draw takes longer,
and to print the version or the samples of a tool takes neither.
"""

from __future__ import annotations

import glob
import itertools
import json
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import typer
from typer.core import TyperGroup

from assay import __version__
from assay.foreign import files, limits, owners
from assay.foreign.files import ForeignError
from assay.foreign.text import one_line, printable, quoted, shorten
from assay.tools import PARSERS

if TYPE_CHECKING:
    from rich.table import Table

    from assay.campaign.results import Results
    from assay.checks.accepted import Accepted
    from assay.cluster.description import Cluster
    from assay.problems import Problem


class _Commands(TyperGroup):
    """The commands; an unknown one is refused with a list of all."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command."""
        if args and self.get_command(ctx, args[0]) is None:
            names = ", ".join(self.list_commands(ctx))
            ctx.fail(f"unknown command {one_line(args[0])}; choose from: {names}")
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Commands,
    help="Validate and accept the performance of a DAOS cluster.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

ClusterFile = Annotated[
    Path,
    typer.Option("--cluster", help="The description of the cluster.", envvar="ASSAY_CLUSTER"),
]
DEFAULT_CLUSTER = Path("/etc/assay/cluster.json")

FOLLOWED_EVERY_S = 5
"""How often `assay progress --follow` looks."""


@app.callback(invoke_without_command=True)
def _version(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        print(__version__)
        raise typer.Exit


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A cluster.json, or - for standard input.")],
    inventory: Annotated[
        bool,
        typer.Option("--inventory", help="Name the inventory's variables, not the file's keys."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Validate the description of a cluster and print everything that is wrong with it."""
    from assay.preflight import examine as preflight
    from assay.preflight import table
    from assay.problems import variable

    try:
        described, problems = preflight.examine(preflight.read(file))
    except preflight.ClusterError as error:
        described, problems = None, list(error.problems)
    if as_json:
        print(json.dumps(table.as_json(problems, variable), indent=2))
        raise typer.Exit(described is None)
    _print_problems(problems, variable if inventory else str)
    name = "standard input" if file == preflight.STDIN else one_line(str(file))
    if described is None:
        errors = sum(problem.severity == "error" for problem in problems)
        print(f"{name}: {errors} error{'s' * (errors != 1)}", file=sys.stderr)
        raise typer.Exit(1)
    count = len(described.hosts)
    print(f"{name}: {described.name} is valid: {count} host{'s' * (count != 1)}")


@app.command()
def plan(
    file: ClusterFile = DEFAULT_CLUSTER,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List every metric required of the cluster, before anything runs."""
    from rich.markup import escape
    from rich.table import Table

    from assay.checks.hours import sentences
    from assay.checks.plan import requirements
    from assay.checks.unmeasured import left_out

    described = _load(file)
    metrics = requirements(described)
    if as_json:
        rows = [
            {
                "layer": metric.layer,
                "check": metric.check,
                "partition": metric.partition,
                "metric": metric.name,
                "unit": metric.unit,
                "subject": str(metric.subject),
            }
            for metric in metrics
        ]
        print(json.dumps(rows, indent=2))
        return
    table = Table("layer", "check", "partition", "metric", "unit", "subject", box=None)
    for metric in metrics:
        name, unit = metric.name, metric.unit
        cells = (metric.layer, metric.check, metric.partition, name, unit, str(metric.subject))
        table.add_row(*(escape(one_line(cell)) for cell in cells))
    _print(table)
    print(f"{len(metrics)} metrics required")
    for sentence in (*left_out(described), *sentences(described)):
        print(sentence)


@app.command()
def expect(
    file: ClusterFile = DEFAULT_CLUSTER,
    reports: Annotated[
        str | None,
        typer.Option(help="Run reports with the figures of lower layers, as a glob pattern."),
    ] = None,
    system: Annotated[
        bool, typer.Option("--system", help="Sum up the whole system by layer, before it is built.")
    ] = False,
) -> None:
    """Print bound, floor and ceiling of every metric, and their sources.

    With --system: what all parts of each layer give together, and what limits them.
    """
    from rich.markup import escape
    from rich.table import Table

    from assay.checks.expect import Measured, expectation
    from assay.checks.plan import requirements
    from assay.units import show

    described = _load(file)
    if system:
        _print_system(described)
        return
    measured = Measured({})
    campaign = _read(reports, described) if reports is not None else None
    if campaign is not None:
        valid = {
            m: campaign.samples(m) for m in requirements(described) if not campaign.problems(m)
        }
        measured = Measured(valid, campaign.scale)
    table = Table("metric", "unit", "floor", "bound", "ceiling", "derivation", box=None)
    for metric in requirements(described):
        e = expectation(described, campaign.as_run(metric) if campaign else metric, measured)
        shown = ("-" if x is None else show(x) for x in (e.floor, e.bound, e.ceiling))
        cells = (metric.key, e.unit, *shown, e.derivation)
        table.add_row(*(escape(one_line(cell)) for cell in cells))
    _print(table)


@app.command()
def parse(
    tool: Annotated[str, typer.Argument(help=f"One of {', '.join(sorted(PARSERS))}.")],
    file: Annotated[Path, typer.Argument(help="The saved output of the tool.")],
) -> None:
    """Print the samples in a tool's saved output as JSON.

    Exit 1 if the output shows a failed or partial measurement.
    """
    if tool not in PARSERS:
        _misuse(f"unknown tool {tool}; choose from: {', '.join(sorted(PARSERS))}")
    _warn([file])
    try:
        output = files.read(file, limits.OUTPUT_BYTES).decode("utf-8", "replace")
    except OSError as error:
        _misuse(f"{file} cannot be read: {error.strerror}")
    except ForeignError as error:
        _misuse(str(error))
    parsed = PARSERS[tool](output)
    print(json.dumps(parsed.as_dict(), indent=2))
    if parsed.problems:
        raise typer.Exit(1)


@app.command("signoff")
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
        Path | None, typer.Option("--waivers", help="Which metrics are accepted, by whom, and why.")
    ] = None,
    approver: Annotated[
        str | None, typer.Option(help="Who approves the sign-off, as named in the allowed signers.")
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(help="The bundle of an accepted campaign, whose figures are required again."),
    ] = None,
    sign_key: Annotated[
        Path | None, typer.Option(help="The approver's SSH key, which signs the bundle.")
    ] = None,
) -> None:
    """Judge a campaign against the plan and write the bundle.

    Exit 0 only if the campaign passes the gate, otherwise 1.
    """
    from assay.bundle import write as bundle
    from assay.judge import signoff, waivers
    from assay.report import summary

    if approver is not None and not (approver.strip() and approver.isprintable()):
        _misuse(f"--approver {approver!r} is not a name of printable characters")
    if sign_key is not None and approver is None:
        _misuse("--sign-key needs --approver: name the signer")
    if out.exists():
        _misuse(f"{out} already exists; choose another path")
    campaign = outputs or _campaign_of(reports)
    _warn(
        [file, campaign, *map(Path, glob.glob(reports)), *([waivers_file] if waivers_file else [])]
    )
    described = _load(file)
    results = _read(reports, described, campaign)
    accepted = _accepted(baseline, described) if baseline is not None else None
    try:
        agreed = waivers.load(waivers_file) if waivers_file else ()
        signed = signoff.sign_off(
            described, results, signoff.Gate(gate), agreed, approver, baseline=accepted
        )
        bundle.write(signed, results, out, sign_key)
    except waivers.WaiverError as error:
        for problem in error.problems:
            _complain(f"{waivers_file}: {problem}")
        raise typer.Exit(1) from error
    except bundle.BundleError as error:
        _misuse(str(error))
    print(printable(summary.render(signed)), end="")
    print(f"\nreport: {out / 'report.html'}")
    if not signed.passed:
        raise typer.Exit(1)


@app.command()
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
    """Check that a bundle is unchanged, follows from its raw outputs, and who signed it.

    Exit 0 if all of this holds, whatever the verdict is, otherwise 1.
    """
    from assay.bundle import verify as verification

    if allowed_signers is not None and not allowed_signers.is_file():
        _misuse(f"{allowed_signers} is not a file; pass a file of allowed signers")
    _warn([directory, directory / "SHA256SUMS", directory / "report.json"])
    try:
        checked = verification.verify(
            directory, allowed_signers, require_signature=require_signature
        )
    except verification.NoBundleError as error:
        _misuse(str(error))
    for sentence in checked.holds:
        print(f"ok    {one_line(sentence)}")
    for problem in checked.problems:
        print(f"BAD   {one_line(shorten(problem, limits.SHOWN_REASON))}")
    if checked.problems:
        count = len(checked.problems)
        print(one_line(f"{directory}: verification failed: {count} problem{'s' * (count != 1)}"))
        raise typer.Exit(1)
    print(one_line(f"{directory} is intact. It says: {checked.says}"))


@app.command()
def compare(
    old: Annotated[Path, typer.Argument(help="The bundle of the accepted campaign.")],
    new: Annotated[Path, typer.Argument(help="The bundle of the campaign in question.")],
    more_old: Annotated[
        list[Path] | None, typer.Option("--old", help="A further session of the accepted one.")
    ] = None,
    more_new: Annotated[
        list[Path] | None, typer.Option("--new", help="A further session of that in question.")
    ] = None,
    other_hardware: Annotated[
        bool, typer.Option("--other-hardware", help="Compare clusters that differ in hardware.")
    ] = False,
    unaccepted: Annotated[
        bool, typer.Option("--unaccepted", help="Take a baseline that was not accepted.")
    ] = False,
) -> None:
    """Compare campaigns metric by metric, regressions first.

    Exit 1 if anything is worse with statistical confidence or no longer measured; 2 if they cannot
    be compared.
    """
    from assay.bundle import compare as comparison
    from assay.bundle import difference
    from assay.judge.signoff import Gate
    from assay.report import reader

    sides = [old, *(more_old or [])], [new, *(more_new or [])]
    _warn([bundle / "report.json" for side in sides for bundle in side])
    try:
        before, after = ([reader.read(bundle / "report.json") for bundle in side] for side in sides)
        for bundle in itertools.chain(*sides):
            _verified(bundle)
        compared = comparison.compare(before, after)
    except ValueError as error:
        _misuse(str(error))
    for bundle, record in zip(sides[0], before, strict=True):
        if not (record.passed and record.gate is Gate.ACCEPTANCE) and not unaccepted:
            _misuse(
                f"{bundle} was not accepted (pass --unaccepted to compare with it anyway):"
                f" {record.headline}"
            )
    differ = comparison.hardware_differences(before[0].cluster, after[0].cluster)
    if differ and not other_hardware:
        listed = "\n  ".join(map(one_line, differ[:20]))
        _misuse(
            f"{old} and {new} differ in hardware in {len(differ)} places (pass --other-hardware to"
            f" compare them anyway):\n  {listed}"
        )
    print(difference.render(before, after, compared), end="")
    if compared.is_regression:
        raise typer.Exit(1)


@app.command()
def progress(
    directory: Annotated[Path, typer.Argument(help="The campaign's directory.")],
    follow: Annotated[
        bool, typer.Option("--follow", help="Print what happens until the campaign has ended.")
    ] = False,
    file: ClusterFile = DEFAULT_CLUSTER,
) -> None:
    """Show how far a campaign is: what runs where, since when, and the figures so far."""
    import time

    from assay.campaign import progress as campaign
    from assay.checks import hours
    from assay.checks.plan import requirements

    described = _load(file)
    plan = requirements(described)
    _warn([directory])
    printed: set[str] = set()
    while True:
        try:
            seen = campaign.read(directory, plan, described.name)
        except OSError as error:
            _misuse(f"{error.filename} cannot be read: {error.strerror}")
        except ForeignError as error:
            _misuse(str(error))
        shown = campaign.lines(seen, None if follow else time.time())
        new = [one_line(text) for text in shown if text not in printed]
        printed.update(shown)
        if new:
            print("\n".join(new), flush=True)
            if seen.scale and seen.done < len(seen.checks):
                takes = hours.of_checks(described, seen.scale)
                left = campaign.seconds_left(seen, takes, time.time())
                print(f"about {hours.spelled(left)} left", flush=True)
        # Between its phases a campaign of DAOS has no session.
        if not follow or (seen.ended and (described.daos is None or seen.done == len(seen.checks))):
            return
        time.sleep(FOLLOWED_EVERY_S)


@app.command()
def overhead(
    reports: Annotated[str, typer.Option(help="The ReFrame run reports, as a glob pattern.")],
    file: ClusterFile = DEFAULT_CLUSTER,
) -> None:
    """Compare the wall time of the ReFrame runs with the benchmarks' own run time."""
    results = _read(reports, _load(file))
    own = sum(case.benchmark_seconds for case in results.cases.values())
    print(f"reframe -r        {results.seconds:8.1f} s")
    print(f"benchmarks' own   {own:8.1f} s")
    if own > 0:
        print(f"ratio             {results.seconds / own:8.2f}")


def _print_system(cluster: Cluster) -> None:
    from rich.markup import escape
    from rich.table import Table

    from assay.checks.plan import requirements
    from assay.checks.whole import paths, totals
    from assay.units import Quantity

    def shown(value: float | None, unit: str) -> str:
        if value is None:
            return "-"
        large = unit == "MiB/s" and value >= LARGE_MIBS
        return str(Quantity(value, unit).to("GiB/s") if large else Quantity(value, unit))

    for what, bound in paths(cluster):
        print(one_line(f"{what}: at most {bound.sentence}"))
    required = requirements(cluster)
    listed = totals(cluster, required)
    table = Table("layer", "metric", "of", "floor", "bound", "limited by", box=None)
    for total in listed:
        first = total.requirement
        subject = first.subject.part if first.subject.backend or total.count == 1 else ""
        count = f"{total.count:,} {'together' if total.is_sum else 'pairs, each'}"
        of = str(first.subject) if total.count == 1 else f"{count} {subject}".strip()
        floor, most = shown(total.floor, first.unit), shown(total.bound, first.unit)
        cells = (first.layer, first.figure, of, floor, most, total.limited)
        table.add_row(*(escape(one_line(cell)) for cell in cells))
    _print(table)
    metrics = sum(total.count for total in listed)
    print(
        f"{metrics} of {len(required)} metrics are in this table; the others are times and counts,"
        " or get their limits from what the layers below are measured to do (assay expect)"
    )


LARGE_MIBS = 10_000
"""From here on a bandwidth is printed in GiB/s."""


def _load(path: Path) -> Cluster:
    from assay.preflight import examine as preflight

    try:
        return preflight.load(path)
    except preflight.ClusterError as error:
        _complain(str(error))
        raise typer.Exit(1) from error


def _read(pattern: str, cluster: Cluster, outputs: Path | None = None) -> Results:
    from assay.campaign import results, run_report

    try:
        return results.read(pattern, cluster, outputs)
    except run_report.ReportError as error:
        _complain(str(error))
        raise typer.Exit(1) from error


def _campaign_of(reports: str) -> Path:
    """The campaign's directory: `campaign.sh` keeps the reports in its `reports/`."""
    directory = Path(reports).parent
    return directory.parent if directory.name == "reports" else directory


def _accepted(bundle: Path, described: Cluster) -> Accepted:
    """The figures of an accepted campaign of the same hardware."""
    from assay.bundle import compare as comparison
    from assay.report import reader

    try:
        record = reader.read(bundle / "report.json")
        _verified(bundle)
        sums = files.read(bundle / "SHA256SUMS", limits.REPORT_BYTES)
        return comparison.accepted(record, sums, described)
    except (OSError, ValueError) as error:
        _misuse(f"--baseline {bundle}: {error}")


def _verified(bundle: Path) -> None:
    """Compare nothing that somebody has changed."""
    from assay.bundle import verify as verification

    try:
        problems = verification.verify(bundle).problems
    except verification.NoBundleError as error:
        _misuse(str(error))
    if problems:
        first = shorten(problems[0], limits.SHOWN_REASON)
        _misuse(
            f"{bundle} does not verify, so it is not compared (`assay verify` lists"
            f" {len(problems)}): {first}"
        )


def _complain(message: str) -> None:
    print(printable(message), file=sys.stderr)


def _warn(paths: Sequence[Path]) -> None:
    if warning := owners.warning(paths):
        _complain(warning)


def _misuse(message: str) -> NoReturn:
    _complain(message)
    raise typer.Exit(2)


def _print_problems(problems: list[Problem], named: Callable[[str], str]) -> None:
    if not problems:
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from assay.preflight.table import rows
    from assay.subject import folded

    listed = [
        (
            row.severity,
            quoted(folded(row.hosts)),
            quoted(named(row.key)),
            "" if row.value is None else quoted(row.value),
            one_line(row.allowed),
        )
        for row in rows(problems)
    ]
    if sys.stdout.isatty() and Console().width < NARROW:
        for severity, hosts, key, value, allowed in listed:
            where = ": ".join(part for part in (severity, hosts, key) if part)
            print(f"{where}{value and ' = '}{value}\n    {allowed}")
        return
    table = Table("", "host", "key", "value", "problem", box=None)
    for cells in listed:
        table.add_row(*map(escape, cells))
    _print(table)


NARROW = 120
"""Columns of a terminal on which five columns side by side are hard to read; our own choice."""


def _print(table: Table) -> None:
    from rich.console import Console
    from rich.markup import render

    # The PCI address 0000:ab:00.0 has an emoji in it.
    if sys.stdout.isatty():
        Console(highlight=False, emoji=False).print(table)
        return
    # In a pipe a row is a line, however long; rich takes half a minute for 100,000 of them.
    columns = [
        [render(cell, emoji=False).plain if "\\" in cell else cell for cell in map(str, cells)]
        for cells in ([column.header, *column.cells] for column in table.columns)
    ]
    widths = [max(map(len, column)) for column in columns]
    for row in zip(*columns, strict=True):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print(f" {'  '.join(cells)} ")


def _traceback(
    kind: type[BaseException], error: BaseException, where: TracebackType | None
) -> None:
    _complain("".join(traceback.format_exception(kind, error, where)))


def main() -> None:
    """Run the command; a traceback is made printable, too, since it may quote foreign data."""
    sys.excepthook = _traceback
    app()
