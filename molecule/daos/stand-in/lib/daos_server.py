"""A stand-in of daos_server: it reads its configuration, formats, joins, and manages the system."""

from __future__ import annotations

import json
import socket
import socketserver
import ssl
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path
from typing import Any

import speaking
import yaml
from system import RefusedError, System

VERSION = "DAOS Control Server version 2.8.0"


class Server:
    """One host's."""

    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config
        self.tls = speaking.context(config["transport_config"], ssl.Purpose.CLIENT_AUTH)
        self.name = socket.gethostname()
        self.address = socket.gethostbyname(self.name)
        self.is_replica = self.name == config["mgmt_svc_replicas"][0]
        self.lock = threading.Lock()
        self.system = System(self._superblock(0).with_name("system.json"))
        self.commands = {
            "storage format": ("admin", self._format),
            "reset format": ("server", self._reset),
        }
        threading.Thread(target=self._join, daemon=True).start()

    def answer(self, request: dict[str, Any], who: str) -> dict[str, Any]:
        """What is said to who asks."""
        command = request["command"]
        if command not in self.commands and not self.is_replica:
            return {"replica": self.config["mgmt_svc_replicas"][0]}
        allowed, do = (self.commands | self.system.commands)[command]
        if who not in ("anybody", allowed):
            return {"error": f"permission denied: {command} is not for {who}"}
        try:
            hosts = self.system.hosts() if command == "system erase" else set()
            with self.lock:
                response = do(request)
            for host in hosts:
                speaking.ask(self.config, host, {"command": "reset format"})
        except RefusedError as error:
            return {"error": f"{command} failed: {error}"}
        return {"response": response}

    def _superblock(self, engine: int) -> Path:
        storage = self.config["engines"][engine]["storage"]
        metadata = self.config.get("control_metadata", {}).get("path")
        if metadata:
            return Path(metadata, "daos_control", f"engine{engine}", "superblock")
        return Path(storage[0]["scm_mount"], "superblock")

    def _format(self, request: dict[str, Any]) -> None:
        for engine in range(len(self.config["engines"])):
            superblock = self._superblock(engine)
            if superblock.exists() and "force" not in request["options"]:
                raise RefusedError(f"instance {engine} is formatted, and reformat not specified")
            superblock.parent.mkdir(parents=True, exist_ok=True)
            superblock.write_text(str(uuid.uuid4()))
        if self.is_replica:
            self.system.initialize()
        threading.Thread(target=self._join, daemon=True).start()

    def _reset(self, request: dict[str, Any]) -> None:
        for engine in range(len(self.config["engines"])):
            self._superblock(engine).unlink(missing_ok=True)

    def _join(self) -> None:
        """Tell the management service of every formatted engine, until it has heard."""
        for number, engine in enumerate(self.config["engines"]):
            superblock = self._superblock(number)
            if not superblock.exists():
                continue
            uri = f"ofi+tcp://{self.address}:{engine['fabric_iface_port']}"
            member = {
                "addr": f"{self.address}:{self.config['port']}",
                "fault_domain": f"/{self.name}",
                "uuid": superblock.read_text(),
                "fabric_uri": uri,
                "info": "",
            }
            request = {"command": "join", "member": member}
            while "response" not in self._tell(request):
                time.sleep(1)

    def _tell(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return speaking.ask(self.config, self.config["mgmt_svc_replicas"][0], request)
        except speaking.UnreachableError as error:
            return {"error": str(error)}


class Listener(socketserver.ThreadingTCPServer):
    """Hears everybody who has a certificate."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, server: Server) -> None:
        self.server = server
        super().__init__(("", server.config["port"]), Conversation)


class Conversation(socketserver.StreamRequestHandler):
    """One question, one answer."""

    def handle(self) -> None:
        """Answer, and hang up on whoever has no certificate."""
        server: Server = self.server.server  # type: ignore[attr-defined] # of a Listener
        who, connection = "anybody", self.request
        if server.tls is not None:
            try:
                connection = server.tls.wrap_socket(self.request, server_side=True)
            except OSError:
                return  # also a look at whether somebody listens
            who = speaking.common_name(connection)
            if who == "agent" and not is_known(server.config, connection):
                return
        with connection, connection.makefile("rw") as line:
            request = line.readline()
            if request:
                line.write(json.dumps(server.answer(json.loads(request), who)) + "\n")


def is_known(config: dict[str, Any], connection: ssl.SSLSocket) -> bool:
    """Whether the certificate of an agent is among those that the server has of its clients."""
    known = Path(config["transport_config"]["client_cert_dir"], "agent.crt").read_text()
    return ssl.PEM_cert_to_DER_cert(known) == connection.getpeercert(binary_form=True)


def main(argv: list[str]) -> None:
    """Serve, or tell the version."""
    if argv == ["version"]:
        print(VERSION)
        return
    if argv[:2] != ["start", "-o"] or len(argv) != 3:
        sys.exit(f"ERROR: daos_server: unknown call {argv}")
    config = yaml.safe_load(Path(argv[2]).read_text())
    subprocess.run(["daos_server_helper"], check=True)
    Path("/run/daos_server/daos_server.sock").touch()
    with Path(config["control_log_file"]).open("a") as log:
        log.write("stand-in: daos_server has started\n")
    Listener(Server(config)).serve_forever()


if __name__ == "__main__":
    main(sys.argv[1:])
