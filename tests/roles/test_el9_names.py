"""The packages that the roles ask for on EL 9 are those of the list that molecule/el9 builds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import get_args

import pytest

from assay.cluster.platforms import Source, platforms

MOLECULE = Path(__file__).parents[2] / "molecule/el9"
sys.path.insert(0, str(MOLECULE))
import repository  # noqa: E402 a script, not of this project's packages

RPMS = {rpm.name: rpm for rpm in repository.read(MOLECULE / "rpms.yml")}
EL = platforms()["RedHat"]
ASKED = sorted(
    {name for names in EL.packages.values() for name in names}
    | set(EL.further.releases)
    | {name for slurm in EL.slurm.values() for names in slurm.packages.values() for name in names}
    | {"kmod", "pciutils"}  # of role daos_host
)


@pytest.mark.parametrize("name", ASKED)
def test_a_package_that_the_roles_ask_for_is_in_the_list_with_its_source(name: str) -> None:
    assert RPMS[name].read_in


@pytest.mark.parametrize("name", RPMS)
def test_what_a_package_requires_is_in_the_list(name: str) -> None:
    provided = {each.split(" ")[0] for rpm in RPMS.values() for each in (rpm.name, *rpm.provides)}
    assert {each.split(" ")[0] for each in RPMS[name].requires} <= provided


@pytest.mark.parametrize("name", [name for name, rpm in RPMS.items() if not rpm.absent])
def test_a_package_has_files_unless_a_fresh_host_has_it(name: str) -> None:
    rpm = RPMS[name]
    assert bool(rpm.debian or rpm.text) != rpm.installed
    assert set(rpm.config) <= rpm.text.keys()


@pytest.mark.parametrize("source", get_args(Source))
def test_packages_of_slurm_make_the_account_as_the_table_says(source: Source) -> None:
    if source in EL.slurm:
        asked = [name for names in EL.slurm[source].packages.values() for name in names]
        assert any(RPMS[name].user == "slurm" for name in asked) == EL.slurm[source].make_account


def test_the_repository_that_enables_crb_has_what_enables_it() -> None:
    provided = [each for name in EL.further.releases for each in RPMS[name].provides]
    assert "dnf-command(config-manager)" in provided
