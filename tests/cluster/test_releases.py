"""The order of DAOS's releases, and that nothing else in the project knows it."""

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from assay.checks.expect import expectation
from assay.checks.plan import requirements
from assay.cluster import releases
from assay.cluster.releases import ByRelease, only, since, until
from assay.preflight.examine import examine
from sites import LAYOUTS, put, site

REPOSITORY = Path(__file__).parents[2]


def test_releases_are_ordered_by_number_and_not_as_text() -> None:
    assert "2.10" in since("2.9")
    assert "2.10" not in until("2.9")
    assert "3.0" in since("2.8")
    assert [version for version in releases.names() if version in only("2.6")] == ["2.6"]


def test_a_patch_is_of_its_release_and_others_are_of_none() -> None:
    assert releases.release_of("2.8.1") == "2.8"
    assert releases.release_of("2.9.100") == "2.9"
    assert releases.release_of("2.2.0") is None


def test_the_newest_release_is_no_preview() -> None:
    assert releases.is_preview(releases.names()[-1])
    assert not releases.is_preview(releases.newest())
    assert releases.newest() == releases.names()[-2]


def test_a_newer_release_has_what_the_one_before_it_had() -> None:
    table = ByRelease({"2.4": "old", "2.8": "new"})
    assert [table[version] for version in ("2.4", "2.6", "2.8", "2.10")] == [
        *("old", "old"),
        *("new", "new"),
    ]


@pytest.mark.parametrize("wrong", [{"2.6": 1}, {"2.4": 1, "2.7": 2}])
def test_a_table_starts_with_the_oldest_release_and_has_no_unknown_one(
    wrong: dict[str, int],
) -> None:
    with pytest.raises(ValueError, match=r"2\.4"):
        ByRelease(wrong)


def test_a_release_that_is_not_supported_cannot_be_named() -> None:
    with pytest.raises(ValueError, match=r"2\.4, 2\.6"):
        since("2.7")


def test_releases_read_well_in_a_sentence() -> None:
    assert [str(each) for each in (since("2.6"), until("2.6"), only("2.6"))] == [
        "2.6 or later",
        "2.6 or earlier",
        "2.6",
    ]


NAME = re.compile(r"[1-9]\.\d{1,2}")


def compared(source: str) -> list[str]:
    """The releases, and their numbers, that Python code names outside of tables and their words."""
    tree = ast.parse(source)
    allowed: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in ("since", "until", "only"):
                allowed.update(map(id, node.args))
            if name == "ByRelease":
                allowed.update(id(key) for arg in node.args for key in getattr(arg, "keys", ()))
    named = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and NAME.fullmatch(node.value)
        and id(node) not in allowed
    ]
    numbers = [
        ast.unparse(side)
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
        if re.fullmatch(r"\(2, \d+(, \d+)?\)", ast.unparse(side))
    ]
    return named + numbers


def sources() -> Iterator[Path]:
    for place in ("src", "reframe-checks", "roles", "playbooks"):
        for path in (REPOSITORY / place).rglob("*.py"):
            if path.name != "releases.py" or path.parent.name != "cluster":
                yield path


def test_no_other_module_compares_releases() -> None:
    found = {str(p.relative_to(REPOSITORY)): c for p in sources() if (c := compared(p.read_text()))}
    assert found == {}


@pytest.mark.parametrize(
    "comparison",
    [
        'x = version == "2.8"',
        'x = version in ("2.6", "2.8")',
        'x = {"2.4": 16, "2.8": 64}[version]',
        "x = numbers >= (2, 6)",
        'x = Key(versions=("2.8",))',
    ],
)
def test_a_comparison_would_be_found(comparison: str) -> None:
    assert compared(comparison)
    assert compared('x = since("2.8"), ByRelease({"2.4": 1}), "SPDX-2.3"') == []


COMPARED = re.compile(
    r"""daos_version[\s}]*(?:\|\s*(?:float|string)\s*)?(?:[!=<>]=?|is\s+version|(?:not\s+)?in\b)
    |^\s*["']?[1-9]\.\d["']?\s*:""",
    re.VERBOSE | re.MULTILINE,
)


def test_no_role_compares_releases() -> None:
    texts = [
        path
        for place in ("roles", "playbooks")
        for ending in ("yml", "j2")
        for path in (REPOSITORY / place).rglob(f"*.{ending}")
    ]
    assert [str(path) for path in texts if COMPARED.search(path.read_text())] == []
    assert COMPARED.search('when: daos_version == "2.8"')
    assert COMPARED.search("when: daos_version is version('2.6', '>=')")
    assert COMPARED.search('  "2.4": [access_points]')


def test_the_role_accepts_the_releases_that_are_known() -> None:
    specs = yaml.safe_load((REPOSITORY / "roles/daos/meta/argument_specs.yml").read_text())
    options = specs["argument_specs"]["main"]["options"]["daos_version"]
    assert options["choices"] == list(releases.names())
    assert options["default"] == releases.newest()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_no_rule_and_no_check_stumbles_over_a_release_that_nobody_knows_yet(
    layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = site(layout, servers=2, engines=2)
    monkeypatch.setattr(releases, "RELEASES", (*releases.RELEASES, releases.Release("2.10", "")))
    newer = put(copy.deepcopy(newest), {"daos/version": "2.10"})
    (was, _), (cluster, problems) = examine(newest), examine(newer)
    assert cluster is not None, problems
    assert was is not None
    assert requirements(cluster) == requirements(was)
    for requirement in requirements(cluster):
        assert expectation(cluster, requirement, {}) == expectation(was, requirement, {})
