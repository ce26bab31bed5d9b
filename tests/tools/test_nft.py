"""Whether a packet filter lets a peer in."""

from pathlib import Path

import pytest

from assay.tools.nft import Packet, Ruleset

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
    assert ruleset(name).blocks(packet) == blocked


def test_a_rule_that_cannot_be_read_is_taken_in_favour_of_the_packet() -> None:
    # nft shows iptables' match `multiport` without its ports.
    assert ruleset("iptables").blocks(Packet(9999, "192.0.2.9", "eth0")) is None


def test_what_accepts_established_connections_accepts_no_new_one() -> None:
    assert ruleset("iptables_established").blocks(Packet(10001, "192.0.2.9", "eth0")) == (
        "ip filter INPUT"
    )


@pytest.mark.parametrize("printed", ["", "no json", "[]", '{"nftables": null}'])
def test_without_rules_nothing_is_blocked(printed: str) -> None:
    assert Ruleset(printed).blocks(Packet(10001, "192.0.2.9", "eth0")) is None
