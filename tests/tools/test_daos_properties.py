"""The properties of pools and containers that `get-prop` lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools.daos.daos_properties import CONTAINER, POOL, changed, kept, parse
from recordings import recorded

OF_CONTAINER = recorded("found", "container_prop.txt")


def test_those_that_figures_depend_on_are_kept_in_their_order() -> None:
    assert kept(OF_CONTAINER, CONTAINER) == {
        "rd_fac": "0",
        "rd_lvl": "node",
        "cksum": "off",
        "srv_cksum": "off",
        "compression": "off",
        "dedup": "off",
        "encryption": "off",
        "ec_cell_sz": "131072",
        "acl": "A::OWNER@:rwdtTaAo, A:G:GROUP@:rwtT",
    }
    assert tuple(kept(recorded("dmg", "pool_get_prop.txt"), POOL)) == POOL


def test_what_changed_is_a_sentence_with_both_values() -> None:
    with_checksums = OF_CONTAINER.replace(
        '"value": "off",\n      "name": "cksum"', '"value": "crc32",\n      "name": "cksum"'
    )
    assert list(changed(OF_CONTAINER, with_checksums, CONTAINER, "the container")) == [
        "the property cksum of the container changed from off to crc32"
    ]
    assert not list(changed(OF_CONTAINER, OF_CONTAINER, CONTAINER, "the container"))


def test_a_counter_that_grows_by_itself_is_no_change() -> None:
    grown = OF_CONTAINER.replace(
        '"value": 0,\n      "name": "alloc_oid"', '"value": 7,\n      "name": "alloc_oid"'
    )
    assert parse(grown) != parse(OF_CONTAINER)
    assert not list(changed(OF_CONTAINER, grown, CONTAINER, "the container"))


def test_a_refusal_has_no_properties() -> None:
    assert parse(recorded("found", "container_not_mine.txt")) == {}


@given(st.text())
def test_text_that_is_no_answer_has_no_properties(text: str) -> None:
    assert parse(text) == {}


@pytest.mark.parametrize(
    "answer", ["", "no JSON", '{"response": null, "error": "no", "status": 1}']
)
def test_without_an_answer_nothing_is_known_and_nothing_changed(answer: str) -> None:
    assert parse(answer) == {}
    assert not list(changed(OF_CONTAINER, answer, CONTAINER, "the container"))
    assert not list(changed(answer, OF_CONTAINER, CONTAINER, "the container"))
