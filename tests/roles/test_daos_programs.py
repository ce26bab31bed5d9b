"""What root asks the programs of DAOS, and of which it asks nothing."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rendering import ROLES

from assay.tools.host import trusted


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    monkeypatch.setitem(sys.modules, "ansible.module_utils.trusted", trusted)
    module = runpy.run_path(str(ROLES / "daos/library/daos_programs.py"))
    monkeypatch.setitem(module["answer"].__globals__, "ANSWER_S", 1)
    asked: Callable[[str, str], str] = module["answer"]
    return asked


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "bin/dmg"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\ntouch $0.ran\necho DAOS Admin Tool; echo version 2.8.0 >&2\n")
    path.chmod(0o755)
    return path


needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only what is root's is run")


@needs_root
def test_a_program_is_asked_for_its_version(
    answer: Callable[[str, str], str], program: Path
) -> None:
    assert answer(str(program), "version") == (
        f"{program} version exits with 0 and prints DAOS Admin Tool version 2.8.0"
    )


@needs_root
@pytest.mark.parametrize("word", ["version", ""])
def test_a_program_that_others_may_write_is_not_asked(
    answer: Callable[[str, str], str], program: Path, word: str
) -> None:
    for path, mode in ((program, 0o777), (program.parent, 0o777)):
        path.chmod(mode)
        assert answer(str(program), word) == (
            f"{program} was not run as root, since others may write {path}"
        )
        path.chmod(0o755)
    assert not program.with_name("dmg.ran").exists()


@needs_root
def test_a_program_without_a_word_is_only_looked_at(
    answer: Callable[[str, str], str], program: Path
) -> None:
    assert answer(str(program), "") == ""
    assert not program.with_name("dmg.ran").exists()
    assert answer("/none/dmg", "") == "/none/dmg is absent or not executable"


@needs_root
def test_a_program_that_hangs_or_fails_says_so(
    answer: Callable[[str, str], str], program: Path
) -> None:
    program.write_text("#!/bin/sh\nexec sleep 100\n")
    assert answer(str(program), "version") == f"{program} did not end within 1 s"
    program.write_text("#!/bin/sh\nexit 3\n")
    assert answer(str(program), "version") == f"{program} version exits with 3 and prints "
    program.write_text("no program")
    assert answer(str(program), "version").startswith(f"{program} cannot be run: Exec format error")


LISTED = """\
\tlinux-vdso.so.1 (0x00007ffe2d3f2000)
\tlibspdk_env_dpdk.so.16.1 => not found
\tlibisal.so.2 => /opt/daos/lib64/libisal.so.2 (0x00007f6ab1c00000)
\tlibspdk_nvme.so.17.0 => not found
\tlibspdk_env_dpdk.so.16.1 => not found
\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f6ab1a00000)
\t/lib64/ld-linux-x86-64.so.2 (0x00007f6ab1ed1000)
"""
"""What ldd prints of daos_server_helper, where SPDK's libraries have no run path."""


@needs_root
def test_a_program_without_a_word_names_the_libraries_that_it_lacks(
    answer: Callable[..., str], program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (program.parent / "listed").write_text(LISTED)
    ldd = program.with_name("ldd")
    ldd.write_text('#!/bin/sh\n[ "$LD_LIBRARY_PATH" = /opt/spdk ] || cat "${0%/*}/listed"\n')
    ldd.chmod(0o755)
    monkeypatch.setitem(answer.__globals__, "LDD", str(ldd))
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/spdk")  # of whoever deploys, not of the daemon
    assert answer(str(program), "") == (
        f"{program} lacks libspdk_env_dpdk.so.16.1, libspdk_nvme.so.17.0 (daos_library_path names"
        " directories of libraries)"
    )
    assert answer(str(program), "", ["/opt/spdk"]) == ""
