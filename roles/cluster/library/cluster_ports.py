#!/usr/bin/python
"""Tries whether hosts reach each other's ports, with listeners that end by themselves."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import socket
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: cluster_ports
short_description: Try whether hosts reach each other's ports
description:
  - With O(listen), listens at ports of this host, in a process that ends by itself after
    O(lifetime) seconds. A port at which a daemon listens already is left to it.
  - With O(connect), connects to the services of other hosts, and to each address once with a
    payload and with datagrams as large as the MTU, so that routes, packet filters and MTU are tried
    together.
  - With O(stop), ends a listener.
options:
  listen:
    type: list
    elements: dict
    description: Services of this host, each with C(service), C(address), C(ports) and C(peers).
  lifetime:
    type: int
    default: 300
    description: Seconds after which the listener ends.
  connect:
    type: list
    elements: dict
    description: What the modules of all hosts returned for O(listen), each with its C(host).
  name:
    type: str
    default: ""
    description: The name of this host in the inventory.
  groups:
    type: list
    elements: str
    default: []
    description: The groups of this host; a service is tried from those in its C(peers).
  stop:
    type: dict
    description: The listener to end, as RV(listener).
author: the daos-assay founders
"""
EXAMPLES = r"""
- name: Listen at the port of daos_server
  cluster_ports:
    listen: [{service: daos_server, address: 192.0.2.1, ports: [10001], peers: [daos_agent]}]
"""
RETURN = r"""
failed_connections:
  description: The connections that failed, each with C(to), C(service), C(ports) and C(why).
  returned: with O(connect)
  type: list
listener:
  description: The process that listens, with the time of its start.
  returned: with O(listen)
  type: dict
services:
  description: The services at which something listens, and C(probe), the UDP port for datagrams.
  returned: with O(listen)
  type: list
"""

ANSWER_S = 3.0
"""Own choice: a packet that is lost is sent again after 1 s, and once more after 3 s."""

PAYLOAD = b"assay" * 2**16
"""Own choice: 320 KiB, more than the first window of a connection, so that full packets go."""

AT_ONCE = 256
"""Connections that are tried at once, below the usual limit of 1024 open files."""

_UDP_HEADERS = 28
_IP_MTU_DISCOVER, _IP_PMTUDISC_PROBE, _IP_MTU = 10, 3, 14  # <linux/in.h>


def listen(services: list[dict[str, Any]], lifetime_s: int) -> dict[str, Any]:
    """Listen in a process of its own, and return what is listened at."""
    streams: list[socket.socket] = []
    probes: dict[str, socket.socket] = {}
    found = []
    for service in services:
        address, ports = service["address"], []
        for port in service["ports"]:
            try:
                stream = socket.create_server((address, port), backlog=1024)
            except OSError:
                if is_listened_at(port):
                    ports.append(port)
                continue
            streams.append(stream)
            ports.append(stream.getsockname()[1])
        if not ports:
            continue
        if address not in probes:
            probes[address] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            probes[address].bind((address, 0))
        own = {stream.getsockname() for stream in streams}
        found.append(
            {
                **service,
                "ports": ports,
                "echoes": [port for port in ports if (address, port) in own],
                "probe": probes[address].getsockname()[1],
            }
        )
    sockets = [*streams, *probes.values()]
    pid = os.fork()
    if pid == 0:
        _serve_alone(streams, list(probes.values()), lifetime_s)
    for each in sockets:
        each.close()
    return {"services": found, "listener": {"pid": pid, "started": started(pid)}}


def is_listened_at(port: int) -> bool:
    """Whether a program of this host listens at a TCP port."""
    wanted = f":{port:04X}"
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[1].endswith(wanted) and fields[3] == "0A":
                    return True
    return False


def _serve_alone(
    streams: list[socket.socket], probes: list[socket.socket], lifetime_s: int
) -> None:
    """Become a process that holds nothing of the module's, and serve until the end."""
    status = 1
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        # Ansible's own descriptors would keep its connection open.
        held = {0, 1, 2, *(each.fileno() for each in (*streams, *probes))}
        for entry in os.listdir("/proc/self/fd"):
            if int(entry) not in held:
                with contextlib.suppress(OSError):
                    os.close(int(entry))
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.alarm(lifetime_s + 1)  # ends it even where the loop hangs
        asyncio.run(_serve(streams, probes, lifetime_s))
        status = 0
    finally:
        os._exit(status)


class _Echo(asyncio.DatagramProtocol):
    """Answers each datagram with its length."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: Any = transport

    def datagram_received(self, data: bytes, addr: Any) -> None:
        self._transport.sendto(str(len(data)).encode(), addr)


async def _serve(
    streams: Iterable[socket.socket], probes: Iterable[socket.socket], lifetime_s: int
) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(2**16):
                writer.write(data)
                await writer.drain()
        writer.close()

    for stream in streams:
        await asyncio.start_server(echo, sock=stream)
    for probe in probes:
        await asyncio.get_running_loop().create_datagram_endpoint(_Echo, sock=probe)
    await asyncio.sleep(lifetime_s)


def started(pid: int) -> str:
    """When a process started, in the kernel's ticks; empty if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def stop(listener: dict[str, Any]) -> None:
    """End a listener, and no other process that has its number by now."""
    if listener.get("started") and started(listener["pid"]) == listener["started"]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(listener["pid"], signal.SIGTERM)


