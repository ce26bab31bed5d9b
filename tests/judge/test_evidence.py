"""Which files are the evidence for a bad figure of DAOS, and where they were cut."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from assay.campaign.results import Results, read
from assay.judge.evidence import MOST_LINES, Evidence
from assay.judge.signoff import Gate, SignOff, sign_off
from assay.judge.verdict import Verdict
from assay.judge.waivers import Waiver
from daos_campaigns import (
    CHECK,
    LOGGED,
    PARTITION,
    START,
    daos_cluster,
    failed_campaign,
    log_errors,
)

PLACE = f"raw/{PARTITION}/{CHECK}"
EXCERPT = f"evidence/{PARTITION}/{CHECK}.engine-errors.txt"
MADE = datetime(2026, 3, 2, tzinfo=UTC)


def signed(root: Path) -> SignOff:
    cluster = daos_cluster()
    results: Results = read(str(root / "run-1.json"), cluster, root)
    return sign_off(cluster, results, Gate.MEASURED, made_at=MADE)


def evidence(root: Path) -> Evidence:
    return next(each for each in signed(root).evidence if each.check == CHECK)


def test_a_missing_figure_has_all_that_was_kept_meanwhile(tmp_path: Path) -> None:
    log_errors(failed_campaign(tmp_path, daos_cluster()), *LOGGED)
    shown = evidence(tmp_path)
    assert str(shown.case) == "IorEasy on clients"
    raw = f"{PLACE}/raw/clients/dfs"
    assert shown.telemetry == (f"{raw}/start.engines.gz", f"{raw}/write.1.engines.gz")
    assert shown.logs == (EXCERPT, "engine-errors/20260101T100000Z.json")
    assert shown.devices == (
        f"{PLACE}/raw/system/devices.after.json",
        f"{PLACE}/raw/system/devices.before.json",
    )
    assert {Path(path).name.partition(".")[0] for path in shown.system} == {"pool", "system"}
    assert shown.job == (f"{PLACE}/rfm_job.out",)  # the other file is empty
    assert shown.servers == ("s1",)
    assert shown.notes == ()


def test_readings_are_listed_in_the_order_of_the_steps(tmp_path: Path) -> None:
    raw = failed_campaign(tmp_path, daos_cluster()) / "output" / PARTITION / CHECK / "raw"
    names = ["write.2", "read.2", "write.10", "clean.10"]
    lines = [f"{name}\t0\t{START + at}\t{START + at + 1}\n" for at, name in enumerate(names)]
    (raw / "clients" / "dfs" / "steps.tsv").write_text("".join(lines))
    for name in names:
        (raw / "clients" / "dfs" / f"{name}.engines.gz").write_bytes(b"x")
    (raw / "clients" / "dfs" / "write.1.engines.gz").unlink()
    listed = [Path(path).name.removesuffix(".engines.gz") for path in evidence(tmp_path).telemetry]
    assert listed == ["start", *names]


def test_the_excerpt_has_the_errors_of_its_time_alone(tmp_path: Path) -> None:
    failed_campaign(tmp_path, daos_cluster())
    log_errors(tmp_path, (START - 5, "rpc", "before"), *LOGGED, (START + 30, "rpc", "after"))
    (text,) = evidence(tmp_path).excerpts.values()
    head, line = text.strip().split("\n\n")
    assert "during IorEasy on clients, 2001-09-09 01:46:40 to 2001-09-09 01:46:51" in head
    assert line == ("2001-09-09 01:46:45  engine 0 of s1  vos  update() full: DER_NOSPACE(-1007)")


@pytest.mark.parametrize(("logged", "cut"), [(MOST_LINES, False), (MOST_LINES + 1, True)])
def test_it_is_said_where_the_excerpt_was_cut(tmp_path: Path, logged: int, cut: bool) -> None:
    failed_campaign(tmp_path, daos_cluster())
    # One file has at most 200 errors of an engine.
    log_errors(tmp_path, *[(START + 5, "vos", f"error {n}") for n in range(200)])
    second = tmp_path / "second"
    second.mkdir()
    log_errors(second, *[(START + 6, "vos", f"error {n}") for n in range(200, logged)])
    (second / "engine-errors" / "20260101T100000Z.json").rename(
        tmp_path / "engine-errors" / "20260101T110000Z.json"
    )
    shown = evidence(tmp_path)
    (text,) = shown.excerpts.values()
    assert text.count("error ") == MOST_LINES
    assert f"error {MOST_LINES - 1}\n" in text
    how = (
        f"these are the first {MOST_LINES} of {logged} errors; the files in engine-errors/ have the"
        " others"
    )
    assert text.endswith(f"\nCut here: {how}.\n") is cut
    assert shown.notes == ((f"the excerpt of the engines' logs was cut: {how}",) if cut else ())


def test_it_is_said_whose_log_the_server_cut(tmp_path: Path) -> None:
    log_errors(failed_campaign(tmp_path, daos_cluster()), *LOGGED, cut=True)
    assert evidence(tmp_path).notes == (
        "engine 0 of s1 may have logged more errors in a session than its server returned (at most"
        " 200): see its own log",
    )


def test_it_is_said_what_is_lacking(tmp_path: Path) -> None:
    root = failed_campaign(tmp_path, daos_cluster())
    for name in ("*.engines.gz", "steps.tsv", "system/*"):
        for path in root.glob(f"output/{PARTITION}/{CHECK}/raw/**/{name}"):
            path.unlink()
    assert evidence(root).notes == (
        "the job did not read the engines' metrics",
        "the engines' logs were not read in this campaign",
        "dmg and daos were not asked about the system",
    )
    log_errors(root, *LOGGED)
    assert evidence(root).notes[1] == (
        "no step of it ended, so nothing in the engines' logs can be assigned to it"
    )


def test_that_no_engine_logged_an_error_is_said_too(tmp_path: Path) -> None:
    log_errors(failed_campaign(tmp_path, daos_cluster()))
    shown = evidence(tmp_path)
    assert shown.notes == ("no engine logged an error while it ran",)
    assert shown.logs == ("engine-errors/20260101T100000Z.json",)


def test_a_log_that_was_not_read_does_not_count_as_one_without_errors(tmp_path: Path) -> None:
    log_errors(failed_campaign(tmp_path, daos_cluster()))
    (path,) = (tmp_path / "engine-errors").iterdir()
    servers = json.loads(path.read_text())
    servers["s2"]["engines"][0]["unread"] = "Permission denied"
    path.write_text(json.dumps(servers))
    assert evidence(tmp_path).notes == ("the logs of engine 0 of s2 were not read",)


def test_a_waiver_does_not_remove_the_evidence(tmp_path: Path) -> None:
    failed_campaign(tmp_path, daos_cluster())
    cluster = daos_cluster()
    results = read(str(tmp_path / "run-1.json"), cluster, tmp_path)
    key = "SelfTestClientServer.*"
    waiver = Waiver(metric=key, reason="a trial", owner="Ada", expires=date(2027, 1, 1))
    made = sign_off(cluster, results, Gate.MEASURED, (waiver,), made_at=MADE)
    assert Verdict.BELOW in {each.judgement.verdict for each in made.excused}
    assert "SelfTestClientServer" in {each.check for each in made.evidence}
