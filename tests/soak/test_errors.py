"""What kernels counted during a soak."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assay.soak.errors import Look, grown, restarts, retransmitted, vanished
from assay.survey.host_counters import KernelCounts
from clusters import described, description

CLUSTER = described(description(clients=1, servers=2))
BEGAN = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)


def look(hour: int, boot: str = "a", **counts: dict[str, int]) -> Look:
    return Look(BEGAN + timedelta(hours=hour), {"s1": KernelCounts(boot=boot, counts=counts)})


def said(*looks: Look) -> list[str]:
    return [str(each) for each in grown(CLUSTER, looks)]


def test_a_counter_that_stays_says_nothing() -> None:
    assert said(look(0, memory_corrected={"mc0": 7}), look(1, memory_corrected={"mc0": 7})) == []


def test_what_grew_is_said_once_from_the_first_look_to_the_last() -> None:
    found = said(
        look(0, memory_corrected={"mc0": 7}),
        look(1, memory_corrected={"mc0": 9}, pci_fatal={"0000:81:00.0": 0}),
        look(2, memory_corrected={"mc0": 20}, pci_fatal={"0000:81:00.0": 1}),
    )
    assert found == [
        "s1 0000:81:00.0: fatal errors of the PCI device: 1, first seen at 2026-03-01 04:00 UTC",
        "s1 mc0: corrected errors of memory: 13, first seen at 2026-03-01 03:00 UTC",
    ]


def test_a_link_that_went_down_is_counted_in_times() -> None:
    port = {"mlx5_0:1": 0}
    found = said(look(0, port_down=port), look(1, port_down={"mlx5_0:1": 2}))
    assert found == ["s1 mlx5_0:1 lost its link 2 times, first seen at 2026-03-01 03:00 UTC"]


@pytest.mark.parametrize("boot", ["a", "b"])
def test_a_counter_that_began_anew_counts_from_0(boot: str) -> None:
    """Also where only a driver was loaded again."""
    found = said(
        look(0, oom_kills={"memory": 5}),
        look(1, boot, oom_kills={"memory": 2}),
        look(2, boot, oom_kills={"memory": 3}),
    )
    assert found == [
        "s1 memory: processes killed since memory ran out: 3, first seen at 2026-03-01 03:00 UTC"
    ]


def test_after_a_restart_all_counts() -> None:
    looks = (look(0, memory_corrected={"mc0": 1}), look(1, "b", memory_corrected={"mc0": 4}))
    assert list(restarts(looks)) == [("s1", looks[1].at)]
    assert "corrected errors of memory: 4" in said(*looks)[0]


def test_what_is_between_two_looks_that_both_have_it_counts() -> None:
    """A host that did not answer once has lost nothing."""
    silent = Look(BEGAN + timedelta(hours=1), {})
    found = said(look(0, oom_kills={"memory": 0}), silent, look(2, oom_kills={"memory": 1}))
    assert len(found) == 1


def test_interfaces_that_the_description_does_not_have_are_those_of_containers() -> None:
    described_link = next(iter(CLUSTER.hosts["s1"].interfaces))
    drops = {described_link: 0, "veth7": 0}
    later = {described_link: 3, "veth7": 900}
    assert said(look(0, link_drops=drops), look(1, link_drops=later)) == [
        f"s1 {described_link}: dropped packets: 3, first seen at 2026-03-01 03:00 UTC"
    ]


def test_tcp_is_noted_by_its_share() -> None:
    def sent(hour: int, all_of: int, again: int) -> Look:
        return look(hour, tcp_sent={"tcp": all_of}, tcp_retransmitted={"tcp": again})

    assert list(retransmitted((sent(0, 0, 0), sent(1, 1_000_000, 900)))) == []
    (told,) = retransmitted((sent(0, 0, 0), sent(1, 1_000_000, 20_000)))
    assert told == "s1: TCP sent 2.00% of 1,000,000 segments again"


def test_a_device_that_came_back_counts_on_from_what_it_had() -> None:
    looks = (look(0, port_errors={"x": 3}), look(1), look(2, port_errors={"x": 9}))
    assert said(*looks) == ["s1 x: errors of the link: 6, first seen at 2026-03-01 04:00 UTC"]
    assert [each.partition(":")[0] for each in vanished(CLUSTER, looks)] == [
        "s1 x vanished, first seen at 2026-03-01 03"
    ]


def test_a_container_that_ends_has_not_vanished() -> None:
    assert not list(vanished(CLUSTER, (look(0, link_down={"veth7": 0}), look(1))))


def test_the_links_below_a_described_bond_are_its_own() -> None:
    bond = next(iter(CLUSTER.hosts["s1"].interfaces))
    found = said(look(0, link_down={f"{bond}/p0": 0}), look(1, link_down={f"{bond}/p0": 1}))
    assert found == [f"s1 {bond}/p0 lost its link once, first seen at 2026-03-01 03:00 UTC"]
