"""Ask DAOS's agent of this host how a client reaches the system, and compare with the description.

Usage: attach.py SYSTEM PROVIDER HOST=INTERFACE/NODE[/INTERFACE/NODE...] [HOST=...] -- DAOS...

DAOS is the command line of `daos -j system query`. A job runs this on each client without `assay`,
so it uses only the standard library of Python 3.9. The agent's answer is the one that every client
gets: `daos_agent dump-attachinfo` would ask the servers instead, with the agent's own certificate,
and `net-scan` the hardware. `daos` prints system and provider; DAOS's library logs the interface at
level INFO. A host with interfaces on several NUMA nodes is asked on each of them.

It prints one line for the host: `as described: ...`, or `wrong: ` and a sentence.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import typing

LIMIT_S = 30
"""Time limit of an answer, in seconds (own choice); without servers, DAOS tries for longer."""

NODES = os.environ.get("ASSAY_NODES", "/sys/devices/system/node")

INTERFACE = re.compile(r"Network interface: ([^,\s]+), Domain: ")
"""In `dc_mgmt_net_cfg_init` of src/mgmt/cli_mgmt.c, from DAOS 2.4 to 2.8; recorded from 2.8."""


class WrongError(Exception):
    """The agent does not give what is described; the message is a sentence."""


def cores(node: int) -> "set[int]":
    """The cores of a NUMA node on which this process may run."""
    try:
        with open(f"{NODES}/node{node}/cpulist", encoding="ascii") as file:
            ranges = [part.partition("-") for part in file.read().strip().split(",") if part]
    except FileNotFoundError:
        raise WrongError(
            f"runs on a host without NUMA node {node}, which the description has"
        ) from None
    listed = {core for low, _, high in ranges for core in range(int(low), int(high or low) + 1)}
    return listed & os.sched_getaffinity(0)


def ask(command: "list[str]", on: "set[int]") -> "tuple[dict[str, typing.Any], str]":
    """The agent's answer, and the interface in the library's log; empty if it has none."""
    with tempfile.TemporaryDirectory() as directory:
        log = os.path.join(directory, "log")
        logging = {"D_LOG_FILE": log, "D_LOG_MASK": "INFO", "D_LOG_FLUSH": "INFO"}
        try:
            answer = subprocess.run(
                command,
                env={**os.environ, **logging},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=LIMIT_S,
                check=False,
                preexec_fn=(lambda: os.sched_setaffinity(0, on)) if on else None,
            )
        except subprocess.TimeoutExpired:
            raise WrongError(f"does not answer within {LIMIT_S} s") from None
        except OSError as error:
            raise WrongError(f"cannot be asked: {error}") from None
        logged = ""
        if os.path.exists(log):
            with open(log, encoding="utf-8", errors="replace") as file:
                logged = file.read()
    try:
        document = json.loads(answer.stdout[answer.stdout.index("{") :])
    except ValueError:
        reason = " ".join((answer.stderr or answer.stdout).split())[-300:]
        raise WrongError(f"does not answer: {reason or 'daos printed nothing'}") from None
    if document.get("error") or not document.get("response"):
        raise WrongError(f"does not answer: {document.get('error') or 'daos gave no response'}")
    given = INTERFACE.findall(logged)
    return document["response"], given[-1] if given else ""


def transports(provider: str) -> "set[str]":
    """What a provider crosses the network with; `daos_server` adds `;ofi_rxm` by itself."""
    if provider.startswith("ucx+"):
        return {"ucx"}
    return {part.strip().partition(";")[0] for part in provider.split(",")}


def check(system: str, provider: str, described: "dict[str, str]", command: "list[str]") -> str:
    """What the agent gives, in words.

    Args:
        system: the name of the system.
        provider: its provider; several have commas between them.
        described: each interface of this host, with its NUMA node, which may be empty.
        command: the command line of `daos`.

    Raises:
        WrongError: it is not what is described.
    """
    nodes = sorted({int(node) for node in described.values() if node})
    given = []
    for node in nodes if len(nodes) > 1 else [None]:
        on = set() if node is None else cores(node)
        if node is not None and not on:
            continue
        answer, interface = ask(command, on)
        if answer.get("system_name") != system:
            raise WrongError(f"is of the system {answer.get('system_name')}, not {system}")
        if not transports(str(answer.get("fabric_provider"))) & transports(provider):
            raise WrongError(f"gives the provider {answer.get('fabric_provider')}, not {provider}")
        near = [
            name for name, numa_node in described.items() if node is None or numa_node == str(node)
        ]
        place = "" if node is None else f" to a process on NUMA node {node}"
        if interface and interface not in near:
            raise WrongError(f"gives the interface {interface}{place}, not {' or '.join(near)}")
        given.append(interface or "an interface that it does not name")
    if not given:
        raise WrongError("cannot be asked: the job has no core on any NUMA node with an interface")
    return ", ".join(dict.fromkeys(given))


def main(system: str, provider: str, *words: str) -> None:
    """Print the line for this host."""
    at = words.index("--")
    host = os.environ.get("SLURMD_NODENAME") or words[0].partition("=")[0]
    expected = dict(word.partition("=")[::2] for word in words[:at])
    pairs = expected.get(host, "").split("/")
    described = {pairs[n]: pairs[n + 1] for n in range(0, len(pairs) - 1, 2)}
    try:
        if not described:
            raise WrongError("has no interface in the description that it could give")
        given = check(system, provider, described, list(words[at + 1 :]))
        print(f"as described: {host}: {given}")
    except WrongError as problem:
        print(f"wrong: daos_agent of {host} {problem}")


if __name__ == "__main__":
    main(*sys.argv[1:])
