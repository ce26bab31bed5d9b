"""A stand-in of dfuse: it mounts, of the right type, a directory in which nothing is."""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable

import daos_agent
from calling import CallError, options, refuse

VERSION = "dfuse version 2.8.0, libdaos 2.8.0"

FLAGS = ("multi-user", "disable-caching", "enable-caching")

MS_NOSUID_NODEV = 2 | 4
PR_SET_NAME = 15
REQUEST_BYTES = 1 << 20
HEADER = struct.Struct("=IIQQIIII")
ROOT_ATTRIBUTES = struct.pack("=QII6Q10I", 1, 0, 0, 1, *[0] * 8, 0o40755, 2, *[0] * 5)

FORGET, DESTROY, BATCH_FORGET = 2, 38, 42
ANSWERS: dict[int, bytes] = {
    3: ROOT_ATTRIBUTES,  # GETATTR
    17: struct.pack("=5Q10I", *[0] * 5, 4096, 255, 4096, *[0] * 7),  # STATFS
    26: struct.pack("=IIIIHHI", 7, 22, 0, 0, 0, 0, 4096),  # INIT, in few words: an old protocol
    27: bytes(16),  # OPENDIR
    28: b"",  # READDIR
    29: b"",  # RELEASEDIR
    DESTROY: b"",
}
"""By the kernel's operations (linux/fuse.h)."""


def mount(path: str) -> int:
    """Mount, and return the file by which the kernel asks.

    Raises:
        OSError: where this may not be.
    """
    file = os.open("/dev/fuse", os.O_RDWR)
    told = f"fd={file},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()},allow_other"
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(b"dfuse", path.encode(), b"fuse.daos", MS_NOSUID_NODEV, told.encode()) != 0:
        raise OSError(ctypes.get_errno(), f"cannot mount {path}")
    return file


def serve(file: int) -> None:
    """Answer the kernel until somebody unmounts."""
    while True:
        try:
            request = os.read(file, REQUEST_BYTES)
        except OSError as error:
            if error.errno == errno.ENODEV:
                return
            continue
        _, operation, unique, *_ = HEADER.unpack_from(request)
        if operation in (FORGET, BATCH_FORGET):
            continue
        body = ANSWERS.get(operation, b"")
        failure = 0 if operation in ANSWERS else -errno.ENOSYS
        os.write(file, struct.pack("=IiQ", 16 + len(body), failure, unique) + body)


def in_background(work: Callable[[], None]) -> None:
    """Leave the work to a child, as the real one does once it has mounted."""
    if os.fork() == 0:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(null, stream)
        work()


def main(argv: list[str]) -> None:
    """Mount a container, or tell the version."""
    if argv == ["--version"]:
        print(VERSION)
        return
    try:
        _, (path, pool, container) = options(argv, {}, FLAGS)
        reply = daos_agent.ask({"command": "container query", "labels": [pool, container]})
    except (CallError, ValueError) as error:
        refuse("dfuse", f"{error}; known are [OPTIONS] mountpoint pool container")
    except OSError:
        reply = {"error": "DER_AGENT_COMM(-1029): Failed to communicate with agent"}
    if reply.get("error"):
        refuse("dfuse", reply["error"])
    # By this name the role finds a dfuse that does not end by itself.
    ctypes.CDLL(None).prctl(PR_SET_NAME, b"dfuse")
    file = mount(path)
    in_background(lambda: serve(file))


if __name__ == "__main__":
    main(sys.argv[1:])
