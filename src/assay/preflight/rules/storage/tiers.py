"""The storage tiers of an engine: which tiers are allowed, and which keys each may have."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.daos import Engine, Tier
from assay.cluster.description import Host
from assay.cluster.releases import EVERY, Releases, Version, since, until
from assay.preflight.rules.context import OfServer
from assay.problems import Problem

_TAKES = {
    "ram": ("scm_mount", "scm_size", "scm_hugepages_disabled"),
    "dcpm": ("scm_mount", "scm_list"),
    "nvme": ("bdev_list", "bdev_roles", "bdev_busid_range"),
    "file": ("bdev_list", "bdev_size", "bdev_roles"),
    "kdev": ("bdev_list", "bdev_roles"),
}
_NEEDS = {
    "ram": (),
    "dcpm": ("scm_list",),
    "nvme": ("bdev_list",),
    "file": ("bdev_list", "bdev_size"),
    "kdev": ("bdev_list",),
}
_EXAMPLES = {
    ("dcpm", "scm_list"): "[/dev/pmem0]",
    ("nvme", "bdev_list"): '["0000:81:00.0"]',
    ("file", "bdev_list"): "[/var/daos/bdev0]",
    ("file", "bdev_size"): "16 (GB)",
    ("kdev", "bdev_list"): "[/dev/sdb]",
}

_REFUSED: dict[tuple[str, str], Releases] = {
    ("dcpm", "scm_size"): EVERY,
    ("dcpm", "scm_hugepages_disabled"): until("2.6"),
    ("ram", "scm_list"): EVERY,
}
"""The releases that refuse a key of another class (`ScmConfig.Validate`); others ignore it."""

MIN_SCM_GIB = 4
"""Minimum size of a tmpfs for DAOS (`MinRamdiskMem` in src/control/server/storage/scm.go)."""

LAST_BUS = 0xFF
"""The number of the last PCI bus."""


@OfServer.rule
def tier_rules(of: OfServer) -> Iterator[Problem]:
    """Require SCM first, then block devices of one kind, each tier with the keys of its class."""
    name, host, version = of.name, of.host, of.version
    for number, engine in enumerate(host.engines):
        yield from _order(name, number, engine)
        for index, tier in enumerate(engine.storage):
            yield from _keys(name, f"engines[{number}].storage[{index}]", tier, version)
    yield from _alike(name, host, version)


def _order(name: str, number: int, engine: Engine) -> Iterator[Problem]:
    where = f"engines[{number}].storage"
    classes = ", ".join(tier.class_ for tier in engine.storage)
    if [index for index, tier in enumerate(engine.storage) if tier.is_scm] != [0]:
        yield Problem(
            name, where, classes, "should have exactly one tier of class ram or dcpm, as the first"
        )
    bdevs = engine.bdev_tiers
    if len({tier.class_ == "nvme" for tier in bdevs}) > 1:
        yield Problem(
            name, where, classes, "should have either nvme, or file and kdev, which emulate it"
        )
    elif len(bdevs) > 1 and not engine.has_md_on_ssd:
        yield Problem(
            name,
            where,
            classes,
            "should have one tier of block devices, or bdev_roles for each of several",
        )


def _keys(name: str, where: str, tier: Tier, version: Version) -> Iterator[Problem]:
    for key in _NEEDS[tier.class_]:
        if not getattr(tier, key):
            yield Problem(
                name,
                f"{where}.{key}",
                None,
                f"is missing: set it for class {tier.class_}, as {_EXAMPLES[tier.class_, key]}",
            )
    takes = _TAKES[tier.class_]
    for key in type(tier).model_fields:
        value, refused = getattr(tier, key), _REFUSED.get((tier.class_, key))
        if key not in ("class_", "bdev_number") and value and key not in takes:
            yield Problem(
                name,
                f"{where}.{key}",
                _shown(value),
                f"should be left out: class {tier.class_} accepts {', '.join(takes)}",
                severity="error" if refused is not None and version in refused else "warning",
            )
    if tier.class_ == "ram" and tier.scm_size is not None and tier.scm_size < MIN_SCM_GIB:
        yield Problem(
            name,
            f"{where}.scm_size",
            f"{tier.scm_size} GiB",
            f"should be at least {MIN_SCM_GIB} GiB; without it DAOS uses the remaining memory",
        )
    if tier.bdev_busid_range is not None and bus_range(tier.bdev_busid_range) is None:
        yield Problem(
            name,
            f"{where}.bdev_busid_range",
            tier.bdev_busid_range,
            "should be the first and the last of some PCI buses, such as 0x80-0x8f or 128-143",
        )


def _mixed(name: str, host: Host) -> Iterator[Problem]:
    """Warn of engines with SSDs beside engines with emulated ones."""
    nvme = [n for n, e in enumerate(host.engines) if any(t.class_ == "nvme" for t in e.bdev_tiers)]
    for number, engine in enumerate(host.engines) if nvme else ():
        emulated = {tier.class_ for tier in engine.bdev_tiers} - {"nvme"}
        if emulated and number not in nvme:
            yield Problem(
                name,
                f"engines[{number}].storage",
                ", ".join(sorted(emulated)),
                f"should be nvme, as of engines[{nvme[0]}]: DAOS starts, but dmg storage query"
                " usage panics on a server with both, and the engines' figures are not comparable",
                severity="warning",
            )


def _shown(value: object) -> str:
    """A value in YAML's spelling."""
    if isinstance(value, tuple):
        return ", ".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _in_words(switch: bool | None) -> str:
    return "left out" if switch is None else _shown(switch)


def bus_range(text: str) -> range | None:
    """The PCI buses of a range, which is empty for all; None if DAOS cannot read it.

    Source: `parsePCIBusRange` in src/control/server/storage/config.go: decimal, or with a prefix
    like 0x.
    """
    first, _, last = text.partition("-")
    try:
        buses = range(_number(first), _number(last) + 1) if text else range(LAST_BUS + 1)
    except ValueError:
        return None
    return buses if buses and buses[-1] <= LAST_BUS else None


def _number(text: str) -> int:
    """A number in Go's notation, in which 010 is octal."""
    is_octal = text.startswith("0") and text.isdigit()
    return int(text, base=8 if is_octal else 0)


def _alike(name: str, host: Host, version: Version) -> Iterator[Problem]:
    """Require one class of SCM, and one setting of its huge pages, on all engines of a host."""

    def switch(engine: Engine) -> bool | None:
        disabled = engine.storage[0].scm_hugepages_disabled
        return disabled if version in since("2.8") else bool(disabled)

    yield from _mixed(name, host)
    kinds = [
        (number, engine.storage[0].class_, switch(engine))
        for number, engine in enumerate(host.engines)
        if engine.storage[0].is_scm
    ]
    for number, class_, hugepages_disabled in kinds[1:]:
        first, first_class, first_hugepages_disabled = kinds[0]
        where = f"engines[{number}].storage[0]"
        if class_ != first_class:
            yield Problem(
                name, f"{where}.class", class_, f"should be {first_class}, as engines[{first}] has"
            )
        elif hugepages_disabled != first_hugepages_disabled:
            yield Problem(
                name,
                f"{where}.scm_hugepages_disabled",
                None if hugepages_disabled is None else _shown(hugepages_disabled),
                f"should be {_in_words(first_hugepages_disabled)}, as engines[{first}] has it: to"
                " DAOS, what is left out is neither true nor false",
            )
