"""What a host is: firmware, parts and tuning, which distinguishes it from its peers and its past.

`assay.tools.fingerprint` makes it of what the host showed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pydantic import Field

from assay.cluster.daos import Described


class Fingerprint(Described):
    """What is known of a host, each fact in words by its name."""

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
    """What became of a host between two looks at it."""

    host: str
    what: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.host}: {self.what} was {self.before}, and is {self.after}"


def changes(
    before: Mapping[str, Fingerprint], after: Mapping[str, Fingerprint]
) -> Iterator[HostChange]:
    """What is no longer as it was, of the hosts and facts that were seen both times.

    An SSD that DAOS has taken into user space is not seen, and has not changed.
    """
    for host, past in before.items():
        now = after.get(host, Fingerprint())
        for old, new in ((past.traits, now.traits), (past.identities, now.identities)):
            for what, value in old.items():
                if what in new and new[what] != value:
                    yield HostChange(host, what, value, new[what])
