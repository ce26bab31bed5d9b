"""The environments ask for what the recipes have, exactly."""

import re

import pytest
import yaml
from recipes import RECIPES, REPOSITORY, in_ranges

HOME = REPOSITORY.parents[1]
PATHS = {"all": HOME / "spack.yaml"} | {
    name: HOME / name / "spack.yaml" for name in ("client", "server", "daos-2.6")
}
ENVIRONMENTS = {name: yaml.safe_load(path.read_text())["spack"] for name, path in PATHS.items()}
COMMON = yaml.safe_load((HOME / "common.yaml").read_text())
EXTERNALS = {
    path.stem: yaml.safe_load(path.read_text())["packages"]
    for path in (HOME / "externals").glob("*.yaml")
}
SPECS = [
    pytest.param(environment, spec, id=f"{environment}: {spec}")
    for environment, described in ENVIRONMENTS.items()
    for spec in described["specs"]
]

UNBUILDABLE = {
    name for name, package in COMMON["packages"].items() if package.get("buildable") is False
}

EACH = pytest.mark.parametrize("environment", ENVIRONMENTS)


def words(spec):
    """Split a spec into its name, its version, and what it says of variants."""
    name, version = re.match(r"([a-z0-9-]+)(?:@([^ +~]+))?", spec).groups()
    variants = {variant: sign == "+" for sign, variant in re.findall(r"([+~])([a-z_]+)", spec)}
    return name, version, variants


@EACH
def test_an_environment_includes_what_the_site_says_and_what_is_common(environment):
    path = PATHS[environment]
    site, common = ENVIRONMENTS[environment]["include"]
    assert site["optional"], "a site may have nothing to say"
    assert (path.parent / site["path"]).resolve() == HOME / "site.yaml"
    assert (path.parent / common["path"]).resolve() == HOME / "common.yaml"


@EACH
def test_an_environment_has_one_view_of_its_roots(environment):
    view = ENVIRONMENTS[environment]["view"]
    assert view == {"default": {"root": ".spack-env/view", "link": "roots"}}


@pytest.mark.parametrize(("environment", "spec"), SPECS)
def test_a_spec_is_exact_and_a_recipe_has_it(environment, spec):
    name, version, variants = words(spec)
    if name == "mpich":
        return  # the MPI is the site's choice, and so is its version
    assert version, "without a version, Spack takes the one it likes best"
    if name in RECIPES:
        assert version in RECIPES[name].versions
        for variant in variants.keys() - {"libaio"}:  # fio's own
            when = RECIPES[name].variants[variant].get("when", "")
            assert not when.startswith("@") or in_ranges(version, when.removeprefix("@"))


@EACH
def test_programs_with_daos_stand_beside_a_daos_with_client(environment):
    specs = {words(spec)[0]: words(spec)[2] for spec in ENVIRONMENTS[environment]["specs"]}
    if any(variants.get("daos") for variants in specs.values()):
        assert specs["daos"]["client"]


def test_the_environments_differ_in_what_they_are_named_for():
    specs = {
        name: {words(spec)[0]: words(spec)[1:] for spec in described["specs"]}
        for name, described in ENVIRONMENTS.items()
    }
    assert specs["all"]["daos"][0] == specs["client"]["daos"][0] == specs["server"]["daos"][0]
    assert specs["daos-2.6"]["daos"][0].startswith("2.6.")
    assert not specs["client"]["daos"][1]["server"]
    assert specs["server"]["daos"][1]["server"]
    assert specs["all"].keys() == specs["daos-2.6"].keys()


def test_package_repositories_are_ours_and_a_pinned_builtin():
    assert (HOME / COMMON["repos"]["assay"]).resolve() == REPOSITORY
    assert list(COMMON["repos"]) == ["assay", "builtin"], "ours stands first"
    assert re.fullmatch("[0-9a-f]{40}", COMMON["repos"]["builtin"]["commit"])


def test_all_specs_are_concretized_as_one():
    assert COMMON["concretizer"].items() >= {"unify": True, "reuse": False}.items()


def test_what_is_not_to_be_weighed_is_not_a_spec_and_nothing_that_a_recipe_asks_for():
    unweighed = UNBUILDABLE - {"ipmctl", "ndctl"}
    asked = {words(parameter.values[1])[0] for parameter in SPECS} | {
        re.match("[a-z0-9-]+", dependency.argument)[0]
        for recipe in RECIPES.values()
        for dependency in recipe.of("depends_on")
    }
    assert COMMON["concretizer"]["static_analysis"], "else it is weighed all the same"
    assert unweighed
    assert not unweighed & asked


def test_a_build_cache_can_be_unpacked_elsewhere():
    assert COMMON["config"]["install_tree"]["padded_length"] >= 128


def test_what_is_included_is_there():
    for include in COMMON["include"]:
        assert (HOME / include["path"]).is_file()


@pytest.mark.parametrize("distribution", EXTERNALS)
def test_externals_are_exact_and_of_the_system(distribution):
    for name, package in EXTERNALS[distribution].items():
        for external in package["externals"]:
            assert re.match(rf"{name}@\d", external["spec"])
            assert external["prefix"].startswith("/usr")


@pytest.mark.parametrize("distribution", EXTERNALS)
def test_no_external_takes_the_place_of_what_daos_pins(distribution):
    table = yaml.safe_load((HOME / "daos-dependencies.yml").read_text())
    pinned = {
        name
        for row in table.values()
        for name, entry in row["dependencies"].items()
        if not entry.get("or_newer")
    }
    assert not pinned & EXTERNALS[distribution].keys()


@pytest.mark.parametrize("distribution", EXTERNALS)
def test_libaec_is_built_with_the_cmake_configuration_that_eccodes_asks_for(distribution):
    assert "libaec" not in EXTERNALS[distribution]


def test_the_libaec_that_is_built_does_with_the_cmake_of_debian():
    assert COMMON["packages"]["libaec"]["require"] == "@:1.1.3"
    assert EXTERNALS["debian-12"]["cmake"]["externals"][0]["spec"] == "cmake@3.25.1"


@pytest.mark.parametrize("distribution", EXTERNALS)
def test_what_only_a_distribution_has_is_external(distribution):
    assert {"ipmctl", "ndctl"} <= UNBUILDABLE & EXTERNALS[distribution].keys()
