"""What the engines report: who stands out, who else used them, what failed."""

from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from assay.campaign.results import Results
from assay.checks.backends import ior_backends
from assay.checks.raw import RawOutputs
from assay.cluster.description import Cluster
from assay.foreign.files import Tree
from assay.judge.engine_steps import Activity, add, compare, note
from assay.judge.engines import _compared, _findings, _outliers
from assay.judge.signoff import Gate, sign_off
from assay.judge.verdict import Verdict
from assay.subject import Subject
from assay.tools.daos.telemetry import parse
from assay.tools.ior import moved
from clusters import described, system
from ended import campaign_of, ended, reported
from found import found_description
from recordings import ROOT, recorded

DFS = Subject("clients", backend="dfs")


def replay(trial: str) -> Activity:
    """A trial on two engines of a real DAOS, as its readings have it."""
    place = ROOT / "telemetry" / trial
    seen = Activity()
    before = parse((place / "start.prom").read_text())
    for number in range(1, 10):
        for phase in ("write", "read", "clean"):
            name = f"{phase}.{number}"
            if not (place / f"{name}.prom").exists():
                continue
            after = parse((place / f"{name}.prom").read_text())
            note(seen, after)
            summary = place / f"{name}.json"
            own = (moved(summary.read_text()) if summary.exists() else None) or {}
            compare(
                seen,
                before,
                after,
                {(DFS, "write"): own["write"], (DFS, "read"): own["read"]} if own else {},
                name,
            )
            before = after
    return seen


def test_an_engine_that_is_stopped_again_and_again_is_named() -> None:
    seen = replay("pulsed")
    outliers = _outliers(dict(_compared(seen)))
    assert {(each.rank, each.target) for each in outliers} == {(1, None)}
    assert not list(_findings(seen))


@pytest.mark.parametrize("trial", ["sound", "sound_long"])
def test_of_sound_engines_nobody_is_named(trial: str) -> None:
    seen = replay(trial)
    assert seen.steps >= 9
    assert not list(_outliers(dict(_compared(seen))))
    assert not list(_findings(seen))
    assert set(seen.asked) == {(DFS, "write"), (DFS, "read")}
    for way, asked in seen.asked.items():
        assert seen.moved[way] == pytest.approx(asked, rel=1e-3)
        assert asked > 0


def test_by_one_step_of_two_engines_nobody_is_named() -> None:
    seen = replay("destroyed")
    (times,) = seen.latency["update", "1MB"].values()
    assert (times[0, 0][1] / times[0, 0][0]) > 16 * (times[1, 0][1] / times[1, 0][0])
    assert not list(_outliers(dict(_compared(seen))))


def test_another_tenant_shows_in_the_bytes() -> None:
    seen = replay("tenant")
    assert list(_findings(seen)) == [
        "others used the system: 39% of the bytes were not from this check",
    ]
    assert not list(_outliers(dict(_compared(seen))))


def test_a_summary_of_ior_says_what_was_moved() -> None:
    text = recorded("telemetry", "sound/write.1.json")
    assert moved(text) == {"write": 140 * 2**20, "read": 0.0}
    assert moved("no JSON") is None
    assert moved("{}") is None


def daos(port: int | None) -> Cluster:
    document = system().model_dump(mode="json", by_alias=True)
    document["daos"] |= {"pool": "assay", "container": "posix"}
    document["benchmarks"] |= {"ior": "/usr/bin/ior", "ior_apis": ["DFS"]}
    document["hosts"]["s1"]["server"]["telemetry_port"] = port
    return Cluster.model_validate(document)


