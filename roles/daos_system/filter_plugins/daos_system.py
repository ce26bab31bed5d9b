"""Read what dmg and daos say, and compare it with the inventory.

Their exit codes lie: `dmg system query` exits 0 with dead ranks. So all is read from their JSON,
which is the same in DAOS 2.4, 2.6 and 2.8 for what is read here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Result = Mapping[str, Any]
"""What `ansible.builtin.command` returns of one run of dmg or daos."""

UNINITIALIZED = "system is uninitialized"
"""What the management service says while none of its hosts is formatted."""

SIZE = re.compile(r"^(\d+(?:\.\d+)?) ?([KMGT]?)(I?)B?$", re.IGNORECASE)
"""A size as dmg and daos take it: KB is 1000 bytes, KiB is 1024, in any case."""

POOL_SIZE = re.compile(r"^(\d+(\.\d+)?(kB|KiB|[MGT]i?B)|[1-9]\d?%|100%)$")
"""A pool's size in the inventory: its unit is never left open."""

LABEL = re.compile(r"^[A-Za-z0-9._:-]{1,127}$")
"""A label that DAOS takes."""

SIZE_TOLERANCE = 0.05
"""By how much a pool's size may differ from the asked one: DAOS rounds what each target takes."""


def answer(result: Result) -> dict[str, Any]:
    """What a run answered, whatever its exit code.

    Returns:
        `response` as the program has it, empty if there is none; `error`, a sentence, empty if all
        is well; `uninitialized`, whether the system waits for its first format.
    """
    text = result.get("stdout") or ""
    # The client library writes its log to the same place, before the JSON.
    start = re.search(r"^\{", text, re.MULTILINE)
    try:
        document = json.JSONDecoder().raw_decode(text[start.start() :])[0] if start else None
    except ValueError:
        document = None
    if document is None:
        return {"response": {}, "error": _silence(result), "uninitialized": False}
    error = _error(document)
    return {
        "response": document.get("response") or {},
        "error": error,
        "uninitialized": UNINITIALIZED in error,
    }


def _silence(result: Result) -> str:
    """Why a program printed no JSON."""
    if result.get("rc") in (124, 137):  # those of timeout(1)
        return "no answer in time"
    said = result.get("stderr") or result.get("stdout") or result.get("msg") or "no answer"
    return str(said).strip().splitlines()[-1]


def _error(document: Mapping[str, Any]) -> str:
    """Of each host where there are several, since the error as a whole only counts them."""
    response = document.get("response")
    of_hosts = response.get("host_errors") if isinstance(response, dict) else None
    if of_hosts:
        return "; ".join(f"{hosts}: {error}" for error, hosts in of_hosts.items())
    if document.get("error"):
        return str(document["error"])
    return f"status {document['status']}" if document.get("status") else ""


def server(host: Mapping[str, Any]) -> dict[str, Any]:
    """A host of the group daos_server, as its ranks are found and its superblocks looked for.

    Args:
        host: its variables and facts.

    Returns:
        `name`; `addresses` and `names` by which the system may know it; `engines`, each with its
        fabric `port`, `log`, `superblock` and `persistent` (whether that outlives a reboot).
    """
    facts = host["ansible_facts"]
    metadata = (host.get("daos_server_control_metadata") or {}).get("path")
    return {
        "name": str(host["inventory_hostname"]),
        "addresses": [*facts["all_ipv4_addresses"], *facts["all_ipv6_addresses"]],
        "names": [str(host["inventory_hostname"]), facts["nodename"], facts["hostname"]],
        "engines": [
            _engine(index, engine, metadata)
            for index, engine in enumerate(host.get("daos_server_engines") or [])
        ],
    }


def _engine(index: int, engine: Mapping[str, Any], metadata: str | None) -> dict[str, Any]:
    scm: Mapping[str, Any] = next(
        (tier for tier in engine.get("storage", []) if tier.get("class") in ("ram", "dcpm")), {}
    )
    directory = f"{metadata}/daos_control/engine{index}" if metadata else scm.get("scm_mount", "")
    return {
        "port": engine.get("fabric_iface_port"),
        "log": engine.get("log_file", f"/var/log/daos/daos_server/daos_engine.{index}.log"),
        "superblock": f"{directory}/superblock",
        "persistent": bool(metadata) or scm.get("class") == "dcpm",
    }


