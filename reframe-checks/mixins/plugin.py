"""The base of a mixin: a plugin for ReFrame, and a check for mypy."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # A mixin is always combined with a check, and may use its attributes.
    from assay_check import AssayCheck as Mixin
else:
    from reframe import RegressionTestPlugin as Mixin

__all__ = ["Mixin"]
