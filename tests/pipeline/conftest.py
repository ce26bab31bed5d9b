"""A real Slurm for the tests of this directory."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from private_slurm import REPOSITORY, PrivateSlurm, missing
from site_here import Site

FDB = REPOSITORY / "roles" / "benchmarks" / "files"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    why = missing()
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slurm)
            if why:
                item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(scope="session")
def slurm() -> Iterator[PrivateSlurm]:
    """Nodes c1, c2, s1 and s2, all on this machine."""
    private = PrivateSlurm()
    try:
        private.start()
        yield private
    finally:
        left = private.stop()
    assert not left, f"still running at the end: {left}"


@pytest.fixture
def make_site(slurm: PrivateSlurm, request: pytest.FixtureRequest) -> Callable[..., Site]:
    """Describe this machine, with benchmarks and hosts as the test needs them."""
    root = slurm.directory / request.node.name.replace("[", ".").strip("]")

    def make(benchmarks: dict[str, str | Path], **more: object) -> Site:
        return Site(slurm, root, benchmarks, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def fdb(pytestconfig: pytest.Config) -> dict[str, Path]:
    """fdb-hammer as the role `benchmarks` installs it, kept in pytest's cache between runs."""
    assert pytestconfig.cache is not None
    locked = (FDB / "fdb-requirements.txt").read_bytes()
    here = pytestconfig.cache.mkdir(f"fdb-{hashlib.sha256(locked).hexdigest()[:12]}")
    packages, share = here / "packages", here / "share"
    if not (share / "schema").exists():
        share.mkdir(exist_ok=True)
        install = ["uv", "pip", "install", "--quiet", "--require-hashes", "--no-deps"]
        place = [f"--target={packages}", f"--python={sys.executable}"]
        subprocess.run(
            [sys.executable, "-m", *install, *place, f"-r{FDB / 'fdb-requirements.txt'}"],
            check=True,
        )
        subprocess.run(
            [sys.executable, FDB / "make_field.py", share / "field.grib"],
            check=True,
            env={"PYTHONPATH": str(packages)},
        )
        # The last, for it is what tells that all is there.
        (share / "schema").write_bytes((FDB / "fdb-schema").read_bytes())
    return {"fdb_hammer": packages / "fdb5lib" / "bin" / "fdb-hammer", "fdb_share": share}
