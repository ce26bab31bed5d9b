"""What the engines logged while a check ran."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from test_engines import campaign, daos

from assay.campaign.engine_logs import EngineLog, LoggedErrors
from assay.campaign.results import Results
from assay.checks.plan import CaseKey, requirements
from assay.checks.raw import directory_of
from assay.cluster.description import Cluster
from assay.judge import engine_logs
from ended import reported
from recordings import recorded

KEY = CaseKey("IorEasy", "clients")
TAKEN = (
    "cont_create_existence_check() b3b1a241/6e79b98f: non-unique label:"
    " rd:assy:enfo:20200101:0000:g"
)
"""As DAOS 2.8 logged it."""

WHILE = 3.0
"""Its first step started at 1, and its last one ended at 9.5."""


def logged(cluster: Cluster, results: Results) -> dict[CaseKey, tuple[str, ...]]:
    return engine_logs.logged(cluster, requirements(cluster), results)


def with_errors(results: Results, *errors: tuple[float, str, str], cut: bool = False) -> Results:
    log = EngineLog(errors=list(errors), cut=cut)
    return replace(results, engine_errors=(LoggedErrors("a.json", b"", {("s1", 0): log}),))


def test_errors_are_counted_by_engine_and_part_with_the_first(tmp_path: Path) -> None:
    results = with_errors(
        campaign(tmp_path, "sound"),
        (WHILE, "rpc", "an RPC timed out"),
        (WHILE + 1, "vos", "update() full: DER_NOSPACE(-1007)"),
        (WHILE + 2, "vos", "update() full again"),
    )
    assert logged(daos(9191), results)[KEY] == (
        "engine 0 of s1 logged 2 errors of its part vos, the first: update() full:"
        " DER_NOSPACE(-1007)",
        "engine 0 of s1 logged 1 error of its part rpc, the first: an RPC timed out",
    )


@pytest.mark.parametrize(("at", "count"), [(-0.1, 0), (0.0, 1), (9.5, 1), (9.6, 0)])
def test_errors_before_and_after_a_check_are_not_its_own(
    tmp_path: Path, at: float, count: int
) -> None:
    results = with_errors(campaign(tmp_path, "sound"), (at, "vos", "x"))
    assert len(logged(daos(9191), results).get(KEY, ())) == count


def test_an_engine_that_logged_more_is_said_to_have(tmp_path: Path) -> None:
    results = with_errors(campaign(tmp_path, "sound"), (WHILE, "vos", "x"), cut=True)
    (sentence,) = logged(daos(9191), results)[KEY]
    assert "logged at least 1 error of its part vos" in sentence


@pytest.mark.parametrize(
    ("check", "findings"),
    [
        ("FdbHammerDaos", ["an RPC timed out", "invalid label: rd:assy"]),
        ("IorEasy", ["an RPC timed out", TAKEN]),
    ],
)
def test_processes_that_make_one_container_are_no_finding(
    check: str, findings: list[str], tmp_path: Path
) -> None:
    """Of FDB all but the first are refused, and go on."""
    results = with_errors(
        campaign(tmp_path, "sound"),
        (WHILE, "container", TAKEN),
        (WHILE + 1, "container", "invalid label: rd:assy"),
        (WHILE + 2, "rpc", "an RPC timed out"),
    )
    document = daos(9191).model_dump(mode="json", by_alias=True)
    document["benchmarks"] |= {"fdb_hammer_daos": "/opt/fdb-hammer", "fdb_share": "/opt/share"}
    cluster = Cluster.model_validate(document)
    key = check, "clients"
    raw = tmp_path / "output" / "IorEasy" / "raw"
    subject = next(each.subject for each in requirements(cluster) if each.check == check)
    if check != "IorEasy":
        shutil.copytree(raw / "clients" / "dfs", raw / directory_of(subject))
    (ran,) = results.cases.values()
    results = replace(results, cases={key: replace(ran, check=check)})
    sentences = logged(cluster, results)[key]
    assert sorted(each.split("the first: ")[1] for each in sentences) == findings


def test_a_log_that_was_not_read_is_named(tmp_path: Path) -> None:
    log = EngineLog(errors=[], unread="No such file")
    session = LoggedErrors("a.json", b"", {("s1", 0): log})
    results = replace(campaign(tmp_path, "sound"), engine_errors=(session,))
    assert logged(daos(9191), results)[KEY] == (
        "the log of engine 0 of s1 was not read: No such file",
    )


def test_the_report_on_a_check_has_them_with_telemetry_and_without(tmp_path: Path) -> None:
    results = with_errors(campaign(tmp_path, "sound"), (WHILE, "vos", "x"))
    sentence = "engine 0 of s1 logged 1 error of its part vos, the first: x"
    (report,) = reported(daos(9191), results)
    assert report.sentence == sentence
    (report,) = reported(daos(None), results)
    assert report.sentence.startswith(f"{sentence}; the engines' metrics were not read")


def test_an_engine_is_named_by_its_rank_where_dmg_reported_it(tmp_path: Path) -> None:
    results = with_errors(campaign(tmp_path, "sound"), (WHILE, "vos", "x"))
    answer = tmp_path / "output" / "IorEasy" / "raw" / "system" / "system.before.json"
    answer.parent.mkdir()
    cluster = daos(9191)
    document = cluster.model_dump(mode="json", by_alias=True)
    document["hosts"]["s1"]["interfaces"]["eth0"]["address"] = "127.0.0.1"
    document["hosts"]["s1"]["engines"][0]["fabric_iface_port"] = 31416
    answer.write_text(recorded("dmg", "system_query_joined.txt"))
    (sentence,) = logged(type(cluster).model_validate(document), results)[KEY]
    assert sentence.startswith("rank 1 on s1 logged 1 error")
