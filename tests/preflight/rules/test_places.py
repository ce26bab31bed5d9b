"""Mount points of SCM and of dfuse, and what they would hide."""

from __future__ import annotations

import pytest

from sites import only, problems, put, site

MOUNT = "s1: engines/0/storage/0/scm_mount"


@pytest.mark.parametrize("mount", ["/", "/mnt", "/var", "/usr/share/daos", "/etc/daos", "/boot/d"])
def test_a_mount_that_would_hide_the_system_is_refused(mount: str) -> None:
    problem = only(put(site(), {MOUNT: mount}))
    assert (problem.key, str(problem.value)) == ("engines[0].storage[0].scm_mount", mount)
    assert "a mount here would hide what the system needs" in problem.allowed


def test_the_shared_memory_of_a_host_works_and_is_warned_of() -> None:
    problem = only(put(site(), {MOUNT: "/dev/shm"}))
    assert problem.severity == "warning"
    assert "is mounted already, and every program of the host fills it" in problem.allowed


def test_a_mount_over_files_is_refused() -> None:
    directory = {"exists": True, "filesystem": "ext4", "entries": 3}
    document = put(site(), {MOUNT: "/srv/d", "s1: directories": {"/srv/d": directory}})
    assert "the mount would hide 3 files" in only(document).allowed
    document["hosts"]["s1"]["directories"]["/srv/d"]["mounted"] = True
    assert problems(document) == []


@pytest.mark.parametrize(
    ("changes", "key"),
    [
        ({"s1: engines/1/storage/0/scm_mount": "/mnt/dram0/1"}, "engines[1].storage[0].scm_mount"),
        ({MOUNT: "/mnt/dram1/0"}, "engines[0].storage[0].scm_mount"),
        (
            {"s1: server/control_metadata/path": "/mnt/dram0/meta"},
            "server.control_metadata.path",
        ),
        ({"s1: server/control_metadata/path": "/mnt/dram1"}, "server.control_metadata.path"),
        ({"s1: scratch/directory": "/mnt/dram1/x"}, "scratch.directory"),
    ],
)
def test_places_in_each_other_are_refused(changes: dict[str, object], key: str) -> None:
    problem = only(put(site("md-on-ssd-shared", engines=2), changes))
    assert (problem.host, problem.key, problem.severity) == ("s1", key, "error")


def test_a_mount_in_a_plain_directory_of_control_metadata_hides_nothing() -> None:
    document = put(site("md-on-ssd-shared"), {"s1: server/control_metadata/path": "/var/daos"})
    assert problems(put(document, {MOUNT: "/var/daos/scm"})) == []
    problem = only(put(document, {MOUNT: "/var/daos/daos_control/scm"}))
    assert "daos_control, which a format removes" in problem.allowed
    document = put(site("md-on-ssd-shared"), {"s1: server/control_metadata/path": "/var/daos"})
    put(document, {MOUNT: "/var/daos/scm", "s1: server/control_metadata/device": "/dev/sdx"})
    [nested] = [each for each in problems(document) if "would hide it" in each.allowed]
    assert nested.key == "engines[0].storage[0].scm_mount"


def prefix(path: str) -> dict[str, object]:
    return {"path": path, "filesystem": "nfs4", "source": "nas:/export"}


def test_a_mount_over_the_directory_of_campaigns_is_refused() -> None:
    document = put(site(), {MOUNT: "/share", "s1: shared": prefix("/share/reframe")})
    problem = only(document)
    assert problem.key == "engines[0].storage[0].scm_mount"
    assert problem.allowed.startswith("should not hide /share/reframe")
    assert problems(put(document, {MOUNT: "/share/reframe/scm0"})) == []


def test_control_metadata_among_the_files_of_the_system() -> None:
    problem = only(put(site("md-on-ssd-shared"), {"s1: server/control_metadata/path": "/etc"}))
    assert (problem.key, problem.severity) == ("server.control_metadata.path", "warning")
    assert "formatting removes what is in daos_control" in problem.allowed


@pytest.mark.parametrize(
    ("mount", "severity"),
    [
        ("/", "error"),
        ("/usr", "error"),
        ("/etc/daos", "error"),
        ("/opt", "error"),
        ("/mnt", "warning"),
    ],
)
def test_dfuse_over_what_clients_need(mount: str, severity: str) -> None:
    problem = only(put(site(), {"daos/mount": mount, "daos/pool": "tank"}))
    assert (problem.host, problem.key, problem.severity) == (None, "daos.mount", severity)
    assert problem.allowed.startswith("should be a directory for dfuse alone")


@pytest.mark.parametrize("mount", ["/mnt/dfuse", "/daos", "/scratchy/d"])
def test_dfuse_in_a_directory_of_its_own(mount: str) -> None:
    assert problems(put(site(), {"daos/mount": mount, "daos/pool": "tank"})) == []


@pytest.mark.parametrize(
    ("mount", "key"), [("/scratch", "scratch.directory"), ("/scratch/d", "daos.mount")]
)
def test_dfuse_and_scratch_in_each_other(mount: str, key: str) -> None:
    reported = problems(put(site(), {"daos/mount": mount, "daos/pool": "tank"}))
    assert {(problem.host, problem.severity) for problem in reported} == {
        ("login", "error"),
        ("c1", "error"),
    }
    assert {problem.key for problem in reported} <= {key, "daos.mount"}


def test_dfuse_over_the_directory_of_campaigns() -> None:
    document = put(site(), {"daos/mount": "/share", "daos/pool": "tank"})
    problem = only(put(document, {"c1: shared": prefix("/share/reframe")}))
    assert (problem.host, problem.key) == ("c1", "daos.mount")
