"""What DAOS refuses is refused, and what it takes passes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from daos_accepted import ACCEPTED
from daos_refused import REFUSED
from daos_release_rows import RELEASES_ACCEPT, RELEASES_REFUSE
from daos_rows import Row, configuration
from daos_unit_rows import UNIT_ACCEPTED, UNIT_REFUSED
from daos_yml import described
from sites import problems

ALL_REFUSED = [*REFUSED, *UNIT_REFUSED, *RELEASES_REFUSE]
ALL_ACCEPTED = [*ACCEPTED, *UNIT_ACCEPTED, *RELEASES_ACCEPT]


def errors(row: Row) -> list[str]:
    """What the preflight says of a row's daos_server.yml."""
    text = json.dumps(configuration(row)).replace("DIR", "/var/daos/row")
    document: dict[str, Any] = described(json.loads(text), version=row.version)
    return [str(problem) for problem in problems(document) if problem.severity == "error"]


@pytest.mark.parametrize("row", ALL_REFUSED, ids=lambda row: row.name)
def test_what_daos_refuses_is_refused(row: Row) -> None:
    assert errors(row) != []


@pytest.mark.parametrize("row", ALL_ACCEPTED, ids=lambda row: row.name)
def test_what_daos_takes_passes(row: Row) -> None:
    assert errors(row) == []


def test_every_row_has_a_name_of_its_own_and_a_place() -> None:
    rows = [*ALL_REFUSED, *ALL_ACCEPTED]
    assert len({row.name for row in rows}) == len(rows)
    assert all(row.place for row in rows)


_REMEDY = re.compile(
    r"should (not |also )?(be|have|leave|list|survive|fit|outlive)|: (set|give|leave)|leave it out"
    r"|choose from|did you mean|is the limit"
)


@pytest.mark.parametrize("row", ALL_REFUSED, ids=lambda row: row.name)
def test_every_refusal_says_what_to_do(row: Row) -> None:
    assert [text for text in errors(row) if not _REMEDY.search(text)] == []
