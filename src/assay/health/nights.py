"""The directory of `assay health`: the figures of each night, and the last outcome.

campaigns/20261123T020000/        a campaign, as campaign.sh leaves it; the newest are kept
history/20261123T020000.json      its figures
cluster.json                      the cluster of the first night
last.json                         the outcome of the last night
alarms                            the hosts that it names, for nodes on which there is no `assay`
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, ValidationError

from assay import whole
from assay.bundle.compare import hardware_differences
from assay.cluster.description import Cluster
from assay.foreign import files, limits
from assay.foreign.documents import first_error, from_json
from assay.foreign.files import ForeignError
from assay.foreign.text import one_line
from assay.health.chart import REFERENCE
from assay.health.outcome import Health

KEPT = 30
"""Campaigns whose raw outputs are kept; a confirmation is one, too (own choice)."""

RECENT = 60
"""Last nights that are read, beside the first ones (own choice); the moving average needs ten."""

STAMP = "%Y%m%dT%H%M%S"
_NIGHT = re.compile(r"\d{8}T\d{6}")

Model = TypeVar("Model", bound=BaseModel)


class HistoryError(ValueError):
    """The history cannot be used; the message says which file, and why."""


class Night(BaseModel):
    """The figures of one night."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    measured_from: AwareDatetime
    scale: str
    versions: Mapping[str, str]
    medians: Mapping[str, float]
    """By the metric's key, in its unit."""
    units: Mapping[str, str]
    """By check and metric: ``SsdFio.read_1m``."""


class Nights:
    """The nights in a directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.history = directory / "history"
        self.campaigns = directory / "campaigns"

    @property
    def last(self) -> Path:
        """The outcome of the last night."""
        return self.directory / "last.json"

    @property
    def alarms(self) -> Path:
        """A line for each host that an alarm of the last night names: the host, and the alarm."""
        return self.directory / "alarms"

    def keep(self, health: Health) -> None:
        """Keep the outcome of a night in place of the last one.

        Raises:
            HistoryError: it cannot be written.
        """
        named = dict.fromkeys(host for each in health.findings for host in each.hosts)
        lines = (f"{host} {one_line(health.of_host(host).headline)}\n" for host in named)
        save({self.last: text_of(health), self.alarms: "".join(lines)})

    def read(self) -> list[Night]:
        """The first and the most recent nights, in their order.

        Raises:
            HistoryError: a file is not one of a night, or cannot be read.
        """
        names = sorted(path.name for path in self.history.glob("*.json"))
        chosen = [*names[:REFERENCE], *names[max(REFERENCE, len(names) - RECENT) :]]
        return [load(self.history / name, Night) for name in chosen]

    @property
    def cluster(self) -> Path:
        """The cluster of the first night."""
        return self.directory / "cluster.json"

    def hosts(self) -> tuple[str, ...]:
        """The hosts that a night measures.

        Raises:
            HistoryError: what was remembered of the first night cannot be read.
        """
        described = load(self.cluster, Cluster)
        return tuple(dict.fromkeys((*described.clients, *described.servers)))

    def refuse_other_hardware(self, cluster: Cluster) -> None:
        """Refuse a cluster that is not that of the first night; remember it on the first.

        Raises:
            HistoryError: its hardware differs, or what was remembered cannot be read.
        """
        path = self.cluster
        if not path.exists():
            save({path: text_of(cluster)})
            return
        if differ := hardware_differences(load(path, Cluster), cluster):
            raise HistoryError(
                f"{self.directory} is the history of other hardware: {differ[0]}"
                f"{f' and {len(differ) - 1} more' if len(differ) > 1 else ''}; name another"
                " directory, where a history begins"
            )

    def remove_old_campaigns(self) -> None:
        """Remove all campaigns but the newest ones.

        Raises:
            HistoryError: one cannot be removed.
        """
        if not self.campaigns.is_dir():
            return
        campaigns = sorted(
            path
            for path in self.campaigns.iterdir()
            if _NIGHT.match(path.name) and path.is_dir() and not path.is_symlink()
        )
        try:
            for path in campaigns[:-KEPT]:
                shutil.rmtree(path)
        except OSError as error:
            raise HistoryError(f"{error.filename} cannot be removed: {error.strerror}") from error

    def add(self, name: str, night: Night) -> None:
        """Keep the figures of a night."""
        save({self.history / f"{name}.json": text_of(night)})


def load(path: Path, model: type[Model], most: int = limits.CLUSTER_BYTES) -> Model:
    """Read a document of the directory.

    Args:
        path: its file.
        model: the kind of document.
        most: the largest number of bytes.

    Raises:
        HistoryError: it cannot be read, or is not such a document.
    """
    shown = one_line(str(path))
    try:
        document = from_json(files.read(path, most, follow=False))
        return model.model_validate(document)
    except OSError as error:
        raise HistoryError(f"{shown} cannot be read: {error.strerror}") from error
    except ForeignError as error:
        raise HistoryError(f"{shown}: {error}") from error
    except ValidationError as error:
        raise HistoryError(f"{shown} is not of `assay health`: {first_error(error)}") from error


def text_of(model: BaseModel) -> str:
    """A document of the directory, as text."""
    return model.model_dump_json(by_alias=True, indent=1) + "\n"


def save(texts: Mapping[Path, str]) -> None:
    """Write files as a whole or not at all.

    Raises:
        HistoryError: they cannot be written.
    """
    try:
        for path in texts:
            path.parent.mkdir(parents=True, exist_ok=True)
        whole.write(texts)
    except OSError as error:
        names = " and ".join(one_line(str(path)) for path in texts)
        raise HistoryError(f"{names} cannot be written: {error.strerror}") from error


def newer(nights: Sequence[Night], versions: Mapping[str, str]) -> list[str]:
    """The versions that changed since the first night, in words."""
    if not nights:
        return []
    first = nights[0].versions
    return [
        f"{name} {now}, was {first.get(name, 'none')} when the history began"
        for name, now in versions.items()
        if first.get(name, "none") != now
    ]
