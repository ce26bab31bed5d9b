"""Two campaigns compared: a loss is found, and scatter is none."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import bundles
from assay.bundle import difference
from assay.bundle import verify as verification
from assay.bundle.compare import Outcome, Result, compare
from assay.bundle.difference import render
from assay.campaign.results import read
from assay.checks.plan import CHECKS
from assay.cli import app
from assay.cluster.description import Cluster
from assay.judge.signoff import Gate, sign_off
from assay.judge.verdict import Verdict
from assay.report import reader
from assay.report.reader import read as read_record
from assay.report.record import Record
from clusters import described, description
from outputs import report_with_outputs
from runs import report

Change = Callable[[dict[str, Any]], None]
SCATTER = 0.01


def scatter(document: dict[str, Any], factor: float = 1.0, only: str = "") -> None:
    """Give every metric samples that scatter; those of the check `only` times the factor."""
    for case in document["runs"][0]["testcases"]:
        times = factor if only in ("", case["name"].split()[0]) else 1.0
        for metric, by_subject in case["samples"].items():
            for subject, samples in by_subject.items():
                # No two subjects scatter alike, and each alike in all campaigns.
                noise = random.Random(f"{case['name']} {metric} {subject}")
                by_subject[subject] = [
                    value * times * (1 + SCATTER * noise.uniform(-1, 1)) for value in samples
                ]


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    """Peers enough to know the scatter of one from all of them."""
    return described(description(clients=6, servers=6))


def write(directory: Path, cluster: Cluster, change: Change) -> Path:
    """A campaign and its bundle."""
    document = report(cluster, directory)
    change(document)
    (directory / "run-1.json").write_text(json.dumps(document))
    results = read(str(directory / "run-1.json"), cluster, directory)
    bundles.write(sign_off(cluster, results, Gate.MEASURED), results, directory / "bundle")
    return directory / "bundle"


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory, cluster: Cluster) -> Path:
    """The bundle of a campaign in which all went well; not to be changed."""
    return write(tmp_path_factory.mktemp("old"), cluster, scatter)


def measured_again(document: dict[str, Any]) -> None:
    """No session has the digits of another."""
    for case in document["runs"][0]["testcases"]:
        for by_subject in case["samples"].values():
            for subject, samples in by_subject.items():
                by_subject[subject] = [value * (1 + 1e-8) for value in samples]


@pytest.fixture
def bundled(tmp_path: Path, cluster: Cluster) -> Callable[..., Path]:
    """Write the bundle of a later campaign."""

    def later(change: Change, site: Cluster = cluster) -> Path:
        def both(document: dict[str, Any]) -> None:
            change(document)
            measured_again(document)

        return write(tmp_path, site, both)

    return later


@pytest.fixture
def unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take bundles whose samples no program has printed."""
    monkeypatch.setattr(
        verification,
        "verify",
        lambda bundle: verification.Checked(record=reader.read(bundle / "report.json")),
    )


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle that verifies."""
    here, small = tmp_path_factory.mktemp("sound"), described(description())
    (here / "run-1.json").write_text(json.dumps(report_with_outputs(small, here)))
    results = read(str(here / "run-1.json"), small, here)
    bundles.write(sign_off(small, results, Gate.MEASURED), results, here / "bundle")
    return here / "bundle"


def record(directory: Path) -> Record:
    return read_record(directory / "report.json")


@pytest.mark.usefixtures("unverified")
def test_what_did_not_change_is_not_a_regression(old: Path, bundled: Callable[..., Path]) -> None:
    new = bundled(lambda d: scatter(d, 1.005))
    compared = compare([record(old)], [record(new)])
    assert not compared.is_regression
    assert {row.outcome for row in compared.rows} <= {Outcome.SAME, Outcome.OPEN}
    done = CliRunner().invoke(app, ["compare", str(old), str(new), "--unaccepted"])
    assert done.exit_code == 3
    assert done.stdout.startswith("UNDECIDED: ")


@pytest.mark.usefixtures("unverified")
def test_a_loss_comes_first_with_its_interval(old: Path, bundled: Callable[..., Path]) -> None:
    new = bundled(lambda d: scatter(d, 0.7, only="SsdFio"))
    compared = compare([record(old)], [record(new)])
    assert compared.is_regression
    first = compared.rows[0]
    assert (first.outcome, first.key.partition(".")[0]) == (Outcome.WORSE, "SsdFio")
    assert first.change is not None
    assert first.change.low < -0.3 < first.change.high < 0
    done = CliRunner().invoke(app, ["compare", str(old), str(new), "--unaccepted"])
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[0].startswith("REGRESSION: ")
    one_by_one = lines[lines.index("One by one:") + 1]
    assert one_by_one.startswith("  worse     -30.0% (-")
    assert "SsdFio." in one_by_one


def test_less_is_better_for_a_time(old: Path, bundled: Callable[..., Path]) -> None:
    new = bundled(lambda d: scatter(d, 1.4, only="FiPingpong"))
    rows = {row.key: row.outcome for row in compare([record(old)], [record(new)]).rows}
    assert rows["FiPingpong.latency_64b on c1>c2"] is Outcome.WORSE
    assert rows["FiPingpong.bandwidth_1m on c1>c2"] is Outcome.BETTER


def test_what_is_not_measured_any_more_is_a_regression(
    old: Path, bundled: Callable[..., Path]
) -> None:
    def lose(document: dict[str, Any]) -> None:
        scatter(document)
        for case in document["runs"][0]["testcases"]:
            if case["name"].startswith("SsdFio ") and case["partition"] == "servers":
                case["problems"] = {"s1": ["the disk is gone"]}

    new = bundled(lose)
    compared = compare([record(old)], [record(new)])
    assert compared.is_regression
    assert {row.key for row in compared.rows if row.outcome is Outcome.GONE} == {
        f"SsdFio.{metric.name} on s1" for metric in CHECKS["SsdFio"].metrics
    }
    assert {row.outcome for row in compare([record(new)], [record(old)]).rows} >= {Outcome.NEW}
    lost = len(CHECKS["SsdFio"].metrics)
    neither = compare([record(new)], [record(new)])
    assert neither.unmeasured == compared.unmeasured + lost
    assert not [row for row in neither.rows if "SsdFio" in row.key and row.key.endswith(" on s1")]
    assert f", {neither.unmeasured} measured in neither" in render(
        [record(new)], [record(new)], neither
    )


@pytest.mark.usefixtures("unverified")
def test_what_was_set_differently_in_either_campaign_is_named(
    old: Path, bundled: Callable[..., Path]
) -> None:
    def shorten(document: dict[str, Any]) -> None:
        scatter(document)
        for case in document["runs"][0]["testcases"]:
            if case["name"].startswith("SsdFio ") and case["partition"] == "servers":
                case["deviations"] = {"file_mib": {"asked": 512, "was": 64}}

    named = "  SsdFio.file_mib on servers was 64, less than the scale's 512"
    new = bundled(shorten)
    for pair, head in (((old, new), "new: "), ((new, old), "old: ")):
        lines = (
            CliRunner()
            .invoke(app, ["compare", *map(str, pair), "--unaccepted"])
            .stdout.splitlines()
        )
        assert lines[lines.index(named) - 1].startswith(head)
    same = [record(old)]
    assert named not in difference.render(same, same, compare(same, same))


@pytest.mark.usefixtures("unverified")
def test_other_hardware_is_refused_without_the_option(
    old: Path, bundled: Callable[..., Path]
) -> None:
    document = description(clients=6, servers=6)
    document["hosts"]["s2"]["cores"] = 8
    other = described(document)
    new = bundled(scatter, other)
    done = CliRunner().invoke(app, ["compare", str(old), str(new), "--unaccepted"])
    assert done.exit_code == 2
    assert "host s2: cores is 8, was 4" in done.stderr
    assert (
        CliRunner()
        .invoke(app, ["compare", str(old), str(new), "--other-hardware", "--unaccepted"])
        .exit_code
        == 3
    )


@pytest.mark.usefixtures("unverified")
def test_each_session_must_be_of_the_same_hardware(old: Path, bundled: Callable[..., Path]) -> None:
    document = description(clients=6, servers=6)
    document["hosts"]["s2"]["cores"] = 8
    other = bundled(scatter, described(document))
    for option in ("--old", "--new"):
        sessions = [str(old), str(old), option, str(other), "--unaccepted"]
        done = CliRunner().invoke(app, ["compare", *sessions])
        assert done.exit_code == 2
        assert f"{old} and {other} differ in hardware in 1 places" in done.stderr


@pytest.mark.usefixtures("unverified")
def test_a_session_that_is_named_twice_is_not_two(old: Path, bundled: Callable[..., Path]) -> None:
    """Three copies of each bundle decided on a loss as if sessions never differed."""
    new = bundled(lambda d: scatter(d, 0.97))
    run = CliRunner().invoke
    for twice in (["--old", str(old)], ["--new", str(new)], ["--old", str(new)]):
        done = run(app, ["compare", str(old), str(new), *twice, "--unaccepted"])
        assert done.exit_code == 2
        assert "has the same samples in" in done.stderr
        assert "compare sessions that were measured by themselves" in done.stderr
    assert (
        "the same samples" not in run(app, ["compare", str(old), str(new), "--unaccepted"]).stderr
    )


def with_verdict(measured: Record, check: str, verdict: Verdict) -> Record:
    """A record in which the figures of a check have another verdict."""
    metrics = [
        metric.model_copy(update={"verdict": verdict}) if metric.check == check else metric
        for metric in measured.metrics
    ]
    return measured.model_copy(update={"metrics": metrics})


def test_what_became_implausible_is_no_better(old: Path, bundled: Callable[..., Path]) -> None:
    before = with_verdict(record(old), "SsdFio", Verdict.PASS)
    new = record(bundled(lambda d: scatter(d, 3.0, "SsdFio")))
    after = with_verdict(new, "SsdFio", Verdict.IMPLAUSIBLE)
    compared = compare([before], [after])
    assert compared.is_regression
    outcomes = {row.outcome for row in compared.rows if row.key.startswith("SsdFio.")}
    assert outcomes == {Outcome.IMPLAUSIBLE}
    believed = compare([before], [with_verdict(new, "SsdFio", Verdict.PASS)])
    assert not believed.is_regression


def test_what_is_not_a_bundle_cannot_be_compared(old: Path, tmp_path: Path) -> None:
    old = shutil.copytree(old, tmp_path / "old")
    done = CliRunner().invoke(app, ["compare", "/nowhere", str(old)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("/nowhere is not a bundle of `assay signoff`: ")
    text = json.loads((old / "report.json").read_text())
    del text["metrics"]
    (old / "report.json").write_text(json.dumps(text))
    done = CliRunner().invoke(app, ["compare", str(old), str(old)])
    assert done.exit_code == 2
    assert "does not match the schema" in done.stderr


@pytest.mark.parametrize(
    ("key", "value"), [("interface", "eth9"), ("cores", 10**400), ("interfaces", {})]
)
def test_a_cluster_that_is_not_valid_is_refused(old: Path, key: str, value: object) -> None:
    document = json.loads((old / "report.json").read_text())
    document["cluster"]["hosts"]["s1"][key] = value
    try:
        forged = Record.model_validate(document)
    except ValueError:
        return  # the reader has refused it
    with pytest.raises(ValueError, match=r"cluster.*s1"):
        compare([record(old)], [forged])


def edited(bundle: Path, to: Path, change: Change) -> Path:
    """A copy whose report.json somebody has changed."""
    shutil.copytree(bundle, to)
    document = json.loads((to / "report.json").read_text())
    change(document)
    (to / "report.json").write_text(json.dumps(document))
    return to


@pytest.mark.parametrize("first", [True, False])
def test_a_bundle_that_somebody_has_edited_is_not_compared(
    sound: Path, tmp_path: Path, first: bool
) -> None:
    def slower(document: dict[str, Any]) -> None:
        for metric in document["metrics"]:
            metric["samples"] = [sample * 0.8 for sample in metric["samples"]]

    forged = edited(sound, tmp_path / "forged", slower)
    pair = (forged, sound) if first else (sound, forged)
    done = CliRunner().invoke(app, ["compare", *map(str, pair), "--unaccepted"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{forged} does not verify, so it is not compared" in done.stderr


@pytest.mark.usefixtures("unverified")
def test_a_baseline_that_was_not_accepted_is_refused(old: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(old), str(old)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{old} was not accepted (pass --unaccepted" in done.stderr


def altered(one: Record, **changes: Any) -> Record:
    return one.model_copy(update=changes)


def test_a_pair_has_no_order(old: Path) -> None:
    """Which of its ends comes first follows from the inventory's order of hosts."""
    before = record(old)
    turned = [
        metric.model_copy(
            update={
                "subject": ">".join(reversed(metric.subject.split(">"))),
                "key": metric.key.replace(
                    metric.subject, ">".join(reversed(metric.subject.split(">")))
                ),
            }
        )
        for metric in before.metrics
    ]
    assert any(">" in metric.subject for metric in turned)
    compared = compare([before], [altered(before, metrics=turned)])
    assert {row.outcome for row in compared.rows} <= {Outcome.SAME, Outcome.OPEN}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scale": "acceptance"}, "scale: acceptance, was quick"),
        ({"versions": {"fio": "3.99"}}, "fio: 3.99, was"),
        (
            {"versions": {"daos from source": "2.8.0, hash abc"}},
            "daos from source: 2.8.0, hash abc, was none",
        ),
    ],
)
def test_what_else_differs_is_warned_of(old: Path, changes: dict[str, Any], message: str) -> None:
    before = record(old)
    assert "warning" not in difference.render([before], [before], compare([before], [before]))
    after = altered(before, **changes)
    text = difference.render([before], [after], compare([before], [after]))
    assert f"warning: {message}" in text


def test_sessions_of_different_scales_on_one_side_are_warned_of(old: Path) -> None:
    sides = [[record(old), altered(record(old), scale="acceptance")] for _ in range(2)]
    text = difference.render(*sides, compare(*sides))
    assert "warning: scale: acceptance and quick, was acceptance and quick" in text


def test_single_sessions_say_what_they_cannot_tell(old: Path) -> None:
    before = record(old)
    text = difference.render([before], [before], compare([before], [before]))
    assert text.startswith("UNDECIDED: ")
    assert "\n3 sessions on either side would decide: measure again, and name the further" in text
    assert "1 session and 1 session: a change of all figures by less than 1" in text
    three = [before] * 3
    text = difference.render(three, three, compare(three, three))
    assert text.startswith("NO REGRESSION: ")
    assert "3 sessions and 3 sessions: a change of all figures by less than " in text
    assert "--old" not in text


def with_samples(measured: Record, count: int, factor: float = 1.0) -> Record:
    """A record of one figure without peers, with so many samples, so many times as large."""
    (metric, *_) = (m for m in measured.metrics if m.metric == "latency_64b")
    samples = [6.0 * factor * times for times in (1.0, 0.4, 1.5)[:count]]
    assert metric.summary
    summary = metric.summary.model_copy(update={"median": samples[0], "count": count})
    one = metric.model_copy(update={"samples": samples, "summary": summary})
    return altered(measured, metrics=[one])


