"""Whether a packet filter lets a peer in."""

import json
from pathlib import Path

import pytest

from assay.tools.nft import Packet, Passage, Ruleset

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
