"""How the classes of the checks stand on each other, read from their source."""

from __future__ import annotations

import ast

import pytest
from run_reframe import CHECKS

CLASSES = {
    found.name: found
    for path in CHECKS.rglob("*.py")
    for found in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(found, ast.ClassDef)
}
MIXINS = {
    found.name
    for path in (CHECKS / "mixins").glob("*.py")
    for found in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(found, ast.ClassDef)
}
LISTED = [name for name, found in CLASSES.items() if found.decorator_list]


def bases(name: str) -> list[str]:
    return [base.id for base in CLASSES[name].bases if isinstance(base, ast.Name)]


@pytest.mark.parametrize("name", LISTED)
def test_a_check_has_at_most_two_classes_above_it_and_mixins(name: str) -> None:
    above = []
    while name != "AssayCheck":
        *mixins, name = bases(name)
        assert set(mixins) <= MIXINS
        above.append(name)
    assert above[-1] == "AssayCheck"
    assert len(above) <= 2


@pytest.mark.parametrize("name", LISTED)
def test_a_check_says_what_each_scale_sets(name: str) -> None:
    """In its own class or in that of its benchmark, where a reader looks for it."""
    classes = [CLASSES[name], CLASSES[bases(name)[-1]]]
    assert any(
        isinstance(statement, ast.Assign)
        and any(
            isinstance(target, ast.Name) and target.id == "scales" for target in statement.targets
        )
        for found in classes
        for statement in found.body
    ), name
