"""A stand-in of daos."""

from __future__ import annotations

import sys

import daos_agent
from calling import SIZE, CallError, Command, parse, properties, refuse, show

VERSION = "DAOS CLI version 2.8.0, libdaos v2.8.0"
LOGGED = "2026/11/21 04:29:22.741538 c1 DAOS[1/1/0] crt  ERR  src/cart/crt_init.c:540"
"""The library logs to the standard output, in front of the JSON."""

CLASS = r"(S|RP_\d+G|EC_\d+P\dG?)[X\d]+"
COMMANDS = {
    "container list": Command(labels=1),
    "container query": Command(labels=2),
    "container get-prop": Command(labels=2),
    "container create": Command(
        options={
            "type": "POSIX",
            "oclass": CLASS,
            "file-oclass": CLASS,
            "dir-oclass": CLASS,
            "chunk-size": SIZE,
            "properties": properties("rd_fac", "cksum"),
        },
        labels=2,
    ),
}


def main(argv: list[str]) -> None:
    """Ask the agent, and print what it answers."""
    if argv == ["version"]:
        print(VERSION)
        return
    print(LOGGED)
    try:
        _, command, told, labels = parse(argv, {"sys-name": r"\w+"}, ("json",), COMMANDS)
        reply = daos_agent.ask({"command": command, "options": told, "labels": labels})
    except OSError:
        reply = {"error": "DER_AGENT_COMM(-1029): Failed to communicate with agent"}
    except CallError as error:
        refuse("daos", str(error))
    show("daos", reply)


if __name__ == "__main__":
    main(sys.argv[1:])
