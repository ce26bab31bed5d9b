"""The advice of DAOS's documentation that DAOS does not enforce: warnings, with its reason.

Source: utils/config/daos_server.yml and docs/admin of DAOS 2.8.0.
"""

from __future__ import annotations

from collections.abc import Iterator

from assay.cluster.daos import Engine
from assay.cluster.description import Host
from assay.preflight.rules.context import OfServer, OfSystem
from assay.preflight.rules.engines.unlike import unlike_engines
from assay.problems import Problem

SCM_SHARE = 0.06
"""Minimum ratio of the size of SCM to that of SSDs (docs/admin/hardware.md): it "will guarantee
that DAOS has enough space in SCM"."""

TARGETS_PER_HELPER = 4
"""Approximate number (`nr_xs_helpers` in utils/config/daos_server.yml)."""

FEW_TARGETS = 4
"""Minimum number of targets for advice on ratios."""

REPLICAS = 3
"""Minimum number (`mgmt_svc_replicas` in utils/config/daos_server.yml: 3 to 5 hosts)."""

GIB = 2**30


@OfServer.rule
def advice_rules(of: OfServer) -> Iterator[Problem]:
    """The advice for the engines of a host."""
    name, host = of.name, of.host
    for number, engine in enumerate(host.engines):
        yield from _balance(name, host, number, engine)
        yield from _helpers(name, number, engine)
        yield from _scm(name, host, number, engine)
        yield from _debug(name, number, engine)
        yield from _timeout(name, number, engine)
    yield from _numbers_of_ssds(name, host)
    yield from _reserve(name, host)


@OfSystem.rule
def advice_for_system(of: OfSystem) -> Iterator[Problem]:
    """The advice for the whole system."""
    system, hosts = of.system, of.hosts
    if len(system.mgmt_svc_replicas) == 1 and len(system.servers) >= REPLICAS:
        yield _warning(
            None,
            "daos.mgmt_svc_replicas",
            system.mgmt_svc_replicas[0],
            "should be 3 or 5 servers: one replica leaves no redundancy when it fails",
        )
    if system.name != "daos_server":
        yield _warning(
            None,
            "daos.name",
            system.name,
            "should be daos_server: DAOS does not support any other system name yet",
        )
    yield from unlike_engines(system, hosts)


def _warning(host: str | None, key: str, value: object, allowed: str) -> Problem:
    return Problem(host, key, value, allowed, severity="warning")


def _balance(name: str, host: Host, number: int, engine: Engine) -> Iterator[Problem]:
    data = [t for t in engine.bdev_tiers if not t.bdev_roles or "data" in t.bdev_roles]
    for tier in data if engine.targets >= FEW_TARGETS else ():
        ssds = len(set(tier.devices))
        if any(device in host.vmd for device in tier.devices):
            continue  # how many SSDs are behind a controller is not known
        if tier.class_ == "nvme" and ssds and engine.targets % ssds:
            below = engine.targets // ssds * ssds
            choices = " or ".join(str(n) for n in (below, below + ssds) if n)
            yield _warning(
                name,
                f"engines[{number}].targets",
                engine.targets,
                f"should be a multiple of the {ssds} SSDs for data, such as {choices}, for an"
                " optimal balance of their space",
            )


def _helpers(name: str, number: int, engine: Engine) -> Iterator[Problem]:
    if engine.targets < FEW_TARGETS:
        return
    advised = round(engine.targets / TARGETS_PER_HELPER)
    if not advised / 2 <= engine.nr_xs_helpers <= advised * 2:
        yield _warning(
            name,
            f"engines[{number}].nr_xs_helpers",
            engine.nr_xs_helpers,
            f"should be about {advised}, one for {TARGETS_PER_HELPER} targets: they compute"
            " checksums and erasure codes",
        )


def _scm(name: str, host: Host, number: int, engine: Engine) -> Iterator[Problem]:
    """Warn of SCM that is full before the SSDs are; with md-on-ssd it is only a cache."""
    if engine.has_md_on_ssd or engine.scm_tier is None:
        return
    scm = engine.scm_tier
    have = (scm.scm_size or 0) * GIB or sum(
        (block.size_bytes or 0) for d in scm.scm_list if (block := host.blocks.get(d))
    )
    ssds = sum(
        block.size_bytes or 0
        for tier in engine.bdev_tiers
        for device in tier.devices
        for path in (host.nvme[device].namespaces if device in host.nvme else (device,))
        if (block := host.blocks.get(path))
    )
    if have and ssds and have < SCM_SHARE * ssds:
        yield _warning(
            name,
            f"engines[{number}].storage[0]",
            f"{have / GIB:.0f} GiB",
            f"should be at least {SCM_SHARE:.0%} of the SSDs, {SCM_SHARE * ssds / GIB:.0f} GiB:"
            " metadata fills it first",
        )


def _debug(name: str, number: int, engine: Engine) -> Iterator[Problem]:
    """Warn of debug messages, which "account for a majority" (docs/admin/troubleshooting.md)."""
    for key, mask in (("log_mask", engine.log_mask), ("env_vars", engine.env("D_LOG_MASK"))):
        everything = (mask or "").partition(",")[0].upper()
        if everything in ("DEBUG", "DBUG"):
            yield _warning(
                name,
                f"engines[{number}].{key}",
                mask if key == "log_mask" else f"D_LOG_MASK={mask}",
                "should be INFO, or DEBUG for some subsystems as in INFO,RPC=DEBUG: writing all"
                " debug messages takes time from every operation, and fills the disk of the log",
            )


def _timeout(name: str, number: int, engine: Engine) -> Iterator[Problem]:
    """Warn of a timeout that the engine alone has: clients get the server's `crt_timeout`."""
    if (timeout := engine.env("CRT_TIMEOUT")) is not None:
        yield _warning(
            name,
            f"engines[{number}].env_vars",
            f"CRT_TIMEOUT={timeout}",
            "should be left out: clients get the server's crt_timeout, not this one. Set"
            " crt_timeout in daos_server_settings",
        )


RESERVE_GIB, LARGE_MIB = 16, 128 * 1024
"""The default of `system_ram_reserved` in DAOS 2.4, which 2.6 and 2.8 have raised; and own choice:
memory of a host that is no trial."""


def _reserve(name: str, host: Host) -> Iterator[Problem]:
    """Warn of a large host with little memory for all but DAOS.

    Pools of 100% were killed for lack of memory with 16 GiB (daos-stack/daos, pull request 15334).
    """
    reserved = host.server.system_ram_reserved
    has_ram = any(engine.ram_tier is not None for engine in host.engines)
    if reserved is None or not has_ram or host.memory.total_mib <= LARGE_MIB:
        return
    if reserved < RESERVE_GIB:
        yield _warning(
            name,
            "server.system_ram_reserved",
            f"{reserved} GiB",
            f"should be at least {RESERVE_GIB} GiB on a host of this size, or left out: with a full"
            " tmpfs the kernel would end engines for lack of memory",
        )


def _numbers_of_ssds(name: str, host: Host) -> Iterator[Problem]:
    """Warn of different numbers of SSDs; DAOS only logs them (`FaultConfigBdevCountMismatch`)."""
    devices = [[d for t in e.bdev_tiers for d in t.devices] for e in host.engines]
    if any(device in host.vmd for listed in devices for device in listed):
        return
    numbers = list(map(len, devices))
    for number, ssds in enumerate(numbers):
        if ssds != numbers[0]:
            yield _warning(
                name,
                f"engines[{number}].storage",
                f"{ssds} SSDs",
                f"should have {numbers[0]}, as engines[0] has: the smaller engine limits a pool",
            )
