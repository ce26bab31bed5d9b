"""`assay progress --next`: it waits for another check, or for the end of the campaign."""

from __future__ import annotations

import fcntl
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assay.campaign import progress as campaign
from assay.cli import app
from assay.commands import progress
from clusters import description

RUN = "[ RUN      ] {} %scale=quick /{} @proving-ground:clients+site\n"
END = "[       OK ] (1/2) {} %scale=quick /{} @proving-ground:clients+site\n"
FIRST, SECOND = ("FiPingpong", "11111111"), ("SsdFio", "22222222")


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    """A campaign that is being measured."""
    (tmp_path / "cluster.json").write_text(json.dumps(description()))
    made = tmp_path / "campaigns/c"
    made.mkdir(parents=True)
    (made.parent / campaign.LOCK).parent.mkdir(mode=0o700)
    with (made.parent / campaign.LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield made


def say(directory: Path, *lines: str) -> None:
    """Let ReFrame print lines; the job of each check that it names runs."""
    with (directory / campaign.OUTPUT).open("a") as output:
        output.writelines(lines)
    for name, run in (FIRST, SECOND):
        stage = directory / f"stage/20261122T182144/proving-ground/clients/site/{name}_{run}"
        stage.mkdir(parents=True, exist_ok=True)
        (stage / "rfm_job.sh").touch()


def asked(directory: Path) -> tuple[int, list[str]]:
    file = directory.parents[1] / "cluster.json"
    command = ["progress", "--next", f"--cluster={file}", str(directory)]
    done = CliRunner().invoke(app, command)
    return done.exit_code, done.stdout.splitlines()


def test_it_names_the_next_check_once_it_runs(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = iter(
        [
            [],  # ReFrame is about to start
            ["[==========] Running 2 check(s)\n", RUN.format(*FIRST)],
        ]
    )
    monkeypatch.setattr(progress.time, "sleep", lambda _: say(directory, *next(moments)))
    status, (line,) = asked(directory)
    assert status == progress.MORE
    assert re.match(r"1 of \d+: FiPingpong on c\[1-2\]; about ", line)

    moments = iter([[], [END.format(*FIRST), RUN.format(*SECOND)]])
    status, (first, second) = asked(directory)
    assert (status, first) == (progress.MORE, "1 of 9: FiPingpong on c[1-2]")
    assert second.startswith("2 of 9: SsdFio on c[1-2]; about ")


def test_it_names_a_check_that_ran_before_it_looked(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(directory, "[==========] Running 2 check(s)\n", RUN.format(*FIRST))
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        assert len(waited) < 1000

    monkeypatch.setattr(progress.time, "sleep", wait)
    monkeypatch.setattr(progress.time, "monotonic", lambda: sum(waited))
    status, (line,) = asked(directory)
    assert status == progress.MORE
    assert re.match(r"1 of \d+: FiPingpong on c\[1-2\];", line)
    assert sum(waited) > progress.NEXT_AT_MOST_S


def test_it_ends_with_the_campaign(directory: Path) -> None:
    say(directory, "[==========] Running 2 check(s)\n", RUN.format(*FIRST))
    (directory.parent / campaign.LOCK).unlink()
    status, _ = asked(directory)
    assert status == 0
