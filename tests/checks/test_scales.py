"""The sizes of each check at each scale, and what its metrics move.

Campaigns of one scale are compared with each other, also after years. Whoever changes a size here
makes figures of later campaigns others than those that were accepted.
"""

from __future__ import annotations

import pytest

from assay.checks.plan import CHECKS

SIZES: dict[str, dict[str, tuple[int, int]]] = {
    "FiPingpong": {
        "repetitions": (5, 11),
        "large_messages": (1000, 1000),
        "small_messages": (20_000, 20_000),
    },
    "SelfTestClientServer SelfTestCrossServer": {
        "repetitions": (3, 5),
        "large_rpcs": (200, 2000),
        "small_rpcs": (2000, 20_000),
    },
    "NetTest": {
        "repetitions": (3, 5),
        "rpcs": (1000, 10_000),
    },
    "ScmFio": {
        "repetitions": (5, 11),
        "file_mib": (256, 768),
        "phase_s": (1, 10),
    },
    "VosPerfRate VosPerfRateNoFlush": {
        "repetitions": (3, 7),
        "values": (51_200, 512_000),
        "pool_mib": (512, 4096),
    },
    "VosPerfBandwidth VosPerfBandwidthNoFlush": {
        "repetitions": (3, 7),
        "values": (256, 2048),
        "pool_mib": (512, 4096),
    },
    "SsdFio": {
        "repetitions": (5, 11),
        "file_mib": (512, 16_384),
        "random_s": (1, 30),
    },
    "NvmeBandwidth NvmeIops": {
        "repetitions": (3, 5),
        "run_s": (2, 10),
    },
    "ClientPlacement ClientInterfaces": {
        "repetitions": (3, 5),
    },
    "PageCacheHonesty": {
        "repetitions": (3, 5),
        "block_mib": (32, 4096),
    },
    "PosixFio": {
        "repetitions": (5, 11),
        "file_mib": (512, 16_384),
    },
    "FdbHammer FdbHammerSeparate": {
        "repetitions": (5, 11),
        "fields_per_step": (16, 64),
        "field_steps": (4, 16),
    },
    "DaosPerf": {
        "repetitions": (3, 5),
        "values_4k": (5120, 102_400),
        "values_1m": (64, 1024),
    },
    "FdbHammerDaos FdbHammerDaosSeparate": {
        "repetitions": (3, 5),
        "fields_per_step": (16, 64),
        "field_steps": (4, 16),
    },
    "IorEasy": {
        "repetitions": (3, 5),
        "stonewall_s": (2, 30),
        "scratch_mib": (8192, 65_536),
    },
    "IorHard": {
        "repetitions": (3, 5),
        "stonewall_s": (2, 30),
        "scratch_mib": (4096, 32_768),
    },
    "FioDfs FioDfuse": {
        "repetitions": (3, 5),
        "file_mib": (64, 4096),
        "small_s": (2, 30),
    },
    "Io500 Io500Program": {
        "repetitions": (1, 3),
        "stonewall_s": (2, 30),
        "scratch_mib": (8192, 131_072),
    },
    "MdtestEasy MdtestHard MdtestHard2": {
        "repetitions": (3, 5),
        "stonewall_s": (2, 30),
        "scratch_mib": (1024, 16_384),
    },
}
"""Checks, apart by a space, to the value of each variable at quick and at acceptance."""


@pytest.mark.parametrize(("checks", "sizes"), SIZES.items(), ids=list(SIZES))
def test_the_sizes_of_a_scale(checks: str, sizes: dict[str, tuple[int, int]]) -> None:
    for check in checks.split():
        quick, acceptance = (CHECKS[check].scales[scale] for scale in ("quick", "acceptance"))
        assert {size: (quick[size], acceptance[size]) for size in quick} == sizes
        assert quick.keys() == acceptance.keys()


def test_pools_on_each_rank_are_made_for_an_acceptance_alone() -> None:
    assert CHECKS["IorByRank"].scales == {"acceptance": {"repetitions": 5}}


def test_every_check_has_its_sizes_here() -> None:
    listed = {check for checks in SIZES for check in checks.split()}
    assert listed == set(CHECKS) - {"IorByRank"}


IN_FLIGHT = {
    "NetTest": {"rate": 16},
    "NvmeBandwidth": {"read_1m_alone": 16, "read_1m_together": 16},
    "NvmeIops": {"randread_4k_alone": 128, "randread_4k_together": 128, "latency_4k": 1},
    "DaosPerf": dict.fromkeys(("update_4k", "fetch_4k", "update_1m", "fetch_1m"), 16),
    "FioDfs": {
        **dict.fromkeys(("write_1m", "read_1m", "randwrite_4k", "randread_4k"), 16),
        "latency_4k": 1,
    },
    "FioDfuse": dict.fromkeys(
        ("write_1m", "read_1m", "randwrite_4k", "randread_4k", "latency_4k"), 1
    ),
    "IorByRank": {"write_4k": 1, "read_4k": 1},
    **dict.fromkeys(
        ("MdtestEasy", "MdtestHard", "MdtestHard2"),
        dict.fromkeys(("create", "stat", "read", "remove"), 1),
    ),
}


@pytest.mark.parametrize("check", IN_FLIGHT)
def test_how_many_operations_of_a_process_are_in_flight(check: str) -> None:
    in_flight = {each.name: each.in_flight for each in CHECKS[check].metrics if each.in_flight}
    assert in_flight == IN_FLIGHT[check]


_IO500 = {
    **dict.fromkeys(("ior_easy_write", "ior_easy_read"), "2.00 MiB"),
    **dict.fromkeys(("ior_hard_write", "ior_hard_read"), "47,008 B"),
    **dict.fromkeys(("mdtest_hard_write", "mdtest_hard_read"), "3,901 B"),
}
TRANSFERS = {
    "FiPingpong": {"bandwidth_1m": "1.00 MiB", "latency_64b": "64.0 B"},
    "IorEasy": {"write": "2.00 MiB", "read": "2.00 MiB"},
    "IorHard": {"write": "47,008 B", "read": "47,008 B"},
    "IorByRank": {
        **dict.fromkeys(("write_2m", "read_2m"), "2.00 MiB"),
        **dict.fromkeys(("write_4k", "read_4k"), "4.00 KiB"),
    },
    "Io500": _IO500,
    "Io500Program": _IO500,
    "MdtestHard": {"create": "3,901 B", "read": "3,901 B"},
    "MdtestHard2": {"create": "7,802 B", "read": "7,802 B"},
}


@pytest.mark.parametrize("check", TRANSFERS)
def test_how_much_a_transfer_moves(check: str) -> None:
    moved = {each.name: str(each.transfer) for each in CHECKS[check].metrics if each.transfer}
    assert moved == TRANSFERS[check]
