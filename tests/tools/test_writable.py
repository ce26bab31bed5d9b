"""Which programs other users than root can change."""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path
from typing import Any

import pytest

from assay.tools.host.writable import _steps
from assay.tools.host.writable import writable as others_can_change


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root in which a program of root's lies on a path of root's."""
    program = tmp_path / "opt/tools/bin/ior"
    program.parent.mkdir(parents=True)
    program.touch()
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o755)
    return tmp_path


@pytest.fixture
def writable(tree: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What others than root may write, as paths and modes; the files of this test are root's."""
    mine, lstat = os.getuid(), Path.lstat

    def as_root(path: Path) -> os.stat_result:
        fields = list(lstat(path))
        fields[stat.ST_UID] = 0 if fields[stat.ST_UID] == mine else fields[stat.ST_UID]
        fields[stat.ST_GID] = 1000
        return os.stat_result(fields)

    monkeypatch.setattr(Path, "lstat", as_root)

    def look(*programs: str) -> list[tuple[str, str]]:
        return [
            (changeable["path"], changeable["mode"])
            for changeable in others_can_change(programs, tree)
        ]

    return look


def test_programs_of_roots_own_may_be_run(writable: Any) -> None:
    assert writable("/opt/tools/bin/ior", "/opt/not/there") == []


@pytest.mark.parametrize(
    ("path", "mode"),
    [("opt/tools/bin/ior", 0o775), ("opt/tools/bin/ior", 0o757), ("opt/tools", 0o777)],
)
def test_not_those_that_others_may_write_or_replace(
    writable: Any, tree: Path, path: str, mode: int
) -> None:
    (tree / path).chmod(mode)
    assert writable("/opt/tools/bin/ior") == [(f"/{path}", f"{mode:04o}")]


def test_what_a_link_leads_to_counts_and_where_it_lies(writable: Any, tree: Path) -> None:
    (tree / "home").mkdir()
    (tree / "home").chmod(0o777)
    (tree / "home/ior").symlink_to("../opt/tools/bin/ior")
    (tree / "opt/tools/bin").chmod(0o775)
    (tree / "usr").mkdir(mode=0o755)
    (tree / "usr/ior").symlink_to("/home/ior")
    assert writable("/usr/ior") == [("/home", "0777"), ("/opt/tools/bin", "0775")]


def test_a_directory_with_the_sticky_bit_lets_nobody_replace_what_is_roots(
    writable: Any, tree: Path
) -> None:
    (tree / "opt").chmod(0o1777)
    assert writable("/opt/tools/bin/ior") == []


@pytest.mark.parametrize("path", ["/opt/tools/other/ior", "/opt/other", "/opt/link", "/opt"])
def test_in_a_directory_with_the_sticky_bit_others_may_add_what_is_missing(
    writable: Any, tree: Path, path: str
) -> None:
    (tree / "opt").chmod(0o1777)
    (tree / "opt/tools").chmod(0o1777)
    (tree / "opt/link").symlink_to("not-there")
    sticky = "/opt/tools" if "tools" in path else "/opt"
    assert writable(path) == [(sticky, "1777")]


def test_a_link_to_itself_ends(writable: Any, tree: Path) -> None:
    (tree / "loop").symlink_to("loop")
    assert writable("/loop/ior") == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")
def test_what_another_user_owns_is_that_users_to_write(tree: Path) -> None:
    program = tree / "opt/tools/bin/ior"
    os.chown(program, 12345, 12345)
    changeable = others_can_change(["/opt/tools/bin/ior"], tree)
    assert changeable == [{"path": "/opt/tools/bin/ior", "owner": "12345", "mode": "0755"}]


EVE_MAY_WRITE = struct.pack(
    "<I" + "HHI" * 5,
    *(2, 1, 7, 2**32 - 1),  # version 2; the owner rwx
    *(2, 7, 12345),  # a user of this number rwx
    *(4, 5, 2**32 - 1),  # the group r-x
    *(0x10, 7, 2**32 - 1),  # at most rwx
    *(0x20, 5, 2**32 - 1),  # others r-x
)
"""An access control list as the kernel takes it (linux/posix_acl_xattr.h)."""


@pytest.mark.skipif(os.getuid() != 0, reason="only root has files of the group root")
def test_whom_an_access_control_list_names_may_write(tree: Path) -> None:
    for path in (tree, *tree.rglob("*")):
        os.chown(path, 0, 0)
    (tree / "opt").chmod(0o775)
    assert others_can_change(["/opt/tools/bin/ior"], tree) == []
    try:
        os.setxattr(tree / "opt", "system.posix_acl_access", EVE_MAY_WRITE)
    except OSError as error:
        pytest.skip(f"no access control lists here: {error}")
    changeable = others_can_change(["/opt/tools/bin/ior"], tree)
    assert changeable == [{"path": "/opt", "owner": "root", "mode": "0775"}]


@pytest.mark.parametrize(("links", "followed"), [(40, True), (41, False)])
def test_links_are_followed_as_far_as_the_kernel_does(
    tmp_path: Path, links: int, *, followed: bool
) -> None:
    (tmp_path / "0").touch()
    for number in range(1, links + 1):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    path = list(_steps(tmp_path, Path(f"/{links}")))
    assert (path[-1] == tmp_path / "0") == followed
