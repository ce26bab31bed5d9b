"""findmnt: a path that is not on the file system that was meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools.host.findmnt import command, parse
from recordings import recorded

TOOL = "findmnt"


def test_asks_for_the_mount_that_a_path_is_on():
    assert " ".join(command("/mnt/dfuse/d")) == (
        "findmnt --json --output TARGET,SOURCE,FSTYPE --target /mnt/dfuse/d"
    )


def test_a_dfuse_is_known_by_its_type():
    parsed = parse(recorded(TOOL, "dfuse.txt"), expected_target="/mnt/dfuse")
    assert parsed.problems == ()


def test_another_file_system_may_be_meant():
    assert parse(recorded(TOOL, "unmounted.txt"), expected_type="ext4").problems == ()


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        (
            "unmounted.txt",
            ("the path is on /dev/vda, ext4 at /, and not on fuse.daos: is it mounted?",),
        ),
        (
            "no_such_path.txt",
            ("findmnt found no mount: does the path exist? (it contains no JSON)",),
        ),
    ],
)
def test_says_what_the_path_is_on(name, problems):
    assert parse(recorded(TOOL, name)).problems == problems


def test_another_mount_of_the_same_kind_is_not_the_one():
    assert parse(recorded(TOOL, "dfuse.txt"), expected_target="/mnt/other").problems == (
        "the path is on /mnt/dfuse instead of /mnt/other",
    )


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems
