"""How the stand-ins speak to one another: a line of JSON there, one back, over TLS as DAOS does."""

from __future__ import annotations

import json
import socket
import ssl
from pathlib import Path
from typing import Any

SERVER = "server"
"""The name in the certificates of servers; the others are agent and admin."""


class UnreachableError(Exception):
    """Nobody there, or somebody else; in DAOS's words where it has some."""


def context(transport: dict[str, Any], purpose: ssl.Purpose) -> ssl.SSLContext | None:
    """The TLS of a `transport_config`; none where that is insecure.

    Raises:
        OSError: where a file cannot be read, or is no certificate or key.
    """
    if transport["allow_insecure"]:
        return None
    key = Path(transport["key"])
    if key.stat().st_mode & 0o037:
        raise OSError(f"insecure permissions on private key file {key}")
    tls = ssl.create_default_context(purpose, cafile=transport["ca_cert"])
    tls.check_hostname = False  # the name is a part of DAOS, not a host
    tls.verify_mode = ssl.CERT_REQUIRED
    tls.load_cert_chain(transport["cert"], key)
    return tls


def common_name(connection: ssl.SSLSocket) -> str:
    """Whom the other side's certificate names."""
    certificate: Any = connection.getpeercert()
    return str(dict(part[0] for part in certificate["subject"])["commonName"])


def ask(config: dict[str, Any], host: str, request: dict[str, Any]) -> dict[str, Any]:
    """Ask the daos_server of a host.

    Args:
        config: of the caller, with `port` and `transport_config`.
        host: its name.
        request: what the server is asked for.

    Raises:
        UnreachableError: where no server of DAOS answers.
    """
    address = f"{host}:{config['port']}"
    try:
        tls = context(config["transport_config"], ssl.Purpose.SERVER_AUTH)
        connection = socket.create_connection((host, config["port"]), timeout=10)
        if tls is not None:
            connection = tls.wrap_socket(connection)
            if common_name(connection) != SERVER:
                raise UnreachableError(f"{address} is {common_name(connection)}, not {SERVER}")
        with connection, connection.makefile("rw") as line:
            return exchange(line, request)
    except ConnectionRefusedError as error:
        why = f'client: code = 506 description = "the server at {address} refused the connection"'
        raise UnreachableError(why) from error
    except (OSError, ValueError) as error:
        raise UnreachableError(f"{address}: {error}") from error


def exchange(line: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Write a line, and read one.

    Raises:
        ValueError: where the other side hangs up.
    """
    line.write(json.dumps(request) + "\n")
    line.flush()
    return dict(json.loads(line.readline()))
