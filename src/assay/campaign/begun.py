"""The record of the campaigns that were begun, which `reframe-checks/begun.py` keeps beside them.

Who measures three times and signs the best shows that he did.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from assay.campaign import session_files
from assay.campaign.ordinals import ordinal
from assay.foreign import files, limits
from assay.foreign.documents import first_error
from assay.foreign.files import ForeignError

DIRECTORY = "begun"
PLACE = ".campaign"
"""Where it is kept, beside the campaigns."""

_KEY = "begun.key"


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    event: Literal["begun", "ended"]
    campaign: str
    at: AwareDatetime
    cluster: str
    scale: str
    status: int
    described: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Begun:
    """A campaign that was begun."""

    name: str
    cluster: str
    scale: str
    at: AwareDatetime
    sessions: int = 1
    ended: AwareDatetime | None = None
    """When its last session ended; None if that was cut off, or still runs."""
    status: int = 0
    """The first exit status of its sessions that is not 0."""
    described: tuple[Mapping[str, str], ...] = ()
    """The digests of the description when each session began; older records have none."""

    @property
    def how(self) -> str:
        """When it was begun, and how it ended."""
        began = f"{self.name}, begun {self.at:%Y-%m-%d %H:%M}"
        if self.ended is None:
            return f"{began}, not ended"
        how = f"with status {self.status}" if self.status else "well"
        return f"{began}, ended {how} {self.ended:%Y-%m-%d %H:%M}"


@dataclass(frozen=True, slots=True)
class RecordOfBegun:
    """The record, and what it says."""

    name: str
    content: bytes
    campaigns: tuple[Begun, ...]


def read(root: Path) -> tuple[RecordOfBegun, ...]:
    """Read the record below a bundle, or below the place of a campaign; empty if there is none.

    Raises:
        ForeignError: it is not such a record.
        OSError: it cannot be read.
    """
    found = session_files.read(root, DIRECTORY, limits.BEGUN_BYTES, _campaigns)
    return tuple(RecordOfBegun(*file) for file in found)


def kept(campaign: Path) -> tuple[RecordOfBegun, ...]:
    """Read the record beside a campaign, and check its MACs; empty if this user finds none.

    Raises:
        ForeignError: it is not such a record, or a line of it was changed, removed or added.
        OSError: it or its key cannot be read.
    """
    place = campaign.parent / PLACE
    if not os.access(place, os.X_OK):  # of who measured; others of the group may judge
        return ()
    records = read(place)
    for record in records:
        key = files.read(place / _KEY, limits.WAIVERS_BYTES, follow=False)
        before = ""
        for number, line in enumerate(record.content.decode().splitlines(), 1):
            text, _, mac = line.rpartition("\t")
            made = hmac.new(key, f"{before}{text}".encode(), hashlib.sha256).hexdigest()
            if not hmac.compare_digest(made, mac):
                raise ForeignError(
                    f"{place / DIRECTORY / record.name}: line {number} does not have its MAC: a"
                    " line was changed, removed or added"
                )
            before = mac
    return records


def _campaigns(content: bytes) -> tuple[Begun, ...]:
    known: dict[str, Begun] = {}
    for line in _lines(content):
        old = known.get(line.campaign)
        described = (line.described,) if line.described else ()  # it may have been unreadable
        if line.event == "begun" and old:
            known[line.campaign] = replace(
                old,
                cluster=line.cluster,
                scale=line.scale,
                sessions=old.sessions + 1,
                ended=None,
                described=(*old.described, *described),
            )
        elif line.event == "begun":
            known[line.campaign] = Begun(
                line.campaign, line.cluster, line.scale, line.at, described=described
            )
        elif old:
            known[line.campaign] = replace(old, ended=line.at, status=old.status or line.status)
    return tuple(known.values())


def _lines(content: bytes) -> Iterator[_Line]:
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        try:
            yield _Line.model_validate_json(line.rpartition("\t")[0])
        except ValidationError as error:
            raise ForeignError(
                f"is not a record of campaigns: line {number}: {first_error(error)}"
            ) from error


@dataclass(frozen=True, slots=True)
class CampaignStanding:
    """Where a campaign stands among those that were begun."""

    is_recorded: bool = True
    """Whether this user can read a record at all."""
    until: tuple[Begun, ...] = ()
    """The campaigns of its plan up to it, itself last; empty if the record does not have it."""
    after: tuple[Begun, ...] = ()
    """The campaigns of its plan that were begun after it."""
    renamed: tuple[Begun, ...] = ()
    """The campaigns of its scale of clusters with other names: who renames a cluster has measured
    it all the same."""

    @property
    def heading(self) -> str:
        """What who accepts should know first; empty if it is the first one, or nobody can tell."""
        if self.is_recorded and not self.until:
            return str(self)
        if len(self.until) < 2 and not self.renamed:
            return ""
        beside = f", beside {len(self.renamed):,} {self._of_other_names}" if self.renamed else ""
        return f"{self._which}{beside}"

    def __str__(self) -> str:
        if not self.is_recorded:
            return (
                "no record of the campaigns that were begun can be read beside this one: others may"
                " have come before it"
            )
        if not self.until:
            return "the record of the campaigns that were begun does not have this one"
        said = f"{self.until[-1].name}, {self._which}"
        if before := self.until[:-1]:
            said += f"; before it: {_listed(before)}"
        if self.after:
            said += f"; begun after it: {_listed(self.after)}"
        if self.renamed:
            said += f"; {self._of_other_names}: {_listed(self.renamed)}"
        return said

    @property
    def _which(self) -> str:
        return f"{ordinal(len(self.until))} campaign of this plan"

    @property
    def _of_other_names(self) -> str:
        names = ", ".join(dict.fromkeys(each.cluster for each in self.renamed))
        return f"of clusters with other names ({names})"


def standing(
    records: Sequence[RecordOfBegun], cluster: str, scale: str, started: AwareDatetime
) -> CampaignStanding:
    """Find a campaign among those that were begun.

    Args:
        records: the record, if there is one.
        cluster: the name of the cluster.
        scale: the scale of the campaign.
        started: when its first session began.
    """
    of_scale = [each for record in records for each in record.campaigns if each.scale == scale]
    its = [each for each in of_scale if each.cluster == cluster]
    return CampaignStanding(
        is_recorded=bool(records),
        until=tuple(each for each in its if each.at <= started),
        after=tuple(each for each in its if each.at > started),
        renamed=tuple(each for each in of_scale if each.cluster != cluster),
    )


_MOST = 5


def _listed(campaigns: Sequence[Begun]) -> str:
    more = f"; and {len(campaigns) - _MOST} earlier" if len(campaigns) > _MOST else ""
    return "; ".join(each.how for each in campaigns[-_MOST:]) + more
