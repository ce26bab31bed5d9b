"""What job scripts, and the programs in them, can be given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assay.preflight.examine import examine
from sites import site


def messages(document: dict[str, Any]) -> list[str]:
    return [str(problem) for problem in examine(document)[1]]


def sound() -> dict[str, Any]:
    document = site()
    document["benchmarks"] = {"fio": "/usr/bin/fio"}
    return document


def test_a_sound_site_has_no_problems() -> None:
    assert messages(sound()) == []


HOSTILE = [
    "$(touch x)",
    "`touch x`",
    "a b",
    "it's",
    'a "b"',
    "a\\b",
    "-rf",
    "*",
    "ü",
    "~",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_path_can_hold_any_character_of_one_line(name: str) -> None:
    document = sound()
    document["benchmarks"]["fio"] = f"/opt/{name}/fio"
    assert messages(document) == []


def put(*keys: str | int) -> Callable[[dict[str, Any], str], None]:
    def change(document: dict[str, Any], value: str) -> None:
        place: Any = document
        for key in keys[:-1]:
            place = place.setdefault(key, {}) if isinstance(place, dict) else place[key]
        place[keys[-1]] = value

    return change


FIO = put("benchmarks", "fio")
SHARED = put("benchmarks", "shared_directory")
SCRATCH = put("hosts", "s1", "scratch", "directory")
SCM = put("hosts", "s1", "engines", 0, "storage", 0, "scm_mount")


@pytest.mark.parametrize(
    ("change", "value", "problem"),
    [
        (FIO, "fio", "benchmarks.fio = fio: should be an absolute path"),
        (FIO, "-fio", "benchmarks.fio = -fio: should be an absolute path"),
        (
            FIO,
            "/opt/a=b/fio",
            "benchmarks.fio = /opt/a=b/fio: should be a path without '=': env takes",
        ),
        (
            SCRATCH,
            "/a:b",
            "host s1: scratch.directory = /a:b: should be a path without ':': fio takes",
        ),
        (
            SCRATCH,
            "/$ncpus",
            "host s1: scratch.directory = /$ncpus: should be a path without '$': fio takes",
        ),
        (SCM, "/a:b", "storage[0].scm_mount = /a:b: should be a path without ':': fio takes"),
        (
            SHARED,
            "/a@b",
            "benchmarks.shared_directory = /a@b: should be a path without '@': IOR and",
        ),
        (
            put("daos", "mount"),
            "/a b",
            "daos.mount = /a b: should be a path without ' ': /proc/mounts",
        ),
        (put("daos", "mount"), "/a@b", "daos.mount = /a@b: should be a path without '@': IOR and"),
        (
            put("daos", "prefix"),
            "/a b",
            "daos.prefix = /a b: should be a path without ' ': the loader",
        ),
        (put("daos", "pool"), "$(x)", "daos.pool = $(x): should be a label of DAOS"),
        (put("daos", "container"), "-rf", "daos.container = -rf: should be a label of DAOS"),
    ],
)
def test_what_a_program_would_take_for_more_is_refused(
    change: Callable[[dict[str, Any], str], None], value: str, problem: str
) -> None:
    document = sound()
    put("daos", "pool")(document, "tank")
    change(document, value)
    (sentence,) = [each for each in messages(document) if f" = {value}:" in each]
    assert problem in sentence


@pytest.mark.parametrize("value", ["/opt/a\nb", "/opt/a\0b", "/opt/\x1b[2J", "/opt/\udc80"])
def test_what_no_script_can_hold_is_refused(value: str) -> None:
    document = sound()
    FIO(document, value)
    (sentence,) = messages(document)
    assert sentence.startswith("benchmarks.fio = /opt/")
    assert "must be printable, on one line" in sentence


def test_io500_reads_more_into_a_path() -> None:
    document = sound()
    document["benchmarks"] |= {"io500": "/usr/bin/io500", "shared_directory": "/a;b"}
    (sentence,) = messages(document)
    assert (
        "benchmarks.shared_directory = /a;b: should be a path without ';': these have" in sentence
    )


@pytest.mark.parametrize(
    "option",
    ["ProxyCommand=touch x", "LocalCommand=x", "Port=2222\nProxyCommand=x", "-oPort=1", "Port"],
)
def test_an_option_of_ssh_runs_no_command(option: str) -> None:
    document = sound()
    document["ssh_options"] = [option]
    assert any("ssh_options[0]" in problem for problem in messages(document))


def test_a_site_has_options_of_ssh_of_its_own() -> None:
    document = sound()
    document["ssh_options"] = ["StrictHostKeyChecking=accept-new", "UserKnownHostsFile=/etc/a b"]
    assert messages(document) == []
