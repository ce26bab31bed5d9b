"""Kernel settings that are raised for engines, and put back."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from rendering import ROLES

MODULE = runpy.run_path(str(ROLES / "daos_host" / "library" / "daos_host_kernel.py"))
PAGES = "proc/sys/vm/nr_hugepages"
MAPS = "proc/sys/vm/max_map_count"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A kernel with 8 huge pages, which may have 65530 maps a process."""
    for path, value in ((PAGES, "8"), (MAPS, "65530")):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"{value}\n")
    return tmp_path


def kernel(root: Path, *, dry: bool = False) -> Any:
    return MODULE["Kernel"](root, root / "ledger.json", dry=dry)


def test_a_setting_is_raised_and_never_lowered(root: Path) -> None:
    settings = kernel(root)
    settings.want(PAGES, "1024")
    settings.want(MAPS, "1000")
    assert (root / PAGES).read_text() == "1024"
    assert (root / MAPS).read_text() == "65530\n"


def test_a_choice_of_every_cpu_is_made_and_put_back(root: Path) -> None:
    governors = [root / f"sys/devices/system/cpu/cpu{n}/cpufreq/scaling_governor" for n in (0, 1)]
    for governor, value in zip(governors, ("powersave", "performance"), strict=True):
        governor.parent.mkdir(parents=True)
        governor.write_text(f"{value}\n")
    settings = kernel(root)
    settings.want_exactly("sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", "performance")
    assert [governor.read_text().strip() for governor in governors] == ["performance"] * 2
    assert list(settings.notes.values()) == [["powersave", "performance"]]
    kernel(root).put_back()
    assert governors[0].read_text() == "powersave"


def test_a_value_may_be_lowered_and_what_the_kernel_lacks_is_left_out(root: Path) -> None:
    settings = kernel(root)
    settings.want_exactly(PAGES, "0")
    settings.want_exactly("proc/sys/kernel/numa_balancing", "0")
    assert (root / PAGES).read_text() == "0"
    assert settings.denied == []


def test_a_check_changes_nothing_and_says_what_would_change(root: Path) -> None:
    settings = kernel(root, dry=True)
    settings.want(PAGES, "1024")
    assert settings.changed
    assert (root / PAGES).read_text() == "8\n"
    assert not (root / "ledger.json").exists()


def test_what_was_raised_is_put_back_unless_somebody_else_changed_it(root: Path) -> None:
    settings = kernel(root)
    settings.want(PAGES, "1024")
    settings.want(MAPS, "1000000")
    (root / MAPS).write_text("2000000")
    kernel(root).put_back()
    assert (root / PAGES).read_text() == "8"
    assert (root / MAPS).read_text() == "2000000"
