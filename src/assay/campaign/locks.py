"""The locks of Spack by which the software of a campaign was built, a file a kind of host.

`playbooks/validate.yml` leaves them in the campaign's directory, and the bundle has them, so that
the same can be built again.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from assay.cluster.description import Cluster
from assay.cluster.software import Package, of_lock
from assay.foreign import limits
from assay.foreign.documents import first_error, from_json, misfits
from assay.foreign.files import ForeignError, Tree, refuse_unprintable
from assay.foreign.text import quoted

DIRECTORY = "spack"
SUFFIX = ".lock"


@dataclass(frozen=True, slots=True)
class Lock:
    """The lock of one kind of host."""

    name: str
    """Of its file."""
    content: bytes
    """As it was read, for the bundle."""


def read(root: Path, cluster: Cluster) -> tuple[Lock, ...]:
    """Those of a campaign; none where nothing was built from source, or nobody kept them.

    Args:
        root: the campaign's directory, or a bundle.
        cluster: whose description names the packages that were built.

    Raises:
        ForeignError: a file is no lock, or names other packages than the description does.
        OSError: it cannot be read.
    """
    tree = Tree(root)
    if not tree.is_directory(DIRECTORY):
        return ()
    locks = []
    # One more than there may be is enough to find one that is of no kind.
    for entry in islice(tree.walk(DIRECTORY), len(cluster.built) + 1):
        refuse_unprintable(entry, root)
        content = tree.read(entry.name, limits.LOCK_BYTES)
        name = PurePosixPath(entry.name).relative_to(DIRECTORY)
        try:
            _compare(str(name), content, cluster)
        except ForeignError as error:
            raise ForeignError(f"{quoted(root / entry.name)} {error}") from error
        locks.append(Lock(str(name), content))
    return tuple(locks)


_OTHER = "what is deployed now is not what was measured: measure again"


def _word(package: Package) -> str:
    return f"{package.name}@{package.version}/{package.hash}"


def _compare(name: str, content: bytes, cluster: Cluster) -> None:
    kind = name.removesuffix(SUFFIX)
    if not name.endswith(SUFFIX) or kind not in cluster.built:
        known = ", ".join(f"{kind}{SUFFIX}" for kind in sorted(cluster.built)) or "none"
        raise ForeignError(f"does not name a kind of host that was built for; choose from: {known}")
    document = from_json(content)
    for key, _, problem in misfits(document):
        raise ForeignError(f"is not a lock of Spack: {quoted(key)}: {problem}")
    try:
        packages = of_lock(document)
    except ValidationError as error:
        raise ForeignError(f"is not a lock of Spack: {first_error(error)}") from error
    described = {package.hash: package for package in cluster.built[kind]}
    for package in packages:
        if described.pop(package.hash, None) != package:
            raise ForeignError(
                f"names {_word(package)}, and the description of the cluster does not: {_OTHER}"
            )
    for package in described.values():
        raise ForeignError(
            f"does not name {_word(package)}, and the description of the cluster does: {_OTHER}"
        )
