"""Found against described; descriptions and figures are made up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from test_coverage import LEVELS, signed_of, storage_site

from assay.checks.undescribed import undescribed
from assay.checks.yardsticks import without_own
from assay.cluster.hardware import shipped
from assay.preflight.examine import examine
from clusters import SSD, described

Document = dict[str, Any]


def found(change: Callable[[Document, Document], None]) -> list[str]:
    document = storage_site()
    change(document, document["hosts"]["s1"])
    cluster = described(document)
    return [str(each) for each in undescribed(cluster, cluster.hosts)]


def devices(host: Document) -> list[str]:
    return [
        device
        for engine in host["engines"]
        for tier in engine["storage"]
        for device in tier.get("bdev_list", ())
    ]


def nothing(_: Document, host: Document) -> None:
    host["nvme"] = {device: {"model": "INTEL SSDPF2KX038T9"} for device in devices(host)}


def left_out(document: Document, host: Document) -> None:
    nothing(document, host)
    host["nvme"]["0000:f1:00.0"] = {"model": "INTEL SSDPF2KX038T9"}


def of_the_system(document: Document, host: Document) -> None:
    nothing(document, host)
    host["nvme"]["0000:f1:00.0"] = {"model": "a", "namespaces": ["/dev/nvme9n1"]}
    host["blocks"] = {"/dev/nvme9n1p1": {"filesystem": "ext4", "mounts": ["/"]}}


def of_another_model(_: Document, host: Document) -> None:
    host["nvme"] = {device: {"model": "INTEL SSDPF2KX038TZ"} for device in devices(host)}


def of_a_sheet_of_its_own(document: Document, host: Document) -> None:
    nothing(document, host)
    half = {"source": "made up", "read_bandwidth": "3500 MB/s", "read_rate": "390000 IO/s"}
    document["hardware"] = {"ssd": {"Ours": half}}
    host["datasheets"]["ssd"] = "Ours"


def half(document: Document, _: Document) -> None:
    ours = shipped().ssd[SSD].model_dump(mode="json", exclude_none=True)
    document["hardware"] = {"ssd": {SSD: ours | {"read_bandwidth": "3500 MB/s"}}}


def slow_fabric(_: Document, host: Document) -> None:
    host["datasheets"]["fabric"] = "Ethernet 10"


def fallen_back(_: Document, host: Document) -> None:
    host["interfaces"]["ib0"]["speed_gbits"] = 100.0


def all_fallen_back(document: Document, host: Document) -> None:
    """Each port is judged by what the kernel reports, and no other one shows what it should be."""
    host["datasheets"]["fabric"] = "InfiniBand HDR"
    for each in document["hosts"].values():
        for port in each["interfaces"].values():
            port["speed_gbits"] = 100.0


def fast_slot(_: Document, host: Document) -> None:
    link = {"gts": 32, "lanes": 4}
    host["setup"] = {"pcie": {devices(host)[0]: {"now": link, "card": link}}}


def two_targets(_: Document, host: Document) -> None:
    for engine in host["engines"]:
        engine.update(targets=2, nr_xs_helpers=0)


def one_rail(document: Document, _: Document) -> None:
    for name in ("c1", "c2", "c3", "c4"):
        document["hosts"][name]["interfaces"] = document["hosts"]["s1"]["interfaces"]
    document["hosts"]["c2"]["agent"] = {"exclude_fabric_ifaces": ["ib1"]}


def of_a_model_of_no_sheet(_: Document, host: Document) -> None:
    """A drive that nobody knows, named by the sheet of a slower one."""
    host["nvme"] = {device: {"model": "MADE UP 7.68T"} for device in devices(host)}


def of_a_sheet_of_the_site(document: Document, host: Document) -> None:
    """The site's own sheet names the model that the host reports."""
    of_a_model_of_no_sheet(document, host)
    ours = shipped().ssd[SSD].model_dump(mode="json", exclude_none=True)
    document["hardware"] = {"ssd": {"Ours": ours | {"models": ["MADE UP"]}}}
    host["datasheets"]["ssd"] = "Ours"


def idle_port(_: Document, host: Document) -> None:
    host["interfaces"]["eth0"] = host["interfaces"]["ib0"] | {"speed_gbits": 400.0}
    host["interfaces"]["ib1"] |= {"speed_gbits": None}


def without_rdma(document: Document, host: Document) -> None:
    document["provider"] = "ofi+tcp"
    host["interfaces"]["ib0"]["rdma"] = True


def fewer_channels(_: Document, host: Document) -> None:
    slots = {f"memory module A{number}": "S" for number in range(32)}
    host["fingerprint"] = {"identities": slots, "traits": {"memory speed": "32 x 3200 MT/s"}}
    host["datasheets"]["memory_channels"] = 1


def slower_memory(_: Document, host: Document) -> None:
    host["fingerprint"] = {"traits": {"memory speed": "16 x 3200 MT/s, 16 x 2933 MT/s"}}
    host["datasheets"]["memory"] = "DDR4-2666"


