"""Checks whether a bundle is unchanged, and whether its content follows from its raw outputs."""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath

from assay import __version__
from assay.bundle import checksums, raw_samples, signature
from assay.bundle.write import texts
from assay.campaign import results
from assay.campaign.cases import place_of
from assay.campaign.results import Results
from assay.campaign.run_report import ReportError, TestCase
from assay.checks.plan import requirements
from assay.foreign import limits
from assay.foreign.files import ForeignError, Tree
from assay.foreign.text import quoted
from assay.judge.judgement import Judgement
from assay.judge.signoff import sign_off
from assay.judge.waivers import WaiverError
from assay.preflight.examine import examine
from assay.report.reader import RecordError, read
from assay.report.record import MetricRecord, Record

_MOST = 20
"""Maximum number of reported problems of one kind; a bundle of another cluster has thousands."""


class NoBundleError(ValueError):
    """A directory that is not a bundle."""


@dataclass(slots=True)
class Checked:
    """The checks of a bundle that passed, and the problems found, each in one sentence."""

    says: str = ""
    """Its cluster, campaign, gate, outcome and signer."""
    holds: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, problems: Iterator[str], otherwise: str) -> bool:
        """Add the outcome of one check; return whether it found no problem."""
        new = list(problems)
        self.problems += new[:_MOST]
        if len(new) > _MOST:
            self.problems.append(f"and {len(new) - _MOST} more like these")
        if not new:
            self.holds.append(otherwise)
        return not new


def verify(
    directory: Path, allowed_signers: Path | None = None, *, require_signature: bool = False
) -> Checked:
    """Check files, schema, plan, times, samples, verdicts and signature of a bundle.

    Args:
        directory: the bundle.
        allowed_signers: file with each signer's SSH keys. If it is given, the approver must have
            signed the bundle.
        require_signature: whether the bundle must be signed, by any key.

    Raises:
        NoBundleError: the directory has no checksums.
    """
    checked = Checked()
    try:
        sums = checksums.read(directory)
        different = checksums.differences(directory, sums)
    except OSError as error:
        where = quoted(error.filename or directory)
        raise NoBundleError(
            f"{directory} is not a bundle of `assay signoff`: {where}: {error.strerror}"
        ) from error
    except ForeignError as error:
        raise NoBundleError(f"{directory} is not a bundle of `assay signoff`: {error}") from error
    checked.add(iter(different), "no file was changed, removed or added, and no mode was changed")
    record = _record(directory, checked)
    if record is None:
        return checked
    if not checked.add(_cluster(record), "its cluster passes `assay check`"):
        return checked
    checked.add(
        _plan(record), f"{len(record.metrics)} metrics are required, and each has its verdict"
    )
    checked.add(_files(record, directory), "every raw output that it names is present")
    if record.versions.get("daos-assay") == __version__:
        _derive(record, directory, checked)
    else:
        checked.problems.append(
            f"it was made by daos-assay {record.versions.get('daos-assay')}, but this is"
            f" {__version__}: only that version can judge its figures again"
        )
    signer = _signature(
        _Signed(record, directory, sums),
        allowed_signers,
        required=require_signature or allowed_signers is not None,
        checked=checked,
    )
    checked.says = (
        f"{record.cluster.name}, measured {record.measured_from:%Y-%m-%d %H:%M} to"
        f" {record.measured_to:%Y-%m-%d %H:%M} UTC, gate {record.gate}: {record.headline}; {signer}"
    )
    return checked


def _record(directory: Path, checked: Checked) -> Record | None:
    try:
        record = read(directory / "report.json")
    except RecordError as error:
        checked.problems.append(str(error))
        return None
    checked.holds.append("report.json matches its schema")
    return record


def _cluster(record: Record) -> Iterator[str]:
    """Problems of the cluster's description; a plan to compare with needs a valid one."""
    _, problems = examine(record.cluster.model_dump(mode="json", by_alias=True))
    for problem in problems:
        if problem.severity == "error":
            yield f"report.json: its cluster: {problem}"


def _plan(record: Record) -> Iterator[str]:
    """Differences between the metrics of the record and those required of its cluster."""
    keys = Counter(metric.key for metric in record.metrics)
    plan = Counter(metric.key for metric in requirements(record.cluster, record.scale))
    for key in (plan - keys).elements():
        yield f"{key} is required but has no verdict"
    for key in (keys - plan).elements():
        yield f"{key} has a verdict but is not required"


def _files(record: Record, directory: Path) -> Iterator[str]:
    tree = Tree(directory)
    there = {entry.name for entry in tree.walk() if entry.is_file}
    for metric in record.metrics:
        for name in metric.raw:
            if name not in there:
                yield f"{metric.key}: its raw output {quoted(name)} is missing"


def _derive(record: Record, directory: Path, checked: Checked) -> None:
    """Derive samples, verdicts and pages again from the raw outputs, and compare them."""
    reports = str(Path(glob.escape(str(directory)), results.REFRAME, "*.json"))
    try:
        measured = results.read(reports, record.cluster, directory, _place)
    except ReportError as error:
        checked.problems.append(str(error))
        return
    checked.add(_times(record, measured), "its times are in order")
    checked.add(
        raw_samples.differences(measured, record.cluster, Tree(directory)),
        "the samples of the run reports match the raw outputs",
    )
    checked.add(
        _figures(record, directory, measured), "verdicts and pages follow from the run reports"
    )


CLOCKS_APART = timedelta(minutes=10)
"""Tolerance between the clocks of the hosts that measured, signed and verify (this project's own
choice)."""


