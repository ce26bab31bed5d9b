"""The properties of DAOS that were in force while a campaign ran, as its checks asked for them."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

from assay.campaign.cases import Case
from assay.cluster.description import Cluster
from assay.judge.in_force import in_force
from assay.judge.signoff import Gate, sign_off
from assay.report import html, record
from clusters import described
from ended import MOMENT, campaign_of, ended
from sites import site


def cluster() -> Cluster:
    document = site(servers=1, engines=1, clients=1)
    document["daos"] |= {"pool": "tank", "container": "posix"}
    return described(document)


def answer(**properties: object) -> str:
    listed = [{"name": name, "value": value} for name, value in properties.items()]
    return json.dumps({"response": listed, "error": None, "status": 0})


def case(root: Path, check: str, number: int, **answers: str) -> Case:
    place = root / "output" / check / "raw" / "system"
    place.mkdir(parents=True)
    for name, text in answers.items():
        (place / f"{name}_properties.before.json").write_text(text)
    return ended(root, check, at=MOMENT + timedelta(hours=number))


def test_the_values_are_those_before_each_check_and_a_change_shows_both(tmp_path: Path) -> None:
    pool = answer(reclaim="lazy", label="tank")
    late = case(tmp_path, "IorEasy", 2, pool=pool, container=answer(cksum="crc32", rd_fac=1))
    early = case(tmp_path, "FioDfs", 1, pool=pool, container=answer(cksum="off", rd_fac=1))
    assert in_force(cluster(), campaign_of(late, early)) == {
        "pool tank: reclaim": "lazy",
        "container posix: rd_fac": "1",
        "container posix: cksum": "off, then crc32",
    }


def test_a_check_that_was_not_answered_says_nothing(tmp_path: Path) -> None:
    silent = case(tmp_path, "IorEasy", 1, container="dmg did not answer")
    assert in_force(cluster(), campaign_of(silent)) == {}
    assert in_force(cluster(), campaign_of()) == {}


def test_the_report_shows_them(tmp_path: Path) -> None:
    measured = campaign_of(case(tmp_path, "IorEasy", 1, container=answer(cksum="<crc32>")))
    signed = sign_off(cluster(), measured, Gate.MEASURED)
    assert json.loads(record.render(signed))["in_force"] == {"container posix: cksum": "<crc32>"}
    page = html.render(signed)
    assert "<dt>container posix: cksum</dt><dd>&lt;crc32&gt;</dd>" in page