def campaign(root: Path, trial: str) -> Results:
    """IorEasy through DFS, which left the readings of a trial."""
    raw = root / "output" / "IorEasy" / "raw" / "clients" / "dfs"
    raw.mkdir(parents=True)
    steps = []
    for kept in (ROOT / "telemetry" / trial).glob("*.*"):
        if kept.suffix == ".json":
            (raw / kept.name).write_text(kept.read_text())
        elif kept.suffix == ".prom":
            (raw / f"{kept.stem}.engines.gz").write_bytes(gzip.compress(kept.read_bytes()))
            steps.append(kept.stem)
    steps.remove("start")
    steps.sort(key=lambda name: (name[-1], "write read clean".index(name[:-2])))
    lines = [f"{name}\t0\t{at}.0\t{at}.5\n" for at, name in enumerate(steps, 1)]
    (raw / "steps.tsv").write_text("".join(lines))
    return campaign_of(ended(root, "IorEasy"))


def test_steps_of_one_name_are_apart_by_subject_and_by_job(tmp_path: Path) -> None:
    """Two backends, or two rounds, have steps of the same names."""
    campaign(tmp_path, "sound")
    clients = tmp_path / "output" / "IorEasy" / "raw" / "clients"
    shutil.copytree(clients / "dfs", clients / "dfuse")
    raw = RawOutputs(Tree(tmp_path), "output/IorEasy/raw")
    once, twice, rounds = Activity(), Activity(), Activity()
    dfs, dfuse = (Subject("clients", backend=backend) for backend in ("dfs", "dfuse"))
    for seen, subject, job in (
        *((once, dfs, 0),),
        *((twice, dfs, 0), (twice, dfuse, 0)),
        *((rounds, dfs, 0), (rounds, dfs, 1)),
    ):
        add(seen, daos(9191), "IorEasy", subject, raw, job)
    assert once.problems == []
    for key, steps in once.latency.items():
        assert len(twice.latency[key]) == len(rounds.latency[key]) == 2 * len(steps)


@pytest.mark.parametrize(
    ("trial", "sentence"),
    [
        (
            "sound",
            "no rank or target is an outlier in latency; a rank is named only above 2.1 times"
            " (update), 2.1 times (fetch), 2.7 times (scheduler) that of its peers",
        ),
        ("tenant", "others used the system: 39% of the bytes were not from this check"),
        (
            "pulsed",
            "duration of scheduler cycles (paused, or short of CPU) 4.2 times that of its peer",
        ),
    ],
)
def test_a_campaign_says_what_its_engines_said(tmp_path: Path, trial: str, sentence: str) -> None:
    (report,) = reported(daos(9191), campaign(tmp_path, trial))
    assert report.check == "IorEasy"
    assert report.sentence.endswith(sentence)
    assert report.sentence.startswith("rank 1 on s1") == (trial == "pulsed")


SHORT = (
    "the engines moved %d%% of the bytes that the benchmark reports, redundancy included: a cache"
    " or a hole"
)


def test_a_slow_target_is_named_with_its_own_ssd(tmp_path: Path) -> None:
    results = campaign(tmp_path, "slow_target")
    system = tmp_path / "output" / "IorEasy" / "raw" / "system"
    system.mkdir()
    listed = recorded("dmg", "list_devices_two_engines.txt")
    (system / "devices.before.json").write_text(listed)
    (report,) = reported(daos(9191), results)
    assert report.outliers == (
        "rank 1 on localhost, target 1, SSD 8c815e1f-0d71-42da-81f6-1bf09898982f: update latency"
        " 5.4 times that of its 3 peers",
    )


@pytest.mark.parametrize("port", [9191, None])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_pool_in_which_daos_holds_writes_back_is_a_finding(
    tmp_path: Path, when: str, port: int | None
) -> None:
    results = campaign(tmp_path, "sound")
    system = tmp_path / "output" / "IorEasy" / "raw" / "system"
    system.mkdir()
    answer = recorded("dmg", "pool_query_little_room.txt").replace("150000000", "75000000")
    (system / f"pool.{when}.json").write_text(answer)
    (report,) = reported(daos(port), results)
    assert report.findings == (
        f"the pool assay, {when} the run: its fullest scm target is 85% full; from 60% on DAOS"
        " holds writes back while it reclaims space",
    )
    assert report.findings[0] in report.sentence


