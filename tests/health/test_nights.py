"""The directory of the nights: what is kept, read and refused."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay.health.chart import REFERENCE
from assay.health.nights import KEPT, RECENT, HistoryError, Night, Nights, load, newer, save
from clusters import described, description

START = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)


def night(number: int = 0, **versions: str) -> Night:
    return Night(
        measured_from=START + timedelta(days=number),
        scale="quick",
        versions=versions,
        medians={"SsdFio.read_1m on s1": 2000.0 + number},
        units={"SsdFio.read_1m": "MiB/s"},
    )


def name(number: int) -> str:
    return (START + timedelta(days=number)).strftime("%Y%m%dT%H%M%S")


def test_nights_are_read_in_their_order(tmp_path: Path) -> None:
    kept = Nights(tmp_path)
    for number in (2, 0, 1):
        kept.add(name(number), night(number))
    assert kept.read() == [night(0), night(1), night(2)]


def test_of_many_nights_the_first_and_the_last_are_read(tmp_path: Path) -> None:
    kept = Nights(tmp_path)
    for number in range(100):
        kept.add(name(number), night(number))
    wanted = [*range(REFERENCE), *range(100 - RECENT, 100)]
    assert kept.read() == [night(number) for number in wanted]


def test_no_night_is_read_twice(tmp_path: Path) -> None:
    kept = Nights(tmp_path)
    for number in range(REFERENCE + 3):
        kept.add(name(number), night(number))
    assert len(kept.read()) == REFERENCE + 3


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("{", "is not JSON"),
        ("{}", "is not of `assay health`: 'measured_from'"),
        ('{"figures": 1e999}', ""),
    ],
)
def test_a_broken_night_is_refused_by_name(tmp_path: Path, content: str, why: str) -> None:
    kept = Nights(tmp_path)
    kept.history.mkdir()
    (kept.history / "20260301T020000.json").write_text(content)
    with pytest.raises(HistoryError, match=r"20260301T020000\.json") as refused:
        kept.read()
    assert why.replace("'", "") in str(refused.value).replace("'", "")


def test_a_night_is_written_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "last.json"
    save({path: "old\n"})
    path.chmod(0o600)
    directory = tmp_path / "history"
    directory.write_text("in the way")
    with pytest.raises(HistoryError, match="cannot be written"):
        Nights(tmp_path).add(name(0), night())
    save({path: "new\n"})
    assert path.read_text() == "new\n"
    (tmp_path / ".last.json.new").symlink_to("/dev/full")
    with pytest.raises(HistoryError, match="cannot be written: No space left"):
        save({path: "newest\n"})
    assert path.read_text() == "new\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["history", "last.json"]


def test_who_may_read_what_is_kept_is_left_to_the_umask(tmp_path: Path) -> None:
    """The group reads it, and so does a node that asks for the last night."""
    before = os.umask(0o027)
    try:
        save({tmp_path / "last.json": "new\n"})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "last.json").stat().st_mode) == 0o640


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    save({tmp_path / "there.json": night().model_dump_json()})
    (tmp_path / "here.json").symlink_to(tmp_path / "there.json")
    with pytest.raises(HistoryError, match="is a link"):
        load(tmp_path / "here.json", Night)


def test_other_hardware_needs_another_directory(tmp_path: Path) -> None:
    kept, document = Nights(tmp_path), description()
    kept.refuse_other_hardware(described(document))
    kept.refuse_other_hardware(described(document))
    document["hosts"]["s1"]["cores"] = 8
    with pytest.raises(HistoryError, match=r"host s1: cores is 8, was 4; name another directory"):
        kept.refuse_other_hardware(described(document))


def test_only_the_newest_campaigns_are_kept(tmp_path: Path) -> None:
    kept = Nights(tmp_path)
    for number in range(KEPT + 3):
        (kept.campaigns / name(number) / "reports").mkdir(parents=True)
    (kept.campaigns / ".lock").touch()
    (kept.campaigns / "by-hand").mkdir()
    (kept.campaigns / "20250101T020000").symlink_to(tmp_path)
    kept.remove_old_campaigns()
    left = {path.name for path in kept.campaigns.iterdir()}
    assert left == {
        ".lock",
        "by-hand",
        "20250101T020000",
        *(name(number) for number in range(3, KEPT + 3)),
    }


def test_what_is_newer_than_the_first_night_is_named() -> None:
    nights = [night(0, fio="3.33", DAOS="2.6"), night(1, fio="3.33", DAOS="2.8")]
    assert newer(nights, {"fio": "3.33", "DAOS": "2.8"}) == [
        "DAOS 2.8, was 2.6 when the history began"
    ]
    assert newer([], {"fio": "3.33"}) == []