def _times(record: Record, measured: Results) -> Iterator[str]:
    """Whether it was measured after its baseline, and signed off after that and not in future."""
    if record.baseline and record.baseline.measured_to > measured.started:
        yield (
            f"report.json: its baseline was measured until"
            f" {record.baseline.measured_to:%Y-%m-%d %H:%M} UTC, after its measurements began at"
            f" {measured.started:%Y-%m-%d %H:%M} UTC"
        )
    if measured.ended > record.made_at + CLOCKS_APART:
        yield (
            f"report.json: it was made at {record.made_at:%Y-%m-%d %H:%M} UTC, before its"
            f" measurements ended at {measured.ended:%Y-%m-%d %H:%M} UTC"
        )
    if record.made_at > datetime.now(UTC) + CLOCKS_APART:
        yield f"report.json: it was made at {record.made_at:%Y-%m-%d %H:%M} UTC, in the future"


def _figures(record: Record, directory: Path, measured: Results) -> Iterator[str]:
    """Judge the run reports of the bundle again, and report each difference."""
    try:
        signed = sign_off(
            record.cluster,
            measured,
            record.gate,
            record.waivers,
            record.approver,
            record.made_at,
            record.baseline,
        )
    except WaiverError as error:
        yield str(error)
        return
    if record.evidence is None:
        signed = replace(signed, evidence=None)
    again = {judgement.requirement.key: judgement for judgement in signed.judgements}
    for metric in record.metrics:
        judged = again.get(metric.key)
        if judged is None:
            continue
        if metric.samples != list(judged.samples):
            yield f"{metric.key}: its samples differ from those of the run reports"
        elif metric.verdict != judged.verdict:
            yield f"{metric.key} is {metric.verdict} here, but its samples give {judged.verdict}"
        elif metric.unit != judged.requirement.unit or _shown(metric) != _shown(judged):
            yield f"{metric.key}: its unit, median or limits do not follow from the run reports"
    for name in ("passed", "headline", "counts"):
        if getattr(record, name) != getattr(signed, name):
            yield f"report.json: {name} does not follow from the verdicts"
    made = texts(signed)
    yield from _texts(made, directory)
    yield from _strays({*made, *measured.kept()}, directory)


def _strays(written: set[str], directory: Path) -> Iterator[str]:
    """Files and directories that a sign-off does not write, such as a second report."""
    files = written | {checksums.SUMS, checksums.SIGNATURE, checksums.LISTING}
    known = files.union(*(map(str, PurePosixPath(name).parents) for name in files))
    for entry in Tree(directory).walk():
        if entry.name not in known:
            yield f"{quoted(entry.name)} is not part of a sign-off"


def _place(case: TestCase) -> list[str]:
    """The directory of a check's outputs in a bundle, regardless of the run report."""
    return [place_of(case.partition, case.check, case.round)]


def _without_drawings(page: str) -> str:
    """A page without its charts, in one pass; a regular expression would take quadratic time."""
    first, *rest = page.split("<svg")
    return first + "".join(part.partition("</svg>")[2] for part in rest)


def _texts(made: Mapping[str, str], directory: Path) -> Iterator[str]:
    """Compare the files for people and programs, byte for byte, with those rendered again."""
    tree = Tree(directory)
    for name, text in made.items():
        try:
            there = tree.read(name, limits.RECORD_BYTES).decode("utf-8", "replace")
        except (OSError, ForeignError):
            yield f"{name} is missing or cannot be read"
            continue
        if there == text:
            continue
        if _without_drawings(there) == _without_drawings(text):
            yield (
                f"{name}: its charts differ from those drawn from the run reports; other fonts or"
                " another version of vl-convert also change them"
            )
        else:
            yield f"{name} does not follow from the run reports"


def _shown(judged: MetricRecord | Judgement) -> tuple[float | None, ...]:
    """The figures that a reader of the report relies on."""
    expected, summary = judged.expectation, judged.summary
    median = summary.median if summary else None
    return (median, expected.floor, expected.bound, expected.ceiling)


@dataclass(frozen=True, slots=True)
class _Signed:
    """A bundle, with the same content of its checksums that was compared."""

    record: Record
    directory: Path
    sums: bytes


def _signature(
    signed: _Signed, allowed_signers: Path | None, *, required: bool, checked: Checked
) -> str:
    """Check the signature; return a sentence that names the signer."""
    record = signed.record
    try:
        made = Tree(signed.directory).read(checksums.SIGNATURE, limits.WAIVERS_BYTES)
    except FileNotFoundError:
        if required:
            checked.problems.append(f"it is not signed: {checksums.SIGNATURE} is missing")
        else:
            checked.holds.append("it is not signed")
        return "not signed"
    except (OSError, ForeignError) as error:
        checked.problems.append(f"its signature cannot be read: {error}")
        return "not signed"
    try:
        if allowed_signers is None:
            key = signature.key_of(signed.sums, made)
            checked.holds.append(f"{key}; signer not checked; pass --allowed-signers")
            _, _, name = key.partition(" with ")
            return f"signed with {name}, signer not checked: pass --allowed-signers"
        if record.approver is None:
            checked.problems.append(
                "it is signed, but names no approver to compare the signer with"
            )
            return "signed, but it names no approver"
        checked.holds.append(
            signature.verify(signed.sums, made, allowed_signers, record.approver, record.made_at)
        )
    except signature.SignatureError as error:
        whose = f" for {record.approver}" if record.approver else ""
        checked.problems.append(f"the signature is not valid{whose}: {error}")
        return "the signature is not valid"
    return f"signed by {record.approver}"
