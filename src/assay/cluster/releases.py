"""The releases of DAOS: their order, and how to say what each of them has.

No other module compares releases. `since`, `until` and `only` say which releases have something,
and a `ByRelease` has what differs between them: a newer release inherits. To support a release, add
it to `RELEASES`, then say what it changed beside the subject of each change.

Source: github.com/daos-stack/daos, at the tags and branches that `RELEASES` names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Final, Generic, NamedTuple, TypeVar

from pydantic import AfterValidator, WithJsonSchema

_T = TypeVar("_T")


class Release(NamedTuple):
    """A release: the first two numbers of the version that its programs print."""

    name: str
    shown_by: str
    """The tags and branches of upstream that the tables here were read from."""
    is_preview: bool = False
    """Whether upstream may still change it."""


RELEASES: tuple[Release, ...] = (
    Release("2.4", "v2.4.0 to v2.4.2"),
    Release("2.6", "v2.6.0 to v2.6.5.p2"),
    # The branch of 2.8.1 has fixes alone: keys, options and defaults are those of 2.8.0.
    Release("2.8", "v2.8.0, and release/2.8 29 commits later"),
    Release("2.9", "master at version 2.9.100, which is to become 3.0", is_preview=True),
)
"""The releases that the roles and the checks support, the oldest first."""


def names() -> tuple[str, ...]:
    """The names of all releases, the oldest first."""
    return tuple(release.name for release in RELEASES)


def newest() -> str:
    """The newest release that is no preview."""
    return next(release.name for release in reversed(RELEASES) if not release.is_preview)


def is_preview(version: str) -> bool:
    """Whether upstream may still change this release."""
    return any(release.name == version and release.is_preview for release in RELEASES)


def release_of(printed: str) -> str | None:
    """The release of a version that a program prints, such as 2.8.1; None if not supported."""
    name = ".".join(printed.split(".")[:2])
    return name if name in names() else None


def is_reached(printed: str, version: str) -> bool:
    """Whether a version that a program prints, such as 2.6.5.p2, is another one or follows it."""
    return _numbers(printed) >= _numbers(version)


def _numbers(version: str) -> tuple[int, ...]:
    parts = (re.match("[0-9]+", part) for part in version.split(".")[:3])
    return tuple(int(part[0]) if part else 0 for part in parts)


def known(version: str) -> str:
    """The release itself.

    Raises:
        ValueError: it is not supported.
    """
    if version not in names():
        raise ValueError(f"should be a release of DAOS that is supported: {', '.join(names())}")
    return version


Version = Annotated[
    str,
    AfterValidator(known),
    WithJsonSchema({"type": "string", "enum": list(names())}),
]
"""The name of a release."""


@cache
def _place(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in version.split("."))


@dataclass(frozen=True, slots=True)
class Releases:
    """Consecutive releases, as `since`, `until` and `only` make them."""

    first: str | None = None
    last: str | None = None

    def __post_init__(self) -> None:
        for end in filter(None, (self.first, self.last)):
            known(end)

    def __contains__(self, version: str) -> bool:
        """Whether a release is one of these."""
        place = _place(version)
        return not (
            (self.first is not None and place < _place(self.first))
            or (self.last is not None and place > _place(self.last))
        )

    def __str__(self) -> str:
        if self.first == self.last:
            return self.first or "of all releases"
        if self.first is None or self.last is None:
            return f"{self.first} or later" if self.first else f"{self.last} or earlier"
        return f"{self.first} to {self.last}"


EVERY: Final = Releases()
"""All releases."""


def since(first: str) -> Releases:
    """This release and all later ones."""
    return Releases(first=first)


def until(last: str) -> Releases:
    """This release and all earlier ones."""
    return Releases(last=last)


def only(version: str) -> Releases:
    """This release alone."""
    return Releases(version, version)


class ByRelease(Generic[_T]):
    """What differs between releases: each has what the last one before it had, unless it says so.

    Raises:
        ValueError: an entry is of no supported release, or the oldest release has none.
    """

    def __init__(self, entries: Mapping[str, _T]) -> None:
        for version in entries:
            known(version)
        if names()[0] not in entries:
            raise ValueError(f"{names()[0]}, the oldest release, should have an entry")
        self._entries = dict(entries)

    def __getitem__(self, version: str) -> _T:
        """The value for a release, which need not have an entry of its own."""
        place = _place(version)
        return self._entries[max((v for v in self._entries if _place(v) <= place), key=_place)]


_OFI = ("ofi+tcp", "ofi+tcp;ofi_rxm", "ofi+verbs", "ofi+verbs;ofi_rxm", "ofi+cxi")
_UCX = ("ucx+tcp", "ucx+dc_x", "ucx+rc_x", "ucx+ud_x")
_OF_24 = ("ofi+sockets", "ucx+rc", "ucx+ud", "ucx+rc_v", "ucx+ud_v")
PROVIDERS: Final = ByRelease(
    {
        "2.4": (*_OFI, *_UCX, *_OF_24),
        "2.6": (*_OFI, *_UCX, "ucx+dc_mlx5", "ucx+rc_mlx5", "ucx+ud_mlx5"),
    }
)
"""How releases spell the fabric providers; from 2.6 on UCX is asked for its transports, which have
more names. Source: `crt_na_dict` in src/cart/crt_init.c, src/cart/crt_hg.c, docs/admin/fabrics.md
and docs/release/support_matrix.md."""

_NOT_WITH_DAOS = (
    "DAOS's docs/admin/fabrics.md says that it cannot be used with DAOS due to functional gaps; the"
    " provider of Omni-Path is ofi+tcp, and on CN5000 ofi+verbs"
)
UNUSABLE_PROVIDERS: Final[Mapping[str, str]] = {
    "ofi+opx": _NOT_WITH_DAOS,
    "ofi+psm2": _NOT_WITH_DAOS,
    "ofi+sockets": "DAOS 2.4 was the last release with it; today it is ofi+tcp",
}
"""Providers that posted configurations have, and that DAOS does not work with."""
