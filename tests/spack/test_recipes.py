"""What the recipes pin, and that they pin it so that nothing else can come."""

import re

import pytest
import yaml
from recipes import RECIPES, REPOSITORY, in_ranges

OURS = pytest.mark.parametrize("recipe", RECIPES.values(), ids=RECIPES.keys())
EXTERNAL = {"ipmctl", "ndctl"}


def test_the_repository_says_which_packages_it_can_stand_on():
    described = yaml.safe_load((REPOSITORY / "repo.yaml").read_text())
    assert described == {"repo": {"namespace": "assay", "api": "v2.2"}}


@OURS
def test_a_recipe_says_what_it_is(recipe):
    assert recipe.doc.strip()


@OURS
def test_sources_are_pinned_to_a_commit_and_never_to_a_branch(recipe):
    for version, source in recipe.versions.items():
        assert "branch" not in source, version
        if recipe.name not in EXTERNAL:
            assert re.fullmatch("[0-9a-f]{40}", source["commit"]), version


@OURS
def test_what_is_built_into_a_program_is_pinned_to_a_commit_for_its_version(recipe):
    for resource in recipe.of("resource"):
        assert re.fullmatch("[0-9a-f]{40}", resource.keywords["commit"]), resource.argument
        assert not {"branch", "tag"} & set(resource.keywords)
        assert resource.when, "another version of the program brings its own"


@OURS
def test_a_tag_is_the_one_of_its_version(recipe):
    for version, source in recipe.versions.items():
        assert re.sub(r"^(v|fio-|fuse-|io500-)", "", source.get("tag", version)) == version


@OURS
def test_patches_are_named_by_address_and_checksum(recipe):
    for patch in recipe.of("patch"):
        assert patch.argument.startswith("https://")
        assert re.search(r"/v\d|[0-9a-f]{40}", patch.argument), "an address that cannot change"
        assert re.fullmatch("[0-9a-f]{64}", patch.keywords["sha256"])
        assert patch.when, "builtin versions stay as they are"


@OURS
def test_a_patch_of_github_has_whole_hashes_in_it(recipe):
    for patch in recipe.of("patch"):
        if "/commit/" in patch.argument:
            assert patch.argument.endswith("?full_index=1"), "else it changes as the project grows"


@OURS
def test_a_conflict_says_what_to_do(recipe):
    for conflict in recipe.of("conflicts"):
        assert len(conflict.keywords["msg"].split()) > 4


@OURS
def test_a_variant_has_a_description(recipe):
    for name, variant in recipe.variants.items():
        assert variant["description"], name


@pytest.mark.parametrize("name", ["ior", "fio", "fdb", "io500"])
def test_a_program_with_daos_asks_for_the_client(name):
    asked = {(one.argument, one.when) for one in RECIPES[name].of("depends_on")}
    assert ("daos+client", ("+daos",)) in asked


def test_the_tests_of_daos_have_mpi():
    # Without it DAOS builds a daos_perf whose processes each run alone.
    asked = {(one.argument, one.when) for one in RECIPES["daos"].of("depends_on")}
    assert ("mpi", ("+client_tests",)) in asked


@pytest.mark.parametrize(
    ("version", "ranges", "answer"),
    [
        ("2.8.0", "2.8", True),
        ("2.8.0", "2.6", False),
        ("26.01", "22.01.2,26.01", True),
        ("1.33.0", "1.32:1", True),
        ("2.0.2", "1.32:1", False),
        ("4.0.0", "4:", True),
        ("3.3.0", "4:", False),
    ],
)
def test_ranges_mean_what_they_mean_in_spack(version, ranges, answer):
    assert in_ranges(version, ranges) is answer


@OURS
def test_a_recipe_carries_its_licence(recipe):
    text = (REPOSITORY / "packages" / recipe.name.replace("-", "_") / "package.py").read_text()
    assert "\n# SPDX-License-Identifier: (Apache-2.0 OR MIT)\n" in text
