"""Text of others: whatever it is, nothing of it reaches a terminal that this would obey."""

import unicodedata
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from assay.foreign.text import one_line, printable, quoted, shorten, shorten_all

ANY = st.text(st.characters(codec=None, exclude_categories=()))


@given(ANY)
def test_nothing_that_a_terminal_obeys_is_left(text: str) -> None:
    shown = printable(text)
    # Of the format characters (bidirectional, without width, tags) a few scripts need some.
    harmless = {"\u0600", "\u0601", "\u0602", "\u0603", "\u0604", "\u0605", "\u06dd", "\u070f"}
    for character in shown:
        if character in "\t\n" or character in harmless or ord(character) > 0xFFFF:
            continue
        assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp"), hex(ord(character))
        assert unicodedata.bidirectional(character) not in (
            *("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"),
        )
    assert shown.encode().decode() == shown


@given(ANY)
def test_what_is_printable_stays_as_it_is(text: str) -> None:
    assert printable(printable(text)) == printable(text)
    assert one_line(one_line(text)) == one_line(text)


@given(ANY)
def test_xml_holds_it(text: str) -> None:
    element = ElementTree.Element("x", value=printable(text))
    assert ElementTree.fromstring(ElementTree.tostring(element)) is not None


@given(ANY)
def test_a_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
    assert len(quoted(text)) <= 201


@given(ANY, st.integers(0, 50))
def test_what_is_cut_says_by_how_much(text: str, most: int) -> None:
    shown = shorten(text, most)
    assert shown == text or shown.endswith(f"… ({len(text) - most:,} more characters)")


def test_names_that_look_like_others_are_seen() -> None:
    assert printable("s\u202e1s\u2066\u200b\u200f\ufeff\x9b") == "s�1s�����"
    assert printable("Grüße, 東京, 1 µs × 2 … 🙂") == "Grüße, 東京, 1 µs × 2 … 🙂"


def test_of_many_texts_as_many_as_fit_are_kept() -> None:
    assert shorten_all(["a\x1b", "b\nc"], 100) == ["a\ufffd", "b c"]
    assert shorten_all(["x" * 60] * 100_000, 130) == [
        "x" * 60,
        "x" * 60,
        "and 99,998 more problems",
    ]
    (only,) = shorten_all(["x" * 5_000_000], 200)
    assert only.startswith("xxx")
    assert len(only) < 200
