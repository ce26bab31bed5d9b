"""Checks whether a bundle is unchanged, and whether its content follows from its raw outputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from assay import __version__
from assay.bundle import checksums, derive, signature
from assay.bundle.write import texts
from assay.campaign.results import Results
from assay.campaign.run_report import ReportError
from assay.checks.plan import requirements
from assay.foreign import limits
from assay.foreign.copy import Copy, copied
from assay.foreign.files import ForeignError
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
    record: Record | None = None
    """Its report, if that can be read."""
    sums: bytes = b""
    """Its checksums."""
    holds: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unjudged: str = ""
    """The problem that another release made it, whose plan and limits are not those of this one."""

    def add(self, problems: Iterator[str], otherwise: str) -> bool:
        """Add the outcome of one check; return whether it found no problem."""
        new = list(problems)
        self.problems += new[:_MOST]
        if len(new) > _MOST:
            self.problems.append(f"and {len(new) - _MOST:,} more like these")
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
    try:
        with copied(directory) as copy:
            checked = _check(copy, allowed_signers, required=require_signature)
            checked.problems = list(map(copy.as_named, checked.problems))
            return checked
    except OSError as error:
        where = quoted(error.filename or directory)
        raise NoBundleError(
            f"{directory} is not a bundle of `assay signoff`: {where}: {error.strerror}"
        ) from error
    except ForeignError as error:
        raise NoBundleError(f"{directory} is not a bundle of `assay signoff`: {error}") from error


def _check(copy: Copy, allowed_signers: Path | None, *, required: bool) -> Checked:
    checked = Checked(sums=checksums.read(copy))
    checked.add(
        iter(checksums.differences(copy, checked.sums)),
        "no file was changed, removed or added, and no mode was changed",
    )
    record = checked.record = _record(copy.tree.root, checked)
    if record is None:
        return checked
    made_by = record.versions.get("daos-assay")
    if made_by == __version__:
        if not checked.add(_cluster(record), "its cluster passes `assay check`"):
            return checked
        checked.add(
            _plan(record), f"{len(record.metrics):,} metrics are required, and each has its verdict"
        )
    checked.add(_files(record, copy), "every raw output that it names is present")
    if made_by == __version__:
        _derive(record, copy, checked)
    else:
        checked.unjudged = (
            f"it was made by daos-assay {made_by}, but this is {__version__}: only that version can"
            " judge its figures again"
        )
        checked.problems.append(checked.unjudged)
    signer = _signature(
        _Signed(record, copy, checked.sums),
        allowed_signers,
        required=required or allowed_signers is not None,
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


def _files(record: Record, copy: Copy) -> Iterator[str]:
    for metric in record.metrics:
        for name in metric.raw:
            if name not in copy.digests:
                yield f"{metric.key}: its raw output {quoted(name)} is missing"


def _derive(record: Record, copy: Copy, checked: Checked) -> None:
    """Derive samples, verdicts and pages again from the raw outputs, and compare them."""
    try:
        measured = derive.measured(copy.tree.root, record.cluster)
    except ReportError as error:
        checked.problems.append(str(error))
        return
    checked.add(_times(record, measured), "its times are in order")
    checked.add(
        derive.contradictions(measured, record.cluster, copy.tree.root),
        "the samples of the run reports match the raw outputs",
    )
    checked.add(_figures(record, copy, measured), "verdicts and pages follow from the run reports")


def _times(record: Record, measured: Results) -> Iterator[str]:
    """Whether it was measured after its baseline, and signed off after that and not in future."""
    if record.baseline and record.baseline.measured_to > measured.started:
        yield (
            f"report.json: its baseline was measured until"
            f" {record.baseline.measured_to:%Y-%m-%d %H:%M} UTC, after its measurements began at"
            f" {measured.started:%Y-%m-%d %H:%M} UTC"
        )
    for problem in derive.too_early(record.made_at, measured):
        yield f"report.json: {problem}"
    if record.made_at > datetime.now(UTC) + derive.CLOCKS_APART:
        yield f"report.json: it was made at {record.made_at:%Y-%m-%d %H:%M} UTC, in the future"


def _figures(record: Record, copy: Copy, measured: Results) -> Iterator[str]:
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
            record.described,
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
    yield from _texts(made, copy)
    yield from _strays({*made, *measured.kept()}, copy)


def _strays(written: set[str], copy: Copy) -> Iterator[str]:
    """Files and directories that a sign-off does not write, such as a second report."""
    files = written | {checksums.SUMS, checksums.SIGNATURE, checksums.LISTING}
    known = files.union(*(map(str, PurePosixPath(name).parents) for name in files))
    for name in copy.entries:
        if name not in known:
            yield f"{quoted(name)} is not part of a sign-off"


def _without_drawings(page: str) -> str:
    """A page without its charts, in one pass; a regular expression would take quadratic time."""
    first, *rest = page.split("<svg")
    return first + "".join(part.partition("</svg>")[2] for part in rest)


def _texts(made: Mapping[str, str], copy: Copy) -> Iterator[str]:
    """Compare the files for people and programs, byte for byte, with those rendered again."""
    for name, text in made.items():
        try:
            there = copy.tree.read(name, limits.RECORD_BYTES).decode("utf-8", "replace")
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
    copy: Copy
    sums: bytes


def _signature(
    signed: _Signed, allowed_signers: Path | None, *, required: bool, checked: Checked
) -> str:
    """Check the signature; return a sentence that names the signer."""
    record = signed.record
    entry = signed.copy.entries.get(checksums.SIGNATURE)
    if entry and not entry.is_file:
        checked.problems.append(f"its signature is {entry.kind}, and must be a regular file")
        return "not signed"
    try:
        made = signed.copy.tree.read(checksums.SIGNATURE, limits.WAIVERS_BYTES)
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
        valid = signature.verify(
            signed.sums, made, allowed_signers, record.approver, record.made_at
        )
        checked.holds.append(valid.sentence)
    except signature.SignatureError as error:
        whose = f" for {record.approver}" if record.approver else ""
        checked.problems.append(f"the signature is not valid{whose}: {error}")
        return "the signature is not valid"
    return f"signed by {record.approver}{valid.condition}"
