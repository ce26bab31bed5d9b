"""Pools and containers: the arguments of dmg and daos, and how existing ones differ.

The modules `daos_pool` and `daos_container` of the role daos_system run this on the hosts of a
site, which do not have `assay`. Ansible ships it by the link in the role's `module_utils`, so it
uses only the standard library of Python 3.9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

SIZE = re.compile(r"^(\d+(?:\.\d+)?) ?([KMGTPE]?)(I?)B?$", re.IGNORECASE)
"""A size as dmg and daos take it: KB is 1000 bytes, KiB is 1024, in upper or lower case."""

POOL_SIZE = re.compile(r"(\d+(\.\d+)?[KMGTPE]i?B|[1-9]\d?%|100%)\Z", re.IGNORECASE)
"""A pool's size in the inventory, which must have a unit."""

LABEL = re.compile(r"[A-Za-z0-9._:-]{1,127}\Z")
"""A label that DAOS accepts."""

SIZE_TOLERANCE = 0.05
"""Allowed relative deviation of a pool's size, since DAOS rounds the share of each target.

The value is this project's own choice."""

CHANGEABLE = frozenset(
    {
        "checkpoint",
        "checkpoint_freq",
        "checkpoint_thresh",
        "data_thresh",
        "reclaim",
        "reintegration",
        "scrub",
        "scrub_freq",
        "scrub_thresh",
        "self_heal",
        "space_rb",
    }
)
"""Properties of a pool that `dmg pool set-prop` can change with effect on its existing containers.

Containers have no such properties. `rd_fac` and `ec_cell_sz` are not in the list: DAOS 2.8 changes
them, but existing containers keep their values; 2.4 does not change `rd_fac` at all.
Source: upstream's docs/admin/pool_operations.md and docs/user/container.md, and the refusals in
src/control/cmd/dmg/pool.go, at tags v2.4.2, v2.6.5 and v2.8.0.
"""

LAYOUT = {
    "type": "container_type",
    "file_oclass": "file_object_class",
    "dir_oclass": "dir_object_class",
    "chunk_size": "chunk_size",
}
"""Layout of a container: each key of the inventory, and the key in the answer to a query.

DAOS 2.4, 2.6 and 2.8 use the same keys."""

OPTIONS = ("type", "oclass", "file_oclass", "dir_oclass", "chunk_size")
"""Keys that are options of `daos container create`, which are spelled with hyphens.

`oclass` sets the class of both files and directories. A query reports only these two: in 2.4 it
leaves `object_class` out (dfs_cont_create in upstream's src/client/dfs/dfs.c, tag v2.4.2)."""


class Difference(NamedTuple):
    """A value that differs from the required one."""

    key: str
    actual: Any
    wanted: Any
    is_property: bool = False

    @property
    def changeable(self) -> bool:
        """Whether the value can be changed without recreating the pool."""
        return self.is_property and self.actual is not None and self.key in CHANGEABLE

    def __str__(self) -> str:
        name = f"property {self.key}" if self.is_property else self.key
        actual = "unknown to DAOS" if self.is_property and self.actual is None else self.actual
        return f"its {name} is {actual}, not {_spelt(self.wanted)}"


def pool_create(name: str, size: str, properties: Mapping[str, Any]) -> list[str]:
    """Arguments of dmg that create a pool."""
    return ["pool", "create", f"--size={size}", *_properties(properties), name]


def pool_set(name: str, differences: Sequence[Difference]) -> list[str]:
    """Arguments of dmg that set the required properties of a pool."""
    return ["pool", "set-prop", name, _pairs({d.key: d.wanted for d in differences})]


def pool_allow(name: str, user: str) -> list[str]:
    """Arguments of dmg that let a user read and write, and create and destroy containers."""
    return ["pool", "update-acl", f"--entry=A::{user}@:rw", name]


def pool_allows(answer: Mapping[str, Any], user: str) -> bool:
    """Whether a pool lets a user read and write, according to the first entry for this user.

    Args:
        answer: the response to `dmg pool get-acl`. The entries of groups are ignored.
        user: the name of the user.
    """
    listed = answer.get("ACL", answer)
    principal = "OWNER@" if listed.get("owner_user") == f"{user}@" else f"{user}@"
    for entry in listed.get("entries") or []:
        kind, flags, holder, permissions = f"{entry}:::".split(":")[:4]
        if (kind, flags, holder) == ("A", "", principal):
            granted = set(permissions)
            return bool(granted & {"r", "t"}) and ("w" in granted or {"c", "d"} <= granted)
    return False


def container_create(
    pool: str, name: str, layout: Mapping[str, Any], properties: Mapping[str, Any]
) -> list[str]:
    """Arguments of daos that create a container; DAOS chooses what `layout` leaves open."""
    options = [f"--{key.replace('_', '-')}={layout[key]}" for key in OPTIONS if layout.get(key)]
    return ["container", "create", *options, *_properties(properties), pool, name]


def _properties(properties: Mapping[str, Any]) -> list[str]:
    return [f"--properties={_pairs(properties)}"] if properties else []


def _pairs(properties: Mapping[str, Any]) -> str:
    return ",".join(f"{key}:{_spelt(value)}" for key, value in properties.items())


