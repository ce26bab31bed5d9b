"""The MPI that benchmarks are linked to, as far as a host tells."""

from __future__ import annotations

from typing import Any

import pytest

from sites import only, problems, put, site

ENDLESS = "4.0.2 ch4:ucx"


def with_ior(clients: int = 2, **mpich: str | None) -> dict[str, Any]:
    found = {f"{name}: setup/mpich": version for name, version in mpich.items()}
    return put(site(clients=clients), {"benchmarks": {"ior": "/opt/ior", **SHARED}, **found})


SHARED = {"shared_directory": "/shared"}


def test_an_mpich_that_waits_at_its_end_is_named() -> None:
    problem = only(with_ior(c1="5.0.2 ch4:ucx ofi", c2=ENDLESS))
    assert (problem.host, problem.key, problem.value) == ("c2", "setup.mpich", ENDLESS)
    assert problem.severity == "warning"
    assert "ior then hits its time limit" in problem.allowed


@pytest.mark.parametrize("found", ["4.0.2 ch4:ofi", "4.1.1 ch4:ofi", "5.0.2 ch4:ucx ofi", None])
def test_another_mpich_is_not(found: str | None) -> None:
    assert problems(with_ior(c1=found, c2=found)) == []


def test_one_client_and_programs_without_mpi_have_nothing_to_wait_for() -> None:
    assert problems(with_ior(clients=1, c1=ENDLESS)) == []
    without = put(with_ior(c1=ENDLESS), {"benchmarks": {"fio": "/usr/bin/fio"}})
    assert problems(without) == []
