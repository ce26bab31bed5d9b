"""What goes with packages, asked of a real rpm with a database of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from rendering import ROLES

from needs import without

SPEC = """\
Name: {name}
Epoch: 2
Version: 1
Release: 1
Summary: Made up for a test
License: none
BuildArch: noarch
{lines}
%description
{name}
%install
mkdir -p %{{buildroot}}/opt
touch %{{buildroot}}/opt/{name}
%files
/opt/{name}
"""
PACKAGES = {
    "slurm-libs": "",
    "slurm": "Requires: slurm-libs",
    "munge": "",
    "slurm-daemon": "Requires: slurm = 2:1\nRequires: munge",
    "of-the-site": "Requires: /opt/slurm-daemon",
    "by-name": "Provides: scheduler",
    "of-another": "Requires: scheduler\nRequires: (munge if slurm)",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home whose rpm has these packages alone."""
    if not shutil.which("rpmbuild"):
        without("rpm is not installed (Debian: rpm)")
    home = tmp_path_factory.mktemp("home")
    (home / ".rpmmacros").write_text(f"%_dbpath {home}/db\n%_topdir {home}/build\n")
    for name, lines in PACKAGES.items():
        (home / f"{name}.spec").write_text(SPEC.format(name=name, lines=lines))
        rpm(home, "rpmbuild", "-bb", f"{name}.spec")
    built = sorted(map(str, home.glob("build/RPMS/noarch/*.rpm")))
    rpm(home, "rpm", "--install", "--justdb", *built)
    return home


def rpm(home: Path, *words: str) -> list[str]:
    done = subprocess.run(
        words, cwd=home, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("names", "going"),
    [
        (["slurm-libs"], ["slurm", "slurm-daemon", "of-the-site"]),
        (["slurm-libs", "slurm", "slurm-daemon"], ["of-the-site"]),
        (["by-name"], ["of-another"]),
        (["of-the-site"], []),
    ],
)
def test_what_could_not_stay_is_named(home: Path, names: list[str], going: list[str]) -> None:
    script = ROLES / "packages/files/rpm-dependents.sh"
    assert sorted(filter(None, rpm(home, "bash", str(script), *names))) == sorted(going)


@pytest.mark.parametrize(
    ("names", "needed"),
    [
        (["of-the-site"], ["munge", "slurm", "slurm-daemon", "slurm-libs"]),
        (["of-another"], ["by-name"]),
        (["munge"], []),
    ],
)
def test_what_others_need_is_named(home: Path, names: list[str], needed: list[str]) -> None:
    script = ROLES / "packages/files/rpm-dependencies.sh"
    assert sorted(filter(None, rpm(home, "bash", str(script), *names))) == sorted(needed)
