"""The clocks of the servers, which DAOS requires to agree."""

from __future__ import annotations

from collections.abc import Iterator

from assay.preflight.rules.context import OfSystem
from assay.problems import Problem

MOST_APART_S = 1.0
"""DAOS refuses timestamps of other servers that differ by more (`d_hlc_epsilon` in src/gurt/hlc.c
of DAOS 2.8)."""

_REMEDY = (
    "the servers of DAOS need synchronized clocks (docs/admin/predeployment_check.md of DAOS)."
    " Start chrony or systemd-timesyncd, or name your time servers in daos_host_time_servers, and"
    " the role installs chrony"
)


@OfSystem.rule
def clock_rules(of: OfSystem) -> Iterator[Problem]:
    """Require a time service on each server that keeps its clock accurate enough.

    Containers of one machine share its clock. If all servers share one clock, they agree.
    """
    system, hosts = of.system, of.hosts
    setups = {name: hosts[name].setup for name in system.servers if name in hosts}
    if len({setup.boot or name for name, setup in setups.items()}) < 2:
        return
    for name, setup in setups.items():
        if "time" in setup.deploys:
            if setup.time_service not in (None, "chronyd"):
                yield Problem(
                    name,
                    "setup.time_servers",
                    setup.time_service,
                    "already keeps the time, and chrony would replace it: leave"
                    " daos_host_time_servers empty, or remove it",
                )
            continue
        if setup.clock is None:
            continue
        if not setup.clock.synchronized:
            runs = (
                f"{setup.time_service} runs, but has not" if setup.time_service else "nothing has"
            )
            yield Problem(
                name, "setup.clock", "unsynchronized", f"{runs} set this clock: {_REMEDY}"
            )
        elif setup.clock.error_s >= MOST_APART_S / 2:
            yield Problem(
                name,
                "setup.clock",
                f"off by up to {setup.clock.error_s:.1f} s",
                f"should be less than {MOST_APART_S / 2:g} s: DAOS lets two servers be"
                f" {MOST_APART_S:g} s apart. Wait until {setup.time_service or 'the time service'}"
                " is synchronized, or give it a closer time server",
            )
