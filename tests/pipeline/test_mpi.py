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


def use(site: Site, tool: str, *recordings: str) -> None:
    words = [sys.executable, str(REPLAY), *(str(RECORDED / tool / name) for name in recordings)]
    site.use(tool, f'exec {shlex.join(words)} -- {tool} "$@"')


@pytest.mark.parametrize(
    ("tool", "layer", "check", "recordings"),
    [
        ("ior", "endtoend", "IorPosix", ["quick_write.json", "quick_read.json"]),
        ("mdtest", "metadata", "MdtestPosix", ["quick.txt"]),
    ],
)
def test_is_run_with_the_command_that_was_recorded(
    site: Site, tool: str, layer: str, check: str, recordings: list[str]
) -> None:
    use(site, tool, *recordings)
    campaign = site.measure("quick", layer)
    assert campaign.exit_code == 0, campaign.printed
    for metric in campaign.sign_off().of(check):
        assert metric["verdict"] == "unrated"
        assert len(metric["samples"]) == 5
        assert metric["raw"]
    assert site.left_behind() == []


def test_another_command_is_refused(site: Site) -> None:
    use(site, "mdtest", "posix_easy.txt")
    campaign = site.measure("quick", "metadata")
    assert campaign.exit_code == 1
    for metric in campaign.sign_off().of("MdtestPosix"):
        assert metric["verdict"] == "missing"
        assert "mdtest (mdtest.1) failed with exit status 64: " in metric["reason"]
    assert site.left_behind() == []
