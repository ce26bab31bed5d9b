"""Found on hosts, and not in the description or otherwise there: what nobody would measure.

The preflight warns of it, and the report lists it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from assay.cluster.description import Host, Site, controller_of
from assay.cluster.few_rails import few_rails
from assay.cluster.few_targets import few_targets
from assay.cluster.hardware import Hardware, Ssd, shipped
from assay.cluster.idle_ports import idle_ports
from assay.cluster.ports import odd_ports
from assay.cluster.rails import leaves_rdma
from assay.cluster.slow_memory import slow_memory

_GTS = {f"{generation}.0": 2.0**generation for generation in (3, 4, 5)}
"""GT/s of a lane, by generation (PCI Express Base Specification)."""


class Undescribed(NamedTuple):
    """What was found, and what the description says instead."""

    host: str | None
    key: str
    value: str
    why: str
    is_sure: bool = True
    """Whether nothing that is described explains it; the preflight warns of this alone."""

    @property
    def kind(self) -> str:
        """Its key without what numbers it."""
        return self.key.partition("[")[0]

    @property
    def place(self) -> str:
        """Where it is described."""
        return f"{self.host}: {self.key}" if self.host else self.key

    def __str__(self) -> str:
        return f"{self.place}: {self.value}: {self.why}"


def undescribed(site: Site, hosts: Mapping[str, Host]) -> Iterator[Undescribed]:
    """Everything of this kind that the description of a site and its hosts shows."""
    for name, host in hosts.items():
        yield from _unused_ssds(name, host)
        yield from _other_models(site, name, host)
        yield from _other_links(site, name, host)
    yield from _other_sheets(site)
    yield from _no_end_to_end(site)
    yield from _without_group(site, hosts)
    yield from _fallen_back(site, hosts)
    yield from _without_rdma(site, hosts)
    for port in idle_ports(site, hosts):
        yield Undescribed(port.host, port.key, port.used, port.why)
    yield from (Undescribed(*each) for each in slow_memory(site, hosts))
    for client in few_rails(site, hosts):
        yield Undescribed(client.client, "agent", ", ".join(client.rails), client.why)
    for engine in few_targets(site, hosts):
        key = f"engines[{engine.engine}].targets"
        yield Undescribed(engine.host, key, str(engine.targets), engine.why)


def _unused_ssds(name: str, host: Host) -> Iterator[Undescribed]:
    """SSDs of servers that no engine has; not those with a file system or a scratch directory."""
    used = {device.lower() for device in host.engine_devices if not device.startswith("/")}
    # The kernel has other addresses for SSDs behind VMD than DAOS.
    if not used or any(host.vmd_of(device) or controller_of(device) for device in used):
        return
    nodes = {ssd.numa_node for address, ssd in host.nvme.items() if address.lower() in used}
    unused: dict[bool, list[str]] = {}
    for address, ssd in host.nvme.items():
        is_in_use = any(_is_in_use(host, each) for each in ssd.namespaces)
        if address.lower() not in used and not is_in_use:
            # A NUMA node may have no engine on purpose.
            beside = not nodes or ssd.numa_node is None or ssd.numa_node in nodes
            unused.setdefault(beside, []).append(
                f"{address} ({ssd.model})" if ssd.model else address
            )
    for beside, ssds in unused.items():
        why = "no engine has them in bdev_list: add them, or say in your acceptance why not"
        yield Undescribed(name, "nvme", ", ".join(ssds), why, beside)


def _is_in_use(host: Host, namespace: str) -> bool:
    if host.scratch and host.scratch.device.startswith(namespace):
        return True
    return any(
        path.startswith(namespace) and (block.mounts or (block.filesystem and not block.blobs))
        for path, block in host.blocks.items()
    )


def _other_models(site: Site, name: str, host: Host) -> Iterator[Undescribed]:
    """SSDs whose reported model has another sheet of ours than the one that is named."""
    named = host.datasheets.ssd
    sheet = site.sheets.ssd.get(named) if named else None
    for device in host.engine_devices:
        model = host.nvme[device].model if device in host.nvme else None
        ours = sheet_of(model)
        if sheet is None or model is None or ours == named:
            continue
        if any(part in model for part in sheet.models):
            continue  # the site's own sheet
        if ours is not None:
            differ = "; ".join(_differences(sheet, shipped().ssd[ours]))
            why = f"the host reports {model}, which is {ours}: {differ}" if differ else ""
        else:
            why = f"the host reports {model}, which is none of this sheet's" if sheet.models else ""
        if why:
            yield Undescribed(name, "datasheets.ssd", f"{named}", why)
            return


def sheet_of(model: str | None) -> str | None:
    """The name of the sheet in `hardware.yml` for the model name that an SSD reports."""
    if model is None:
        return None
    known = shipped().ssd.items()
    return next((name for name, s in known if any(part in model for part in s.models)), None)


def _other_sheets(site: Site) -> Iterator[Undescribed]:
    """The site's sheets that differ from ours for the same device."""
    for kind in Hardware.model_fields:
        ours = getattr(shipped(), kind)
        for name, sheet in getattr(site.hardware, kind).items():
            if name in ours and (differ := list(_differences(sheet, ours[name]))):
                yield Undescribed(None, f"hardware.{kind}", name, f"{'; '.join(differ)}")


