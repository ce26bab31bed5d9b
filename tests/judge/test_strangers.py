"""Hosts of the system that the plan does not have; the answers are made up."""

from __future__ import annotations

import json
from pathlib import Path

from test_in_force import cluster

from assay.judge.signoff import Gate, sign_off
from assay.judge.strangers import strangers
from assay.report import summary
from ended import campaign_of, ended


def member(rank: int, address: str, domain: str = "") -> dict[str, object]:
    return {"rank": rank, "addr": f"{address}:10001", "state": "joined", "fault_domain": domain}


def test_a_server_that_the_plan_leaves_out_is_reported(tmp_path: Path) -> None:
    place = tmp_path / "output" / "IorEasy" / "raw" / "system"
    place.mkdir(parents=True)
    here = str(cluster().hosts["s1"].address)
    members = [member(0, here), member(1, "127.0.0.1", "/s1.example"), member(2, "198.51.100.9")]
    answer = {"response": {"members": members}, "error": None, "status": 0}
    (place / "system.before.json").write_text(json.dumps(answer))
    measured = campaign_of(ended(tmp_path, "IorEasy"))
    said = "dmg system query: rank 2 at 198.51.100.9 is on no host of the plan"
    assert strangers(cluster(), measured) == (said,)
    text = summary.render(sign_off(cluster(), measured, Gate.MEASURED))
    assert said in " ".join(text.split())


def test_without_an_answer_nobody_is_a_stranger(tmp_path: Path) -> None:
    assert strangers(cluster(), campaign_of(ended(tmp_path, "IorEasy"))) == ()
