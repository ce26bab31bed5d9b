"""The releases that DAOS prints, from recorded answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.tools.daos.printed_releases import others, printed, query

RECORDED = Path(__file__).parents[1] / "recorded"


def recorded(name: str) -> str:
    return "\n".join((RECORDED / f"{name}.txt").read_text().splitlines()[1:-1])


@pytest.mark.parametrize("name", ["dmg/health_check", "dmg/quick/health"])
def test_the_parts_of_a_system_say_theirs(name: str) -> None:
    assert printed(recorded(name)) == {"server": "2.8.0", "client": "2.8.0", "libdaos": "2.8.0"}
    assert others(recorded(name), "2.8") == []
    assert [each.partition(":")[0] for each in others(recorded(name), "2.6")] == [
        f"DAOS 2.6 is described, and its {part} is of 2.8.0" for part in printed(recorded(name))
    ]


def test_a_client_says_its_own() -> None:
    assert query() == ["daos", "-j", "version"]
    assert printed(recorded("found/version")) == {"client": "2.8.0"}


@pytest.mark.parametrize("text", ["", "no agent", '{"response": {"version": 3}, "error": null}'])
def test_what_is_no_answer_says_nothing(text: str) -> None:
    assert printed(text) == {}
    assert others(text, "2.8") == []
