"""The errors that engines logged while a campaign ran, as the servers returned them.

`playbooks/validate.yml` reads them at the end of the phase `system`, and writes them into the
campaign's directory, a new file for each session, named after the time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from assay.campaign import session_files
from assay.foreign import limits
from assay.foreign.documents import first_error, from_json, misfits
from assay.foreign.files import ForeignError
from assay.foreign.redaction import without_secrets
from assay.foreign.text import quoted

DIRECTORY = "engine-errors"


class EngineLog(BaseModel):
    """The errors of one engine in one session."""

    errors: list[tuple[float, str, str]] = Field(max_length=limits.ENGINE_ERRORS)
    """Seconds since the epoch, the facility, and the message."""
    cut: bool = False
    """Whether it may have logged more."""
    unread: str = ""
    """Why nothing was read."""


class _Server(BaseModel):
    engines: list[EngineLog]


_SERVERS = TypeAdapter(dict[str, _Server])


@dataclass(frozen=True, slots=True)
class LoggedErrors:
    """The errors of all engines in one session."""

    name: str
    """The name of the file."""
    content: bytes
    """The content of the file, for the bundle; unchanged unless it has a key or a password."""
    logs: Mapping[tuple[str, int], EngineLog]
    """By host, and by index of the engine there."""


def read(root: Path, known: Mapping[str, Sequence[object]]) -> tuple[LoggedErrors, ...]:
    """Read the errors of a campaign, from the first session to the last; empty if there are none.

    Args:
        root: the campaign's directory, or a bundle.
        known: the cluster's hosts, each with its engines.

    Raises:
        ForeignError: a file does not contain errors of these engines, or there are too many.
        OSError: it cannot be read.
    """
    files = session_files.read(
        root, DIRECTORY, limits.ENGINE_ERRORS_BYTES, lambda content: _servers(content, known)
    )
    return tuple(
        LoggedErrors(name, content if clean == servers else _content(clean), _by_engine(clean))
        for name, content, servers in files
        for clean in [_clean(servers)]
    )


def _servers(content: bytes, known: Mapping[str, Collection[object]]) -> dict[str, _Server]:
    document = from_json(content)
    for key, _, problem in misfits(document):
        raise ForeignError(f"is not a file of engines' errors: {quoted(key)}: {problem}")
    try:
        servers = _SERVERS.validate_python(document)
    except ValidationError as error:
        raise ForeignError(f"is not a file of engines' errors: {first_error(error)}") from error
    for host, server in servers.items():
        if len(server.engines) != len(known.get(host, ())):
            raise ForeignError(
                f"has {len(server.engines)} engines of {quoted(host)}, where the cluster has"
                f" {len(known.get(host, ()))}"
            )
    return servers


def _clean(servers: Mapping[str, _Server]) -> dict[str, _Server]:
    """The errors without secrets; a role of an older version sends what engines logged as it is."""
    return {
        host: _Server(engines=list(map(_without_secrets, server.engines)))
        for host, server in servers.items()
    }


def _without_secrets(log: EngineLog) -> EngineLog:
    errors = [(at, facility, without_secrets(text)) for at, facility, text in log.errors]
    return log.model_copy(update={"errors": errors})


def _content(servers: Mapping[str, _Server]) -> bytes:
    return _SERVERS.dump_json(dict(servers), indent=2) + b"\n"


def _by_engine(servers: Mapping[str, _Server]) -> dict[tuple[str, int], EngineLog]:
    return {
        (host, index): log
        for host, server in servers.items()
        for index, log in enumerate(server.engines)
    }
