"""Names of servers, which every host must resolve to the right server."""

from __future__ import annotations

from collections.abc import Iterator

from assay.preflight.rules.context import OfSystem
from assay.preflight.rules.site.system import address_and_port
from assay.problems import Problem


@OfSystem.rule
def name_rules(of: OfSystem) -> Iterator[Problem]:
    """Report names of servers that a host resolves to another host, or not at all.

    For a replica it is an error, since daos_server, daos_agent and dmg look its name up. For other
    servers it is a warning, since people and ssh use their names.
    """
    system, hosts = of.system, of.hosts
    if len(hosts) < 2:
        return
    replicas = {address_and_port(replica)[0] for replica in system.mgmt_svc_replicas}
    asking = {*system.servers, *system.agents, system.admin}
    for name, host in hosts.items():
        for server, addresses in host.setup.misnamed.items():
            resolved = f"resolves to {', '.join(addresses)}" if addresses else "cannot be resolved"
            local = " (Debian writes 127.0.1.1 for a host's own name)" * any(
                address.startswith("127.") for address in addresses
            )
            is_needed = server in replicas and name in asking
            yield Problem(
                name,
                "daos.mgmt_svc_replicas" if is_needed else "setup.misnamed",
                server,
                f"{resolved} on this host{local}, and should resolve to an address of that server."
                " Correct DNS or /etc/hosts" + ", or use the address" * is_needed,
                severity="error" if is_needed else "warning",
            )
