"""The described release of DAOS, and what the description records otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from assay.preflight.examine import examine
from found import found_description
from sites import put, site

BUILT: dict[str, Any] = {"name": "daos", "version": "2.8.0", "hash": "d" * 32}


def errors(document: dict[str, Any]) -> list[str]:
    _, problems = examine(document)
    return [
        str(each) for each in problems if (each.key, each.severity) == ("daos.version", "error")
    ]


@pytest.mark.parametrize(
    ("recorded", "said"),
    [
        ({"built": {"all": [BUILT]}}, "built.all says 2.8.0"),
        ({"versions": {"daos-client": "2.8.1-1.el9"}}, "versions.daos-client says 2.8.1-1.el9"),
    ],
)
def test_another_release_than_was_built_or_installed_is_refused(
    recorded: dict[str, Any], said: str
) -> None:
    assert errors(put(site() | recorded, {"daos/version": "2.6"})) == [
        f"daos.version = 2.6: should be 2.8: {said}"
    ]
    assert errors(site() | recorded) == []


def test_a_package_beside_a_daos_of_another_prefix_is_not_asked() -> None:
    document = site() | {"versions": {"daos-client": "2.6.3-1.el9"}}
    assert errors(put(document, {"daos/prefix": "/opt/daos"})) == []


def test_another_release_than_was_found_is_refused() -> None:
    document = found_description(found={"release": "2.6.4"})
    assert errors(document) == ["daos.version = 2.8: should be 2.6: daos.found.release says 2.6.4"]
    assert errors(found_description(found={"release": "2.8.1"})) == []


def test_a_branch_is_of_no_release_and_external_packages_are_not_built() -> None:
    built = [BUILT | {"version": "master"}, BUILT | {"hash": "e" * 32, "external": True}]
    assert errors(put(site() | {"built": {"all": built}}, {"daos/version": "2.6"})) == []
