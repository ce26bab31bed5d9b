"""nft: whether a host's packet filter lets a peer reach a port.

firewalld and iptables also create nftables rules; only iptables-legacy does not. The module
`cluster_hardware` runs this on the hosts, so it may use only the standard library of Python 3.9.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

COMMAND = ("nft", "--json", "list", "ruleset")
FAMILIES = ("inet", "ip", "netdev")


class Packet(NamedTuple):
    """The first packet of a TCP connection."""

    port: int
    source: str
    """The address of the peer."""
    interface: str
    """The interface at which it arrives."""


class Passage(NamedTuple):
    """What becomes of a packet. It passes if both are None."""

    blocked: str | None = None
    """The chain that certainly drops or rejects it, or the answer to it."""
    doubt: str | None = None
    """If the rules that can be read leave it open: a chain, and what of it cannot be judged."""


class Ruleset:
    """The rules that ``nft --json list ruleset`` printed."""

    def __init__(self, printed: str) -> None:
        self._is_read = True
        try:
            entries = json.loads(printed or '{"nftables": []}')["nftables"]
        except (ValueError, KeyError, TypeError):
            entries = None
        if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            self._is_read, entries = False, []
        self._base: list[dict[str, Any]] = []
        self._rules: dict[tuple[str, str, str], list[list[Any]]] = {}
        self._sets: dict[tuple[str, str, str], Any] = {}
        for entry in entries:
            if (chain := entry.get("chain")) and chain.get("hook") in _HOOKS:
                self._base.append(chain)
            elif rule := entry.get("rule"):
                key = (rule["family"], rule["table"], rule["chain"])
                self._rules.setdefault(key, []).append(rule.get("expr", []))
            for kind in ("set", "map"):
                if named := entry.get(kind):
                    key = (named["family"], named["table"], named["name"])
                    self._sets[key] = named.get("elem", [])
        self._base = [chain for chain in self._base if chain["family"] in FAMILIES]
        self._base.sort(key=lambda chain: _HOOKS.index(chain["hook"]))

    def judge(self, packet: Packet) -> Passage:
        """Whether a packet and the answer to it certainly pass, certainly do not, or may not."""
        if self._is_read:
            try:
                return self._judged(packet)
            except (AttributeError, IndexError, KeyError, TypeError, ValueError):
                pass  # in another form than any release of nft that was tried
        return Passage(doubt="the output of nft cannot be read")

    def _judged(self, packet: Packet) -> Passage:
        first_doubt = None
        for chain in self._base:
            if chain.get("dev", packet.interface) not in (packet.interface, [packet.interface]):
                continue
            known = _answer(packet) if chain["hook"] == "output" else _arriving(packet)
            walk = _Walk(chain["family"], chain["table"], self._rules, self._sets, known)
            outcomes = walk.outcomes(chain["name"])
            if "" in outcomes:
                outcomes = outcomes - {""} | {chain.get("policy") or "accept"}
            name = f"{chain['family']} {chain['table']} {chain['name']}"
            if "accept" not in outcomes:
                return Passage(blocked=name)
            if outcomes != {"accept"} and first_doubt is None:
                first_doubt = f"{name}: {', '.join(walk.doubts)}"
        return Passage(doubt=first_doubt)


_HOOKS = ("ingress", "prerouting", "input", "output")
"""Where a packet to the host itself is filtered, and the answer to it, in their order."""

_Known = Mapping[tuple[str, str], object]
"""What is known of a packet, by kind and field of nft's expressions."""


def _of_both(packet: Packet) -> dict[tuple[str, str], object]:
    return {
        ("meta", "l4proto"): "tcp",
        ("meta", "nfproto"): "ipv4",
        ("meta", "protocol"): "ip",
        ("payload", "protocol"): "tcp",
        ("meta", "pkttype"): "host",
        ("ct", "status"): "none",  # not translated
        ("fib", "type daddr"): "local",
    }


def _arriving(packet: Packet) -> _Known:
    return {
        **_of_both(packet),
        ("payload", "dport"): packet.port,
        ("payload", "saddr"): packet.source,
        ("payload", "flags"): {"syn"},
        ("meta", "iifname"): packet.interface,
        ("meta", "iif"): packet.interface,
        ("ct", "state"): "new",
        ("ct", "direction"): "original",
    }


def _answer(packet: Packet) -> _Known:
    known = _of_both(packet)
    del known["fib", "type daddr"]
    return {
        **known,
        ("payload", "sport"): packet.port,
        ("payload", "daddr"): packet.source,
        ("payload", "flags"): {"syn", "ack"},
        ("meta", "oifname"): packet.interface,
        ("meta", "oif"): packet.interface,
        ("ct", "state"): "established",
        ("ct", "direction"): "reply",
    }


