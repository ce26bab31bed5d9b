"""What a mixin is to ReFrame, and what it is to mypy."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # A mixin joins a check, and may use what that has.
    from assay_check import AssayCheck as Mixin
else:
    from reframe import RegressionTestPlugin as Mixin

__all__ = ["Mixin"]
