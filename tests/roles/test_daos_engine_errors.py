"""The module daos_engine_errors, which reads the logs of a server's engines."""

from __future__ import annotations

import json
import os
import runpy
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.testing import patch_module_args
from rendering import ROLES

from assay.foreign import redaction
from assay.tools.daos import daos_log

LIBRARY = ROLES / "daos_server" / "library" / "daos_engine_errors.py"


def line(at: float, message: str) -> str:
    clock = time.strftime("%Y/%m/%d %H:%M:%S", time.localtime(at))
    return f"{clock}.5 s1 DAOS[1/0/2] vos  ERR  src/vos/vos_io.c:9 update() {message}\n"


def errors(logs: list[Path], since: float, capsys: pytest.CaptureFixture[str]) -> Any:
    parameters = {"logs": list(map(str, logs)), "since": since}
    with patch_module_args(parameters), pytest.raises(SystemExit):
        runpy.run_path(str(LIBRARY), run_name="__main__")
    result = json.loads(capsys.readouterr().out)
    assert result["changed"] is False
    return result["engines"]


@pytest.fixture(autouse=True)
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """What Ansible ships along with the module."""
    monkeypatch.setitem(sys.modules, "ansible.module_utils.daos_log", daos_log)
    monkeypatch.setitem(sys.modules, "ansible.module_utils.redaction", redaction)


def test_each_engine_has_its_errors_or_a_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, missing = tmp_path / "engine.0.log", tmp_path / "engine.1.log"
    log.write_text(line(1000.0, "before") + line(2000.0, "x" * 500))
    first, second = errors([log, missing], 1500.0, capsys)
    assert first == {
        "errors": [[2000.0, "vos", "update() " + "x" * 191]],
        "cut": False,
        "unread": "",
    }
    assert second["errors"] == []
    assert "No such file" in second["unread"]


def test_a_tab_in_a_message_is_a_space_since_the_sign_off_takes_printable_text_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "engine.0.log"
    log.write_text(line(2000.0, "with:\tD_PROVIDER \x1b[31mred\u202e"))
    (host,) = errors([log], 1500.0, capsys)
    assert host["errors"][0][2] == "update() with: D_PROVIDER  [31mred "


@pytest.mark.parametrize(("logged", "cut"), [(200, False), (201, True)])
def test_no_more_than_the_first_200_errors_are_returned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], logged: int, cut: bool
) -> None:
    log = tmp_path / "engine.0.log"
    log.write_text("".join(line(2000.0, str(number)) for number in range(logged)))
    (host,) = errors([log], 1500.0, capsys)
    assert len(host["errors"]) == 200
    assert host["errors"][0][2] == "update() 0"
    assert host["cut"] is cut


@pytest.mark.parametrize(("first", "cut"), [(1499.0, False), (1500.0, True)])
def test_the_end_of_a_large_log_is_whole_if_it_begins_before_the_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], first: float, cut: bool
) -> None:
    log = tmp_path / "engine.0.log"
    with log.open("w") as file:
        file.truncate(2**25)  # a hole of as much as is read, which the lines push out of reach
        file.seek(0, os.SEEK_END)
        file.write("\n" + line(first, "first").replace("ERR", "INFO") + line(2000.0, "second"))
    (host,) = errors([log], 1500.0, capsys)
    assert [message for _, _, message in host["errors"]] == ["update() second"]
    assert host["cut"] is cut


def test_no_key_leaves_the_server_even_if_the_message_is_cut_within_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "engine.0.log"
    key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj" * 10
    log.write_text(
        line(2000.0, f"cannot load -----BEGIN PRIVATE KEY-----\\n{key}")
        + line(2000.0, f"password={key[:12]} refused")
    )
    (host,) = errors([log], 1500.0, capsys)
    assert [message for _, _, message in host["errors"]] == [
        "update() cannot load [removed: PRIVATE KEY]",
        "update() password=[removed] refused",
    ]
