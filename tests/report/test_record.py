import json
from importlib import resources

import jsonschema
import pytest

from assay.judge.signoff import Gate
from assay.judge.verdict import Verdict
from assay.report import record
from synthetic import campaign, cluster, every_verdict, judgement, mixed, signed

SCHEMA = resources.files("assay.report").joinpath("report.schema.json").read_text(encoding="utf-8")


def test_the_schema_that_is_shipped_is_that_of_the_models():
    assert record.schema() + "\n" == SCHEMA, "python -m assay.report.record writes it anew"


def test_the_schema_is_itself_valid():
    jsonschema.Draft202012Validator.check_schema(json.loads(SCHEMA))


@pytest.mark.parametrize(
    "sign_off",
    [
        mixed(),
        every_verdict(Gate.MEASURED),
        campaign(cluster(), problem="down"),
        signed(cluster(), Gate.ACCEPTANCE, []),
    ],
    ids=["mixed", "every verdict", "all missing", "nothing required"],
)
def test_every_report_follows_the_schema(sign_off):
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA))
    assert list(validator.iter_errors(json.loads(record.render(sign_off)))) == []


@pytest.mark.parametrize("key", ["passed", "metrics", "schema", "cluster"])
def test_the_schema_refuses_a_report_without(key):
    document = json.loads(record.render(every_verdict()))
    del document[key]
    with pytest.raises(jsonschema.ValidationError, match=key):
        jsonschema.validate(document, json.loads(SCHEMA))


def test_it_holds_all_that_a_judgement_holds():
    sign_off = every_verdict()
    document = json.loads(record.render(sign_off))
    below = next(j for j in sign_off.judgements if j.verdict is Verdict.BELOW)
    row = next(row for row in document["metrics"] if row["verdict"] == "below")
    assert row["key"] == below.requirement.key == "SsdFio.read_1m on below"
    assert row["samples"] == list(below.samples)
    assert row["summary"]["median"] == below.summary.median
    assert row["expectation"]["floor"] == 120.0
    assert row["expectation"]["derivation"] == below.expectation.derivation
    assert (row["stops"], row["reason"], row["raw"]) == (True, below.reason, list(below.raw))


def test_it_holds_what_the_judgement_used():
    document = json.loads(record.render(campaign(cluster(6))))
    rows = {row["key"]: row for row in document["metrics"]}
    disk = rows["SsdFio.read_1m on s1"]
    assert disk["peers"] == {
        "count": 6,
        "median": pytest.approx(6200.0 * 1.004, rel=0.01),
        "gain": pytest.approx(0.0, abs=0.001),
        "outlier": False,
    }
    limits = disk["expectation"]["limits"]
    assert [(limit["who"], limit["unit"]) for limit in limits] == [
        ("the SSDs", "GB/s"),
        ("their PCIe links", "GB/s"),
    ]
    assert limits[0]["value"] == 7.0
    assert "Intel ARK" in limits[0]["source"]
    assert document["comparisons"]["made"] == len(document["metrics"])
    assert document["comparisons"]["false_alarms"] == 1 / 200
    assert "Bonferroni" in document["comparisons"]["in_words"]


def test_it_says_how_many_samples_would_decide():
    open_ = judgement((60.0, 80.0, 100.0, 120.0, 140.0), floor=90.0, ceiling=200.0)
    (row,) = json.loads(record.render(signed(cluster(), Gate.ACCEPTANCE, [open_])))["metrics"]
    assert row["verdict"] == "unsteady"
    assert row["more_samples"] == open_.more_samples > 0
    assert f"about {row['more_samples']} more samples would decide" in row["reason"]


def test_what_stops_depends_on_the_gate():
    def stops(gate):
        document = json.loads(record.render(every_verdict(gate)))
        return [row["verdict"] for row in document["metrics"] if row["stops"]]

    assert stops(Gate.ACCEPTANCE) == ["missing", "implausible", "below", "unsteady"]
    assert stops(Gate.MEASURED) == ["missing", "implausible"]


def test_times_are_iso_with_their_zone_and_paths_are_those_of_the_bundle():
    document = json.loads(record.render(every_verdict()))
    assert document["measured_from"] == "2026-03-02T09:14:00Z"
    assert document["reports"] == ["reframe/run-report-1.json"]


def test_the_description_of_the_cluster_can_be_read_back():
    document = json.loads(record.render(every_verdict()))
    assert type(cluster()).model_validate(document["cluster"]) == cluster()


def test_a_reason_that_is_not_unicode_is_written():
    broken = signed(cluster(), Gate.ACCEPTANCE, [judgement(problems=["half \ud800 of a pair"])])
    assert json.loads(record.render(broken))["metrics"][0]["reason"] == "half � of a pair"
