"""Whether a packet filter lets a peer in."""

import json
from pathlib import Path
from typing import Any

import pytest

from assay.tools.host.nft import Packet, Passage, Ruleset

RECORDED = Path(__file__).parents[1] / "recorded" / "nft"


def ruleset(name: str) -> Ruleset:
    return Ruleset((RECORDED / f"{name}.json").read_text())


@pytest.mark.parametrize(
    ("name", "packet", "blocked"),
    [
        ("workstation", Packet(10001, "192.0.2.9", "eth0"), None),
        ("workstation", Packet(10001, "198.51.100.7", "eth0"), None),
        ("workstation", Packet(10001, "198.51.100.8", "eth0"), "inet filter input"),
        ("workstation", Packet(31337, "198.51.100.8", "ib0"), None),
        ("workstation", Packet(31337, "198.51.100.8", "eth0"), "inet filter input"),
        ("workstation", Packet(31401, "198.51.100.8", "ib0"), "inet filter input"),
        ("workstation", Packet(31401, "127.0.0.1", "lo"), None),
        ("zones", Packet(10001, "192.0.2.9", "ib0"), None),
        ("zones", Packet(10001, "192.0.2.9", "eth0"), "inet firewalld filter_INPUT"),
        ("zones", Packet(10001, "192.0.2.9", "eth1"), "inet firewalld filter_INPUT"),
        ("zones", Packet(22, "192.0.2.9", "eth0"), None),
        ("iptables", Packet(22, "192.0.2.9", "eth0"), None),
        ("open", Packet(10001, "192.0.2.9", "eth0"), None),
    ],
)
def test_a_port_is_open_or_a_chain_closes_it(
    name: str, packet: Packet, blocked: str | None
) -> None:
    assert ruleset(name).judge(packet) == (blocked, None)


REACHED = json.loads((RECORDED / "reached.json").read_text())


@pytest.mark.parametrize("case", REACHED)
def test_what_is_certain_of_a_ruleset_is_what_a_connection_found(case: str) -> None:
    """Each ruleset was loaded, and a peer tried to connect."""
    blocked, doubt = reached(case)
    assert doubt or (blocked is None) == REACHED[case]["reached"]


@pytest.mark.parametrize(
    ("case", "doubt"),
    [
        ("another destination", "inet filter input: ip daddr"),
        ("over a limit", "inet filter input: limit"),
        ("redirect", "ip nat pre: redirect"),
        ("interface kind", "inet filter input: meta iifkind"),
        ("reverse path", "inet filter input: fib oif"),
        ("iptables: new", "ip filter INPUT: xt conntrack"),
        ("iptables: multiport of others", "ip filter INPUT: xt multiport"),
    ],
)
def test_what_cannot_be_judged_is_named(case: str, doubt: str) -> None:
    assert reached(case) == (None, doubt)


def test_most_rulesets_are_certain() -> None:
    assert sum(reached(case).doubt is None for case in REACHED) == 46


def reached(case: str) -> Passage:
    printed = json.dumps({"nftables": REACHED[case]["nftables"]})
    return Ruleset(printed).judge(Packet(10001, "192.0.2.9", "eth0"))


DPORT = {"payload": {"protocol": "tcp", "field": "dport"}}
SADDR = {"payload": {"protocol": "ip", "field": "saddr"}}
FLAGS = {"payload": {"protocol": "tcp", "field": "flags"}}
NAME = {"meta": {"key": "iifname"}}
MARK = {"meta": {"key": "mark"}}
BOTH = {"concat": [SADDR, DPORT]}


def dropped_where(left: Any, right: Any, op: str = "==") -> Passage:
    """What becomes of a packet to port 10001 from 192.0.2.9 on eth0, if one rule drops some."""
    chain = {"family": "inet", "table": "t", "name": "i", "hook": "input", "policy": "accept"}
    match = {"match": {"op": op, "left": left, "right": right}}
    rule = {"family": "inet", "table": "t", "chain": "i", "expr": [match, {"drop": None}]}
    printed = json.dumps({"nftables": [{"chain": chain}, {"rule": rule}]})
    return Ruleset(printed).judge(Packet(10001, "192.0.2.9", "eth0"))


