"""Settings of daos_server.yml and daos_agent.yml that depend on each other, or on the host."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from assay.cluster.description import Host, controller_of
from assay.preflight.rules.context import OfHost, OfServer
from assay.preflight.rules.engines.variables import CRT_TIMEOUT_MAX_S, nearest, not_a_value
from assay.problems import Problem

CALLBACKS = "/etc/daos"
"""The directory that DAOS requires of a fault domain callback (`checkFaultDomainCallback`)."""


@OfServer.rule
def setting_rules(of: OfServer) -> Iterator[Problem]:
    """Report settings that exclude each other, or do not fit the host."""
    name, host = of.name, of.host
    yield from _fault_domains(name, host)
    yield from _control_interface(name, host)
    yield from _excluded_devices(name, host)
    yield from _providers_endpoints(name, host)
    yield from _hugepages(name, host)
    yield from _runtime_directory(name, "server.settings.socket_dir", "daos_server", host)
    yield from _client_variables(name, host)
    yield from _timeout(name, host)
    delay = host.server.settings.get("engine_auto_restart_min_delay")
    if delay and host.server.settings.get("disable_engine_auto_restart"):
        yield Problem(
            name,
            "server.settings.engine_auto_restart_min_delay",
            delay,
            "should be left out beside disable_engine_auto_restart: no engine is restarted",
            severity="warning",
        )
    if host.server.settings.get("hyperthreads"):
        yield Problem(
            name,
            "server.settings.hyperthreads",
            "true",
            "should be left out: DAOS does not support it yet (utils/config/daos_server.yml)",
            severity="warning",
        )


SHORT_TIMEOUT_S = 10
"""Own choice: a loaded engine may take seconds to answer; DAOS's default is 60 s."""


def _timeout(name: str, host: Host) -> Iterator[Problem]:
    timeout = host.server.settings.get("crt_timeout")
    if not isinstance(timeout, int) or timeout <= 0:
        return  # DAOS's default, or a value that other rules refuse
    if not SHORT_TIMEOUT_S <= timeout <= CRT_TIMEOUT_MAX_S:
        yield Problem(
            name,
            "server.settings.crt_timeout",
            timeout,
            f"should be {SHORT_TIMEOUT_S} to {CRT_TIMEOUT_MAX_S} seconds: a shorter one ends"
            f" operations of a loaded engine, and DAOS takes {CRT_TIMEOUT_MAX_S} for a longer one",
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
        variable, _, value = str(entry).partition("=")
        if allowed := not_a_value(variable, value):
            yield Problem(name, key, entry, allowed)
        elif variable == "D_PORT":
            yield Problem(
                name,
                key,
                entry,
                "should be left out: every process of a client would ask for the same port",
                severity="warning",
            )
        elif variable == "DAOS_IO_BYPASS":
            yield Problem(
                name,
                key,
                entry,
                "should be left out: clients skip operations with it, and their figures are none",
            )
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
    elif callback and not posixpath.normpath(str(callback)).startswith(f"{CALLBACKS}/"):
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
    listed = {str(device).lower() for device in host.server.settings.get("bdev_exclude") or ()}
    # DAOS excludes the controller of an SSD that is behind one (BackingToVMDAddresses).
    excluded = {*listed, *(c for device in listed if (c := controller_of(device)))}
    for number, engine in enumerate(host.engines):
        for index, tier in enumerate(engine.storage):
            for device in tier.devices if tier.class_ == "nvme" else ():
                if excluded & {device, controller_of(device)}:
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


@OfHost.rule
def agent_setting_rules(of: OfHost) -> Iterator[Problem]:
    """Report settings of the agent that exclude each other (`TelemetryConfig.Validate`)."""
    name, host = of.name, of.host
    settings, where = host.agent.settings, "agent.settings"
    yield from _runtime_directory(name, f"{where}.runtime_dir", "daos_agent", host)
    yield from _given_interfaces(name, host)
    yield from _excluded_interfaces(name, host)
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


def _excluded_interfaces(name: str, host: Host) -> Iterator[Problem]:
    """Require that an agent may give out an interface of `fabric_ifaces` (`ShouldIgnore`)."""
    agent, given = host.agent, host.agent.settings.get("fabric_ifaces")
    nodes = [n for n in given if isinstance(n, dict)] if isinstance(given, list) else []
    devices = [d for n in nodes for d in n.get("devices") or () if isinstance(d, dict)]
    names = [str(device.get("iface")) for device in devices]
    key = "include" if agent.include_fabric_ifaces else "exclude"
    ruled = getattr(agent, f"{key}_fabric_ifaces")
    left = [n for n in names if (n in ruled) == (key == "include")]
    if names and ruled and not left:
        yield Problem(
            name,
            f"agent.{key}_fabric_ifaces",
            ", ".join(ruled),
            f"should leave clients one of {', '.join(names)}, which fabric_ifaces names",
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
            if isinstance(device, dict) and not iface:
                yield Problem(
                    name,
                    f"{where}.devices[{index}].iface",
                    None,
                    f"is missing: set one of {', '.join(sorted(host.interfaces))}",
                )
            elif iface is not None and iface not in host.interfaces:
                yield Problem(
                    name,
                    f"{where}.devices[{index}].iface",
                    iface,
                    f"should be an interface of this host: {', '.join(sorted(host.interfaces))}",
                )
