"""What the kernel of a host has counted, from the files in which it shows that."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.survey.host_counters import KernelCounts, parse
from assay.tools.host.counters import look, main

FILES = {
    "proc/sys/kernel/random/boot_id": "0c1d\n",
    "sys/class/net/eth1/carrier_down_count": "2\n",
    "sys/class/net/eth1/statistics/rx_errors": "3\n",
    "sys/class/net/eth1/statistics/tx_errors": "4\n",
    "sys/class/net/lo/carrier_down_count": "9\n",
    "sys/class/infiniband/mlx5_0/ports/1/counters/link_downed": "1\n",
    "sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error": "5\n",
    "sys/class/infiniband/mlx5_0/ports/1/hw_counters/packet_seq_err": "6\n",
    "sys/devices/system/edac/mc/mc0/ce_count": "7\n",
    "sys/devices/system/edac/mc/mc0/ue_count": "0\n",
    "sys/bus/pci/devices/0000:81:00.0/aer_dev_correctable": "RxErr 8\nTOTAL_ERR_COR 8\n",
    "sys/bus/pci/devices/0000:81:00.0/aer_dev_fatal": "Undefined 0\nTOTAL_ERR_FATAL 0\n",
    "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count": "10\n",
    "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count": "1\n",
    "proc/vmstat": "nr_free_pages 5\noom_kill 12\n",
    "proc/net/snmp": "Ip: A B\nIp: 1 2\nTcp: InSegs OutSegs RetransSegs\nTcp: 1 1000 13\n",
}

COUNTS = {
    "link_down": {"eth1": 2},
    "link_errors": {"eth1": 7},
    "port_down": {"mlx5_0:1": 1},
    "port_errors": {"mlx5_0:1": 5},
    "port_full": {"mlx5_0:1": 0},
    "port_retransmitted": {"mlx5_0:1": 6},
    "memory_uncorrected": {"mc0": 0},
    "memory_corrected": {"mc0": 7},
    "pci_fatal": {"0000:81:00.0": 0},
    "pci_corrected": {"0000:81:00.0": 8},
    "throttled": {"cores": 11},
    "oom_kills": {"memory": 12},
    "tcp_sent": {"tcp": 1000},
    "tcp_retransmitted": {"tcp": 13},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A host that shows everything."""
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_each_counter_is_read_with_its_place(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLURMD_NODENAME", "s1")
    main(root)
    printed = capsys.readouterr().out
    assert parse(printed) == {"s1": KernelCounts(boot="0c1d", counts=COUNTS)}


def test_a_host_that_shows_nothing_counts_nothing(tmp_path: Path) -> None:
    assert list(look(tmp_path)) == []


def test_lines_of_hosts_are_mixed_and_other_programs_print_some() -> None:
    printed = (
        "module loaded\n"
        "assay-counter s1 boot 0 a\nassay-counter s2 boot 0 b\n"
        "assay-counter s2 oom_kills 1 memory\nassay-counter s1 end 1 -\n"
        "assay-counter s2 end 2 -\n"
    )
    assert parse(printed) == {
        "s1": KernelCounts(boot="a", counts={}),
        "s2": KernelCounts(boot="b", counts={"oom_kills": {"memory": 1}}),
    }


@pytest.mark.parametrize(
    "printed",
    [
        "assay-counter s1 boot 0 a\n",
        "assay-counter s1 boot 0 a\nassay-counter s1 end 2 -\n",
        "assay-counter s1 end 0 -\nassay-counter s1 boot 0 a\n",
        "",
    ],
)
def test_a_host_whose_lines_are_not_all_there_has_not_answered(printed: str) -> None:
    assert parse(printed) == {}


def test_the_kernel_of_this_machine_is_read() -> None:
    kinds = {kind for kind, _, _ in look(Path("/"))}
    assert {"boot", "oom_kills", "tcp_sent"} <= kinds


def test_the_links_of_a_bond_are_named_with_it(tmp_path: Path) -> None:
    net = tmp_path / "sys/class/net"
    (net / "bond0").mkdir(parents=True)
    (net / "p0/bonding_slave").mkdir(parents=True)
    (net / "p0/carrier_down_count").write_text("1")
    (net / "p0/master").symlink_to("../bond0")
    assert list(look(tmp_path)) == [("link_down", 1, "bond0/p0")]


def test_a_counter_of_a_port_that_counts_no_further_is_said(root: Path) -> None:
    (root / "sys/class/infiniband/mlx5_0/ports/1/counters/symbol_error").write_text("65535\n")
    assert ("port_full", 1, "mlx5_0:1") in list(look(root))
