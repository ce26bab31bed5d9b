"""How the classes of the checks stand on each other, read from their source."""

from __future__ import annotations

import ast

import pytest
from run_reframe import CHECKS

from assay.checks import plan

CLASSES = {
    definition.name: definition
    for path in CHECKS.rglob("*.py")
    for definition in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(definition, ast.ClassDef)
}
MIXINS = {
    definition.name
    for path in (CHECKS / "mixins").glob("*.py")
    for definition in ast.parse(path.read_text(encoding="utf-8")).body
    if isinstance(definition, ast.ClassDef)
}
LISTED = [
    name
    for name, definition in CLASSES.items()
    if "rfm.simple_test" in map(ast.unparse, definition.decorator_list)
]


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
def test_a_check_has_a_variable_for_all_that_its_scales_set(name: str) -> None:
    """The catalogue has the scales, since the estimate and the verification need them, too."""
    variables: set[str] = set()
    waiting = [name]
    while waiting:
        definition = CLASSES.get(waiting.pop())
        if definition is None:
            continue
        waiting += [base.id for base in definition.bases if isinstance(base, ast.Name)]
        variables |= {
            target.id
            for statement in definition.body
            if isinstance(statement, ast.Assign)
            for target in statement.targets
            if isinstance(target, ast.Name)
        }
    scales = plan.CHECKS[name].scales
    acceptance = scales["acceptance"]
    assert scales.get("quick", acceptance).keys() == acceptance.keys()
    assert acceptance.keys() <= variables
