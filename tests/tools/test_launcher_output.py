"""Prefixes of launchers: the same figures with them and without."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools import PARSERS, fdb_hammer
from assay.tools.launcher_output import without_prefixes
from recordings import recorded

STAMP = "2025-06-29T08:53:55.123Z"


@pytest.mark.parametrize(
    "prefix",
    [
        "0: ",
        " 0: ",
        "[1,0]<stdout>:",
        "[0] ",
        "[rank 0] ",
        "# ",
        "> ",
        f"{STAMP} ",
        f"{STAMP} [1,0]<stdout>:",
        "\x1b[32m",
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("tool", "name"),
    [("ior", "posix_repeat3.txt"), ("mdtest", "posix_easy.txt"), ("io500", "result_summary.txt")],
)
def test_the_same_figures(tool, name, prefix, end):
    plain = recorded(tool, name)
    posted = "".join(f"{prefix}{line}{end}" for line in plain.splitlines())
    expected = PARSERS[tool](plain)
    assert expected.samples
    assert PARSERS[tool](posted) == expected


def test_a_line_that_only_looks_like_a_prefix_stays():
    text = "1: one\nno prefix\n2: two\n"
    assert without_prefixes(text) == text


@given(st.text(alphabet="01:[] ,<>stdou\x1b\r\n-T", max_size=60))
def test_lines_are_neither_added_nor_lost(text):
    before = text.replace("\r\n", "\n").splitlines()
    assert len(without_prefixes(text).splitlines()) <= len(before)


def test_processes_that_are_told_apart_by_their_labels_keep_them():
    text = recorded("fdb_hammer", "daos-read-empty.txt")
    assert without_prefixes(text) != text
    assert PARSERS["fdb_hammer"](text) == fdb_hammer.parse(text)


@pytest.mark.parametrize("margin", ["   ", "\t", " \t "])
def test_the_margin_of_a_page_is_no_part_of_an_output(margin):
    plain = recorded("mdtest", "posix_easy.txt")
    quoted = "".join(f"{margin}{line}\n" if line else "\n" for line in plain.splitlines())
    assert PARSERS["mdtest"](quoted) == PARSERS["mdtest"](plain)
