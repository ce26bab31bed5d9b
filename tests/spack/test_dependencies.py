"""daos-dependencies.yml and the recipes say the same."""

import pytest
import yaml
from recipes import RECIPES, REPOSITORY, holds

TABLE = yaml.safe_load((REPOSITORY.parents[1] / "daos-dependencies.yml").read_text())
PAIRS = [
    pytest.param(release, name, entry, id=f"{release}-{name}")
    for release, row in TABLE.items()
    for name, entry in row["dependencies"].items()
]


def pins(release):
    """Return name and version of each dependency that the recipe of DAOS pins for `release`."""
    declared = set()
    for dependency in RECIPES["daos"].of("depends_on"):
        name, at, rest = dependency.argument.partition("@")
        applies = all(holds(condition, release) for condition in dependency.when)
        if at and applies and dependency.keywords.get("type") != "build":
            declared.add((name, rest.split("+")[0].split("~")[0].split()[0]))
    return declared


def test_the_table_has_the_releases_of_the_recipe():
    declared = {
        version: (source["tag"], source["commit"])
        for version, source in RECIPES["daos"].versions.items()
    }
    assert declared == {release: (row["tag"], row["commit"]) for release, row in TABLE.items()}


@pytest.mark.parametrize("release", TABLE)
def test_the_recipe_pins_what_the_table_says_and_nothing_else(release):
    declared = {
        (name, entry["version"] + (":" if entry.get("or_newer") else ""))
        for name, entry in TABLE[release]["dependencies"].items()
    }
    assert pins(release) == declared


@pytest.mark.parametrize(("release", "name", "entry"), PAIRS)
def test_a_dependency_is_built_from_the_commit_and_patches_of_the_table(release, name, entry):
    recipe = RECIPES.get(name)
    source = recipe.versions.get(entry["version"], {}) if recipe else {}
    assert source.get("commit") == entry.get("commit")
    patches = recipe.patches(entry["version"]) if recipe else set()
    assert patches == set(entry.get("patches", []))


@pytest.mark.parametrize("release", TABLE)
def test_spdk_is_built_with_the_isa_l_of_daos(release):
    version = TABLE[release]["dependencies"]["spdk"]["version"]
    for dependency in RECIPES["spdk"].of("depends_on"):
        name, at, pin = dependency.argument.partition("@")
        if at and all(holds(condition, version) for condition in dependency.when):
            assert TABLE[release]["dependencies"][name]["version"] == pin
