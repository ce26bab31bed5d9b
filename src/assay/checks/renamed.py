"""Metrics that had another name in an earlier release of daos-assay, whose bundles are read still.

Whoever renames a metric, or replaces it by another, adds a line to `renamed.yml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from typing import NamedTuple

import yaml


class Renamed(NamedTuple):
    """The present name of a metric."""

    new: str
    """Check and metric, ``SsdFio.read_1m``."""
    since: str
    """The first release of daos-assay with this name."""
    is_same: bool = True
    """Whether it is the same measurement; otherwise it is required instead, and its figures are not
    compared."""


RENAMED: Mapping[str, Renamed] = {
    old: Renamed(**now)
    for old, now in yaml.safe_load(
        resources.files("assay.checks").joinpath("renamed.yml").read_text("utf-8")
    ).items()
}
"""By the earlier name."""


def figure_now(figure: str) -> str:
    """The present name of a metric, or of the one that is required instead."""
    while renamed := RENAMED.get(figure):
        figure = renamed.new
    return figure


def key_now(key: str) -> str | None:
    """The present key of a metric of a subject; None if no present figure compares with it."""
    figure, on, subject = key.partition(" on ")
    while renamed := RENAMED.get(figure):
        if not renamed.is_same:
            return None
        figure = renamed.new
    return f"{figure}{on}{subject}"
