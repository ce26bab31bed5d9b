"""What the module `cluster_hardware` finds out about file systems, files and ports."""

import fcntl
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
import yaml

from assay.tools.host import host_identity, host_setup, sysfs, writable

ROLES = Path(__file__).parents[2] / "roles"
MODULE = ROLES / "cluster/library/cluster_hardware.py"
SHARED = {
    "host_identity": host_identity,
    "host_setup": host_setup,
    "sysfs": sysfs,
    "writable": writable,
}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    for name, shared in SHARED.items():
        monkeypatch.setitem(sys.modules, f"ansible.module_utils.{name}", shared)
    spec = importlib.util.spec_from_file_location("cluster_hardware", MODULE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_file_system_of_a_directory_yet_to_be_made_is_that_of_its_parent(
    module: ModuleType, tmp_path: Path
) -> None:
    assert module.file_system(tmp_path / "a/b") == module.file_system(tmp_path)
    assert set(module.file_system(tmp_path)) == {"filesystem", "device"}


def test_a_directory_is_described_by_the_file_system_below_it(
    module: ModuleType, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    there, absent = module.directory(tmp_path), module.directory(tmp_path / "none" / "below")
    assert (there["exists"], there["mounted"], there["entries"]) == (True, False, 1)
    assert (absent["exists"], absent["entries"]) == (False, 0)
    assert there["filesystem"] == absent["filesystem"]
    assert there["free_mib"] > 0
    assert absent["free_mib"] == pytest.approx(there["free_mib"], rel=0.01)
    assert module.directory(Path("/proc"))["mounted"] is True


@pytest.mark.parametrize(
    ("content", "blobs", "blank"),
    [(b"", False, True), (b"\0" * 8192, False, True), (b"SPDKBLOB\x03", True, False)],
)
def test_a_file_of_an_emulated_ssd_is_known_by_its_beginning(
    module: ModuleType, tmp_path: Path, content: bytes, blobs: bool, blank: bool
) -> None:
    (tmp_path / "bdev0").write_bytes(content)
    assert module.backing_file(tmp_path / "bdev0") == {
        "type": "file",
        "size_bytes": len(content),
        "blobs": blobs,
        "blank": blank,
    }


def test_what_is_not_a_file_is_not_read(module: ModuleType, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert module.backing_file(tmp_path / "pipe")["type"] == "other"
    assert module.backing_file(tmp_path)["type"] == "directory"


def test_a_superblock_says_of_which_system_its_engine_is(
    module: ModuleType, tmp_path: Path
) -> None:
    superblock = tmp_path / "superblock"
    superblock.write_text("version: 1\nuuid: 0ff\nsystem: daos_server\nrank: 0\n")
    assert module.system_of(superblock) == "daos_server"
    assert module.system_of(tmp_path / "none") is None


def test_a_shared_directory_is_described_by_the_file_system_below_it(
    module: ModuleType, tmp_path: Path
) -> None:
    absent = module.shared(str(tmp_path / "none/below"))
    assert absent["path"] == str(tmp_path / "none/below")
    assert absent["filesystem"] == module.file_system(tmp_path)["filesystem"]
    assert absent["source"] == module.file_system(tmp_path)["device"]
    assert absent["locks"] is True
    assert "rw" in absent["options"]
    assert absent["available_mib"] > 0
    assert absent["sees_controller"] is None


def test_a_file_that_another_host_wrote_is_there_or_not(module: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "sign").touch()
    assert module.shared(str(tmp_path), str(tmp_path / "sign"))["sees_controller"] is True
    assert module.shared(str(tmp_path), str(tmp_path / "none"))["sees_controller"] is False


def test_a_lock_that_another_process_holds_is_seen(module: ModuleType, tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    sign.touch()
    place = str(tmp_path), str(sign)
    assert module.shared(*place)["meets_locks"] is None
    assert module.shared(*place, held=True)["meets_locks"] is False
    assert module.shared(str(tmp_path), str(tmp_path / "none"), held=True)["meets_locks"] is None
    with sign.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert module.shared(*place, held=True)["meets_locks"] is True


def test_the_controller_holds_its_lock_until_the_file_is_removed(tmp_path: Path) -> None:
    """The script of tasks/look.yml."""
    tasks = yaml.safe_load((ROLES / "cluster/tasks/look.yml").read_text())
    (script,) = [
        task["ansible.builtin.shell"]["cmd"] for task in tasks if task["name"].startswith("Hold")
    ]
    sign = tmp_path / "sign"
    sign.touch()
    script = script.replace("{{ __cluster_sign.path | quote }}", str(sign))
    started = time.monotonic()
    held = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert held.stdout == "held\n"
    assert time.monotonic() - started < 30
    with sign.open() as file:
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        sign.unlink()
        fcntl.flock(file, fcntl.LOCK_SH)


def test_links_are_followed_to_the_device(module: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "by-id").symlink_to(tmp_path / "sda")
    assert module.links([str(tmp_path / "by-id"), str(tmp_path / "sda")]) == {
        str(tmp_path / "by-id"): str(tmp_path / "sda")
    }
