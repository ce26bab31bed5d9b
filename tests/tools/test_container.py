"""The container query: what is not there must not be made by a benchmark."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools.daos.container import identity, parse, query, same, status, unclean
from recordings import recorded

TOOL = "container"


def test_asks_for_json():
    assert " ".join(query("tank", "cont1")) == "daos -j container query tank cont1"


def test_a_container_for_files_has_no_problem():
    assert parse(recorded(TOOL, "posix.txt")).problems == ()


def test_a_container_is_known_by_the_uuids_of_its_pool_and_itself():
    assert identity(recorded(TOOL, "posix.txt")) == (
        "fc6e243c-42a9-47dd-872f-142f84d13767",
        "1b8254bf-96ed-4033-a02e-16ce5c8fec9f",
    )
    assert identity(recorded(TOOL, "unknown.txt")) is None
    assert identity("no answer") is None
    without_pool = recorded(TOOL, "posix.txt").replace("pool_uuid", "of")
    assert identity(without_pool) is None


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("unknown.txt", "the container cannot be used: it does not exist ("),
        ("unknown_pool.txt", "the container cannot be used: it does not exist ("),
        (
            "no_agent.txt",
            "DAOS's client does not start here, so the container cannot be reached (failed",
        ),
        ("unhealthy.txt", "the container is UNCLEAN: it has lost data"),
        ("untyped.txt", "the container is of type unknown; a file system needs POSIX"),
    ],
)
def test_says_why_it_cannot_be_used(name, problem):
    (reported,) = parse(recorded(TOOL, name)).problems
    assert reported.startswith(problem)


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


def test_a_container_that_was_made_anew_is_another():
    before = recorded(TOOL, "posix.txt")
    after = before.replace("1b8254bf", "2c8254bf")
    assert same(before, before)
    assert not same(before, after)
    for none in (recorded(TOOL, "unknown.txt"), "no answer"):
        assert not same(before, none)
        assert not same(none, before)
        assert not same(none, none)


def test_two_answers_are_none():
    (reported,) = parse(recorded(TOOL, "posix.txt") * 2).problems
    assert reported.startswith("no answer from daos: ")


def test_a_container_that_comes_with_an_error_cannot_be_used():
    failed = recorded(TOOL, "posix.txt").replace('"error": null', '"error": "DER_BUSY(-1012)"')
    (reported,) = parse(failed).problems
    assert reported.startswith("the container cannot be used: busy (DER_BUSY(-1012))")


def test_only_a_container_that_does_not_exist_is_to_be_created() -> None:
    (absent,) = parse(recorded(TOOL, "unknown.txt")).problems
    assert "create it first" in absent
    (there,) = parse(recorded(TOOL, "unclean.txt")).problems
    assert "create it first" not in there


def test_an_unclean_container_is_told_how_to_be_mended() -> None:
    (mend,) = unclean(recorded(TOOL, "unclean_status.txt"), "tank", "posix")
    assert mend.startswith("the container is UNCLEAN: more servers were lost at once than its")
    assert mend.endswith(": daos container set-prop tank posix --properties=status:healthy")
    healthy = recorded(TOOL, "unclean_status.txt").replace("UNCLEAN", "HEALTHY")
    assert unclean(healthy, "tank", "posix") == []
    assert unclean("no answer", "tank", "posix") == []
    assert status("tank", "posix") == [
        *("daos", "-j", "container", "get-prop", "tank", "posix", "--properties=status"),
    ]