def test_a_figure_of_two_samples_has_no_interval_and_is_named(old: Path) -> None:
    """It read NO REGRESSION, with an interval from -9506 % to +9404 %."""
    before, after = (with_samples(record(old), 2, factor) for factor in (1.0, 17.5))
    compared = compare([before], [after])
    assert compared.result is Result.UNDECIDED
    text = difference.render([before], [after], compared)
    lines = text.splitlines()
    assert lines[0] == "UNDECIDED: 1 open"
    assert lines[2].startswith("largest apparent loss: FiPingpong.latency_64b on ")
    assert lines[2].endswith(": 6.00 -> 105 us")
    assert " to +" not in text
    assert "scatter too much to tell a change" in text


def test_nothing_in_common_decides_nothing(old: Path) -> None:
    empty = altered(record(old), metrics=[])
    assert compare([empty], [empty]).result is Result.UNDECIDED
    compared = compare([empty], [record(old)])
    lines = difference.render([empty], [record(old)], compared).splitlines()
    assert lines[0].startswith("UNDECIDED: ")
    assert lines[1].startswith("no figure was measured in both, so no further session would decide")


def test_no_interval_goes_beyond_a_whole_loss(old: Path) -> None:
    """It read -94.3 % (-116.1 % to -72.5 %)."""
    before, after = (with_samples(record(old), 3, factor) for factor in (1.0, 1000.0))
    before, after = (
        altered(
            each,
            metrics=[
                each.metrics[0].model_copy(
                    update={"samples": [each.metrics[0].samples[0] * n for n in (1.0, 1.01, 0.99)]}
                )
            ],
        )
        for each in (before, after)
    )
    text = difference.render([before], [after], compare([before], [after]))
    assert "worse     -99.9% (-100.0% to " in text
