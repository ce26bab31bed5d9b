"""Settings of daos_server.yml and daos_agent.yml that speak of each other, or of the host."""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.description import Host
from assay.problems import Problem

CALLBACKS = "/etc/daos"
"""Where DAOS wants a callback for fault domains to be (`checkFaultDomainCallback`)."""


def setting_rules(name: str, host: Host) -> Iterator[Problem]:
    """What excludes each other, and what a host has to have."""
    yield from _fault_domains(name, host)
    yield from _control_interface(name, host)
    yield from _excluded_devices(name, host)
    yield from _providers_endpoints(name, host)
    yield from _hugepages(name, host)


def _fault_domains(name: str, host: Host) -> Iterator[Problem]:
    settings = host.server.settings
    callback = settings.get("fault_cb")
    if settings.get("fault_path") and callback:
        yield Problem(
            name,
            "server.settings.fault_cb",
            callback,
            "should not be combined with fault_path: DAOS takes one of the two",
        )
    elif callback and not str(callback).startswith(f"{CALLBACKS}/"):
        yield Problem(
            name,
            "server.settings.fault_cb",
            callback,
            f"should be a program below {CALLBACKS}, which root alone may write",
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
        yield Problem(name, key, wanted, "should have an IPv4 address, which the server listens at")


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
            "should be left out: this release takes one provider, and so no secondary one",
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
    """What `TelemetryConfig.Validate` of the agent wants of each other."""
    settings, where = host.agent.settings, "agent.settings"
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
