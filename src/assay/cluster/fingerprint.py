"""The fingerprint of a host: firmware, parts and tuning, to compare it with its peers and its past.

`assay.tools.host.fingerprint` makes it from the facts that were read on the host.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pydantic import Field

from assay.cluster.daos import Described


class Fingerprint(Described):
    """The known facts of a host, each in words by its name."""

    traits: Mapping[str, str] = Field(
        default={}, description="that peers have in common: BIOS, kernel, firmware by model"
    )
    identities: Mapping[str, str] = Field(
        default={}, description="that are the host's own and stay: serial numbers"
    )
    readings: Mapping[str, str] = Field(
        default={}, description="that change by themselves, for the record: wear of SSDs"
    )


class HostChange(NamedTuple):
    """A change of a host between two fingerprints."""

    host: str
    what: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.host}: {self.what} was {self.before}, and is {self.after}"


def changes(
    before: Mapping[str, Fingerprint], after: Mapping[str, Fingerprint]
) -> Iterator[HostChange]:
    """The changed facts, among the hosts and facts that both fingerprints have.

    An SSD that DAOS drives in user space is not visible, so it does not count as changed.
    """
    for host, past in before.items():
        now = after.get(host, Fingerprint())
        for old, new in ((past.traits, now.traits), (past.identities, now.identities)):
            for what, value in old.items():
                if what in new and new[what] != value:
                    yield HostChange(host, what, value, new[what])
