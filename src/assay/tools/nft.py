"""nft: whether a host's packet filter lets a peer reach a port.

firewalld and iptables also create nftables rules; only iptables-legacy does not. The module
`cluster_hardware` runs this on the hosts, so it may use only the standard library of Python 3.9.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

COMMAND = ("nft", "--json", "list", "ruleset")
FAMILIES = ("inet", "ip")


class Packet(NamedTuple):
    """The first packet of a TCP connection."""

    port: int
    source: str
    """The address of the peer."""
    interface: str
    """The interface at which it arrives."""


class Ruleset:
    """The rules that ``nft --json list ruleset`` printed.

    A rule that cannot be read counts as accepting the packet. So a packet that is reported as
    blocked is certainly blocked.
    """

    def __init__(self, printed: str) -> None:
        try:
            entries = json.loads(printed or "{}").get("nftables", [])
        except (ValueError, AttributeError):
            entries = []
        self._base: list[dict[str, Any]] = []
        self._rules: dict[tuple[str, str, str], list[list[Any]]] = {}
        self._sets: dict[tuple[str, str, str], Any] = {}
        for entry in entries if isinstance(entries, list) else []:
            if (chain := entry.get("chain")) and chain.get("hook") == "input":
                self._base.append(chain)
            elif rule := entry.get("rule"):
                key = (rule["family"], rule["table"], rule["chain"])
                self._rules.setdefault(key, []).append(rule.get("expr", []))
            for kind in ("set", "map"):
                if named := entry.get(kind):
                    key = (named["family"], named["table"], named["name"])
                    self._sets[key] = named.get("elem", [])
        self._base = [chain for chain in self._base if chain["family"] in FAMILIES]
        self._base.sort(key=lambda chain: _priority(chain.get("prio")))

    def blocks(self, packet: Packet) -> str | None:
        """The chain that drops or rejects a packet; None if the packet passes or may pass."""
        for chain in self._base:
            verdict = self._walk(chain["family"], chain["table"], chain["name"], packet, 0)
            if (verdict or chain.get("policy", "accept")) in ("drop", "reject"):
                return f"{chain['family']} {chain['table']} {chain['name']}"
        return None

    def _walk(self, family: str, table: str, chain: str, packet: Packet, depth: int) -> str:
        """The verdict of a chain; empty if it leaves the decision to its caller."""
        if depth > MOST_JUMPS:
            return "accept"
        for rule in self._rules.get((family, table, chain), []):
            for verdict, target in self._verdicts(family, table, rule, packet):
                if verdict == "return":
                    return ""
                if verdict in ("jump", "goto"):
                    decided = self._walk(family, table, target, packet, depth + 1)
                    if decided or verdict == "goto":
                        return decided
                elif verdict:
                    return verdict
        return ""

    def _verdicts(
        self, family: str, table: str, rule: list[Any], packet: Packet
    ) -> Iterator[tuple[str, str]]:
        is_sure = True
        if [each.get("xt", {}).get("name") for each in rule if _is_condition(each)] == [
            "conntrack"
        ]:
            return  # iptables' rule for connections that are established
        for statement in rule:
            kind = next(iter(statement), "") if isinstance(statement, dict) else ""
            body = (statement[kind] if kind else None) or {}
            if kind == "match":
                holds = self._holds(family, table, body, packet)
                if holds is False:
                    return
                is_sure = is_sure and holds is True
            elif kind == "vmap":
                yield from self._mapped(family, table, body, packet)
            elif kind in ("accept", "drop", "reject", "return", "jump", "goto"):
                if is_sure or kind == "accept":
                    yield kind, body.get("target", "")
            elif kind not in ("counter", "log", "comment"):
                is_sure = False

    def _mapped(
        self, family: str, table: str, vmap: dict[str, Any], packet: Packet
    ) -> Iterator[tuple[str, str]]:
        """The verdict of a verdict map, such as firewalld's from interfaces to zones."""
        data = self._elements(family, table, vmap["data"])
        for key, verdict in (pair for pair in data if isinstance(pair, list) and len(pair) == 2):
            if self._equals(family, table, vmap["key"], key, packet):
                kind = next(iter(verdict))
                yield kind, (verdict[kind] or {}).get("target", "")
                return

    def _holds(self, family: str, table: str, match: dict[str, Any], packet: Packet) -> bool | None:
        equal = self._equals(family, table, match["left"], match["right"], packet)
        return equal if equal is None or match["op"] != "!=" else not equal

    def _equals(
        self, family: str, table: str, left: Any, right: Any, packet: Packet
    ) -> bool | None:
        known = {
            ("payload", "dport"): packet.port,
            ("payload", "saddr"): packet.source,
            ("meta", "iifname"): packet.interface,
            ("meta", "iif"): packet.interface,
            ("meta", "l4proto"): "tcp",
            ("meta", "nfproto"): "ipv4",
            ("meta", "protocol"): "ip",
            ("ct", "state"): "new",
            ("ct", "status"): "none",  # not translated
        }
        kind = next(iter(left), "") if isinstance(left, dict) else ""
        selector = left[kind] if kind else {}
        if kind == "payload" and selector.get("protocol") not in ("tcp", "ip", "th"):
            return False  # of UDP, ICMP or IPv6
        value = known.get((kind, str(selector.get("field") or selector.get("key"))))
        if value is None:
            return None
        return any(_is_in(value, each) for each in self._elements(family, table, right))

    def _elements(self, family: str, table: str, right: Any) -> list[Any]:
        if isinstance(right, str) and right.startswith("@"):
            right = self._sets.get((family, table, right[1:]), [])
        if isinstance(right, dict) and "set" in right:
            right = right["set"]
        return right if isinstance(right, list) else [right]


MOST_JUMPS = 16
"""Maximum depth of calls between chains in the kernel (NFT_JUMP_STACK_SIZE)."""


def _is_condition(statement: Any) -> bool:
    return isinstance(statement, dict) and bool({"match", "xt"} & statement.keys())


def _priority(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _is_in(value: Any, element: Any) -> bool:
    if isinstance(element, dict) and "elem" in element:
        element = element["elem"].get("val")
    if isinstance(element, dict) and "range" in element:
        first, last = element["range"]
        return isinstance(value, int) and isinstance(first, int) and first <= value <= last
    if isinstance(element, dict) and "prefix" in element:
        network = f"{element['prefix']['addr']}/{element['prefix']['len']}"
        return _address_in(value, network)
    if isinstance(element, str) and element.endswith("*"):
        return str(value).startswith(element[:-1])
    return bool(value == element)


def _address_in(address: Any, network: str) -> bool:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
