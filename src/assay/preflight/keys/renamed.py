"""Keys of DAOS's files that another release calls otherwise, by meaning.

Posted configurations are of all releases, and the key that is nearest by its spelling may mean the
opposite: `enable_vmd` is not `disable_vmd`.

Source: the YAML names in src/control/server (config.go, config/, engine/, storage/),
src/control/security and src/control/cmd/daos_agent at v1.2.0, v2.0.3, v2.2.0, v2.4.2, v2.6.5,
v2.8.0 and master (August 2026).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

_OPPOSITE = ", with the opposite value"
_OF_TIERS = (
    *("scm_mount", "scm_size", "scm_list"),
    *("bdev_list", "bdev_number", "bdev_size", "bdev_busid_range"),
)

_LAST: Mapping[str, tuple[str, str]] = {
    "servers": ("DAOS 1.2", "today engines"),
    "set_hugepages": ("DAOS 1.2", "today nr_hugepages alone"),
    "server_name": ("DAOS 1.2", "leave it out"),
    "bdev_include": (
        "DAOS 2.2",
        "today bdev_list, in storage of an engine, names the SSDs that it uses",
    ),
    "rank": ("DAOS 2.2", "leave it out, since the system gives each engine its rank"),
    "enable_vmd": ("DAOS 2.4", f"today disable_vmd{_OPPOSITE}"),
    "scm_class": ("DAOS 2.4", "today class, in storage of an engine"),
    "bdev_class": ("DAOS 2.4", "today class, in storage of an engine"),
    **dict.fromkeys(_OF_TIERS, ("DAOS 2.4", "today in a tier of storage of the engine")),
}
"""For each old key the last release that read it there, and what to do today."""

_BEFORE = {
    "mgmt_svc_replicas": "access_points",
    "disable_hotplug": f"enable_hotplug{_OPPOSITE}",
}
"""What releases before it call a key, and with it the files that never got the new name."""


def meaning(key: str, known: Collection[str]) -> str:
    """What an unknown key of a section means there; empty if that is not known.

    Args:
        key: the key.
        known: the keys of the section.
    """
    if key in _LAST:
        last, today = _LAST[key]
        return f" ({last} was the last with it: {today})"
    before = _BEFORE.get(key, "")
    return f" (here {before})" if before.partition(",")[0] in known else ""


def before(key: str) -> str:
    """What releases that do not know a key yet call it; empty if they have no such key."""
    return _BEFORE.get(key, "")


def successor(key: str) -> str:
    """The key that has taken the place of a deprecated one.

    Raises:
        KeyError: none has.
    """
    return {old.partition(",")[0]: new for new, old in _BEFORE.items()}[key]