class _Walk:
    """One packet's way through the chains of a table; `doubts` are what could not be judged."""

    def __init__(
        self,
        family: str,
        table: str,
        rules: Mapping[tuple[str, str, str], list[list[Any]]],
        sets: Mapping[tuple[str, str, str], Any],
        known: _Known,
    ) -> None:
        self._family, self._table, self._rules, self._sets = family, table, rules, sets
        self._known = known
        self.doubts: list[str] = []

    def outcomes(self, chain: str, depth: int = 0) -> set[str]:
        """The possible verdicts of a chain; an empty one leaves the decision to its caller."""
        possible: set[str] = set()
        if depth > MOST_JUMPS:
            return {"accept"}
        for rule in self._rules.get((self._family, self._table, chain), []):
            for verdict, target, doubt in self._verdicts(rule):
                goes_on = False
                if verdict == "return":
                    reached = {""}
                elif verdict in ("jump", "goto"):
                    reached = self.outcomes(target, depth + 1)
                    if verdict == "jump" and "" in reached:
                        reached, goes_on = reached - {""}, True
                else:
                    reached = {verdict}
                possible |= reached
                if doubt and doubt not in self.doubts:
                    self.doubts.append(doubt)
                if not doubt and not goes_on:
                    return possible
        return possible | {""}

    def _verdicts(self, rule: list[Any]) -> Iterator[tuple[str, str, str]]:
        """The verdicts of a rule, each with its target, and what about it is in doubt."""
        doubt = ""
        if [each["xt"].get("name") for each in rule if _is_extension(each)] == ["conntrack"] and (
            not any("match" in each for each in rule)
        ):
            return  # iptables' rule for connections that are established, or invalid
        for statement in rule:
            kind = next(iter(statement), "") if isinstance(statement, dict) else str(statement)
            body = (statement[kind] if isinstance(statement, dict) and kind else None) or {}
            if kind == "match":
                holds = self._holds(body)
                if holds is False:
                    return
                if holds is None:
                    doubt = doubt or _named(body["left"])
            elif kind == "vmap":
                yield from self._mapped(body, doubt)
            elif kind in ("accept", "drop", "reject", "return", "jump", "goto"):
                yield kind, str(body.get("target", "")), doubt
            elif kind in _ELSEWHERE:
                yield "drop", "", doubt or kind
            elif kind == "xt" and body.get("type") == "target" and body.get("name") == "REJECT":
                yield "reject", "", doubt
            elif not (kind in _ASIDE or (kind == "xt" and body.get("name") in _ASIDE_EXTENSIONS)):
                doubt = doubt or (f"xt {body.get('name')}" if kind == "xt" else kind)

    def _mapped(self, vmap: Mapping[str, Any], doubt: str) -> Iterator[tuple[str, str, str]]:
        """The verdicts of a verdict map, such as firewalld's from interfaces to zones."""
        for pair in self._elements(vmap["data"]):
            if not (isinstance(pair, list) and len(pair) == 2):
                continue
            equal = self._equals(vmap["key"], pair[0])
            if equal is False:
                continue
            kind = next(iter(pair[1]))
            yield (
                kind,
                str((pair[1][kind] or {}).get("target", "")),
                doubt or ("" if equal else _named(vmap["key"])),
            )
            if equal:
                return

    def _holds(self, match: Mapping[str, Any]) -> bool | None:
        operator = match["op"]
        if operator in ("<", ">", "<=", ">="):
            value, limit = self._value(match["left"]), match["right"]
            if not isinstance(value, int) or not isinstance(limit, int):
                return None
            return {
                "<": value < limit,
                ">": value > limit,
                "<=": value <= limit,
                ">=": value >= limit,
            }[operator]
        equal = self._equals(match["left"], match["right"], is_overlap=operator == "in")
        return equal if equal is None or operator != "!=" else not equal

    def _equals(self, left: Any, right: Any, is_overlap: bool = False) -> bool | None:
        if _of_another_protocol(left):
            return False
        if isinstance(left, dict) and "concat" in left:
            return _any(self._all_equal(left["concat"], each) for each in self._elements(right))
        value = self._value(left)
        if value is None:
            return None
        if isinstance(value, set):
            wanted = _flags(right)
            return bool(value & wanted) if is_overlap else value == wanted
        return _any(_is_in(value, each) for each in self._elements(right))

    def _all_equal(self, parts: list[Any], element: Any) -> bool | None:
        """Whether each part of a concatenation is equal to that of an element."""
        element = element.get("elem", {}).get("val", element) if _is_wrapped(element) else element
        values = element.get("concat") if isinstance(element, dict) else None
        if not isinstance(values, list) or len(values) != len(parts):
            return None
        return _all(map(self._equals, parts, values))

    def _value(self, left: Any) -> Any:
        """What is known of the packet where an expression looks; None if nothing is."""
        kind = next(iter(left), "") if isinstance(left, dict) else ""
        if kind == "&":
            value, mask = self._value(left[kind][0]), left[kind][1]
            return value & _flags(mask) if isinstance(value, set) else None
        selector = left[kind] if kind else {}
        if not isinstance(selector, dict):
            return None
        if kind == "fib":
            flags = selector.get("flags", [])
            flags = [flags] if isinstance(flags, str) else flags
            return self._known.get((kind, " ".join([str(selector.get("result")), *flags])))
        return self._known.get((kind, str(selector.get("field") or selector.get("key"))))

    def _elements(self, right: Any) -> list[Any]:
        if isinstance(right, str) and right.startswith("@"):
            right = self._sets.get((self._family, self._table, right[1:]), [])
        if isinstance(right, dict) and "set" in right:
            right = right["set"]
        return right if isinstance(right, list) else [right]


