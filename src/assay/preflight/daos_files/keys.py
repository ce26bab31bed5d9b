"""The keys of DAOS's files as they are, and the release that their keys fit.

`assay.preflight.keys` has the keys that an inventory may have; here are those for which the roles
have variables, and what older releases still read.

Source: src/control/server/config/server.go and server_legacy.go, engine/legacy.go,
src/control/cmd/daos_agent/config.go and src/control/lib/control/config.go of each release.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from assay.cluster.releases import PROVIDERS, Version, is_preview, names, until
from assay.preflight.keys import agent, server
from assay.preflight.keys.kinds import (
    INT32,
    PORT,
    Choice,
    Flag,
    Key,
    Kind,
    ListOf,
    Section,
    Text,
    Whole,
)

FileKind = Literal["server", "agent", "control"]
"""The files of DAOS, by the program that reads them."""

TRANSPORT = Section(
    {
        "allow_insecure": Key(Flag()),
        **{key: Key(Text()) for key in ("client_cert_dir", "ca_cert", "cert", "key")},
    },
    "of transport_config",
)
_LEVEL = Choice(server.CONTROL_LEVELS, folds_case=True)
_COUNT = Whole(0, INT32)

_OF_ALL: Mapping[str, Kind] = {
    "name": Text(),
    "port": Whole(1, PORT),
    "transport_config": TRANSPORT,
}

OF_SERVER: Mapping[str, Kind] = {
    **_OF_ALL,
    "provider": Text(),
    "mgmt_svc_replicas": ListOf(Text()),
    "access_points": ListOf(Text()),
    "disable_vfio": Flag(),
    "disable_vmd": Flag(),
    "enable_hotplug": Flag(),
    "disable_hotplug": Flag(),
    "nr_hugepages": Whole(-1, INT32),
    "disable_hugepages": Flag(),
    "allow_thp": Flag(),
    "system_ram_reserved": Whole(1, INT32, "GiB"),
    "telemetry_port": Whole(0, PORT),
    "control_log_mask": _LEVEL,
    "control_log_file": Text(),
    "helper_log_file": Text(),
    "fabric_iface": Text(),
    "fabric_iface_port": Whole(1, PORT),
}
"""The keys of daos_server.yml for which the roles have variables, and their kinds."""

OF_AGENT: Mapping[str, Kind] = {
    **_OF_ALL,
    "access_points": ListOf(Text()),
    "log_file": Text(),
    "control_log_mask": _LEVEL,
    "disable_caching": Flag(),
    "cache_expiration": _COUNT,
    "exclude_fabric_ifaces": ListOf(Text()),
    "include_fabric_ifaces": ListOf(Text()),
    "telemetry_port": Whole(0, PORT),
}
"""The same of daos_agent.yml."""

OF_CONTROL = Section(
    {**{key: Key(kind) for key, kind in _OF_ALL.items()}, "hostlist": Key(ListOf(Text()))},
    "of daos_control.yml",
)

LEGACY = until("2.4")
"""The releases that still read SCM and SSDs of an engine without tiers, and `enable_vmd`."""

_LEGACY_SCM = {"scm_class": "class"} | {k: k for k in ("scm_mount", "scm_size", "scm_list")}
_LEGACY_BDEV = {"bdev_class": "class"} | {
    key: key for key in ("bdev_list", "bdev_size", "bdev_number", "bdev_busid_range")
}


def modern(document: Mapping[str, Any], version: Version) -> dict[str, Any]:
    """A daos_server.yml without what the oldest release merely still reads, as it converts it.

    Source: `ConvertLegacyStorage` and `updateVMDSetting` at v2.4.2.
    """
    converted = dict(document)
    if version not in LEGACY:
        return converted
    if isinstance(converted.get("enable_vmd"), bool) and "disable_vmd" not in converted:
        converted["disable_vmd"] = not converted.pop("enable_vmd")
    if isinstance(engines := converted.get("engines"), list):
        converted["engines"] = [_with_tiers(engine) for engine in engines]
    return converted


def _with_tiers(engine: Any) -> Any:
    if not isinstance(engine, dict) or not {"scm_class", "bdev_class"} & engine.keys():
        return engine
    tiers = []
    for named in (_LEGACY_SCM, _LEGACY_BDEV):
        tier = {new: engine[old] for old, new in named.items() if old in engine}
        if "class" in tier and not (tier["class"] == "nvme" and not tier.get("bdev_list")):
            tiers.append(tier)
    old = {*_LEGACY_SCM, *_LEGACY_BDEV}
    return {key: value for key, value in engine.items() if key not in old} | {"storage": tiers}


def kind_of(document: Mapping[str, Any], name: str) -> FileKind:
    """Which of the three files it is: by its keys, or else by its name."""
    if {"engines", "servers", "provider"} & document.keys():
        return "server"
    if "hostlist" in document:
        return "control"
    if document.keys() & (agent.SETTINGS.keys.keys() - server.SETTINGS.keys.keys()):
        return "agent"
    kinds: tuple[FileKind, ...] = ("agent", "control")
    return next((kind for kind in kinds if kind in name), "server")


class Guess(NamedTuple):
    """A release that keys fit, and the keys that only some releases have."""

    version: Version
    telling: tuple[str, ...]


def guess(documents: Mapping[FileKind, Mapping[str, Any]]) -> Guess:
    """The newest release that knows the most keys of some files, and deprecates the fewest."""
    misfits = {version: set(_misfits(documents, version)) for version in names()}
    cost = {version: _cost(misfits[version]) for version in names()}
    best = [version for version in names() if cost[version] == min(cost.values())]
    chosen = next((version for version in reversed(best) if not is_preview(version)), best[-1])
    released = [keys for version, keys in misfits.items() if not is_preview(version)]
    telling = set[str]().union(*released) - misfits[chosen]
    return Guess(chosen, tuple(sorted(telling)))


def _cost(misfits: Collection[str]) -> tuple[int, int]:
    """The keys that are unknown, and those that are merely deprecated."""
    merely = [key for key in misfits if key in DEPRECATED]
    return len(misfits) - len(merely), len(merely)


DEPRECATED = {name for name, key in server.SETTINGS.keys.items() if key.deprecated is not None}


def _misfits(documents: Mapping[FileKind, Mapping[str, Any]], version: Version) -> Iterator[str]:
    """The keys that a release does not know, or deprecates."""
    if of_server := documents.get("server"):
        document = modern(of_server, version)
        yield from _unknown(document, server.SETTINGS, version)
        for engine in _dictionaries(document.get("engines")):
            yield from _unknown(engine, server.ENGINE, version)
        yield from _unknown(document.get("control_metadata"), server.CONTROL_METADATA, version)
        provider = document.get("provider")
        if provider not in PROVIDERS[version] and any(
            provider in PROVIDERS[other] for other in names()
        ):
            yield f"provider {provider}"
    if of_agent := documents.get("agent"):
        yield from _unknown(of_agent, agent.SETTINGS, version)


def _unknown(part: Any, section: Section, version: Version) -> Iterator[str]:
    for name in part if isinstance(part, dict) else ():
        key = section.keys.get(name)
        if key is None or version not in key.versions or key.is_deprecated(version):
            yield str(name)


def _dictionaries(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