ROOM = "150000000"
"""Free bytes of the fullest target in the recording; half of them are 85 % full."""


def test_the_fuller_of_the_two_answers_counts(tmp_path: Path) -> None:
    results = campaign(tmp_path, "sound")
    system = tmp_path / "output" / "IorEasy" / "raw" / "system"
    system.mkdir()
    answer = recorded("dmg", "pool_query_little_room.txt")
    for when, free in (("before", "75000000"), ("after", "190000000")):
        (system / f"pool.{when}.json").write_text(answer.replace(ROOM, free))
    (report,) = reported(daos(9191), results)
    (finding,) = report.findings
    assert finding.startswith("the pool assay, before the run: its fullest scm target is 85% full")


@pytest.mark.parametrize("full", ["pool", "perf_pool"])
def test_of_daos_perf_its_own_pool_counts(tmp_path: Path, full: str) -> None:
    results = campaign(tmp_path, "sound")
    system = tmp_path / "output" / "IorEasy" / "raw" / "system"
    system.mkdir()
    answer = recorded("dmg", "pool_query_little_room.txt").replace(ROOM, "75000000")
    (system / f"{full}.before.json").write_text(answer)
    document = daos(9191).model_dump(mode="json", by_alias=True)
    document["daos"]["perf_pool"] = "perf"
    key = "DaosPerf", "clients"
    (ran,) = results.cases.values()
    perf = replace(results, cases={key: replace(ran, check=key[0])})
    (report,) = reported(Cluster.model_validate(document), perf)
    named = [each for each in report.findings if each.startswith("the pool ")]
    assert [each.split(",")[0] for each in named] == ["the pool perf"] * (full == "perf_pool")


def twice_as_much(root: Path, phase: str) -> None:
    """Let IOR report twice the bytes that it moved in a phase."""
    for summary in root.glob(f"**/{phase}.*.json"):
        document = json.loads(summary.read_text())
        for row in document["summary"]:
            row["xsizeMiB"] *= 2
        summary.write_text(json.dumps(document))


def test_what_the_engines_did_not_move_is_implausible(tmp_path: Path) -> None:
    results = campaign(tmp_path, "sound")
    twice_as_much(tmp_path, "read")
    (key,) = results.cases
    figures = {"clients/dfs": [4000.0, 4010.5, 4020.25]}
    case = replace(results.cases[key], samples={"write": figures, "read": figures})
    results = replace(results, cases={key: case}, with_outputs=False)
    signed = sign_off(daos(9191), results, Gate.MEASURED)
    judged = {each.requirement.key: each for each in signed.judgements}
    written, read = (judged[f"IorEasy.{name} on clients/dfs"] for name in ("write", "read"))
    assert read.expectation.floor is not None
    assert (read.verdict, read.reason) == (Verdict.IMPLAUSIBLE, SHORT % 50)
    assert written.verdict is not Verdict.IMPLAUSIBLE
    assert signed.engines[0].findings == ("read on clients/dfs: " + SHORT % 50,)


def test_a_check_that_never_reached_daos_has_no_report(tmp_path: Path) -> None:
    results = campaign(tmp_path, "pulsed")
    document = daos(9191).model_dump(mode="json", by_alias=True)
    document["daos"]["container"] = None
    document["benchmarks"]["shared_directory"] = "/shared"
    shared = Cluster.model_validate(document)
    assert [backend.name for backend in ior_backends(shared)] == ["posix"]
    assert reported(shared, results) == ()


def test_a_check_without_outputs_has_no_report(tmp_path: Path) -> None:
    results = campaign(tmp_path, "pulsed")
    ((key, case),) = results.cases.items()
    lost = replace(results, cases={key: replace(case, output=None)})
    assert reported(daos(9191), lost) == ()
    assert reported(daos(9191), replace(results, cases={})) == ()


