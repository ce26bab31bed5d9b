"""spdk_nvme_perf: a command that destroys nothing unasked, and a row for each device and core."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools.spdk_nvme_perf import NvmePerf, parse, pcie, programs
from recordings import recorded, values

TOOL = "spdk_nvme_perf"
TCP = "TCP (addr:127.0.0.1 subnqn:nqn.2016-06.io.spdk:cnode1)"
ADDRESSES = ("0000:81:00.0", "0000:82:00.0")


def test_reads_all_devices_at_once():
    run = NvmePerf(tuple(map(pcie, ADDRESSES)), "read", 1048576, 16, 60, "0xff", vmd=True)
    assert run.command("daos_spdk_nvme_perf") == [
        "daos_spdk_nvme_perf",
        *("-r", "trtype:PCIe traddr:0000:81:00.0", "-r", "trtype:PCIe traddr:0000:82:00.0"),
        *("-q", "16", "-o", "1048576", "-w", "read", "-c", "0xff", "-t", "60", "-V"),
    ]


@pytest.mark.parametrize("pattern", ["write", "randwrite"])
def test_writes_to_a_device_only_with_leave(pattern):
    with pytest.raises(ValueError, match=r"destroys what is on .*0000:81:00\.0"):
        NvmePerf((pcie("0000:81:00.0"),), pattern, 4096, 16, 60, "0x1")
    NvmePerf((pcie("0000:81:00.0"),), pattern, 4096, 16, 60, "0x1", destroys_data=True)


def test_the_program_has_two_names():
    assert programs("2.8")[0] == "daos_spdk_nvme_perf"
    assert programs("2.6")[0] == programs("2.4")[0] == "spdk_nvme_perf"
    assert set(programs("2.8")) == set(programs("2.4"))


def test_a_device_is_a_bandwidth_a_rate_and_a_latency():
    parsed = parse(recorded(TOOL, "read_4k.txt"), expected_devices=(TCP,))
    assert parsed.problems == ()
    assert values(parsed) == [
        ("bandwidth", 759.06, "MiB/s"),
        ("rate", 194320.53, "IO/s"),
        ("latency", pytest.approx(82.32), "us"),
        ("total_bandwidth", 759.06, "MiB/s"),
        ("total_rate", 194320.53, "IO/s"),
    ]
    assert parsed.samples[0].labels == {"device": TCP, "cores": "0"}


def test_devices_are_kept_apart_by_their_addresses():
    parsed = parse(recorded(TOOL, "pcie.txt"), expected_devices=ADDRESSES)
    assert parsed.problems == ()
    bandwidths = {
        sample.labels["device"]: sample.value
        for sample in parsed.samples
        if sample.metric == "bandwidth"
    }
    assert bandwidths == {"0000:81:00.0": 827.80, "0000:82:00.0": 851.60}


def test_the_cores_of_a_device_are_one_figure():
    parsed = parse(recorded(TOOL, "two_cores.txt"))
    assert parsed.problems == ()
    assert values(parsed)[:3] == [
        ("bandwidth", pytest.approx(329.03), "MiB/s"),
        ("rate", pytest.approx(84232.60), "IO/s"),
        # Each core's mean counts by its I/Os, as in the total that SPDK prints.
        ("latency", pytest.approx(380.15, abs=0.02), "us"),
    ]
    assert parsed.samples[0].labels["cores"] == "0,1"


NONE = (
    "spdk_nvme_perf found no device: is the engine stopped, is the device bound to a user-space"
    " driver, and is the address right?"
)


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("no_device.txt", (NONE,)),
        ("refused.txt", (f"{NONE} (connect() failed, err = 111)",)),
        (
            "no_huge_pages.txt",
            ("spdk_nvme_perf got no huge pages: is nr_hugepages set, and does it run as root?",),
        ),
        (
            "missing_option.txt",
            ("spdk_nvme_perf rejected its options: missing -o (--io-size) operand",),
        ),
        (
            "device_dies.txt",
            ("32 I/Os failed: a device was lost during the run, or has errors",),
        ),
    ],
)
def test_says_why_a_run_is_not_a_measurement(name, problems):
    assert parse(recorded(TOOL, name)).problems == problems


def test_a_second_namespace_is_a_device_of_its_own():
    text = recorded(TOOL, "pcie.txt").replace("0000:82:00.0) NSID 1", "0000:81:00.0) NSID 2")
    devices = dict.fromkeys(sample.labels.get("device") for sample in parse(text).samples)
    assert [*devices][:2] == ["0000:81:00.0", "0000:81:00.0/n2"]


def test_an_end_with_errors_is_a_problem():
    ended = "\nspdk_nvme_perf: errors occurred\n"
    assert parse(recorded(TOOL, "pcie.txt") + ended).problems == (
        "spdk_nvme_perf ended with errors",
    )
    for name in ("no_huge_pages.txt", "missing_option.txt", "device_dies.txt"):
        text = recorded(TOOL, name)
        assert parse(text + ended).problems == parse(text).problems


@pytest.mark.parametrize(("total", "problems"), [("1679.41", 0), ("1679.43", 1)])
def test_the_total_may_differ_by_a_rounded_digit_of_each_row(total, problems):
    """Two rows, each rounded to a hundredth."""
    text = recorded(TOOL, "pcie.txt")
    changed = re.sub(r"(Total +: +)1679\.40", rf"\g<1>{total}", text)
    assert changed != text
    assert len(parse(changed).problems) == problems


def test_a_device_without_a_row_is_missed():
    expected = (*ADDRESSES, "0000:83:00.0")
    assert parse(recorded(TOOL, "pcie.txt"), expected_devices=expected).problems == (
        "no row for 0000:83:00.0: it was not found, or not attached",
    )


def test_a_row_that_was_lost_is_noticed():
    lines = recorded(TOOL, "pcie.txt").splitlines()
    lines.remove(next(line for line in lines if "0000:82:00.0) NSID 1 from" in line))
    assert parse("\n".join(lines)).problems == (
        "the rows do not add up to the total: the table is damaged",
    )


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


@given(st.integers(min_value=0, max_value=recorded(TOOL, "two_devices.txt").rindex("Total")))
def test_a_table_that_is_cut_off_is_not_a_measurement(length):
    assert parse(recorded(TOOL, "two_devices.txt")[:length]).problems


def test_rows_up_to_19_10_have_no_namespace():
    text = recorded(TOOL, "posted/spdk_1910_nonsid.txt")
    parsed = parse(text, expected_devices=("0000:86:00.0",))
    assert parsed.problems == ()
    assert values(parsed) == [
        ("bandwidth", 691.04, "MiB/s"),
        ("rate", 176907.23, "IO/s"),
        ("latency", 361.76, "us"),
        ("total_bandwidth", 691.04, "MiB/s"),
        ("total_rate", 176907.23, "IO/s"),
    ]


def test_rows_of_io_that_could_not_start_add_up():
    assert parse(recorded(TOOL, "posted/spdk_1810_start_failed.txt")).problems == (
        "4 I/Os could not start: more are in flight than the queue of 4096 takes; use fewer (-q),"
        " or smaller ones (-o)",
    )


def test_mb_of_older_releases_are_mib():
    # 115643 I/Os of 4096 bytes are 451.73 MiB, and 473.67 MB.
    parsed = parse(recorded(TOOL, "posted/spdk_1807_four_cores.txt"))
    assert parsed.problems == ()
    assert values(parsed)[:2] == [
        ("bandwidth", pytest.approx(1807.67), "MiB/s"),
        ("rate", pytest.approx(462763.68), "IO/s"),
    ]
    assert parsed.samples[0].labels["cores"] == "3,2,1,0"
