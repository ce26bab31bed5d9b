"""What DAOS refuses is refused, and what it takes passes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from daos_rows import ACCEPTED, REFUSED, Row, configuration
from daos_yml import described
from sites import problems


def errors(row: Row) -> list[str]:
    """What the preflight says of a row's daos_server.yml."""
    text = json.dumps(configuration(row)).replace("DIR", "/var/daos/row")
    document: dict[str, Any] = described(json.loads(text))
    return [str(problem) for problem in problems(document) if problem.severity == "error"]


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.name)
def test_what_daos_refuses_is_refused(row: Row) -> None:
    assert errors(row) != []


@pytest.mark.parametrize("row", ACCEPTED, ids=lambda row: row.name)
def test_what_daos_takes_passes(row: Row) -> None:
    assert errors(row) == []


def test_every_row_has_a_name_of_its_own_and_a_place() -> None:
    names = [row.name for row in (*REFUSED, *ACCEPTED)]
    assert len(names) == len(set(names))
    assert all(row.place for row in (*REFUSED, *ACCEPTED))
