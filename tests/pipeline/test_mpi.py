"""IOR and mdtest over two clients, by stand-ins that know the real ones' command lines."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from private_slurm import REPOSITORY, PrivateSlurm
from site_here import Site

MakeSite = Callable[..., Site]

REPLAY = Path(__file__).with_name("replay.py")
RECORDED = REPOSITORY / "tests" / "recorded"


@pytest.fixture
def site(make_site: MakeSite, slurm: PrivateSlurm) -> Site:
    """Two clients that share a directory."""
    shared = slurm.directory / "shared"
    shared.mkdir(exist_ok=True)
    here = make_site({"shared_directory": shared}, clients=["c1", "c2"], servers=["s1"])
    here.scratches["shared"] = shared
    return here


def use(site: Site, tool: str, recordings: str) -> None:
    """Let a program replay all recordings of a directory, each for its own command."""
    paths = sorted(str(path) for path in (RECORDED / tool / recordings).glob("*.txt"))
    assert paths
    words = [sys.executable, str(REPLAY), *paths]
    site.use(tool, f'exec {shlex.join(words)} -- {tool} "$@"')


@pytest.mark.parametrize(
    ("tool", "layer", "check", "recordings"),
    [
        ("ior", "endtoend", "IorEasy", "easy/posix"),
        ("mdtest", "metadata", "MdtestHard", "hard/posix"),
    ],
)
def test_a_shared_directory_is_measured_with_the_commands_that_were_recorded(
    site: Site, tool: str, layer: str, check: str, recordings: str
) -> None:
    use(site, tool, recordings)
    done = site.check(check)
    assert done.returncode == 0, done.stdout
    assert "[  PASSED  ] Ran 1/1 test case(s) from 1 check(s)" in done.stdout
    assert "@clients/posix" in done.stdout
    assert site.left_behind() == []


def test_another_command_is_refused(site: Site) -> None:
    use(site, "mdtest", "hard/posix")
    campaign = site.measure("quick", "metadata")
    assert campaign.exit_code == 1
    signed = campaign.sign_off()
    for metric in signed.of("MdtestEasy"):
        assert metric["verdict"] == "missing"
        assert "mdtest (mdtest.1) failed with exit status 64: " in metric["reason"]
    for metric in signed.of("MdtestHard"):
        assert metric["verdict"] == "unrated"
        assert len(metric["samples"]) == 3
        assert metric["raw"]
    assert site.left_behind() == []