def unformatted(
    servers: Iterable[dict[str, Any]], hosts: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """The engines without a superblock.

    Args:
        servers: as above.
        hosts: variables of the hosts; each server has looked for its superblocks.

    Returns:
        `host`; `engine`, a text with host, index and superblock; `persistent`, as above.
    """
    return [
        {
            "host": server["name"],
            "engine": f"{server['name']} engine {index} ({engine['superblock']})",
            "persistent": engine["persistent"],
        }
        for server in servers
        for index, engine in enumerate(server["engines"])
        if engine["superblock"]
        not in hosts[server["name"]]["__daos_system_superblocks"]["stdout_lines"]
    ]


def unjoined(query: Result, servers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The servers that have fewer joined ranks than engines, by `dmg system query`."""
    members = answer(query)["response"].get("members") or []
    return [server for server in servers if _lacks(server, members)]


def complaints(query: Result, servers: Sequence[dict[str, Any]]) -> list[str]:
    """What keeps the ranks from being joined, by `dmg system query`.

    Returns:
        A sentence each, with host, rank, state and log; none if every rank is joined.
    """
    said = answer(query)
    if said["error"]:
        return [f"dmg system query: {said['error']}"]
    members = said["response"].get("members") or []
    lacking = unjoined(query, servers)
    found = [sentence for server in lacking for sentence in _complaints_of(server, members)]
    strange = [member for member in members if not any(_is_of(member, s) for s in servers)]
    if lacking and strange:
        addresses = ", ".join(sorted({member["addr"] for member in strange}))
        found.append(f"ranks at {addresses} belong to no host of the group daos_server")
    return found


def _lacks(server: dict[str, Any], members: Iterable[dict[str, Any]]) -> bool:
    joined = [member for member in _ranks(server, members) if member["state"] == "joined"]
    return len(joined) < len(server["engines"])


def _complaints_of(server: dict[str, Any], members: Iterable[dict[str, Any]]) -> list[str]:
    ranks = _ranks(server, members)
    without_rank = [engine["log"] for engine in server["engines"]]
    said = []
    for member in ranks:
        log = _log(member, server)
        if log in without_rank:
            without_rank.remove(log)
        if member["state"] != "joined":
            why = f" ({member['info']})" if member.get("info") else ""
            where = log or " and ".join(engine["log"] for engine in server["engines"])
            state = f"rank {member['rank']} is {member['state']}{why}"
            said.append(f"{server['name']} {state}, see {where}")
    if len(ranks) < len(server["engines"]):
        said += [f"{server['name']} has an engine without rank, see {log}" for log in without_rank]
    return said


def _ranks(server: dict[str, Any], members: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [member for member in members if _is_of(member, server)]


def _is_of(member: dict[str, Any], server: dict[str, Any]) -> bool:
    """By its address, or the host in its fault domain, since the address may be a loopback's."""
    address = member["addr"].rpartition(":")[0].strip("[]")
    host = member.get("fault_domain", "").rpartition("/")[2]
    return address in server["addresses"] or host in server["names"]


def _log(member: dict[str, Any], server: dict[str, Any]) -> str | None:
    """The log of a rank's engine, by its port; None where the provider's addresses have none."""
    port = member.get("fabric_uri", "").rpartition(":")[2]
    logs = {str(engine["port"]): engine["log"] for engine in server["engines"]}
    return logs.get(port)


def pool_problems(pools: Iterable[Mapping[str, Any]]) -> list[str]:
    """What DAOS would not make of the inventory's pools and containers: a sentence each."""
    pools = list(pools)
    said = _label_problems("daos_system_pools", pools)
    for pool in pools:
        said += _label_problems(f"containers of {pool['name']}", pool.get("containers") or [])
        if not POOL_SIZE.match(str(pool["size"])):
            said.append(
                f"size of {pool['name']} is {pool['size']}; allowed are such as 2TB, 1.5TiB or 90%"
            )
    return said


def _label_problems(where: str, labelled: Sequence[Mapping[str, Any]]) -> list[str]:
    names = [str(item["name"]) for item in labelled]
    return [
        f"{where} has the name {name}; allowed are letters, digits and . _ : -, up to 127 of them"
        for name in names
        if not LABEL.match(name)
    ] + [
        f"{where} has the name {name} twice"
        for name in sorted({n for n in names if names.count(n) > 1})
    ]


def options(wanted: Mapping[str, Any], spelling: Mapping[str, str]) -> list[str]:
    """The options of a command, for what the inventory says of a pool or container.

    Args:
        wanted: the pool or the container; what it leaves open is left to DAOS.
        spelling: the option for each key that has one.
    """
    return [
        f"--{option}={_text(wanted[key])}"
        for key, option in spelling.items()
        if wanted.get(key) not in (None, "", {})
    ]


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{key}:{item}" for key, item in value.items())
    return str(value)


def failures(results: Iterable[Result]) -> list[str]:
    """The runs of a loop that failed: the name of the pool or container, and what was said."""
    answered = [(_name(result["item"]), answer(result)["error"]) for result in results]
    return [f"{name}: {error}" for name, error in answered if error]


def _name(item: Any) -> str:
    """Of a pool, or of a pair of a pool and a container."""
    return "/".join(part["name"] for part in ([item] if isinstance(item, Mapping) else item))


def pool_differences(queries: Iterable[Result], properties: Iterable[Result]) -> list[str]:
    """In what existing pools are not the wanted ones, which are the `item` of each run.

    A size in % is not compared: it was a share of what was free when the pool was made.

    Args:
        queries: `dmg pool query` of each.
        properties: `dmg pool get-prop` of each.
    """
    return [
        f"{query['item']['name']}: {difference}"
        for query, known in zip(queries, properties, strict=True)
        for difference in _pool_differences(query["item"], answer(query), answer(known))
    ]


def _pool_differences(
    wanted: Mapping[str, Any], pool: dict[str, Any], properties: dict[str, Any]
) -> list[str]:
    if pool["error"] or properties["error"]:
        return [pool["error"] or properties["error"]]
    said = []
    asked = _bytes(wanted["size"])
    total = sum(tier["total"] for tier in pool["response"]["tier_stats"])
    if asked is not None and abs(total - asked) > asked * SIZE_TOLERANCE:
        said.append(f"its size is {total} bytes, and {wanted['size']} is asked for")
    return said + _property_differences(wanted, properties["response"])


def containers_there(
    containers: Iterable[Sequence[Mapping[str, Any]]], lists: Iterable[Result]
) -> list[Sequence[Mapping[str, Any]]]:
    """Of pairs of a pool and a container, those that exist.

    Args:
        containers: pairs in the inventory.
        lists: `daos container list`, each with its pool as `item`.
    """
    there = {
        (result["item"]["name"], container["label"])
        for result in lists
        for container in answer(result)["response"] or []
    }
    return [pair for pair in containers if (pair[0]["name"], pair[1]["name"]) in there]


def container_differences(
    queries: Iterable[Result], properties: Iterable[Result], spelling: Mapping[str, str]
) -> list[str]:
    """In what existing containers are not the wanted ones.

    Args:
        queries: `daos container query` of each pair of a pool and a container, its `item`.
        properties: `daos container get-prop` of each.
        spelling: the name in the query's response of each key that it has.
    """
    return [
        f"{_name(query['item'])}: {difference}"
        for query, known in zip(queries, properties, strict=True)
        for difference in _container_differences(
            query["item"][1], answer(query), answer(known), spelling
        )
    ]


def _container_differences(
    wanted: Mapping[str, Any],
    container: dict[str, Any],
    properties: dict[str, Any],
    spelling: Mapping[str, str],
) -> list[str]:
    if container["error"] or properties["error"]:
        return [container["error"] or properties["error"]]
    found = container["response"]
    said = [
        f"its {key} is {found.get(name)}, and {wanted[key]} is asked for"
        for key, name in spelling.items()
        if wanted.get(key) not in (None, "") and not _same(wanted[key], found.get(name))
    ]
    return said + _property_differences(wanted, properties["response"])


def _property_differences(
    wanted: Mapping[str, Any], properties: Iterable[Mapping[str, Any]]
) -> list[str]:
    found = {entry["name"]: entry["value"] for entry in properties}
    return [
        f"its property {name} is {found.get(name, 'unknown to DAOS')}, and {value} is asked for"
        for name, value in (wanted.get("properties") or {}).items()
        if not _same(value, found.get(name))
    ]


def _same(wanted: Any, found: Any) -> bool:
    """Whether two spellings mean the same: 1MiB and 1048576, 1 and rd_fac1, 5% and 5."""
    return found is not None and _plain(wanted) == _plain(found)


def _plain(value: Any) -> int | list[str]:
    text = str(value).lower().removeprefix("rd_fac").removeprefix("rf").removesuffix("%")
    size = _bytes(text)
    return sorted(text.split(";")) if size is None else size


def _bytes(text: Any) -> int | None:
    """A size in bytes; None for what is none, such as 50%."""
    parts = SIZE.match(str(text))
    if parts is None:
        return None
    number, prefix, binary = parts.groups()
    base = 1024.0 if binary else 1000.0
    return round(float(number) * base ** ("KMGT".index(prefix.upper()) + 1 if prefix else 0))


class FilterModule:
    """The filters of the role daos_system."""

    def filters(self) -> dict[str, Any]:
        """Each by its name in templates."""
        return {
            "daos_system_answer": answer,
            "daos_system_server": server,
            "daos_system_unformatted": unformatted,
            "daos_system_unjoined": unjoined,
            "daos_system_complaints": complaints,
            "daos_system_pool_problems": pool_problems,
            "daos_system_options": options,
            "daos_system_failures": failures,
            "daos_system_pool_differences": pool_differences,
            "daos_system_containers_there": containers_there,
            "daos_system_container_differences": container_differences,
        }
