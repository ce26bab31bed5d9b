"""A figure and its expectation, in ReFrame's form."""

from assay.checks.entry import Requirement
from assay.checks.expect import Expectation


def variable_of(metric: Requirement) -> str:
    """The name of a figure's performance variable."""
    # ReFrame takes the part before a colon for a system.
    return f"{metric.name}@{metric.subject}".replace(":", ".")


def reference(expected: Expectation) -> tuple[float, float | None, float | None, str]:
    """An expectation in ReFrame's form: a value, and the allowed relative deviations from it."""
    bound = expected.bound
    if bound is None:
        return (0, None, None, expected.unit)
    return (
        bound,
        None if expected.floor is None else expected.floor / bound - 1,
        None if expected.ceiling is None else expected.ceiling / bound - 1,
        expected.unit,
    )
