"""The fingerprint of a host: what it is made of, and what tools say of its parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.cluster.fingerprint import Fingerprint, HostChange, changes
from assay.tools.host import dmidecode, smart
from assay.tools.host.fingerprint import fingerprint, worn_percent
from assay.tools.host.host_identity import read_identity
from trees import write_tree

RECORDED = Path(__file__).parents[1] / "recorded" / "identity"


def recorded(name: str) -> str:
    return (RECORDED / name).read_text()


TREE = {
    "sys/class/dmi/id/sys_vendor": "Example Inc.",
    "sys/class/dmi/id/product_name": "Server 1",
    "sys/class/dmi/id/product_serial": "SN-7",
    "sys/class/dmi/id/bios_vendor": "Example",
    "sys/class/dmi/id/bios_version": "2.19.1",
    "sys/class/dmi/id/bios_date": "06/04/2024",
    "proc/sys/kernel/osrelease": "6.1.0-18-amd64",
    "proc/cmdline": "BOOT_IMAGE=/vmlinuz root=UUID=0ff intel_iommu=on token=secret",
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: Xeon\nmicrocode\t: 0x1\n\nprocessor\t: 1",
    "sys/devices/system/cpu/intel_pstate/no_turbo": "0",
    "sys/devices/system/cpu/smt/control": "on",
    "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance",
    "sys/kernel/mm/transparent_hugepage/enabled": "always madvise [never]",
    "proc/sys/vm/max_map_count": "1000000",
    "sys/class/nvme/nvme0/address": "0000:65:00.0",
    "sys/class/nvme/nvme0/model": "INTEL SSDPF2KX038TZ",
    "sys/class/nvme/nvme0/serial": "PHAX1",
    "sys/class/nvme/nvme0/firmware_rev": "9CV10490",
    "sys/class/nvme/nvme1/address": "0000:66:00.0",
    "sys/class/nvme/nvme1/model": "INTEL SSDPF2KX038TZ",
    "sys/class/nvme/nvme1/serial": "PHAX2",
    "sys/class/nvme/nvme1/firmware_rev": "9CV10410",
    "sys/class/infiniband/mlx5_0/fw_ver": "20.35.2000",
    "sys/class/infiniband/mlx5_0/board_id": "MT_0000000223",
    "sys/class/infiniband/mlx5_0/node_guid": "b859:9f03:0011:2233",
    "sys/module/mlx5_core/version": "5.8-2.0.3",
    "sys/class/net/ib0/device/driver/module": "",
    "sys/class/net/lo/mtu": "65536",
    "sys/class/block/sda/device/model": "SAMSUNG",
    "sys/class/block/sda1/size": "1",
    "sys/class/block/nvme0n1/device/model": "INTEL",
}
for number, address in enumerate(("0000:65:00.0", "0000:66:00.0", "0000:67:00.0")):
    TREE |= {
        f"sys/bus/pci/devices/{address}/class": "0x010802",
        f"sys/bus/pci/devices/{address}/vendor": "0x8086",
        f"sys/bus/pci/devices/{address}/device": "0x0b60",
        f"sys/bus/pci/devices/{address}/subsystem_vendor": "0x8086",
        f"sys/bus/pci/devices/{address}/subsystem_device": "0x8008",
        f"sys/bus/pci/devices/{address}/revision": f"0x0{number // 2}",
    }
TREE["sys/bus/pci/devices/0000:3b:00.0/class"] = "0x020000"
PRINTED = {
    ("dmidecode",): "dmidecode.txt",
    ("ethtool", "ib0"): "ethtool_mlx5.txt",
    ("nvme", "/dev/nvme0"): "smart_log.json",
    ("smartctl", "/dev/sda"): "smartctl_sata.json",
}


@pytest.fixture
def identity(tmp_path: Path) -> dict[str, Any]:
    write_tree(tmp_path, TREE)

    def ask(*command: str) -> str:
        subject = tuple(word for word in command if word in (command[0], "ib0") or "/dev/" in word)
        return recorded(PRINTED[subject]) if subject in PRINTED else ""

    return read_identity(tmp_path, ask)


def test_traits_are_what_peers_have_in_common(identity: dict[str, Any]) -> None:
    assert fingerprint(identity).traits == {
        "machine": "Example Inc. Server 1",
        "BIOS": "Example 2.19.1 06/04/2024",
        "kernel": "6.1.0-18-amd64",
        "kernel command line": "intel_iommu=on",
        "CPU": "Xeon",
        "microcode": "0x1",
        "SMT": "on",
        "turbo": "on",
        "governor": "performance",
        "transparent huge pages": "never",
        "vm.max_map_count": "1000000",
        "driver mlx5_core": "5.8-2.0.3",
        "memory modules": "2 x 32 GB DDR4 M393A4K40DB3-CWE",
        "memory speed": "2 x 2933 MT/s",
        "NVMe devices": "2 x 8086:0b60 (8086:8008) rev 00, 1 x 8086:0b60 (8086:8008) rev 01",
        "SSDs": "2 x INTEL SSDPF2KX038TZ, 1 x SAMSUNG MZ7LH480HAHQ-00005",
        "firmware of INTEL SSDPF2KX038TZ": "1 x 9CV10410, 1 x 9CV10490",
        "firmware of SAMSUNG MZ7LH480HAHQ-00005": "1 x HXT7404Q",
        "RDMA adapters": "1 x MT_0000000223",
        "firmware of MT_0000000223": "1 x 20.35.2000",
        "driver of ib0": "mlx5_core",
        "firmware of ib0": "20.35.2000 (MT_0000000223)",
    }


def test_identities_are_the_hosts_own_and_readings_change_by_themselves(
    identity: dict[str, Any],
) -> None:
    assert fingerprint(identity).identities == {
        "serial number": "SN-7",
        "SSD at 0000:65:00.0": "INTEL SSDPF2KX038TZ PHAX1",
        "SSD at 0000:66:00.0": "INTEL SSDPF2KX038TZ PHAX2",
        "disk sda": "SAMSUNG MZ7LH480HAHQ-00005 S45PNA0M812345",
        "RDMA adapter mlx5_0": "b859:9f03:0011:2233",
        "memory module A1": "41A0C1D2",
        "memory module A2": "41A0C1D3",
    }
    assert fingerprint(identity).readings == {"wear of the SSD at 0000:65:00.0": "3 %"}


def test_a_driver_without_a_version_is_known_by_its_source(tmp_path: Path) -> None:
    write_tree(tmp_path, {"sys/module/nvme/srcversion": "0AB1"})
    traits = fingerprint(read_identity(tmp_path, lambda *_: "")).traits
    assert traits == {"driver nvme": "0AB1"}


def test_firmware_is_counted_by_model(identity: dict[str, Any]) -> None:
    driven = [("X", "1"), ("X", "1"), ("X", "2"), ("Y", "3")]
    identity["in_user_space"] = [
        {"model": model, "firmware": firmware, "serial": "S", "address": "A"}
        for model, firmware in driven
    ]
    traits = fingerprint(identity).traits
    assert traits["SSDs in user space"] == "3 x X, 1 x Y"
    assert traits["firmware of X in user space"] == "2 x 1, 1 x 2"
    assert traits["firmware of Y in user space"] == "1 x 3"


def test_the_wear_of_a_disk_is_read_where_smartctl_knows_it(identity: dict[str, Any]) -> None:
    log = {"percentage_used": 7}
    worn = {"model_name": "X", "nvme_smart_health_information_log": log}
    identity["smartctl"] = {"sda": json.dumps(worn)}
    readings = fingerprint(identity).readings
    assert readings["wear of the disk sda"] == "7 %"
    assert {worn_percent(*reading) for reading in readings.items()} == {3.0, 7.0}


def test_an_ssd_that_spdk_drives_has_its_pcie_serial_number(
    tmp_path: Path, identity: dict[str, Any]
) -> None:
    """A config space with two extended capabilities: AER at 0x100, and the number at 0x148.

    The two lowest bits of an offset are reserved.
    """
    space = bytearray(4096)
    space[0x100:0x104] = (0x14B0_0001 | 2 << 16).to_bytes(4, "little")
    space[0x148:0x154] = bytes.fromhex("03000100 4544434241003825")
    (tmp_path / "sys/bus/pci/devices/0000:67:00.0/config").write_bytes(space[:0x154])
    (tmp_path / "sys/bus/pci/devices/0000:66:00.0/config").write_bytes(space[:64])
    # A capability that is followed by itself.
    space[0x100:0x104] = (0x1000_0001 | 2 << 16).to_bytes(4, "little")
    (tmp_path / "sys/bus/pci/devices/0000:65:00.0/config").write_bytes(space)
    identities = fingerprint(read_identity(tmp_path, lambda *_: "")).identities
    assert identities["PCIe serial number of 0000:67:00.0"] == "25-38-00-41-42-43-44-45"
    assert "PCIe serial number of 0000:66:00.0" not in identities
    assert "PCIe serial number of 0000:65:00.0" not in identities


def test_a_host_that_shows_nothing_has_an_empty_fingerprint(tmp_path: Path) -> None:
    assert fingerprint(read_identity(tmp_path, lambda *_: "")) == Fingerprint()


def test_slots_that_hold_a_module_are_its_memory() -> None:
    first, _ = dmidecode.parse(recorded("dmidecode.txt"))
    assert first == ("A1", "32 GB", "DDR4", "2933 MT/s", "M393A4K40DB3-CWE", "41A0C1D2")
    assert dmidecode.parse(recorded("dmidecode_no_table.txt")) == []


def test_what_is_no_module_and_what_nobody_filled_in_is_left_out() -> None:
    array = "Physical Memory Array\n\tSize: 64 GB\n\n"
    empty = "Memory Device\n\tSize: No Module Installed\n\tLocator: B2\n\n"
    module = "Memory Device\n\tSize: 8 GB\n\tLocator: A1\n\tSpeed: 3200 MT/s\n"
    unknown = "\tSerial Number: Not Specified\n\tPart Number: NO DIMM\n"
    assert dmidecode.parse(array + empty + module + unknown) == [
        ("A1", "8 GB", "", "3200 MT/s", "", "")
    ]


def test_a_disk_that_smartctl_does_not_know_is_none() -> None:
    assert smart.smartctl(recorded("smartctl_virtio.json")) is None
    disk = smart.smartctl(recorded("smartctl_sata.json"))
    assert disk == ("SAMSUNG MZ7LH480HAHQ-00005", "S45PNA0M812345", "HXT7404Q", None)


@pytest.mark.parametrize("printed", ["", "{", "[]", '{"percent_used": "much"}', '{"x": 1e999}'])
def test_what_is_not_a_log_says_nothing_of_wear(printed: str) -> None:
    assert smart.smart_log(printed) is None
    assert smart.smartctl(printed) is None


def test_what_is_no_longer_as_it_was_has_changed_but_for_readings_and_what_is_not_seen() -> None:
    before = Fingerprint(
        traits={"BIOS": "1", "kernel": "6.1"},
        identities={"SSD at 0000:65:00.0": "X 1", "memory module A1": "a"},
        readings={"wear": "3 %"},
    )
    after = Fingerprint(
        traits={"BIOS": "2", "kernel": "6.1"},
        identities={"memory module A1": "b"},
        readings={"wear": "4 %"},
    )
    changed = list(changes({"s1": before, "s2": before}, {"s1": after}))
    assert changed == [
        HostChange("s1", "BIOS", "1", "2"),
        HostChange("s1", "memory module A1", "a", "b"),
    ]
    assert str(changed[0]) == "s1: BIOS was 1, and is 2"
