"""Settings of daos_server.yml and daos_agent.yml that depend on each other, or on the host."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Host
from assay.preflight.rules.variables import nearest
from assay.problems import Problem

CALLBACKS = "/etc/daos"
"""The directory that DAOS requires of a fault domain callback (`checkFaultDomainCallback`)."""


def setting_rules(name: str, host: Host) -> Iterator[Problem]:
    """Report settings that exclude each other, or do not fit the host."""
    yield from _fault_domains(name, host)
    yield from _control_interface(name, host)
    yield from _excluded_devices(name, host)
    yield from _providers_endpoints(name, host)
    yield from _hugepages(name, host)
    yield from _runtime_directory(name, "server.settings.socket_dir", "daos_server", host)
    yield from _client_variables(name, host)
    if host.server.settings.get("hyperthreads"):
        yield Problem(
            name,
            "server.settings.hyperthreads",
            "true",
            "should be left out: DAOS does not support it yet (utils/config/daos_server.yml)",
            severity="warning",
        )


def _runtime_directory(name: str, key: str, daemon: str, host: Host) -> Iterator[Problem]:
    settings = host.server.settings if key.startswith("server") else host.agent.settings
    given = settings.get(key.rpartition(".")[2])
    if str(given).startswith("/") and str(given).rstrip("/") not in (
        f"/run/{daemon}",
        f"/var/run/{daemon}",
    ):
        clients = (
            ", and DAOS_AGENT_DRPC_DIR has to name it to every client"
            if daemon == "daos_agent"
            else ""
        )
        yield Problem(
            name,
            key,
            given,
            f"should be left out: the unit of {daemon} makes /run/{daemon} (RuntimeDirectory), and"
            f" nobody creates this one{clients}",
            severity="warning",
        )


def _client_variables(name: str, host: Host) -> Iterator[Problem]:
    """Require that the variables for clients exist, and that each is set once."""
    key, seen = "server.settings.client_env_vars", set[str]()
    given = host.server.settings.get("client_env_vars")
    for entry in given if isinstance(given, list) else ():
        variable = str(entry).partition("=")[0]
        if variable in seen:
            yield Problem(
                name, key, entry, f"should not set {variable} again: one of the values is lost"
            )
        seen.add(variable)
        if near := nearest(variable):
            yield Problem(
                name,
                key,
                entry,
                f"should be a variable that DAOS knows (did you mean {near}?): an unknown one is"
                " ignored",
                severity="warning",
            )


def _fault_domains(name: str, host: Host) -> Iterator[Problem]:
    settings = host.server.settings
    callback = settings.get("fault_cb")
    if settings.get("fault_path") and callback:
        yield Problem(
            name,
            "server.settings.fault_cb",
            callback,
            "should not be combined with fault_path: DAOS uses only one of the two",
        )
    elif callback and not str(callback).startswith(f"{CALLBACKS}/"):
        yield Problem(
            name,
            "server.settings.fault_cb",
            callback,
            f"should be a program below {CALLBACKS}, which only root may write",
        )


def _control_interface(name: str, host: Host) -> Iterator[Problem]:
    wanted = host.server.settings.get("control_iface")
    if not wanted:
        return
    key, interface = "server.settings.control_iface", host.interfaces.get(str(wanted))
    if interface is None:
        yield Problem(
            name, key, wanted, f"should be an interface of this host: {', '.join(host.interfaces)}"
        )
    elif interface.has_address is not None and interface.address is None:
        yield Problem(name, key, wanted, "should have an IPv4 address, at which the server listens")


def _excluded_devices(name: str, host: Host) -> Iterator[Problem]:
    excluded = {str(device).lower() for device in host.server.settings.get("bdev_exclude") or ()}
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            for device in tier.devices if tier.class_ == "nvme" else ():
                if device in excluded:
                    yield Problem(
                        name,
                        "server.settings.bdev_exclude",
                        device,
                        f"should not list what engines[{number}].storage[{index}].bdev_list has",
                    )


def _providers_endpoints(name: str, host: Host) -> Iterator[Problem]:
    if host.server.settings.get("secondary_provider_endpoints"):
        yield Problem(
            name,
            "server.settings.secondary_provider_endpoints",
            None,
            "should be left out: this release supports a single provider",
            severity="warning",
        )


def _hugepages(name: str, host: Host) -> Iterator[Problem]:
    if host.server.allow_thp:
        yield Problem(
            name,
            "server.allow_thp",
            "true",
            "should be false: transparent huge pages conflict with how engines use hugepages and"
            " may cause intermittent errors (utils/config/daos_server.yml)",
            severity="warning",
        )


def agent_setting_rules(name: str, host: Host) -> Iterator[Problem]:
    """Report settings of the agent that exclude each other (`TelemetryConfig.Validate`)."""
    settings, where = host.agent.settings, "agent.settings"
    yield from _runtime_directory(name, f"{where}.runtime_dir", "daos_agent", host)
    yield from _given_interfaces(name, host)
    if host.agent.cache_expiration and host.agent.disable_caching:
        yield Problem(
            name,
            "agent.cache_expiration",
            host.agent.cache_expiration,
            "should be left out beside disable_caching: nothing is cached that could expire",
            severity="warning",
        )
    enabled = settings.get("telemetry_enabled")
    if enabled and host.agent.telemetry_port is None:
        yield Problem(
            name,
            f"{where}.telemetry_enabled",
            "true",
            "should be set with daos_agent_telemetry_port, which it requires",
        )
    for key in ("telemetry_retain", "telemetry_enabled_procs", "telemetry_disabled_procs"):
        if settings.get(key) and not enabled:
            yield Problem(
                name, f"{where}.{key}", settings[key], "should be set with telemetry_enabled: true"
            )
    if settings.get("telemetry_enabled_procs") and settings.get("telemetry_disabled_procs"):
        yield Problem(
            name,
            f"{where}.telemetry_disabled_procs",
            settings["telemetry_disabled_procs"],
            "should not be combined with telemetry_enabled_procs",
        )


def _given_interfaces(name: str, host: Host) -> Iterator[Problem]:
    """Require that the interfaces for an agent to give out, and their NUMA nodes, exist."""
    given = host.agent.settings.get("fabric_ifaces")
    for number, node in enumerate(given if isinstance(given, list) else ()):
        where = f"agent.settings.fabric_ifaces[{number}]"
        described = node if isinstance(node, dict) else {}
        numa_node = described.get("numa_node", 0)
        if isinstance(numa_node, int) and numa_node >= host.numa_nodes:
            yield Problem(
                name,
                f"{where}.numa_node",
                numa_node,
                f"should be a NUMA node of this host: 0 to {host.numa_nodes - 1}",
            )
        devices = described.get("devices")
        for index, device in enumerate(devices if isinstance(devices, list) else ()):
            iface = device.get("iface") if isinstance(device, dict) else None
            if iface is not None and iface not in host.interfaces:
                yield Problem(
                    name,
                    f"{where}.devices[{index}].iface",
                    iface,
                    f"should be an interface of this host: {', '.join(sorted(host.interfaces))}",
                )