@pytest.mark.parametrize(
    ("left", "op", "right", "holds"),
    [
        (DPORT, "==", 10001, True),
        (DPORT, "==", 10002, False),
        (DPORT, "!=", 10001, False),
        (DPORT, "!=", 10002, True),
        (DPORT, "<", 10001, False),
        (DPORT, "<", 10002, True),
        (DPORT, "<=", 10000, False),
        (DPORT, "<=", 10001, True),
        (DPORT, ">", 10001, False),
        (DPORT, ">", 10000, True),
        (DPORT, ">=", 10002, False),
        (DPORT, ">=", 10001, True),
        (DPORT, "==", {"range": [10001, 10009]}, True),
        (DPORT, "==", {"range": [10002, 10009]}, False),
        (DPORT, "==", {"range": [9000, 10001]}, True),
        (DPORT, "==", {"range": [9000, 10000]}, False),
        (DPORT, "==", {"set": [22, 10001]}, True),
        (DPORT, "==", {"set": [22, {"elem": {"val": 10001, "timeout": 9}}]}, True),
        (DPORT, "==", {"set": [22, 80]}, False),
        ({"payload": {"protocol": "udp", "field": "dport"}}, "==", 10001, False),
        (SADDR, "==", "192.0.2.9", True),
        (SADDR, "==", {"range": ["192.0.2.9", "192.0.2.20"]}, True),
        (SADDR, "==", {"range": ["192.0.2.10", "192.0.2.20"]}, False),
        (SADDR, "==", {"range": ["192.0.2.1", "192.0.2.9"]}, True),
        (SADDR, "==", {"range": ["192.0.2.1", "192.0.2.8"]}, False),
        (SADDR, "==", {"prefix": {"addr": "192.0.2.0", "len": 24}}, True),
        (SADDR, "==", {"prefix": {"addr": "192.0.2.8", "len": 31}}, True),
        (SADDR, "==", {"prefix": {"addr": "192.0.2.10", "len": 31}}, False),
        (NAME, "==", "eth*", True),
        (NAME, "==", "eth1*", False),
        (FLAGS, "==", "syn", True),
        (FLAGS, "==", {"|": ["syn", "ack"]}, False),
        (FLAGS, "in", {"|": ["syn", "ack"]}, True),
        (FLAGS, "in", ["rst", "syn"], True),
        (FLAGS, "in", {"set": ["rst", "fin"]}, False),
        ({"&": [FLAGS, {"|": ["fin", "syn", "ack"]}]}, "==", "syn", True),
        ({"&": [FLAGS, {"|": ["fin", "ack"]}]}, "==", "syn", False),
        ({"fib": {"result": "type", "flags": "daddr"}}, "==", "local", True),
        ({"fib": {"result": "type", "flags": ["daddr"]}}, "==", "local", True),
        ({"fib": {"result": "type", "flags": ["daddr"]}}, "==", "multicast", False),
        (BOTH, "==", {"set": [{"concat": ["192.0.2.9", 10001]}]}, True),
        (BOTH, "==", {"set": [{"elem": {"val": {"concat": ["192.0.2.9", 10001]}}}]}, True),
        (BOTH, "==", {"set": [{"concat": ["192.0.2.9", 22]}]}, False),
        (BOTH, "==", {"set": [{"concat": ["192.0.2.8", 10001]}]}, False),
    ],
)
def test_a_condition_holds_or_not(left: Any, op: str, right: Any, *, holds: bool) -> None:
    assert dropped_where(left, right, op) == ("inet t i" if holds else None, None)


