"""The minimum figures of a sound system: `references.yml`, each entry with its source.

What is derived from published systems stands in `floors.yml`, which `make floors` writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from assay.units import Quantity, parse

OWN = "this project's own choice"
"""The source of a figure without another source."""

_Quantity = Annotated[Quantity, BeforeValidator(lambda value: parse(str(value)))]


class Law(BaseModel):
    """What four fifths of the published systems reach, as times that add up.

    An operation takes its share of a process, of a target, of a target once more for each further
    copy, and of what bounds it::

        1 / floor = 1 / (processes × each_process) + 1 / (targets × each_target)
                    + (copies - 1) / (targets × each_copy) + 1 / (fraction × bound)

    A part that the data do not show is absent. `bench/published/derive.py` derives it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    each_process: _Quantity | None = None
    each_target: _Quantity | None = None
    each_copy: _Quantity | None = None
    fraction: float | None = Field(default=None, gt=0, le=1)
    interval: tuple[float, float] = Field(
        description="of the floor, where each owner in turn is left out, over the floor of all"
    )
    runs: int = Field(ge=1)
    systems: int = Field(ge=1)

    @property
    def word(self) -> str:
        """The source, in words."""
        low, high = self.interval
        return (
            f"reached by four fifths of {self.runs} published runs on {self.systems} systems;"
            f" {low:g} to {high:g} times that without any one owner's"
        )


class Reference(BaseModel):
    """One entry: the requirement and its source."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    figures: tuple[str, ...] = Field(min_length=1, description="check and metric")
    backends: tuple[str, ...] = Field(default=(), description="by which it holds; none: by all")
    providers: tuple[str, ...] = Field(default=(), description="parts of their names; none: all")
    scm: tuple[str, ...] = Field(default=(), description="classes of the engines' SCM; none: all")
    fraction: float | None = Field(default=None, gt=0, le=1)
    of_ports: float | None = Field(
        default=None, gt=0, le=1, description="the fraction of network ports, if it is another"
    )
    least: _Quantity | None = None
    most: _Quantity | None = None
    each_process: _Quantity | None = None
    each_target: _Quantity | None = None
    derived: Law | None = Field(default=None, description="by its name in floors.yml")
    kept: float = Field(default=1, gt=0, le=1)
    why: str = ""
    source: str = OWN

    @model_validator(mode="after")
    def _says_something(self) -> Reference:
        quantities = (self.least, self.most, self.each_process, self.each_target)
        if not (self.fraction or self.derived or any(quantities)):
            raise ValueError("should have either a fraction or a quantity")
        if self.of_ports and not self.fraction:
            raise ValueError("of_ports: should have a fraction of the other limits beside it")
        return self

    @property
    def word(self) -> str:
        """The reason and the source, in words."""
        source = self.derived.word if self.derived else self.source
        published = f"{self.why}, {source}" if self.why else source
        return published if self.kept == 1 else f"{published}; {self.kept:.0%} of it, {OWN}"

    def fits(self, backend: str | None, provider: str, scm: str | None) -> bool:
        """Whether the entry applies to this backend, this provider and this class of SCM."""
        return (
            (not self.backends or backend in self.backends)
            and (not self.providers or any(part in provider for part in self.providers))
            and (not self.scm or scm in self.scm)
        )


@lru_cache(maxsize=1024)
def reference(
    figure: str, backend: str | None, provider: str, scm: str | None = None
) -> Reference | None:
    """The first entry that applies to a figure such as ``IorEasy.write``; None if none does."""
    entries_of = _by_figure().get(figure, ())
    return next((entry for entry in entries_of if entry.fits(backend, provider, scm)), None)


def figures() -> Iterator[str]:
    """Every figure that has an entry."""
    yield from _by_figure()


@cache
def entries() -> tuple[Reference, ...]:
    """The entries of `references.yml`, in their order."""
    found = laws()
    return tuple(
        Reference.model_validate(
            row | {"derived": found[row["derived"]]} if "derived" in row else row
        )
        for row in _read("references.yml")
    )


@cache
def laws() -> Mapping[str, Law]:
    """The laws of `floors.yml`, by the phase of IO500 that they are of."""
    return {name: Law.model_validate(row) for name, row in _read("floors.yml").items()}


def _read(name: str) -> Any:
    return yaml.safe_load(resources.files("assay.checks").joinpath(name).read_text("utf-8"))


@cache
def _by_figure() -> Mapping[str, tuple[Reference, ...]]:
    """The entries by figure."""
    by_figure: dict[str, list[Reference]] = {}
    for entry in entries():
        for figure in entry.figures:
            by_figure.setdefault(figure, []).append(entry)
    return {figure: tuple(fitting) for figure, fitting in by_figure.items()}
