"""daos_control.yml, by which dmg knows the servers."""

from __future__ import annotations

from typing import Any

import pytest
from rendering import Rendering, read

from assay.cluster.releases import names


def admin(**variables: Any) -> Any:
    variables = {"groups": {"daos_server": ["s1", "s2", "s3", "s4"]}, **variables}
    return Rendering("daos_admin", variables).document("daos_control.yml")


def test_is_what_the_reviewed_expectation_says() -> None:
    assert admin() == read("expected/daos_control.yml")


def test_insecure_it_names_no_certificate() -> None:
    assert admin(daos_allow_insecure=True)["transport_config"] == {"allow_insecure": True}


@pytest.mark.parametrize("version", names())
def test_holds_no_key_that_the_release_would_die_of(version: str) -> None:
    known = read(f"keys/{version}.yml")
    rendered = admin(daos_version=version)

    assert rendered.keys() <= set(known["control"])
    assert rendered["transport_config"].keys() <= set(known["transport_config"])