def test_servers_that_did_not_answer_are_named(tmp_path: Path) -> None:
    results = campaign(tmp_path, "sound")
    for reading in tmp_path.glob("**/*.engines.gz"):
        lost = "# no answer of s7: timed out\n# no answer of s8: timed out\n"
        reading.write_bytes(gzip.compress(lost.encode()))
    (report,) = reported(daos(9191), results)
    assert report.unread == "the metrics of s7 were not read, nor those of 1 more: timed out"


@pytest.mark.parametrize("others", [["s2"], ["s2", "s3"]])
def test_every_server_needs_a_telemetry_port(tmp_path: Path, others: list[str]) -> None:
    document = daos(None).model_dump(mode="json", by_alias=True)
    for name in others:
        document["hosts"][name] = document["hosts"]["s1"]
        document["servers"].append(name)
        document["daos"]["servers"].append(name)
    (report,) = reported(Cluster.model_validate(document), campaign(tmp_path, "pulsed"))
    assert report.unread == (
        f"the engines' metrics were not read: no telemetry port on s1 and {len(others)} more"
    )


def test_without_a_telemetry_port_figures_are_judged_without(tmp_path: Path) -> None:
    (report,) = reported(daos(None), campaign(tmp_path, "pulsed"))
    assert report.sentence == (
        "the engines' metrics were not read: no telemetry port on s1;"
        " figures are judged without them"
    )


def test_the_engines_of_a_system_that_was_found_are_judged_by_what_a_user_reads(
    tmp_path: Path,
) -> None:
    results = campaign(tmp_path, "pulsed")
    unwatched = described(found_description(found={"ranks": 2}))
    (report,) = reported(unwatched, results)
    assert report.unread == (
        "the engines' metrics were not read: daos.found.telemetry names no server"
    )
    there = described(found_description(found={"ranks": 2, "telemetry": ["s1:9191"]}))
    (report,) = reported(there, results)
    assert report.sentence.startswith("rank 1 on s1")


def test_all_ranks_of_a_system_that_was_found_have_to_report_their_bytes(tmp_path: Path) -> None:
    results = campaign(tmp_path, "sound")
    twice_as_much(tmp_path, "read")
    for ranks, findings in ((2, 1), (3, 0)):
        found = {"ranks": ranks, "telemetry": ["s1:9191"]}
        (report,) = reported(described(found_description(found=found)), results)
        assert len(report.findings) == findings


def test_an_unreadable_reading_is_reported(tmp_path: Path) -> None:
    results = campaign(tmp_path, "sound")
    (reading,) = tmp_path.glob("**/start.engines.gz")
    reading.write_bytes(b"no gzip")
    (report,) = reported(daos(9191), results)
    assert report.unread.startswith("start.engines.gz is not compressed: ")
    assert not report.findings


def test_a_server_that_claims_the_ranks_of_others_hides_nothing(tmp_path: Path) -> None:
    """Each reading was whole no more, so that nothing was said of others' load or of a cache."""
    seen = Activity(ranks=2)
    on = {0: "s1", 1: "s1"}
    place = ROOT / "telemetry" / "tenant"
    claim = '# server s0\nengine_pool_xferred_update{pool="p",rank="0",target="0"} 9\n'
    before, after = (
        parse(claim + (place / f"{name}.prom").read_text(), on) for name in ("start", "write.1")
    )
    note(seen, after)
    compare(seen, before, after, {(DFS, "write"): 1.0}, "write.1")
    assert list(_findings(seen)) == [
        "others used the system: 100% of the bytes were not from this check",
        "s0 has metrics of rank 0, which is on s1",
    ]


def test_a_check_that_read_nothing_says_so(tmp_path: Path) -> None:
    results = campaign(tmp_path, "sound")
    for reading in tmp_path.glob("**/*.engines.gz"):
        reading.unlink()
    (report,) = reported(daos(9191), results)
    assert report.sentence.startswith("the engines' metrics were not read by the job")
