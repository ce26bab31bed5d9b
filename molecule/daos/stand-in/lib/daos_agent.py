"""A stand-in of daos_agent: it carries what the clients of its host say to the servers."""

from __future__ import annotations

import json
import os
import socket
import socketserver
import sys
from pathlib import Path
from typing import Any

import speaking
import yaml

VERSION = "DAOS Agent version 2.8.0"
SOCKET = "/run/daos_agent/daos_agent.sock"


class Listener(socketserver.ThreadingUnixStreamServer):
    """Hears the programs of this host."""

    daemon_threads = True

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        Path(SOCKET).unlink(missing_ok=True)
        super().__init__(SOCKET, Conversation)
        Path(SOCKET).chmod(0o777)  # as the real one does: clients are any user


class Conversation(socketserver.StreamRequestHandler):
    """One question, carried there and back."""

    def handle(self) -> None:
        """Carry it."""
        config = self.server.config  # type: ignore[attr-defined] # it is a Listener
        request = json.loads(self.rfile.readline())
        try:
            reply = speaking.ask(config, config["access_points"][0], request)
        except speaking.UnreachableError as error:
            reply = {"error": str(error)}
        self.wfile.write(json.dumps(reply).encode() + b"\n")


def ask(request: dict[str, Any]) -> dict[str, Any]:
    """What programs of this host say to their agent.

    Raises:
        OSError: where no agent runs.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(SOCKET)
        with connection.makefile("rw") as line:
            return speaking.exchange(line, request)


def tell_systemd() -> None:
    """Say that the agent is ready."""
    if "NOTIFY_SOCKET" in os.environ:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.sendto(b"READY=1", os.environ["NOTIFY_SOCKET"].replace("@", "\0", 1))


def main(argv: list[str]) -> None:
    """Serve, or tell the version."""
    if argv == ["version"]:
        print(VERSION)
        return
    if argv[:1] != ["-o"] or argv[2:] != ["start"]:
        sys.exit(f"ERROR: daos_agent: unknown call {argv}")
    config = yaml.safe_load(Path(argv[1]).read_text())
    with Path(config["log_file"]).open("a") as log:
        log.write("stand-in: daos_agent has started\n")
    listener = Listener(config)
    tell_systemd()
    listener.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
