"""The directory of campaigns, which all hosts whose jobs run there have to see."""

from __future__ import annotations

from typing import Any

import pytest

from sites import only, problems, put, site

NFS = {"path": "/shared", "filesystem": "nfs4", "source": "nas:/export"}
LOCAL = {"path": "/shared", "filesystem": "ext4", "source": "/dev/sda1"}


def seen(controller: dict[str, Any], client: dict[str, Any], **others: object) -> dict[str, Any]:
    document = put(site(), {"login: shared": controller, "c1: shared": client})
    return put(document, {key.replace("_", ": "): value for key, value in others.items()})


def test_a_file_system_of_the_network_is_shared() -> None:
    assert problems(seen(NFS, NFS)) == []


@pytest.mark.parametrize("client", [LOCAL, {**LOCAL, "filesystem": "overlay"}])
def test_local_disks_are_not_however_alike_they_are_called(client: dict[str, Any]) -> None:
    problem = only(seen(client, client))
    assert (problem.host, problem.key, problem.severity) == ("c1", "reframe_prefix", "error")
    assert problem.value == f"/shared on /dev/sda1 ({client['filesystem']})"
    assert "jobs are written there and run here" in problem.allowed


def test_containers_of_one_machine_share_a_volume_but_not_their_root() -> None:
    boot = {"login: setup/boot": "a", "c1: setup/boot": "a"}
    assert problems(put(seen(LOCAL, LOCAL), boot)) == []
    overlay = {**LOCAL, "filesystem": "overlay", "source": "overlay"}
    assert only(put(seen(overlay, overlay), boot)).host == "c1"
    other = {**LOCAL, "source": "/dev/sda1[/volumes/other]"}
    assert only(put(seen(LOCAL, other), boot)).host == "c1"


@pytest.mark.parametrize("client", [LOCAL, {**NFS, "source": "198.51.100.1:/export"}])
def test_a_file_of_the_controller_that_is_there_says_more_than_names(
    client: dict[str, Any],
) -> None:
    assert problems(seen(NFS, {**client, "sees_controller": True})) == []


def test_a_lock_of_the_controller_that_does_not_count_is_a_warning() -> None:
    assert problems(seen(NFS, {**NFS, "sees_controller": True, "meets_locks": True})) == []
    problem = only(seen(NFS, {**NFS, "sees_controller": True, "meets_locks": False}))
    assert (problem.host, problem.key, problem.severity) == ("c1", "reframe_prefix", "warning")
    assert "a lock that login holds there does not count here" in problem.allowed


@pytest.mark.parametrize("source", ["nas:/export", "198.51.100.1:/export"])
def test_a_file_of_the_controller_that_is_not_there(source: str) -> None:
    problem = only(seen(NFS, {**NFS, "source": source, "sees_controller": False}))
    assert (problem.host, problem.key, problem.severity) == ("c1", "reframe_prefix", "error")
    assert "a file that login wrote there is not here" in problem.allowed


def test_a_host_that_lacks_the_mount_is_named() -> None:
    problem = only(seen(NFS, LOCAL))
    assert problem.host == "c1"
    assert "where it is on nas:/export (nfs4)" in problem.allowed


def test_two_exports_may_be_one_file_system_and_are_a_warning() -> None:
    problem = only(seen(NFS, {**NFS, "source": "198.51.100.1:/export"}))
    assert (problem.host, problem.severity) == ("c1", "warning")


def test_servers_that_are_reached_by_ssh_need_not_see_it() -> None:
    document = put(seen(NFS, NFS), {"s1: shared": LOCAL})
    assert only(document).host == "s1"
    assert problems(put(document, {"servers_scheduler": "ssh"})) == []


def test_it_is_written_by_every_host() -> None:
    assert problems(seen(NFS, {**NFS, "options": ["rw", "errors=remount-ro"]})) == []
    problem = only(seen(NFS, {**NFS, "options": ["ro", "vers=4.2"]}))
    assert (problem.host, problem.key, problem.severity) == ("c1", "reframe_prefix", "error")
    assert problem.allowed.startswith("is mounted read-only here, from nas:/export")


def test_it_has_locks_and_room() -> None:
    problem = only(seen(NFS | {"locks": False}, NFS))
    assert (problem.host, problem.severity) == ("login", "error")
    assert "flock for Lustre" in problem.allowed
    assert only(seen(NFS | {"options": ["rw", "nolock"]}, NFS)).severity == "warning"
    problem = only(seen(NFS | {"available_mib": 1023}, NFS))
    assert problem.allowed.endswith("has 1023 MiB. Make room, or name another directory")
    assert problems(seen(NFS | {"available_mib": 1024}, NFS)) == []
