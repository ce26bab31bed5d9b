"""A real Slurm for the tests of this directory."""

from __future__ import annotations

import fcntl
import hashlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from private_slurm import PROGRAMS, REPOSITORY, PrivateSlurm, missing
from site_here import Site

from needs import without

FDB = REPOSITORY / "roles" / "benchmarks" / "files"
FDB_FILES = ("fdb-requirements.txt", "make_field.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slurm)
            # A machine that others share stands still for seconds, and daemons notice. What fails
            # twice is a fault; what failed once is named at the end of the run.
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session", autouse=True)
def needed() -> None:
    """What no test of this directory can do without."""
    if why := missing(*PROGRAMS):
        without(why)


@pytest.fixture(scope="session")
def slurm(needed: None) -> Iterator[PrivateSlurm]:
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
    test = request.node.name.replace("[", ".").strip("]")
    attempt = getattr(request.node, "execution_count", 1)
    root = slurm.directory / request.path.stem / f"{test}.{attempt}"

    def make(benchmarks: dict[str, str | Path], **more: object) -> Site:
        return Site(slurm, root, benchmarks, **more)  # type: ignore[arg-type]

    return make


@pytest.fixture(scope="session")
def fdb(pytestconfig: pytest.Config) -> dict[str, Path]:
    """fdb-hammer as the role `benchmarks` installs it, kept in pytest's cache between runs."""
    assert pytestconfig.cache is not None
    made_from = b"".join((FDB / name).read_bytes() for name in FDB_FILES)
    here = pytestconfig.cache.mkdir(f"fdb-{hashlib.sha256(made_from).hexdigest()[:12]}")
    packages, share = here / "packages", here / "share"
    # Tests of several processes may want it first.
    with (here / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _install_fdb(packages, share)
    return {"fdb_hammer": packages / "fdb5lib" / "bin" / "fdb-hammer", "fdb_share": share}


def _install_fdb(packages: Path, share: Path) -> None:
    if (share / "schema").exists():
        return
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
