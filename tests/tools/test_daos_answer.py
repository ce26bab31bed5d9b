"""What dmg and daos answer in JSON, on their recorded output."""

import pytest

from assay.tools.daos.daos_answer import Answer, read_answer
from assay.tools.json_output import json_objects, no_answer
from recordings import recorded


def answer(name: str) -> Answer:
    """The answer in a recording, which ends with its exit status."""
    *printed, status = recorded("dmg", f"{name}.txt").splitlines()
    return read_answer("\n".join(printed[1:]), status=int(status.removeprefix("# exit: ")))


@pytest.mark.parametrize(
    ("recording", "error"),
    [
        ("system_query_server_down", "refused the connection"),
        ("system_query_uninitialized", "storage format required?"),
        ("storage_scan_server_down", "127.0.0.1:10001: client: code = 506"),
        ("storage_format_running", "storage format invoked on a running system"),
        ("pool_create_exists", "already exists"),
        ("pool_query_hangs", "no answer in time"),
    ],
)
def test_what_went_wrong_is_in_the_words_of_daos(recording: str, error: str) -> None:
    assert error in answer(recording).error
    assert answer(recording).uninitialized == (recording == "system_query_uninitialized")


def test_a_good_answer_has_no_error() -> None:
    assert answer("pool_query") == Answer(answer("pool_query").response, "")


def test_the_log_of_the_library_before_and_after_the_json_is_passed_over() -> None:
    assert answer("daos_pool_query_with_log").response["label"] == "tank"
    assert answer("container_list").response[0]["label"] == "posix"


def test_a_log_line_inside_the_json_is_passed_over() -> None:
    text = '{\n  "response": {\n2026/11/21 12:16:52 c1 DAOS[1/1/0] crt  ERR  x\n  "a": 1},\n'
    assert read_answer(text + '  "error": null,\n  "status": 0\n}\n') == Answer({"a": 1}, "")


def test_the_last_words_on_standard_error_say_why_there_is_no_json() -> None:
    why = "timeout: failed to run command '/usr/bin/dmg': No such file or directory"
    assert read_answer("", f"{why}\n", 127) == Answer({}, why)
    assert read_answer("on the other stream", "", 1).error == "on the other stream"
    assert read_answer("", "", 1).error == "no answer"


def test_of_what_is_no_json_the_last_line_is_quoted() -> None:
    assert no_answer("first\n" + "x" * 201 + "\n", "no JSON") == "x" * 200
    assert no_answer("{", "cut off") == "cut off"
    assert no_answer("{", None) == "it contains more than one"


def test_the_line_that_is_no_json_is_quoted() -> None:
    _, invalid = json_objects('{\n"a": 1,\n"b": 2x' + "y" * 80 + "\n}\n")
    quoted = repr('"b": 2x' + "y" * 73)
    assert invalid == f"its JSON is not valid: expecting ',' delimiter at {quoted}"


@pytest.mark.parametrize("status", [124, 137])
def test_what_timeout_stopped_or_killed_did_not_answer_in_time(status: int) -> None:
    assert read_answer("", "Terminated\n", status).error == "no answer in time"
    assert read_answer("", "Terminated\n").error == "Terminated"


def test_a_status_without_an_error_is_one() -> None:
    assert read_answer('{"response": null, "error": null, "status": -1025}').error == "status -1025"
