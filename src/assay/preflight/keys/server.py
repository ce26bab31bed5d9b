"""The keys of daos_server.yml.

A key counts for a release if all of its versions know it. The exception is allow_thp, which 2.6
knows from 2.6.5 on, and which the role writes only where it is true.

Source: `Server` in src/control/server/config/server.go, `FabricConfig` and `Config` in
src/control/server/engine/config.go, and src/control/server/storage/config.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from assay.cluster.releases import EVERY, Releases, Version, only, since
from assay.preflight.keys.kinds import (
    INT32,
    PORT,
    UINT8,
    UINT32,
    Choice,
    Flag,
    Key,
    Kind,
    ListOf,
    RoleList,
    Section,
    Text,
    Whole,
    Wrong,
    shown,
)

CONTROL_LEVELS = ("DISABLED", "TRACE", "DEBUG", "INFO", "NOTICE", "ERROR")
"""Log levels of `daos_server` and `daos_agent` (src/control/logging/level.go)."""

VARIABLE = Text(
    r"[A-Za-z_][A-Za-z0-9_]*=.*", "should be NAME=VALUE, without spaces around the equals sign"
)
_PATH = Text(r"/.*", "should be an absolute path")
_COUNT = Whole(0, INT32)
_UNSIGNED = Whole(0, UINT32)


def of_variable(
    variable: str, versions: Releases = EVERY, deprecated: Releases | None = None
) -> Key:
    """A key for which the roles have a variable."""
    instead = f"has its own variable: set {variable} instead"
    return Key(versions=versions, instead=instead, deprecated=deprecated)


_FABRIC: Final = {
    "crt_timeout": Key(Whole(0, UINT32, "seconds")),
    "disable_srx": Key(Flag()),
    "fabric_auth_key": Key(Text()),
    "secondary_provider_endpoints": Key(ListOf(Whole(1, INT32)), since("2.6")),
    "bypass_health_chk": Key(Flag()),
    "crt_ctx_share_addr": Key(_UNSIGNED, only("2.4")),
}

_OF_ENGINES = Key(instead="should be set for each engine, in daos_server_engines", is_written=False)

SETTINGS = Section(
    {
        **_FABRIC,
        "name": of_variable("daos_name"),
        "port": of_variable("daos_port"),
        "provider": of_variable("daos_provider"),
        "transport_config": of_variable("daos_allow_insecure, or daos_certificates"),
        "mgmt_svc_replicas": of_variable("daos_mgmt_svc_replicas", since("2.8")),
        "access_points": of_variable("daos_mgmt_svc_replicas", deprecated=since("2.8")),
        "engines": of_variable("daos_server_engines"),
        "control_metadata": of_variable("daos_server_control_metadata"),
        "disable_vfio": of_variable("daos_server_disable_vfio"),
        "disable_vmd": of_variable("daos_server_disable_vmd"),
        "enable_hotplug": of_variable("daos_server_enable_hotplug", deprecated=since("2.8")),
        "disable_hotplug": of_variable("daos_server_enable_hotplug", since("2.8")),
        "nr_hugepages": of_variable("daos_server_nr_hugepages"),
        "disable_hugepages": of_variable("daos_server_disable_hugepages"),
        "allow_thp": of_variable("daos_server_allow_thp", since("2.6")),
        "system_ram_reserved": of_variable("daos_server_system_ram_reserved"),
        "telemetry_port": of_variable("daos_server_telemetry_port"),
        "control_log_mask": of_variable("daos_server_log_mask"),
        "control_log_file": Key(
            instead="is set by the role: logs are in /var/log/daos/daos_server"
        ),
        "helper_log_file": Key(instead="is set by the role: logs are in /var/log/daos"),
        "fabric_iface": _OF_ENGINES,
        "fabric_iface_port": _OF_ENGINES,
        "control_iface": Key(Text(), since("2.8")),
        "bdev_exclude": Key(
            ListOf(
                Text(
                    r"([0-9A-Fa-f]{4}|[0-9A-Fa-f]{6}):[0-9A-Fa-f]{2}:[01][0-9A-Fa-f]\.[0-7]",
                    "should be a PCI address, such as 0000:81:00.0: anything else excludes nothing",
                )
            )
        ),
        "allow_numa_imbalance": Key(Flag(), since("2.8")),
        "control_log_json": Key(Flag()),
        "firmware_helper_log_file": Key(_PATH, deprecated=since("2.9")),
        "kernel_config_path": Key(_PATH, since("2.9")),
        "recreate_superblocks": Key(Flag(), only("2.4"), is_written=False),
        "fault_path": Key(
            Text(
                r"\s*((/[^/=]*[^/=\s\"][^/=]*){1,2}|(/[^/=]*[^/=\s\"]=[^/=]*[^/=\s\"]){1,2})\s*",
                "should be one or two levels, such as /rack1/host1, or all of them with labels,"
                " /rack=1/host=1: DAOS supports no more",
            )
        ),
        "fault_cb": Key(_PATH),
        "hyperthreads": Key(Flag()),
        "socket_dir": Key(_PATH),
        "core_dump_filter": Key(Whole(0, UINT8, why="bits of core(5)")),
        "client_env_vars": Key(ListOf(VARIABLE)),
        "support_config": Key(Section({"file_transfer_exec": Key(_PATH)}), since("2.8")),
        "disable_engine_auto_restart": Key(Flag(), since("2.8")),
        "engine_auto_restart_min_delay": Key(Whole(0, INT32, "seconds"), since("2.8")),
    },
    "of daos_server.yml",
)
"""The keys that daos_server_settings may have."""


class _Pool(Whole):
    """The size of a pool of SPDK's buffers; 0 leaves it to SPDK (lib/thread/iobuf.c)."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Accept 0 beside the limits."""
        if value != 0:
            yield from super().judge(value, version)


