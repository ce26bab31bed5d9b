"""What tests need of the machine: without it they are skipped, and in CI they fail."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def without(why: str) -> NoReturn:
    """Skip the test that asks, for a reason; where ``CI=true``, fail it.

    A test that is skipped in CI shows nothing, and nobody sees that.
    """
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI needs it: {why}", pytrace=False)
    pytest.skip(why)
