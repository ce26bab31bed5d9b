"""Packages that had to go for others are noted, and named again by teardown."""

from __future__ import annotations

import grp
from base64 import b64encode
from pathlib import Path

from rendering import Rendering
from test_given_away import as_root, run

GROUPS = "__packages_groups_left"


@as_root
def test_a_package_that_went_with_an_installation_is_noted(tmp_path: Path) -> None:
    (tmp_path / "ledger").mkdir()
    before = tmp_path / "before"
    before.write_text("dpkg\nno-such-time-service\n")
    groups_before = tmp_path / "groups-before"
    groups_before.write_text("".join(f"{g.gr_name}\n" for g in grp.getgrall()[1:]))
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
        __packages_accounts=[
            {
                "kind": "group",
                "database": "group",
                "before": str(groups_before),
                "ledger": str(tmp_path / "groups"),
            }
        ],
    )
    assert ran.returncode == 0, ran.stdout
    assert (tmp_path / "groups").read_text() == f"{grp.getgrall()[0].gr_name}\n"
    assert not groups_before.exists()
    assert gone.read_text() == "gone-before\nno-such-time-service\n"
    assert "dpkg" not in (tmp_path / "ledger/site").read_text().splitlines()
    assert not before.exists()


def test_teardown_removes_groups_that_packages_left_and_nobody_uses() -> None:
    noted = {"content": b64encode(b"rdma\nmunge\nused\ngone\n").decode()}
    groups = {"rdma": ["x", "102", ""], "munge": ["x", "103", ""], "used": ["x", "104", "ada"]}
    users = {"munge": ["x", "998", "103", "", "/nonexistent", "/usr/sbin/nologin"]}
    given = {
        "__packages_accounts_made": {"results": [{}, noted]},
        "__packages_group_entries": {
            "ansible_facts": {"getent_group": groups | {"site": ["x", "105", ""]}}
        },
        "__packages_user_entries": {"ansible_facts": {"getent_passwd": users}},
    }
    assert Rendering("packages", given | {"__packages_kept": []}).value(GROUPS) == ["rdma"]
    assert Rendering("packages", given | {"__packages_kept": ["slurm"]}).value(GROUPS) == []


def test_teardown_removes_users_that_packages_left() -> None:
    noted = {"content": b64encode(b"munge\ngone\n").decode()}
    users = {"munge": ["x", "998", "103", "", "/", "/sbin/nologin"], "root": ["x", "0", "0"]}
    given = {
        "__packages_accounts_made": {"results": [noted, {}]},
        "__packages_user_entries": {"ansible_facts": {"getent_passwd": users}},
    }
    left = "__packages_users_left"
    assert Rendering("packages", given | {"__packages_kept": []}).value(left) == ["munge"]
    assert Rendering("packages", given | {"__packages_kept": ["munge"]}).value(left) == []


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


@as_root
def test_directories_that_packages_leave_go_where_nothing_is_in_them(tmp_path: Path) -> None:
    site, ours, data = tmp_path / "site", tmp_path / "ours", tmp_path / "data"
    site.mkdir()
    given = {
        "ansible_facts": {"os_family": "RedHat"},
        "packages_directories": [str(site), str(ours), str(data)],
        "__packages_left": str(tmp_path / "left"),
    }
    ran = run(tmp_path, "packages", "left.yml", **given)
    assert ran.returncode == 0, ran.stdout
    (ours / "control").mkdir(parents=True)
    data.mkdir()
    (data / "superblock").touch()
    ran = run(tmp_path, "packages", "left-remove.yml", **given)
    assert ran.returncode == 0, ran.stdout
    assert site.exists()
    assert not ours.exists()
    assert (data / "superblock").exists()
