"""The packages that the roles ask for are those of the lists that molecule/rpm builds."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from rendering import Rendering

from assay.cluster import releases
from assay.cluster.daos_packages import packages
from assay.cluster.platforms import platforms

MOLECULE = Path(__file__).parents[2] / "molecule"
sys.path.insert(0, str(MOLECULE / "rpm"))
import repository  # noqa: E402 a script, not of this project's packages

FAMILIES = {"RedHat": "el9", "Suse": "leap15"}
RPMS = {
    family: repository.read(MOLECULE / "rpm/daos.yml", MOLECULE / scenario / "rpms.yml")
    for family, scenario in FAMILIES.items()
}
EACH = [
    pytest.param(family, rpm, id=f"{family}-{rpm.name}") for family in RPMS for rpm in RPMS[family]
]
COMPONENTS = ["daos_server", "daos_agent", "daos_admin", "daos_system", "daos_client"]


def asked(family: str) -> set[str]:
    """What the roles may ask for."""
    known = platforms()[family]
    slurm = {
        name for each in known.slurm.values() for names in each.packages.values() for name in names
    }
    daos = {
        name
        for release in releases.names()
        for name in packages(release, COMPONENTS, "ucx+dc_x", ["nvme", "dcpm"])
    }
    others = {"kmod", "pciutils"}  # of role daos_host
    return {
        *(name for names in known.packages.values() for name in names),
        *known.further.releases,
        *slurm,
        *daos,
        *others,
    }


def named(family: str, name: str) -> repository.Rpm:
    """The package of a name."""
    (found,) = (rpm for rpm in RPMS[family] if rpm.name == name)
    return found


@pytest.mark.parametrize(
    ("family", "name"), [(family, name) for family in FAMILIES for name in sorted(asked(family))]
)
def test_a_package_that_the_roles_ask_for_is_in_the_list_with_its_source(
    family: str, name: str
) -> None:
    assert named(family, name).read_in


@pytest.mark.parametrize(("family", "rpm"), EACH)
def test_what_a_package_requires_is_in_the_list(family: str, rpm: repository.Rpm) -> None:
    provided = {
        each.split(" ")[0] for other in RPMS[family] for each in (other.name, *other.provides)
    }
    assert {each.split(" ")[0] for each in rpm.requires} <= provided


@pytest.mark.parametrize(("family", "rpm"), EACH)
def test_a_package_has_files_unless_a_fresh_host_has_it(family: str, rpm: repository.Rpm) -> None:
    assert rpm.absent or bool(rpm.debian or rpm.text) != rpm.installed
    assert set(rpm.config) <= rpm.text.keys()


@pytest.mark.parametrize(
    ("family", "source"),
    [(family, each) for family in FAMILIES for each in platforms()[family].slurm],
)
def test_packages_of_slurm_make_the_account_as_the_table_says(family: str, source: str) -> None:
    slurm = {str(name): each for name, each in platforms()[family].slurm.items()}[source]
    names = {name for part in slurm.packages.values() for name in part}
    names |= {each for name in names for each in named(family, name).requires}
    makers = [rpm for rpm in RPMS[family] if rpm.name in names and rpm.user == "slurm"]
    assert all(rpm.number for rpm in makers)
    assert bool(makers) == slurm.make_account or any(named(family, name).absent for name in names)


def test_the_repository_that_enables_crb_has_what_enables_it() -> None:
    releases = platforms()["RedHat"].further.releases
    provided = [each for name in releases for each in named("RedHat", name).provides]
    assert "dnf-command(config-manager)" in provided


def test_every_package_of_daos_leaves_directories_that_the_role_knows() -> None:
    """What fpm does not own, the role daos has to remove."""
    role = Rendering("daos", {"ansible_facts": {"os_family": "RedHat"}, "group_names": []})
    known = role.value("__daos_left")
    assert isinstance(known, list)
    kept = (
        "/usr/bin",
        "/usr/lib64",
        "/etc/sysctl.d",
        "/etc/ld.so.conf.d",
        "/usr/lib/systemd/system",
    )
    for rpm in RPMS["RedHat"]:
        if rpm.leaves:
            parents = {str(Path(path).parent) for path in [*rpm.text, *rpm.stand_in.values()]}
            assert all(
                parent in kept or any(f"{parent}/".startswith(f"{each}/") for each in known)
                for parent in parents
            ), rpm.name
