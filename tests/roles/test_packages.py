"""Packages that had to go for others are noted, and named again by teardown."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

from rendering import Rendering
from test_given_away import as_root, run


@as_root
def test_a_package_that_went_with_an_installation_is_noted(tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    before = tmp_path / "before"
    before.write_text("dpkg\nno-such-time-service\n")
    gone = tmp_path / "gone"
    gone.write_text("gone-before\n")
    ran = run(
        tmp_path,
        "packages",
        "ledger.yml",
        ansible_facts={"os_family": "Debian"},
        packages_owner="site",
        __packages_ledger=str(tmp_path / "ledger"),
        __packages_snapshot=str(before),
        __packages_displaced=str(gone),
    )
    assert ran.returncode == 0, ran.stdout
    assert gone.read_text() == "gone-before\nno-such-time-service\n"
    assert "dpkg" not in (tmp_path / "ledger/site").read_text().splitlines()
    assert not before.exists()


def test_teardown_installs_what_was_noted() -> None:
    noted = {"content": b64encode(b"systemd-timesyncd\nother\n").decode()}
    installed = {"__packages_query": {"stdout_lines": ["ii  dpkg", "rc  other"]}}
    role = Rendering("packages", installed | {"__packages_gone": noted})
    assert role.value("__packages_to_restore") == ["other", "systemd-timesyncd"]
    nothing = Rendering("packages", installed | {"__packages_gone": {}})
    assert nothing.value("__packages_to_restore") == []


def test_what_was_put_back_by_hand_is_not_installed_again() -> None:
    noted = {"content": b64encode(b"systemd-timesyncd\nother\n").decode()}
    installed = {"stdout_lines": ["ii  systemd-timesyncd"]}
    role = Rendering("packages", {"__packages_gone": noted, "__packages_query": installed})
    assert role.value("__packages_to_restore") == ["other"]


@as_root
def test_a_package_that_cannot_be_installed_again_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.write_text("dpkg\nno-such-time-service\n")
    ran = run(
        tmp_path,
        "packages",
        "restore.yml",
        # dnf is not on this machine, so that nothing is asked for and nothing changes.
        ansible_facts={"os_family": "RedHat"},
        __packages_query_command=["echo", "ii dpkg"],
        __packages_displaced=str(gone),
    )
    assert ran.returncode == 2, ran.stdout
    assert "no-such-time-service had to go for a package of this project" in ran.stdout
