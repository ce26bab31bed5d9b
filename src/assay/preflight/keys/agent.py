"""The keys of daos_agent.yml.

Source: `Config` in src/control/cmd/daos_agent/config.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from assay.cluster.releases import Version, since
from assay.preflight.keys.kinds import (
    INT32,
    UINT32,
    Duration,
    Expression,
    Flag,
    Key,
    ListOf,
    Section,
    Text,
    Whole,
    Wrong,
    shown,
)
from assay.preflight.keys.server import of_variable

_USER = Section(
    {"user": Key(Text()), "group": Key(Text()), "groups": Key(ListOf(Text()))},
    "of a mapped user",
)


class _Users:
    """`client_user_map`: uids, or `default`, to users."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Require that each uid is a number that a user can have."""
        if not isinstance(value, dict):
            yield Wrong("", shown(value), "should be uids, or default, each with user and group")
            return
        for uid, user in value.items():
            is_uid = str(uid).isdigit() and int(uid) < UINT32
            if uid != "default" and not is_uid:
                yield Wrong(f".{uid}", None, f"should be default, or a uid of 0 to {UINT32 - 1}")
            for where, actual, allowed in _USER.judge(user, version):
                yield Wrong(f".{uid}{where}", actual, allowed)
            if isinstance(user, dict) and (uid == "default" or is_uid) and not user.get("user"):
                yield Wrong(f".{uid}.user", None, "is missing: set a name, such as nobody")


_INTERFACES = ListOf(
    Section(
        {
            "numa_node": Key(Whole(0, INT32)),
            "devices": Key(
                ListOf(Section({"iface": Key(Text()), "domain": Key(Text())}, "of an interface"))
            ),
        },
        "of fabric_ifaces",
    )
)

SETTINGS = Section(
    {
        "name": of_variable("daos_name"),
        "access_points": of_variable("daos_mgmt_svc_replicas"),
        "port": of_variable("daos_port"),
        "transport_config": of_variable("daos_allow_insecure, or daos_certificates"),
        "log_file": Key(instead="is set by the role: the log is in /var/log/daos/daos_agent"),
        "control_log_mask": of_variable("daos_agent_log_mask"),
        "disable_caching": of_variable("daos_agent_disable_caching"),
        "cache_expiration": of_variable("daos_agent_cache_expiration"),
        "exclude_fabric_ifaces": of_variable("daos_agent_exclude_fabric_ifaces"),
        "include_fabric_ifaces": of_variable("daos_agent_include_fabric_ifaces", since("2.8")),
        "telemetry_port": of_variable("daos_agent_telemetry_port", since("2.6")),
        "runtime_dir": Key(Text(r"/.*", "should be an absolute path")),
        "disable_auto_evict": Key(Flag()),
        "enable_evict_on_start": Key(Flag(), since("2.6")),
        "fabric_ifaces": Key(_INTERFACES),
        "telemetry_enabled": Key(Flag(), since("2.6")),
        "telemetry_retain": Key(Duration(), since("2.6")),
        "telemetry_enabled_procs": Key(Expression(), since("2.8")),
        "telemetry_disabled_procs": Key(Expression(), since("2.8")),
        "credential_config": Key(
            Section(
                {"cache_expiration": Key(Duration()), "client_user_map": Key(_Users())},
                "of credential_config",
            ),
            since("2.8"),
        ),
    },
    "of daos_agent.yml",
)
"""The keys that daos_agent_settings may have."""
