"""The fingerprints of the hosts, taken before and after a campaign's sessions.

`playbooks/validate.yml` writes them into the campaign's directory, a new file each time, named
after the time.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from assay.campaign import session_files
from assay.cluster.description import Host
from assay.cluster.fingerprint import Fingerprint, HostChange, changes
from assay.foreign import limits
from assay.foreign.documents import first_error, from_json, misfits
from assay.foreign.files import ForeignError
from assay.foreign.text import quoted

DIRECTORY = "fingerprints"

_HOSTS = TypeAdapter(dict[str, Fingerprint])


@dataclass(frozen=True, slots=True)
class Taken:
    """The fingerprints of all hosts at one time."""

    name: str
    """The name of the file."""
    content: bytes
    """The unchanged content of the file, for the bundle."""
    hosts: dict[str, Fingerprint]


def read(root: Path, known: Collection[str]) -> tuple[Taken, ...]:
    """Read the fingerprints of a campaign, from the first to the last; empty if there are none.

    Args:
        root: the campaign's directory, or a bundle.
        known: the names of the cluster's hosts.

    Raises:
        ForeignError: a file does not contain fingerprints of these hosts, or there are too many.
        OSError: it cannot be read.
    """
    files = session_files.read(
        root, DIRECTORY, limits.FINGERPRINT_BYTES, lambda content: _hosts(content, known)
    )
    return tuple(Taken(*file) for file in files)


def _hosts(content: bytes, known: Collection[str]) -> dict[str, Fingerprint]:
    document = from_json(content)
    for key, _, problem in misfits(document):
        raise ForeignError(f"is not a file of fingerprints: {quoted(key)}: {problem}")
    try:
        hosts = _HOSTS.validate_python(document)
    except ValidationError as error:
        raise ForeignError(f"is not a file of fingerprints: {first_error(error)}") from error
    for host in hosts.keys() - set(known):
        raise ForeignError(f"has {quoted(host)}, which is not a host of this cluster")
    return hosts


def changed(taken: Sequence[Taken]) -> tuple[HostChange, ...]:
    """The changes of hosts from one time to the next, each change once."""
    steps = (changes(a.hosts, b.hosts) for a, b in pairwise(taken))
    return tuple(dict.fromkeys(change for step in steps for change in step))


def with_fingerprints(hosts: Mapping[str, Host], taken: Sequence[Taken]) -> Mapping[str, Host]:
    """The hosts of a description, which has no fingerprints, with the last ones of a campaign."""
    if not taken:
        return hosts
    last = taken[-1].hosts
    return {
        name: host.model_copy(update={"fingerprint": last[name]}) if name in last else host
        for name, host in hosts.items()
    }