def _differences(sheet: object, ours: object) -> Iterator[str]:
    for field in type(ours).model_fields:  # type: ignore[attr-defined]
        its, own = getattr(sheet, field), getattr(ours, field)
        if field not in ("source", "announced", "models") and its != own:
            yield f"{field} is {its or 'not given'}, and in hardware.yml {own or 'not given'}"


def _other_links(site: Site, name: str, host: Host) -> Iterator[Undescribed]:
    """Links that are described otherwise than the kernel says: ports, and slower slots of SSDs."""
    fabric = site.sheets.fabric.get(host.datasheets.fabric or "")
    for iface in dict.fromkeys((host.interface, *(e.fabric_iface for e in host.engines))):
        speed = host.interfaces[iface].speed_gbits if iface in host.interfaces else None
        # A port that has fallen back is judged by what the kernel reports.
        if fabric and speed and speed != fabric.bandwidth.to("Gbit/s").value:
            why = f"the kernel says {speed:g} Gbit/s of {iface}"
            yield Undescribed(name, "datasheets.fabric", f"{host.datasheets.fabric}", why)
            break
    sheet: Ssd | None = site.sheets.ssd.get(host.datasheets.ssd or "")
    generation, _, width = (sheet.pcie or "").partition(" x") if sheet else ("", "", "")
    for device in host.engine_devices:
        slot = host.setup.pcie.get(device)
        if slot and generation in _GTS and sheet:
            described = _GTS[generation] * int(width)
            if slot.card.gts * slot.card.lanes > described:
                why = f"the kernel says {slot.card} of {device}"
                yield Undescribed(name, "datasheets.ssd", f"PCIe {sheet.pcie}", why)
                return


_END_TO_END = ("ior", "io500", "fio_dfs", "fdb_hammer_daos")
"""The programs that move data; mdtest's files are empty or small."""


def _no_end_to_end(site: Site) -> Iterator[Undescribed]:
    """A system of DAOS that no described program measures end to end."""
    daos, programs = site.daos, site.benchmarks
    if daos is None or daos.perf_pool is not None:
        return
    if any(getattr(programs, name) is not None for name in _END_TO_END):
        return
    why = "no program is described that measures DAOS end to end, as users do"
    yield Undescribed(None, "benchmarks", ", ".join(_END_TO_END), why, daos.pool is not None)


def _without_group(site: Site, hosts: Mapping[str, Host]) -> Iterator[Undescribed]:
    """Hosts that are described, and of which nothing is measured."""
    measured = {site.controller, *site.clients, *site.servers}
    if site.daos is not None:
        measured.update((site.daos.admin, *site.daos.servers))
    for name in hosts:
        if name not in measured:
            why = "it is in neither clients nor servers, so nothing is measured of it"
            yield Undescribed(name, "hosts", name, why)


def _fallen_back(site: Site, hosts: Mapping[str, Host]) -> Iterator[Undescribed]:
    """Ports slower than the others in their network, of which the preflight warns by another rule.

    They are judged by the speed that they have.
    """
    for port in odd_ports(site, hosts):
        if port.speed_gbits < port.usual_gbits:
            why = f"most in {port.network} have {port.usual_gbits:g} Gbit/s"
            value = f"{port.interface} at {port.speed_gbits:g} Gbit/s"
            yield Undescribed(port.host, "interfaces", value, why, is_sure=False)


def _without_rdma(site: Site, hosts: Mapping[str, Host]) -> Iterator[Undescribed]:
    """Ports with RDMA that TCP leaves unused, of which the preflight warns by another rule.

    Floors of TCP are lower.
    """
    if not site.provider.startswith(("ofi+tcp", "ucx+tcp")):
        return
    for name, host in hosts.items():
        for engine in host.engines:
            interface = host.interfaces.get(engine.fabric_iface)
            if interface is not None and leaves_rdma(engine.fabric_iface, interface):
                why = f"{engine.fabric_iface} has an RDMA device, which it leaves unused"
                yield Undescribed(name, "provider", site.provider, why, is_sure=False)
                break
