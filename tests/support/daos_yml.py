"""A daos_server.yml as the description of a site, as the roles would have made it."""

from __future__ import annotations

from typing import Any

ELSEWHERE = {
    *("name", "port", "provider", "transport_config", "mgmt_svc_replicas", "access_points"),
    *("engines", "control_metadata", "nr_hugepages", "disable_hugepages", "system_ram_reserved"),
    *("disable_vfio", "disable_vmd", "allow_thp", "telemetry_port", "control_log_mask"),
    *("control_log_file", "helper_log_file", "enable_hotplug", "disable_hotplug"),
}
"""Keys for which the roles have a variable, or a place of their own."""

_TWO_NAMES = (("mgmt_svc_replicas", "access_points"), ("disable_hotplug", "enable_hotplug"))
"""Of one thing, for which the roles have one variable: the second could only be a setting."""


def described(
    configuration: dict[str, Any], *, has_ssd: bool = True, version: str = "2.8"
) -> dict[str, Any]:
    """The site whose servers have a `daos_server.yml`, on hosts that have all that others need."""
    server = {
        ours: configuration[key]
        for key, ours in {
            "nr_hugepages": "nr_hugepages",
            "disable_hugepages": "disable_hugepages",
            "system_ram_reserved": "system_ram_reserved",
            "disable_vfio": "disable_vfio",
            "allow_thp": "allow_thp",
            "control_metadata": "control_metadata",
            "telemetry_port": "telemetry_port",
            "control_log_mask": "log_mask",
        }.items()
        if key in configuration
    }
    twice = {second for first, second in _TWO_NAMES if first in configuration}
    server["settings"] = {
        k: v for k, v in configuration.items() if k not in ELSEWHERE or k in twice
    }
    tiers = [t for e in configuration["engines"] for t in (e or {}).get("storage", ())]
    if any("bdev_roles" in (tier or {}) for tier in tiers) and "control_metadata" in server:
        # A sandbox, as in `_on_a_disk`.
        server["control_metadata"] = {**server["control_metadata"], "path": "/var/daos/config"}
    engines = [engine and _on_a_disk(engine) for engine in configuration["engines"]]
    replicas = configuration.get("mgmt_svc_replicas") or configuration["access_points"]
    addresses = sorted({r.partition(":")[0] for r in replicas if r[0].isdigit()} | {"127.0.0.1"})
    hosts: dict[str, Any] = {
        f"s{number}": {
            "address": address,
            "cores": 16,
            "memory": {"total_mib": 25276510208 // 2**20, "transparent_hugepages": "always"},
            "numa_nodes": 2,
            "interface": "lo",
            "interfaces": {"lo": {"address": "127.0.0.1"}, "eth0": {}},
            "nvme": {"0000:d8:00.0": {}} if has_ssd else {},
            "block_devices": ["/dev/pmem0", "/dev/sdz"],
            "scratch": {"directory": "/scratch", "filesystem": "ext4", "device": "/dev/sda1"},
            "server": server,
            "engines": engines,
        }
        for number, address in enumerate(addresses, start=1)
    }
    servers = list(hosts)
    hosts["login"] = {**hosts["s1"], "address": "192.0.2.9", "engines": [], "server": {}}
    return {
        "name": "recorded",
        "controller": "login",
        "clients": ["login"],
        "servers": servers,
        **({"provider": configuration["provider"]} if "provider" in configuration else {}),
        "benchmarks": {},
        "daos": {
            "name": configuration["name"],
            "version": version,
            "port": configuration["port"],
            "mgmt_svc_replicas": replicas,
            "allow_insecure": configuration["transport_config"]["allow_insecure"],
            "servers": servers,
            "admin": "login",
        },
        "hosts": hosts,
    }


def _on_a_disk(engine: dict[str, Any]) -> dict[str, Any]:
    """They were recorded in a sandbox, whose /run is a place like any other."""
    if "storage" not in engine:
        return engine
    return {**engine, "storage": [tier and _moved(tier) for tier in engine["storage"]]}


def _moved(tier: dict[str, Any]) -> dict[str, Any]:
    if not tier.get("bdev_roles") or tier.get("class") != "file":
        return tier
    return {**tier, "bdev_list": [f.replace("/run/", "/var/") for f in tier["bdev_list"]]}