class Modules:
    """The modules of an engine, which has to load all of them to have pools."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Refuse unknown names and missing ones (`MODULE_LIST` in src/engine/init.c)."""
        given = str(value).split(",")
        unknown = [name for name in given if _ALIASES.get(name, name) not in MODULES]
        missing = set(MODULES) - {_ALIASES.get(name, name) for name in given}
        if value != "" and (unknown or missing):
            yield Wrong(
                "", shown(value), f"should be left out, which loads them all: {','.join(MODULES)}"
            )


MODULES = ("vos", "rdb", "rsvc", "security", "mgmt", "dtx", "pool", "cont", "obj", "rebuild")
_ALIASES = {"object": "obj", "po": "pool", "container": "cont", "co": "cont", "management": "mgmt"}
"""Other names (`modules_load` in src/engine/init.c)."""


class _RpcServer(Section):
    """SPDK's server of JSON-RPC, which needs a socket."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Require a path where it is enabled."""
        yield from super().judge(value, version)
        if isinstance(value, dict) and value.get("enable") is True and not value.get("sock_addr"):
            yield Wrong(
                ".sock_addr", None, "is missing: set the path of a socket, such as /var/tmp/e0.sock"
            )


class _Engines(ListOf):
    """The engines of a server, each with a socket of its own for SPDK."""

    def judge(self, value: Any, version: Version) -> Iterator[Wrong]:
        """Judge each engine, and what two of them may not share."""
        yield from super().judge(value, version)
        users: dict[str, int] = {}
        for number, engine in enumerate(value if isinstance(value, list) else ()):
            server = engine.get("spdk_rpc_server") if isinstance(engine, dict) else None
            if not isinstance(server, dict) or server.get("enable") is not True:
                continue
            path = str(server.get("sock_addr"))
            if users.setdefault(path, number) != number:
                yield Wrong(
                    f"[{number}].spdk_rpc_server.sock_addr",
                    path,
                    f"should be a socket of its own: engines[{users[path]}] has this one",
                )


_TIER: dict[str, Kind] = {
    "class": Choice(("ram", "dcpm", "nvme", "file", "kdev")),
    "scm_mount": Text(),
    "scm_size": Whole(0, UINT32, "GiB"),
    "scm_hugepages_disabled": Flag(),
    "scm_list": ListOf(Text()),
    "bdev_list": ListOf(Text()),
    "bdev_number": _COUNT,
    "bdev_size": Whole(0, INT32, "GB"),
    "bdev_busid_range": Text(),
    "bdev_roles": RoleList(),
}

ENGINE = Section(
    {
        **_FABRIC,
        "targets": Key(Whole(1, INT32)),
        "nr_xs_helpers": Key(_COUNT),
        "first_core": Key(_COUNT),
        "pinned_numa_node": Key(_COUNT),
        "provider": Key(Text()),
        "fabric_iface": Key(Text()),
        "fabric_iface_port": Key(Whole(1, PORT)),
        "log_mask": Key(Text()),
        "log_file": Key(Text(r"/.*[^/]", "should be the absolute path of a file")),
        "modules": Key(Modules()),
        "env_vars": Key(ListOf(Text())),
        "env_pass_through": Key(
            ListOf(
                Text(
                    r"(?!FI_OFI_RXM_USE_SRX$)[A-Za-z_][A-Za-z0-9_]*",
                    "should be the name of a variable, other than FI_OFI_RXM_USE_SRX, which"
                    " disable_srx sets for clients, too",
                )
            )
        ),
        "storage": Key(ListOf(Section({n: Key(k) for n, k in _TIER.items()}, "of a storage tier"))),
        "acceleration": Key(
            Section(
                {
                    "engine": Key(Choice(("none", "spdk", "dml")), takes_null=False),
                    "options": Key(ListOf(Choice(("move", "crc")))),
                },
                "of acceleration",
            )
        ),
        "spdk_rpc_server": Key(
            _RpcServer({"enable": Key(Flag()), "sock_addr": Key(_PATH)}, "of spdk_rpc_server")
        ),
        "bdev_auto_faulty": Key(
            Section(
                {
                    "enable": Key(Flag()),
                    "max_io_errs": Key(_UNSIGNED),
                    "max_csum_errs": Key(_UNSIGNED),
                },
                "of bdev_auto_faulty",
            ),
            since("2.6"),
        ),
        "spdk_iobuf": Key(
            Section(
                {
                    "small_pool_count": Key(_Pool(64, UINT32)),
                    "large_pool_count": Key(_Pool(8, UINT32)),
                },
                "of spdk_iobuf",
            ),
            since("2.8"),
        ),
        "tags": Key(is_written=False),  # only cluster.json has it, from the roles
    },
    "of an engine",
)
"""The keys that an engine of daos_server_engines may have."""

ENGINES = _Engines(ENGINE)

CONTROL_METADATA = Section(
    {
        "path": Key(Text()),
        "device": Key(Text()),
        "allow_spdk_conf_override": Key(Flag(), since("2.8")),
    },
    "of control_metadata",
)