@pytest.mark.parametrize(
    ("flags", "blocked"), [("syn", "inet t i"), (["syn", "ack"], None), ("rst", None)]
)
def test_flags_of_a_verdict_map_are_all_flags(flags: Any, blocked: str | None) -> None:
    chain = {"family": "inet", "table": "t", "name": "i", "hook": "input", "policy": "accept"}
    vmap = {"vmap": {"key": FLAGS, "data": {"set": [[flags, {"drop": None}]]}}}
    rule = {"family": "inet", "table": "t", "chain": "i", "expr": [vmap]}
    printed = json.dumps({"nftables": [{"chain": chain}, {"rule": rule}]})
    assert Ruleset(printed).judge(Packet(10001, "192.0.2.9", "eth0")) == (blocked, None)


@pytest.mark.parametrize(
    ("left", "op", "right", "doubt"),
    [
        (DPORT, "<", "ssh", "tcp dport"),
        (MARK, ">", 7, "meta mark"),
        (MARK, "==", 7, "meta mark"),
        (MARK, "!=", 7, "meta mark"),
        (DPORT, "==", {"map": 7}, "tcp dport"),
        (SADDR, "==", {"range": ["a", "b"]}, "ip saddr"),
        ({"&": [MARK, 3]}, "==", 1, "meta mark"),
        ({"fib": {"result": "oif", "flags": "saddr"}}, "==", "eth0", "fib oif"),
        ({"concat": [SADDR, MARK]}, "==", {"set": [{"concat": ["192.0.2.9", 7]}]}, "ip saddr"),
        (BOTH, "==", {"set": [{"concat": ["192.0.2.9"]}]}, "ip saddr"),
        (BOTH, "==", {"set": [{"concat": ["192.0.2.9"]}, {"concat": ["x", 1]}]}, "ip saddr"),
        ("mark", "==", 7, "an expression"),
    ],
)
def test_a_condition_may_be_unknown(left: Any, op: str, right: Any, doubt: str) -> None:
    assert dropped_where(left, right, op) == (None, f"inet t i: {doubt}")


@pytest.mark.parametrize(("jumps", "blocked"), [(16, "inet t c0"), (17, None)])
def test_chains_call_each_other_as_deep_as_the_kernel_allows(
    jumps: int, blocked: str | None
) -> None:
    objects: list[dict[str, Any]] = [
        {"chain": {"family": "inet", "table": "t", "name": "c0", "hook": "input"}}
    ]
    for number in range(jumps + 1):
        verdict = {"jump": {"target": f"c{number + 1}"}} if number < jumps else {"drop": None}
        rule = {"family": "inet", "table": "t", "chain": f"c{number}", "expr": [verdict]}
        objects.append({"rule": rule})
    judged = Ruleset(json.dumps({"nftables": objects})).judge(Packet(1, "192.0.2.9", "eth0"))
    assert judged.blocked == blocked


def test_what_accepts_established_connections_accepts_no_new_one() -> None:
    judged = ruleset("iptables_established").judge(Packet(10001, "192.0.2.9", "eth0"))
    assert judged.blocked == "ip filter INPUT"


def test_without_rules_nothing_is_blocked() -> None:
    assert Ruleset("").judge(Packet(10001, "192.0.2.9", "eth0")) == (None, None)


STRANGE = {
    "chain": {"family": "ip", "table": "t", "name": "i", "hook": "input"},
    "rule": {"family": "ip", "table": "t", "chain": "i", "expr": [{"match": {"left": 1}}]},
}


@pytest.mark.parametrize(
    "printed",
    [
        *("no json", "[]", '{"nftables": null}', '{"nftables": [1]}'),
        json.dumps({"nftables": [{key: value} for key, value in STRANGE.items()]}),
    ],
)
def test_what_cannot_be_read_is_in_doubt(printed: str) -> None:
    judged = Ruleset(printed).judge(Packet(10001, "192.0.2.9", "eth0"))
    assert judged == (None, "the output of nft cannot be read")
