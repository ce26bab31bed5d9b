"""A stand-in of dmg."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import speaking
import yaml
from calling import HOSTS, SIZE, CallError, Command, parse, properties, refuse, show

VERSION = "DAOS Admin Tool version 2.8.0"
PROPERTIES = properties("rd_fac", "ec_cell_sz", "reclaim")
COMMANDS = {
    "system query": Command(),
    "system stop": Command(flags=("force",)),
    "system erase": Command(),
    "storage format": Command(options={"host-list": HOSTS}, flags=("force",)),
    "pool list": Command(flags=("no-query",)),
    "pool query": Command(labels=1),
    "pool get-prop": Command(labels=1),
    "pool create": Command(options={"size": SIZE, "properties": PROPERTIES}, labels=1),
    "pool set-prop": Command(labels=2),
    "pool get-acl": Command(labels=1),
    "pool update-acl": Command(options={"entry": r"A::[a-z_][a-z0-9_-]*@:rw"}, labels=1),
}


def of_system(config: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """The answer of the management service, wherever it is."""
    reply = speaking.ask(config, config["hostlist"][0], request)
    return speaking.ask(config, reply["replica"], request) if "replica" in reply else reply


def of_hosts(config: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """The answers of all hosts that the command names."""
    errors: dict[str, list[str]] = {}
    for host in request["options"]["host-list"].split(","):
        try:
            reply = speaking.ask(config, host, request)
        except speaking.UnreachableError as error:
            reply = {"error": str(error)}
        if reply.get("error"):
            errors.setdefault(reply["error"], []).append(f"{host}:{config['port']}")
    response = {"host_errors": {error: ",".join(hosts) for error, hosts in errors.items()}}
    failed = sum(map(len, errors.values()))
    count = f"{failed} host{'s' * (failed > 1)} had errors" if failed else None
    return {"response": response | {"HostStorage": None}, "error": count}


def main(argv: list[str]) -> None:
    """Ask the servers, and print what they answer."""
    if argv == ["version"]:
        print(VERSION)
        return
    try:
        options, command, told, labels = parse(argv, {"config-path": r"/\S+"}, ("json",), COMMANDS)
        config = yaml.safe_load(Path(options["config-path"]).read_text())
        request = {"command": command, "options": told, "labels": labels}
        reply = (of_hosts if "host-list" in told else of_system)(config, request)
    except speaking.UnreachableError as error:
        why = f"{error}: unable to contact the DAOS Management Service"
        reply = {"error": f"{command} failed: {why}"}
    except CallError as error:
        refuse("dmg", str(error))
    show("dmg", reply)


if __name__ == "__main__":
    main(sys.argv[1:])