MOST_JUMPS = 16
"""Maximum depth of calls between chains in the kernel (NFT_JUMP_STACK_SIZE)."""

_ASIDE = frozenset(
    {"counter", "log", "comment", "mangle", "notrack", "set", "last", "secmark", "ct helper"}
)
"""Statements that decide nothing."""

_ASIDE_EXTENSIONS = frozenset({"comment", "LOG", "NFLOG", "MARK", "CONNMARK", "CT", "TCPMSS"})
"""Extensions of iptables that decide nothing."""

_ELSEWHERE = frozenset({"queue", "redirect", "dnat", "tproxy", "synproxy", "fwd"})
"""Statements after which another port, host or program has the packet, so that it is lost."""

_OTHERS = frozenset({"udp", "udplite", "icmp", "icmpv6", "igmp", "sctp", "dccp", "ip6", "arp"})
"""Protocols that the packet is not of."""


def _is_extension(statement: Any) -> bool:
    """Whether a statement is a condition of iptables, of which nft prints the name alone."""
    body = statement.get("xt") if isinstance(statement, dict) else None
    return isinstance(body, dict) and body.get("type") == "match" and body["name"] != "comment"


def _of_another_protocol(left: Any) -> bool:
    selector = left.get("payload") if isinstance(left, dict) else None
    return isinstance(selector, dict) and selector.get("protocol") in _OTHERS


def _named(left: Any) -> str:
    """An expression in words: `ip daddr`, `meta mark`, `limit`."""
    kind = next(iter(left), "") if isinstance(left, dict) else ""
    selector = left[kind] if kind else left
    if kind in ("&", "concat") and selector:
        return _named(selector[0])
    if not isinstance(selector, dict):
        return kind or "an expression"
    words = [
        str(selector[key]) for key in ("protocol", "field", "key", "result") if key in selector
    ]
    return " ".join(words if kind == "payload" and words else [kind, *words])


def _any(answers: Iterator[bool | None]) -> bool | None:
    known = list(answers)
    return True if True in known else None if None in known else False


def _all(answers: Iterator[bool | None]) -> bool | None:
    known = list(answers)
    return False if False in known else None if None in known else True


def _flags(written: Any) -> set[str]:
    """TCP flags, as a name, a list, or names that are joined by `|`."""
    if isinstance(written, dict):
        written = written.get("|") or written.get("set") or []
    if isinstance(written, list):
        return {flag for part in written for flag in _flags(part)}
    return {str(written)}


def _is_wrapped(element: Any) -> bool:
    return isinstance(element, dict) and isinstance(element.get("elem"), dict)


def _is_in(value: Any, element: Any) -> bool | None:
    if _is_wrapped(element):
        element = element["elem"].get("val")
    if isinstance(element, dict) and "range" in element:
        first, last = element["range"]
        if isinstance(value, int) and isinstance(first, int):
            return bool(first <= value <= last)
        try:
            ends = ipaddress.ip_address(first), ipaddress.ip_address(last)
            return bool(ends[0] <= ipaddress.ip_address(value) <= ends[1])  # type: ignore[operator]
        except (TypeError, ValueError):
            return None
    if isinstance(element, dict) and "prefix" in element:
        return _address_in(value, f"{element['prefix']['addr']}/{element['prefix']['len']}")
    if isinstance(element, dict):
        return None
    if isinstance(element, str) and element.endswith("*"):
        return str(value).startswith(element[:-1])
    return bool(value == element)


def _address_in(address: Any, network: str) -> bool:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(network, strict=False)
    except ValueError:
        return False
