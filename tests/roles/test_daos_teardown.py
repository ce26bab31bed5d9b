"""What the teardown of DAOS removes at run time, and what of others it leaves."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from rendering import Rendering

from needs import without

ROLES = Path(__file__).parents[2] / "roles"

TELEMETRY = 0x10242048
"""The key of engine 0's segment."""

MAKE_SEGMENTS = """
import ctypes, sys
for key in sys.argv[1:]:
    assert ctypes.CDLL(None, use_errno=True).shmget(int(key), 4096, 0o1660) >= 0
"""


def in_namespaces(commands: str) -> list[str]:
    """Run shell commands as root with shared memory, mounts and a /run of their own."""
    if os.geteuid() != 0:
        without("segments of shared memory are root's")
    run = subprocess.run(
        ["unshare", "--ipc", "--mount", "sh", "-euc", f"mount -t tmpfs run /run; {commands}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def segments(*keys: int) -> str:
    return f"{sys.executable} -c '{MAKE_SEGMENTS}' {' '.join(map(str, keys))}"


NOTE = """awk 'NR > 1 { print "shm", $2 }' /proc/sysvipc/shm > /run/before"""
REMOVE = f"sh {ROLES}/daos_server/files/leftovers.sh /run/before"
LEFT = "awk 'NR > 1 { print $1 }' /proc/sysvipc/shm"


def test_the_segments_of_our_engines_go_with_those_of_their_pools() -> None:
    ours = segments(TELEMETRY, 4711)
    assert in_namespaces(f"{NOTE}; {ours}; {REMOVE} 1 > /dev/null; {LEFT}") == []


def test_segments_of_another_process_or_engine_stay() -> None:
    made = f"{segments(TELEMETRY)}; {segments(4711)}; {segments(TELEMETRY + 1)}"
    left = in_namespaces(f"{NOTE}; {made}; {REMOVE} 1 > /dev/null; {LEFT}")
    assert left == ["4711", str(TELEMETRY + 1)]


def test_a_segment_that_was_there_before_stays() -> None:
    left = in_namespaces(f"{segments(TELEMETRY)}; {NOTE}; {REMOVE} 1; {LEFT}")
    assert left == [str(TELEMETRY)]


def test_a_segment_in_use_stays() -> None:
    attach = (
        f"{segments(TELEMETRY)}; id=$(awk 'NR > 1 {{ print $2 }}' /proc/sysvipc/shm); "
        f"{sys.executable} -c 'import ctypes, sys, time; "
        "ctypes.CDLL(None).shmat(int(sys.argv[1]), None, 0); print(flush=True); time.sleep(60)' "
        "$id > /run/attached & while ! [ -s /run/attached ]; do sleep 0.1; done"
    )
    left = in_namespaces(f"{NOTE}; {attach}; {REMOVE} 1; {LEFT}; kill $!")
    assert left == [str(TELEMETRY)]


def test_what_spdk_has_left_goes_and_what_it_has_in_use_stays() -> None:
    # PIDs end at 2**22.
    made = "mkdir -p /run/dpdk/spdk_pid5000000 /run/dpdk/spdk_pid$$"
    done = in_namespaces(
        f"{NOTE}; {made}; touch /run/dpdk/spdk_pid5000000/config; {REMOVE} 1; ls /run/dpdk"
    )
    assert done[0] == "/run/dpdk/spdk_pid5000000"
    assert len(done) == 2
    assert done[1].startswith("spdk_pid")


def test_a_directory_of_spdk_that_was_there_before_stays() -> None:
    before = "mkdir -p /run/dpdk/spdk_pid5000000; find /run/dpdk -printf 'path %p\\n' > /run/before"
    assert in_namespaces(f"{before}; {REMOVE} 1; ls /run/dpdk") == ["spdk_pid5000000"]


RUN_REMOVE = f"sh {ROLES}/daos/files/run-remove.sh"


def test_what_a_daemon_had_at_run_time_goes(tmp_path: Path) -> None:
    directory = tmp_path / "daos_server"
    (directory / "dpdk" / "spdk_pid1").mkdir(parents=True)
    (directory / "daos_server.sock").touch()
    (tmp_path / "before").touch()
    subprocess.run([*RUN_REMOVE.split(), tmp_path / "before", directory], check=True)
    assert not directory.exists()


def test_what_another_daos_had_at_run_time_stays_with_its_owner(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        without("root alone gives files away")
    directory = tmp_path / "daos_agent"
    directory.mkdir(mode=0o750)
    (directory / "theirs").touch()
    os.chown(directory / "theirs", 5, 0)
    status = directory.stat()
    (tmp_path / "before").write_text(
        f"path {directory}\npath {directory}/theirs\n"
        f"owner {status.st_uid}:{status.st_gid} 750 {directory}\n"
        f"owner 5:0 640 {directory}/theirs\n"
    )
    directory.chmod(0o755)
    os.chown(directory / "theirs", 6, 0)  # as systemd does
    (directory / "ours").touch()
    subprocess.run([*RUN_REMOVE.split(), tmp_path / "before", directory], check=True)
    assert [file.name for file in directory.iterdir()] == ["theirs"]
    assert directory.stat().st_mode & 0o777 == 0o750
    theirs = (directory / "theirs").stat()
    assert (theirs.st_uid, theirs.st_mode & 0o777) == (5, 0o640)


@pytest.fixture
def fusermount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fusermount3 that does what the file beside it says, and a dfuse that sleeps."""
    program = tmp_path / "fusermount3"
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/calls\n. {tmp_path}/does\n')
    program.chmod(0o755)
    (tmp_path / "dfuse").write_text("#!/bin/sh\nwhile :; do sleep 1; done\n")
    (tmp_path / "dfuse").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path / "does"


def unmount(path: Path) -> int:
    script = ROLES / "daos_client/files/unmount.sh"
    return subprocess.run(["sh", script, "1", path], check=False).returncode


def test_a_dfuse_that_is_in_use_stays(fusermount: Path, tmp_path: Path) -> None:
    fusermount.write_text("exit 1\n")
    with subprocess.Popen([tmp_path / "dfuse", tmp_path / "mount"]) as dfuse:
        assert unmount(tmp_path / "mount") == 1
        assert dfuse.poll() is None
        dfuse.kill()


def test_a_dfuse_that_goes_on_after_it_was_unmounted_is_ended(
    fusermount: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    fusermount.write_text("exit 0\n")
    with subprocess.Popen([tmp_path / "dfuse", tmp_path / "mount"]) as dfuse:
        assert unmount(tmp_path / "mount") == 0
        assert dfuse.wait() == -9
    assert "did not end within 1 s after it was unmounted and is killed" in capfd.readouterr().out


def test_a_dfuse_that_ends_is_left_alone(fusermount: Path, tmp_path: Path) -> None:
    with subprocess.Popen([tmp_path / "dfuse", tmp_path / "mount"]) as dfuse:
        fusermount.write_text(f"kill -TERM {dfuse.pid}\n")
        assert unmount(tmp_path / "mount") == 0
        assert dfuse.wait() == -15


def test_a_dfuse_that_does_not_let_go_is_ended(fusermount: Path, tmp_path: Path) -> None:
    fusermount.write_text('[ "$2" = -z ] || exec sleep 60\n')
    began = time.monotonic()
    with (
        subprocess.Popen([tmp_path / "dfuse", tmp_path / "mount"]) as dfuse,
        subprocess.Popen([tmp_path / "dfuse", tmp_path / "another"]) as another,
    ):
        assert unmount(tmp_path / "mount") == 0
        assert dfuse.wait() == -9
        assert another.poll() is None
        another.kill()
    assert time.monotonic() - began < 50
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls == [f"-u {tmp_path}/mount", f"-u -z {tmp_path}/mount"]


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (
            {
                "daos_server_engines": [
                    {
                        "storage": [
                            {"class": "ram", "scm_mount": "/mnt/daos0"},
                            {"class": "file", "bdev_list": ["/var/daos/b0", "/var/daos/b1"]},
                        ]
                    },
                    {"targets": 1},
                ],
                "daos_server_control_metadata": {"path": "/var/daos/meta"},
            },
            ["/mnt/daos0", "/var/daos/b0", "/var/daos/b1", "/var/daos/meta"],
        ),
        ({"daos_server_engines": []}, []),
        ({"daos_server_control_metadata": None}, []),
    ],
    ids=["tiers", "no engines", "nothing described"],
)
def test_the_storage_that_stays_is_known(given: dict[str, Any], kept: list[str]) -> None:
    """The teardown runs without validate.yml, so anything may be lacking."""
    assert Rendering("daos_server", given).value("__daos_server_kept") == kept
