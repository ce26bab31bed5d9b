"""Words of job scripts, read by a real bash: text arrives as it is, and nothing else runs."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.campaign.steps import Step
from assay.shell import RAW, SCRATCH, STAGE, Output, Text, Variable, joined, json_text, line

STEPS = Path(__file__).parents[2] / "reframe-checks" / "steps.sh"

HOSTILE = [
    *(
        "$(touch canary)",
        "`touch canary`",
        "; touch canary;",
        "\ntouch canary\n",
        "&& touch canary",
    ),
    *("'", '"', "\\", "'\"'", "$SCRATCH", "${RAW}", "$'\\n'", "!!", "*", "~", "-rf", "--", "", ":"),
    *("::", "a b", "\t", "#", "{a,b}", "<(touch canary)", ">canary", "ü", "\u202e", "\x1b[2J"),
]
DIRECTORY = "$(touch canary) 'a\" `touch canary` ü"
"""Where the jobs of these tests run: a path as no site has it."""

texts = st.lists(
    st.sampled_from(HOSTILE)
    | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5),
    max_size=4,
).map("".join)


parts = st.lists(texts | st.sampled_from([SCRATCH, RAW]), min_size=1, max_size=3)
"""Of which a word is made."""


scratches = texts.map("/{}".format)
"""A scratch directory is a path, so no word of a command that is only colons."""


def bash(directory: Path, script: str, scratch: str) -> None:
    subprocess.run(
        ["bash", "-c", f". {STEPS}\n{script}"],
        cwd=directory,
        env={**os.environ, "SCRATCH": scratch},
        check=True,
        timeout=60,
    )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(parts, min_size=1, max_size=5), min_size=1, max_size=3),
    scratches,
)
def test_every_word_arrives_byte_for_byte(commands: list[list[list[Text]]], scratch: str) -> None:
    record = 'printf "%s\\0" "$@" >"$(mktemp "$0.XXXXXX")"'
    with tempfile.TemporaryDirectory() as name:
        stage = Path(name, DIRECTORY)
        stage.mkdir()
        each = [
            ["bash", "-c", record, f"{name}/{number}", *(joined("", word) for word in command)]
            for number, command in enumerate(commands)
        ]
        step = Step("run", 30, program="bash", commands=each)
        bash(stage, f"subject s1\n{step.line()}", scratch)
        for number, command in enumerate(commands):
            (recorded,) = Path(name).glob(f"{number}.*")
            filled_in = {SCRATCH: scratch, RAW: str(stage / "raw" / "s1")}
            expected = ["".join(filled_in.get(part, part) for part in word) for word in command]
            assert recorded.read_bytes() == b"".join(word.encode() + b"\0" for word in expected)
        assert not list(Path(name).rglob("canary"))
        assert os.listdir(stage) == ["raw"]


@settings(max_examples=20, deadline=None)
@given(texts)
def test_what_a_command_prints_is_one_word(text: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        word = "[" + Output("printf", "%s.", text) + "]"
        bash(Path(name), f"{line(['save', 'saved', word])}", "")
        assert Path(name, "saved").read_bytes() == f"[{text}.]".encode()
        assert os.listdir(name) == ["saved"]


in_a_line = texts.filter(lambda text: all(ord(character) >= 0x20 for character in text))


@settings(max_examples=20, deadline=None)
@given(in_a_line, in_a_line)
def test_what_is_filled_in_is_escaped_in_json(text: str, scratch: str) -> None:
    document = {"pool": text, "roots": [{"path": SCRATCH / text}, "x" + SCRATCH], "number": 1}
    with tempfile.TemporaryDirectory() as name:
        bash(Path(name), line(["save", "saved", json_text(document)]), scratch)
        assert json.loads(Path(name, "saved").read_bytes()) == {
            "pool": text,
            "roots": [{"path": f"{scratch}/{text}"}, f"x{scratch}"],
            "number": 1,
        }


def test_json_without_words_is_plain_text() -> None:
    assert json_text({"a": ["b", 1, {"c": None}]}) == '{"a": ["b", 1, {"c": null}]}'


def test_a_line_reads_as_it_would_be_written() -> None:
    words = ["ior", "-o", SCRATCH / "ior", "-O", "summaryFile=" + RAW / "a b", Output("cores", "0")]
    assert line(words) == """ior -o "$SCRATCH"/ior -O summaryFile="$RAW"/'a b' "$(cores 0)\""""


@pytest.mark.parametrize("word", [STAGE, STAGE / "x", Output("cores", "0")])
def test_a_word_is_not_formatted_into_text(word: Text) -> None:
    for formatted in (lambda: f"{word}/x", lambda: str(word)):
        with pytest.raises(TypeError, match="for the shell to fill in"):
            formatted()


@pytest.mark.parametrize("name", ["a b", "$x", "x}", "", "1x", "x\n"])
def test_a_variable_has_a_name(name: str) -> None:
    with pytest.raises(ValueError, match="is not the name of a shell variable"):
        Variable(name)
