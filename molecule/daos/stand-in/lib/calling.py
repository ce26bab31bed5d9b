"""How the stand-ins of dmg and daos are called: the commands that the roles give, and no others."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field
from typing import Any, NoReturn

HOSTS = r"[a-z0-9.,-]+"
SIZE = r"\d+(\.\d+)?(KiB|[kMGT]i?B)"


def properties(*names: str) -> str:
    """The pattern of DAOS's properties, `key:value` with commas between them."""
    one = rf"({'|'.join(names)}):[^,:]+"
    return rf"{one}(,{one})*"


@dataclass(frozen=True)
class Command:
    """What may follow a command: options with the patterns of their values, and labels."""

    options: dict[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    labels: int = 0


class CallError(Exception):
    """A call that the real program may not know."""


def parse(
    argv: list[str], before: dict[str, str], flags: tuple[str, ...], commands: dict[str, Command]
) -> tuple[dict[str, str], str, dict[str, str], list[str]]:
    """Take a command line apart.

    Args:
        argv: the command line, without the program.
        before: options of the program, with the patterns of their values; they precede the command.
        flags: options of the program without a value.
        commands: by their words.

    Returns:
        The program's options, the command, its options, and its labels.

    Raises:
        CallError: with DAOS's words where it has some.
    """
    of_program, rest = options(argv, before, flags)
    command = " ".join(rest[:2])
    if command not in commands:
        raise CallError(f"Unknown command `{command}'")
    known = commands[command]
    of_command, labels = options(rest[2:], known.options, known.flags)
    if len(labels) != known.labels:
        raise CallError(f"{command}: {known.labels} labels are wanted, not {labels}")
    return of_program, command, of_command, labels


def options(
    argv: list[str], known: dict[str, str], flags: tuple[str, ...]
) -> tuple[dict[str, str], list[str]]:
    """Take the options from the begin of a command line.

    Returns:
        The options, and the rest.

    Raises:
        CallError: for an option that is not known, or a value of it.
    """
    given: dict[str, str] = {}
    while argv and argv[0].startswith("-"):
        name, _, value = argv[0].lstrip("-").partition("=")
        if name in flags and not value:
            given[name] = "true"
        elif name not in known:
            raise CallError(f"unknown flag `{name}'")
        elif re.fullmatch(known[name], value) is None:
            raise CallError(f"invalid argument for flag `--{name}': {value!r}")
        else:
            given[name] = value
        argv = argv[1:]
    return given, argv


def show(program: str, reply: dict[str, Any]) -> None:
    """Print an answer, and fail where it is an error."""
    error = reply.get("error")
    shown = {"response": reply.get("response"), "error": error, "status": -1 if error else 0}
    print(json.dumps(shown, indent=2))
    if error:
        refuse(program, error)


def refuse(program: str, why: str) -> NoReturn:
    """End as DAOS's tools do."""
    sys.exit(f"ERROR: {program}: {why}")