async def connect(services: list[dict[str, Any]], name: str, groups: set[str]) -> list[Any]:
    """Connect to the services that this host needs, and return what failed."""
    needed = [s for s in services if s["host"] != name and groups & set(s["peers"])]
    gate = asyncio.Semaphore(AT_ONCE)

    async def tried(service: dict[str, Any]) -> list[dict[str, Any]]:
        whys = await asyncio.gather(
            *(_refusal(service["address"], port, gate) for port in service["ports"])
        )
        by_reason: dict[str, list[int]] = {}
        for port, why in zip(service["ports"], whys):
            if why:
                by_reason.setdefault(why, []).append(port)
        return [
            {"to": service["host"], "service": service["service"], "ports": ports, "why": why}
            for why, ports in by_reason.items()
        ]

    failed = [each for found in await asyncio.gather(*map(tried, needed)) for each in found]
    refused = {(each["to"], port) for each in failed for port in each["ports"]}
    payloads: dict[str, tuple[dict[str, Any], int]] = {}
    for service in needed:
        for port in service["echoes"]:
            if (service["host"], port) not in refused:
                payloads.setdefault(service["address"], (service, port))
    whole = await asyncio.gather(
        *(_loss(service, port, gate) for service, port in payloads.values())
    )
    return failed + [each for each in whole if each]


async def _refusal(address: str, port: int, gate: asyncio.Semaphore) -> str:
    """Why a connection fails; empty if it does not."""
    async with gate:
        try:
            _, writer = await asyncio.wait_for(asyncio.open_connection(address, port), ANSWER_S)
        except asyncio.TimeoutError:
            return "no answer"
        except ConnectionRefusedError:
            return "refused"
        except OSError as error:
            return os.strerror(error.errno).lower() if error.errno else str(error)
        writer.close()
        return ""


async def _loss(
    service: dict[str, Any], port: int, gate: asyncio.Semaphore
) -> dict[str, Any] | None:
    """What is lost on the way to an address that accepts connections; None if nothing is."""
    failed = {"to": service["host"], "service": service["service"], "ports": [port]}
    async with gate:
        try:
            await asyncio.wait_for(_exchange(service["address"], port), ANSWER_S)
        except (asyncio.TimeoutError, OSError, asyncio.IncompleteReadError):
            return {**failed, "why": f"no answer to {len(PAYLOAD) // 1024} KiB"}
        loop = asyncio.get_running_loop()
        mtu = await loop.run_in_executor(None, lost_datagrams, service["address"], service["probe"])
    return {**failed, "why": f"no answer to packets of {mtu} bytes, the MTU here"} if mtu else None


async def _exchange(address: str, port: int) -> None:
    reader, writer = await asyncio.open_connection(address, port)
    try:
        writer.write(PAYLOAD)
        await reader.readexactly(len(PAYLOAD))
    finally:
        writer.close()


def lost_datagrams(address: str, port: int) -> int | None:
    """The MTU here if datagrams that fill it get no answer while small ones do.

    Two hosts with another MTU agree on the smaller one for TCP, so that no connection shows it.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, _IP_PMTUDISC_PROBE)
        probe.connect((address, port))
        probe.settimeout(ANSWER_S / 6)
        mtu = probe.getsockopt(socket.IPPROTO_IP, _IP_MTU)
        if _is_answered(probe, 1) and not _is_answered(probe, mtu - _UDP_HEADERS):
            return mtu
    return None


def _is_answered(probe: socket.socket, size: int) -> bool:
    end = time.monotonic() + ANSWER_S / 2
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            probe.send(bytes(size))
            if probe.recv(64) == str(size).encode():
                return True
    return False


def main() -> None:
    """Run the module."""
    services = {"type": "list", "elements": "dict"}
    module = AnsibleModule(
        {
            "listen": services,
            "lifetime": {"type": "int", "default": 300},
            "connect": services,
            "name": {"type": "str", "default": ""},
            "groups": {"type": "list", "elements": "str", "default": []},
            "stop": {"type": "dict"},
        },
        mutually_exclusive=[["listen", "connect", "stop"]],
        required_one_of=[["listen", "connect", "stop"]],
    )
    params = module.params
    if params["listen"] is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        module.exit_json(changed=False, **listen(params["listen"], params["lifetime"]))
    if params["stop"] is not None:
        stop(params["stop"])
        module.exit_json(changed=False)
    failed = asyncio.run(connect(params["connect"], params["name"], set(params["groups"])))
    module.exit_json(changed=False, failed_connections=failed)


if __name__ == "__main__":
    main()
