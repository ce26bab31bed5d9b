"""What the tests of bundles share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import vl_convert


@pytest.fixture(scope="session", autouse=True)
def remembered_drawings() -> Iterator[None]:
    """Draw a chart that was drawn before from memory: half of what it costs to verify a bundle.

    Most bundles here differ from another in a single file, so they have the same charts.
    """
    drawn: dict[str, str] = {}
    draw = vl_convert.vegalite_to_svg

    def once(drawing: dict[str, Any], **options: Any) -> str:
        key = json.dumps([drawing, options])
        if key not in drawn:
            drawn[key] = draw(drawing, **options)
        return drawn[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "vegalite_to_svg", once)
        yield