def _spelt(value: Any) -> str:
    """A value in DAOS's spelling, since YAML reads `off` without quotes as false."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)


def excluded(label: str, query: Mapping[str, Any]) -> str:
    """What a pool lacks while an engine is away, and afterwards; empty if it lacks nothing.

    An engine that is away for the time of SWIM's suspicion is excluded from its pools. It joins
    again by itself, and its pools take it back only on request (DAOS 2.8).

    Args:
        label: the label of the pool.
        query: the response to `dmg pool query`.
    """
    total = query.get("total_targets", 0)
    gone = total - query.get("active_targets", total)
    if gone <= 0:
        return ""
    ranks = ",".join(str(rank) for rank in query.get("disabled_ranks") or ())
    whose = f", those of rank {ranks}," if ranks else ""
    return (
        f"{gone} of its {total} targets{whose} are excluded, since an engine was away. When dmg"
        f" system query says joined, dmg pool reintegrate {label} --ranks={ranks or 'RANKS'} brings"
        " them back; then deploy again"
    )


def pool_differences(
    size: str, properties: Mapping[str, Any], query: Mapping[str, Any], known: Sequence[Any]
) -> list[Difference]:
    """Compare a pool with the required one.

    A size in % is not compared, since it is a share of the space that was free at creation.

    Args:
        size: required size, from the inventory.
        properties: required properties, from the inventory, by DAOS's names.
        query: the response to `dmg pool query`.
        known: the response to `dmg pool get-prop`.
    """
    differences = []
    wanted = size_bytes(size)
    total = sum(tier["total"] for tier in query["tier_stats"])
    if wanted is not None and abs(total - wanted) > wanted * SIZE_TOLERANCE:
        differences.append(Difference("size", f"{total} bytes", size))
    return [*differences, *_property_differences(properties, known)]


def container_differences(
    layout: Mapping[str, Any],
    properties: Mapping[str, Any],
    query: Mapping[str, Any],
    known: Sequence[Any],
) -> list[Difference]:
    """Compare a container with the required one.

    Args:
        layout: required layout, from the inventory, by the keys of `OPTIONS`; other keys are not
            compared.
        properties: required properties, from the inventory, by DAOS's names.
        query: the response to `daos container query`.
        known: the response to `daos container get-prop`.
    """
    both = layout.get("oclass")
    wanted = {"file_oclass": both, "dir_oclass": both} | {k: v for k, v in layout.items() if v}
    return [
        *(
            Difference(key, query.get(name), wanted[key])
            for key, name in LAYOUT.items()
            if wanted.get(key) and not same(wanted[key], query.get(name))
        ),
        *_property_differences(properties, known),
    ]


def _property_differences(
    wanted: Mapping[str, Any], known: Sequence[Mapping[str, Any]]
) -> Iterator[Difference]:
    actual = {entry["name"]: entry["value"] for entry in known}
    for name, value in wanted.items():
        if not same(value, actual.get(name)):
            yield Difference(name, actual.get(name), value, is_property=True)


def same(wanted: Any, actual: Any) -> bool:
    """Whether two spellings mean the same: 1MiB and 1048576, 1 and rd_fac1, 5% and 5."""
    return actual is not None and _plain(wanted) == _plain(actual)


def _plain(value: Any) -> int | list[str]:
    text = _spelt(value).lower()
    for start in ("rd_fac", "rf"):
        text = text[len(start) :] if text.startswith(start) else text
    size = size_bytes(text.rstrip("%"))
    return sorted(text.split(";")) if size is None else size


def size_bytes(text: Any) -> int | None:
    """A size in bytes; None if the text is not a size, such as 50%."""
    parts = SIZE.match(str(text))
    if parts is None:
        return None
    number, prefix, binary = parts.groups()
    base = 1024 if binary else 1000
    power = "KMGTPE".index(prefix.upper()) + 1 if prefix else 0
    return round(float(number) * float(base**power))


def problems(pools: Sequence[Mapping[str, Any]]) -> list[str]:
    """Pools and containers of the inventory that DAOS would refuse: a sentence for each."""
    problems = list(_label_problems("daos_system_pools", pools))
    for pool in pools:
        containers = pool.get("containers") or []
        problems += _label_problems(f"containers of {pool['name']}", containers)
        if not POOL_SIZE.match(str(pool["size"])):
            problems.append(f"size of {pool['name']} is {pool['size']}; {SIZES_ALLOWED}")
        problems += _property_problems(f"properties of {pool['name']}", pool)
        for container in containers:
            where = f"properties of {pool['name']}/{container['name']}"
            problems += _property_problems(where, container)
    return problems


KEY = re.compile(r"[a-z0-9_]{1,64}\Z")
VALUE = re.compile(r"[A-Za-z0-9._;%+-]{1,256}\Z")
PROPERTIES_ALLOWED = (
    "a property has a name of small letters, digits and _, and a value of letters, digits and"
    " ._;%+-"
)
SIZES_ALLOWED = "it should be a size such as 2TB, 1.5TiB or 90%"
LABELS_ALLOWED = "a label has up to 127 letters, digits and . _ : -"


def _property_problems(where: str, item: Mapping[str, Any]) -> Iterator[str]:
    # dmg and daos take all properties as one word, separated by commas and colons.
    for key, value in (item.get("properties") or {}).items():
        if not (KEY.match(str(key)) and VALUE.match(_spelt(value))):
            yield f"{where} have {key}: {value}; {PROPERTIES_ALLOWED}"


def _label_problems(where: str, labelled: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    names = [str(item["name"]) for item in labelled]
    for name in names:
        if not LABEL.match(name):
            yield f"{where} has the name {name}; {LABELS_ALLOWED}"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"{where} has the name {name} twice"
