"""The sign-off as data: report.json, for programs and for comparisons.

The models here are the only description of report.json. They generate `report.schema.json` beside
this module::

    python -m assay.report.record > src/assay/report/report.schema.json
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field
from pydantic_core import to_json

from assay.campaign.cases import Deviation
from assay.checks.accepted import Accepted
from assay.checks.expect import Expectation, Ground
from assay.checks.plan import Layer
from assay.cluster.description import Cluster
from assay.foreign.text import printable
from assay.judge.coverage import causes
from assay.judge.judgement import Judgement
from assay.judge.limits import FALSE_ALARMS
from assay.judge.signoff import FAILING, Gate, SignOff
from assay.judge.verdict import Verdict
from assay.judge.waivers import Waiver
from assay.report import words


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)


class SummaryRecord(_Model):
    """Statistics of a metric's samples, in the metric's unit."""

    count: int
    median: float
    low: float = Field(description="lower end of the confidence interval of the median")
    high: float = Field(description="upper end of the confidence interval of the median")
    confidence: float = Field(description="that the interval holds the true median, 0 to 1")
    spread: float = Field(description="median absolute deviation divided by the median")


class LimitRecord(_Model):
    """One component on the data path, and its maximum throughput."""

    who: str
    value: float
    unit: str
    made_of: str = Field(description="how the value is derived: 8 SSDs × 3.50 GB/s")
    source: str


class PeersRecord(_Model):
    """How a metric compares with its peers."""

    count: int = Field(description="how many there are, itself included")
    median: float = Field(description="of their medians, in the metric's unit")
    gain: float = Field(description="by which fraction of that it is better; negative if worse")
    outlier: bool


class ExpectationRecord(_Model):
    """The limits of a metric, in its unit; null where there is none."""

    ground: Ground = Field(description="the basis of the expectation")
    bound: float | None = Field(description="the most that the hardware can do")
    floor: float | None = Field(description="less than this is too slow, or too good for a time")
    ceiling: float | None = Field(description="more than this is too good, or too slow for a time")
    derivation: str = Field(description="where the figures come from, in one sentence")
    limits: list[LimitRecord] = Field(
        description="the limits whose minimum is the bound, the tightest first"
    )


class MetricRecord(_Model):
    """One metric that is required of the cluster, judged."""

    key: str = Field(description="its name, which is the same in every report of this cluster")
    layer: Layer
    check: str
    partition: str
    metric: str
    unit: str
    better: Literal["higher", "lower"]
    subject: str = Field(description="a host, an engine, a pair of hosts or a partition")
    host: str = Field(description="the host that the subject is on; the first, of a pair")
    verdict: Verdict
    without_waiver: Verdict | None = Field(
        description="the verdict of a waived metric without its waiver"
    )
    stops: bool = Field(description="whether it blocks the gate")
    reason: str
    samples: list[float]
    summary: SummaryRecord | None = Field(description="null where the metric is missing")
    expectation: ExpectationRecord
    peers: PeersRecord | None = Field(description="null where there are too few to compare with")
    more_samples: int | None = Field(
        description="how many would decide an open verdict; null if none is open or too many would"
    )
    raw: list[str] = Field(description="the raw outputs, as paths within the bundle")


class DeviationRecord(_Model):
    """A variable of a check that was set differently from the scale."""

    check: str
    partition: str
    variable: str = Field(description="a variable of the check: stonewall_s")
    asked: int = Field(description="what the scale asks for")
    was: int = Field(description="what it was set to")
    decided: bool = Field(
        default=False, description="whether so many samples decided all verdicts of the check"
    )
    stops: bool = Field(description="whether it blocks the gate: less than required, at acceptance")

    def __str__(self) -> str:
        return str(
            Deviation(self.check, self.partition, self.variable, self.asked, self.was, self.decided)
        )


class HostChangeRecord(_Model):
    """What changed on a host while it was measured."""

    host: str
    what: str = Field(description="BIOS, kernel, memory module A1 ...")
    before: str
    after: str
    stops: bool = Field(description="whether it blocks the gate: at acceptance")


class Comparisons(_Model):
    """How many comparisons the judgement made, and how it corrects for their number."""

    made: int = Field(description="comparisons that could have raised a false alarm")
    false_alarms: float = Field(
        description="the chance that all of them together stop a sound cluster, shared out evenly"
    )
    in_words: str


class ShareRecord(_Model):
    """How many subjects of a check were judged, and by what."""

    check: str
    subjects: int
    judged: int = Field(description="with a metric judged as strictly as by the reference")
    grounds: dict[str, int] = Field(description="number of metrics by what judged them, or why not")


class WeakenedRecord(_Model):
    """A yardstick of the site that requires less than the reference."""

    by: str
    figure: str
    instead: str = Field(description="what it replaces")
    metrics: int


class CoverageRecord(_Model):
    """How much was judged of a layer in one direction."""

    layer: Layer
    direction: Literal["read", "write"] | None = Field(description="null: neither")
    required: int
    judged: int = Field(description="held against a limit as strict as the reference")
    waived: int
    kind: str = Field(default="", description="the kind of device, where a layer has several")
    weakened: int = Field(default=0, description="held against a weaker limit of the site")
    gaps: list[str] = Field(default=[], description="what acceptance lacks here")
    checks: list[ShareRecord] = Field(default=[], description="the share of each check")


class EnginesRecord(_Model):
    """What the engines report about one check, by their own metrics."""

    check: str
    partition: str
    outliers: list[str] = Field(description="ranks and targets that are slower than their peers")
    findings: list[str] = Field(description="others' load, errors, a rebuild")
    unread: str = Field(description="why metrics were not read; empty where they were")
    named_from: dict[str, float | None] = Field(
        default={},
        description=(
            "how many times as slow as its peers a rank has to be to be named, by operation;"
            " null: ranks cannot be compared"
        ),
    )


class EvidenceRecord(_Model):
    """The files that show what happened during a check with bad figures; paths in the bundle."""

    check: str
    partition: str
    telemetry: list[str] = Field(description="the engines' metrics, before and after each step")
    logs: list[str] = Field(description="an excerpt of the engines' errors, then all of them")
    devices: list[str] = Field(description="the health of the SSDs, before and after")
    system: list[str] = Field(description="the state of ranks, pools and container")
    job: list[str] = Field(description="the job script and what it printed")
    servers: list[str] = Field(description="servers whose ranks are named, or logged errors")
    support: list[str] = Field(description="whole logs of these servers, if they were collected")
    notes: list[str] = Field(description="what was cut, and what is lacking and why")


class Record(_Model):
    """The whole of report.json."""

    model_config = ConfigDict(title="report.json of daos-assay")

    schema_number: Literal[1] = Field(
        alias="schema",
        description="increased when a reader of the previous version would misread the next",
    )
    passed: bool = Field(description="whether the campaign passes the gate")
    headline: str
    gate: Gate
    gate_meaning: str = Field(description="what the gate requires, in words")
    scale: str = Field(description="how much was measured: quick or acceptance")
    measured_from: AwareDatetime
    measured_to: AwareDatetime
    made_at: AwareDatetime
    undescribed: list[str] = Field(
        default=[], description="found on hosts or in the system, and not described so"
    )
    begun: str = Field(
        default="", description="which campaign of its plan it is, and how the others ended"
    )
    described: dict[str, str] = Field(
        default={}, description="the digest of each part of the description that was judged"
    )
    counts: dict[Verdict, int] = Field(description="metrics by verdict; every verdict is a key")
    coverage: list[CoverageRecord] = Field(
        description="how much was judged of each layer and direction; acceptance requires some"
    )
    weakened: list[WeakenedRecord] = Field(
        default=[], description="yardsticks of the site that require less than the reference"
    )
    unrated: dict[str, int] = Field(description="why metrics are unrated, and how many for each")
    comparisons: Comparisons
    metrics: list[MetricRecord] = Field(
        description="every required metric, from the lowest layer up"
    )
    deviations: list[DeviationRecord] = Field(description="what was set differently from the scale")
    host_changes: list[HostChangeRecord] = Field(
        description="changes of hosts during the campaign, by their fingerprints"
    )
    findings: list[str] = Field(
        default=[], description="what all metrics have in common, such as slow first samples"
    )
    engines: list[EnginesRecord] = Field(
        default=[], description="what the engines report on the checks that watch them"
    )
    in_force: dict[str, str] = Field(
        default={},
        description="properties of DAOS's pool and container before the checks, such as container"
        " posix: cksum",
    )
    evidence: list[EvidenceRecord] | None = Field(
        default=None,
        description="for metrics of a running DAOS that are below, missing or implausible, waived"
        " or not: found by their check and partition; absent in older bundles",
    )
    waivers: list[Waiver] = Field(description="the waivers that were given")
    baseline: Accepted | None = Field(
        description="the accepted campaign whose figures were required again"
    )
    approver: str | None = Field(description="who approves the sign-off")
    cluster: Cluster
    versions: dict[str, str]
    reports: list[str] = Field(description="ReFrame's run reports, as paths within the bundle")


def render(signed: SignOff) -> str:
    """Everything that a sign-off holds, as JSON."""
    record = Record(
        schema=1,
        passed=signed.passed,
        headline=signed.headline,
        gate=signed.gate,
        gate_meaning=words.gate(signed),
        scale=signed.scale,
        measured_from=signed.measured_from,
        measured_to=signed.measured_to,
        made_at=signed.made_at,
        undescribed=list(map(printable, signed.undescribed)),
        begun=printable(str(signed.standing or "")),
        described=dict(signed.described),
        counts=signed.counts,
        coverage=[CoverageRecord.model_validate(each) for each in signed.coverage],
        weakened=[
            WeakenedRecord(
                by=printable(each.by),
                figure=each.figure,
                instead=each.instead,
                metrics=len(each.judgements),
            )
            for each in signed.weakened
        ],
        unrated={printable(why): count for why, count in causes(signed.judgements).items()},
        comparisons=Comparisons(
            made=signed.comparisons,
            false_alarms=FALSE_ALARMS,
            in_words=words.comparisons(signed),
        ),
        metrics=[],
        deviations=[
            DeviationRecord(
                check=each.check,
                partition=each.partition,
                variable=printable(each.variable),
                asked=each.asked,
                was=each.was,
                decided=each.decided,
                stops=each in signed.stopped_by_less,
            )
            for each in signed.deviations
        ],
        host_changes=[
            HostChangeRecord(**change._asdict(), stops=change in signed.stopped_by_changes)
            for change in signed.host_changes
        ],
        findings=list(signed.findings),
        engines=[
            EnginesRecord(
                check=each.check,
                partition=each.partition,
                outliers=list(map(printable, each.outliers)),
                findings=list(map(printable, each.findings)),
                unread=printable(each.unread),
                named_from={
                    name: ratio if math.isfinite(ratio) else None
                    for name, ratio in each.named_from.items()
                },
            )
            for each in signed.engines
        ],
        in_force={printable(k): printable(v) for k, v in signed.in_force.items()},
        evidence=[EvidenceRecord.model_validate(each) for each in signed.evidence or ()],
        waivers=list(signed.waivers),
        baseline=signed.baseline,
        approver=signed.approver,
        cluster=signed.cluster,
        versions=signed.versions,
        reports=[f"reframe/{report.name}" for report in signed.reports],
    )
    # One metric at a time, since the records of all metrics of a large campaign take a gigabyte.
    text = record.model_dump_json(
        by_alias=True, indent=2, exclude={"evidence"} if signed.evidence is None else None
    )
    before, empty, after = text.partition(_NO_METRICS)
    assert empty
    metrics = ",".join(map(_indented, _metrics(signed)))
    between = f'\n  "metrics": [{metrics}\n  ]' if metrics else empty
    return f"{before}{between}{after}\n"


_NO_METRICS = '\n  "metrics": []'
"""The place of the metrics; it is unique, because JSON escapes line feeds within texts."""


def _indented(metric: Mapping[str, object]) -> str:
    # Without the model: to make one of each of a hundred thousand metrics takes as long again.
    text = to_json(metric, indent=2, inf_nan_mode="null").decode()
    return f"\n{text}".replace("\n", "\n    ")


def schema() -> str:
    """The JSON Schema (2020-12) of report.json."""
    document = Record.model_json_schema(by_alias=True, mode="serialization")
    return json.dumps(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **document}, indent=2
    )


def _metrics(signed: SignOff) -> Iterator[dict[str, object]]:
    waived = {
        excused.judgement.requirement: excused.judgement.verdict for excused in signed.excused
    }
    for judgement in signed.judgements:
        yield _metric(judgement, signed.gate, waived.get(judgement.requirement))


def _metric(judgement: Judgement, gate: Gate, without_waiver: Verdict | None) -> dict[str, object]:
    """The fields of a `MetricRecord`."""
    required, summary = judgement.requirement, judgement.summary
    return {
        "key": required.key,
        "layer": required.layer,
        "check": required.check,
        "partition": required.partition,
        "metric": required.name,
        "unit": required.unit,
        "better": required.metric.better,
        "subject": str(required.subject),
        "host": required.host,
        "verdict": judgement.verdict,
        "without_waiver": without_waiver,
        "stops": judgement.verdict in FAILING[gate],
        "reason": printable(judgement.reason),
        "samples": judgement.samples,
        "summary": summary and {name: getattr(summary, name) for name in _SUMMARY},
        "expectation": _expectation(judgement.expectation),
        "peers": judgement.peers,
        "more_samples": judgement.more_samples,
        "raw": judgement.raw,
    }


_SUMMARY = tuple(SummaryRecord.model_fields)


def _expectation(expected: Expectation) -> dict[str, object]:
    return {
        "ground": expected.ground,
        "bound": expected.bound,
        "floor": expected.floor,
        "ceiling": expected.ceiling,
        "derivation": expected.derivation,
        "limits": [
            {
                "who": limit.who,
                "value": limit.value.value,
                "unit": limit.value.unit,
                "made_of": limit.made_of,
                "source": limit.source,
            }
            for limit in expected.limits
        ],
    }


if __name__ == "__main__":
    print(schema())