def memory_as_found(_: Document, host: Document) -> None:
    slots = {f"memory module A{number}": "S" for number in range(32)}
    host["fingerprint"] = {"identities": slots, "traits": {"memory speed": "32 x 3200 MT/s"}}


def without_programs(document: Document, _: Document) -> None:
    document["benchmarks"] = {"fi_pingpong": "/opt/fi_pingpong"}


def mdtest_alone(document: Document, _: Document) -> None:
    document["benchmarks"] = {"mdtest": "/opt/mdtest", "ior_apis": ["DFS"]}


def in_no_group(document: Document, _: Document) -> None:
    document["clients"].remove("c3")
    document["daos"]["agents"].remove("c3")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (nothing, None),
        (of_the_system, None),
        (left_out, "s1: nvme: 0000:f1:00.0 (INTEL SSDPF2KX038T9): no engine has them in bdev_list"),
        (of_another_model, "the host reports INTEL SSDPF2KX038TZ, which is Intel D7-P5510 3.84TB"),
        (of_a_sheet_of_its_own, "read_bandwidth is 3,500 MB/s, and in hardware.yml 7,000 MB/s"),
        (
            half,
            f"hardware.ssd: {SSD}: read_bandwidth is 3,500 MB/s, and in hardware.yml 7,000 MB/s",
        ),
        (slow_fabric, "s1: datasheets.fabric: Ethernet 10: the kernel says 200 Gbit/s of"),
        (fallen_back, "s1: interfaces: ib0 at 100 Gbit/s: most in 192.0.2.0/24 have 200 Gbit/s"),
        (all_fallen_back, "datasheets.fabric: InfiniBand HDR: the kernel says 100 Gbit/s of ib0"),
        (fast_slot, "s1: datasheets.ssd: PCIe 4.0 x4: the kernel says 32 GT/s x4 of"),
        (without_programs, "no program is described that measures DAOS end to end"),
        (mdtest_alone, "no program is described that measures DAOS end to end"),
        (one_rail, "c2: agent: ib0: a peer has 2 rails, and its daos_agent.yml leaves out ib1"),
        (
            of_a_model_of_no_sheet,
            "datasheets.ssd: Intel D7-P5500 3.84TB: the host reports MADE UP 7.68T, which is none",
        ),
        (of_a_sheet_of_the_site, None),
        (idle_port, "engines[0].fabric_iface: ib0: it has 200 Gbit/s, and eth0 with 400 Gbit/s is"),
        (without_rdma, "s1: provider: ofi+tcp: ib0 has an RDMA device, which it leaves unused"),
        (fewer_channels, "memory_channels: 1: 32 modules on 2 NUMA nodes need at least 6"),
        (slower_memory, "s1: datasheets.memory: DDR4-2666: its modules run at 2933 MT/s"),
        (memory_as_found, None),
        (in_no_group, "c3: hosts: c3: it is in neither clients nor servers"),
    ],
)
def test_what_is_found_and_not_described_so_is_listed(
    change: Callable[[Document, Document], None], said: str | None
) -> None:
    listed = found(change)
    assert [said in each for each in listed] == ([True] if said else []), listed


def test_two_targets_for_sixteen_are_listed_with_what_daos_recommends() -> None:
    recommended = "2: for 4 SSDs for data and 32 cores, DAOS recommends 16 or more"
    assert found(two_targets) == [f"s1: engines[{n}].targets: {recommended}" for n in (0, 1)]


def test_the_first_line_names_each_kind_so_that_none_hides_behind_another() -> None:
    document = storage_site()
    for change in (left_out, two_targets):
        change(document, document["hosts"]["s1"])
    signed = signed_of(described(document), LEVELS[SSD])
    headline = signed.headline
    assert "; found and not described so, 3: s1: nvme: " in headline
    assert headline.endswith("; also s1: engines[0].targets")


@pytest.mark.parametrize(
    ("change", "key"), [(two_targets, "engines[0].targets"), (one_rail, "agent")]
)
def test_the_preflight_warns_of_few_targets_and_rails(
    change: Callable[[Document, Document], None], key: str
) -> None:
    document = storage_site()
    change(document, document["hosts"]["s1"])
    _, problems = examine(document)
    assert [each.severity for each in problems if each.key == key] == ["warning"]


def test_the_preflight_warns_of_it() -> None:
    document = storage_site()
    left_out(document, document["hosts"]["s1"])
    _, problems = examine(document)
    (warning,) = (each for each in problems if each.key == "nvme")
    assert (warning.host, warning.severity) == ("s1", "warning")


def test_a_sheet_of_half_the_figures_is_compared_with_that_of_the_reported_model() -> None:
    document = storage_site()
    of_a_sheet_of_its_own(document, document["hosts"]["s1"])
    reference = without_own(described(document))
    assert reference is not None
    assert reference.hosts["s1"].datasheets.ssd == SSD
    assert reference.hosts["s2"].datasheets.ssd == SSD
    nothing_own = storage_site()
    nothing(nothing_own, nothing_own["hosts"]["s1"])
    assert without_own(described(nothing_own)) is None
