"""spdk_nvme_perf, SPDK's benchmark of NVMe devices, which bypasses the kernel.

The engine is stopped and the devices are bound to a user-space driver. Behaviour of SPDK 26.01,
seen by running it:

- Without any device, or if a device of `-b` is absent, it prints "No valid NVMe controllers found"
  and exits 0. If a device of `-r` is absent, it exits 255, so here devices are given by `-r`.
- A device that fails during the run still gets a full row of figures; only exit 1 and the lines
  "completed with error" and "starting I/O failed" report it.
- `-t` is in seconds. There is a row for each device and core; each device is on one core unless
  there are more cores than devices. The last row is the total.
- ``write``, ``randwrite`` and ``randrw`` destroy the data on the device.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.cluster.releases import ByRelease, Version
from assay.shell import Text
from assay.tools.contract import Contract
from assay.tools.output import Parsed, Sample, impossible

TOOL = "spdk_nvme_perf"

KNOWS = Contract(TOOL, "SPDK 18.10 to 24.09", "its table of latencies")

_ROW = re.compile(
    r"^(?P<device>\S.*?)(?: NSID (?P<namespace>\d+))? +from core +(?P<core>\d+): +"
    r"(?P<rate>\d+\.\d\d) +(?P<bandwidth>\d+\.\d\d) +(?P<latency>\d+\.\d\d)"
    r" +\d+\.\d\d +\d+\.\d\d$",
    re.MULTILINE,
)
_TOTAL = re.compile(r"^Total +: +(?P<rate>\d+\.\d\d) +(?P<bandwidth>\d+\.\d\d) ", re.MULTILINE)
_PCIE = re.compile(r"PCIE \((?P<address>.+)\)")
_NO_DEVICE = re.compile(r"^No valid NVMe controllers", re.MULTILINE)
_FAILED = re.compile(r"^(?:Read|Write) completed with error", re.MULTILINE)
_NOT_STARTED = re.compile(r"^starting I/O failed", re.MULTILINE)
_SMALL_QUEUE = re.compile(r"^controller IO queue size (\d+),? less than required", re.M | re.I)
_NO_MEMORY = re.compile(r"Cannot get hugepage information|Failed to initialize DPDK")
_USAGE = re.compile(r"^(?:missing -\w .*|.*: invalid option.*|.*unrecognized option.*)$", re.M)
_ENDED_BADLY = re.compile(r": errors occurred$", re.MULTILINE)
_ERROR = re.compile(r"\*ERROR\*: (.*)")

# Every run ends with this line, when its queues are removed.
_HARMLESS = "CQ transport error -6"


_PROGRAMS = ByRelease(
    {
        "2.4": ("spdk_nvme_perf", "daos_spdk_nvme_perf"),
        "2.8": ("daos_spdk_nvme_perf", "spdk_nvme_perf"),
    }
)


def programs(version: Version) -> tuple[str, ...]:
    """The possible names of the program on a host, the more likely one first."""
    return _PROGRAMS[version]


def pcie(address: str) -> str:
    """The transport of a local device at an address such as ``0000:81:00.0``."""
    return f"trtype:PCIe traddr:{address}"


@dataclass(frozen=True, slots=True)
class NvmePerf:
    """One run on all devices at once.

    Raises:
        ValueError: the pattern writes, but `destroys_data` does not allow it.
    """

    transports: tuple[str, ...]
    """Devices, as `pcie` gives them, or NVMe-oF transports, which start with ``trtype:TCP``."""
    pattern: Literal["read", "randread", "write", "randwrite"]
    io_bytes: int
    queue_depth: int
    """I/Os in flight on each device."""
    seconds: int
    core_mask: Text
    """Cores of the devices' NUMA node, such as ``0xff``."""
    vmd: bool = False
    """The devices are behind Intel VMD."""
    destroys_data: bool = False
    """Allow a pattern that writes, which destroys the data on the devices."""
    huge_pages: bool = True
    """Use huge pages. Without them, only devices over TCP work, in 512 MiB of ordinary memory."""

    def __post_init__(self) -> None:
        if "write" in self.pattern and not self.destroys_data:
            raise ValueError(
                f"spdk_nvme_perf {self.pattern} destroys what is on {', '.join(self.transports)},"
                " and that was not allowed"
            )

    def command(self, program: Text) -> list[Text]:
        """Command line of the program, whichever name it has."""
        return [
            program,
            *([] if self.huge_pages else ["--no-huge", "-s", "512"]),
            *(word for transport in self.transports for word in ("-r", transport)),
            *("-q", str(self.queue_depth), "-o", str(self.io_bytes), "-w", self.pattern),
            *("-c", self.core_mask, "-t", str(self.seconds)),
            *(["-V"] if self.vmd else []),
        ]


@dataclass(frozen=True, slots=True)
class _Row:
    """One device on one core."""

    device: str
    core: str
    rate: float
    bandwidth: float
    latency: float


def parse(text: str, *, expected_devices: tuple[str, ...] = ()) -> Parsed:
    """Read the rows of all devices.

    Each device gives `bandwidth` (MiB/s) and `rate` (IO/s), which are sums over its cores, and
    `latency` (us, the mean over its I/Os). The table gives `total_bandwidth` and `total_rate`.

    Labels: `device`, a PCIe address or SPDK's name, with ``/n2`` for a second namespace; `cores`,
    the cores of the device.

    Args:
        text: standard output and standard error.
        expected_devices: devices that must have a row, as in the label `device`.
    """
    rows = [
        _Row(
            # SPDK up to 19.10 does not print the namespace.
            _device(row["device"], row["namespace"] or "1"),
            row["core"],
            *(float(row[name]) for name in ("rate", "bandwidth", "latency")),
        )
        for row in _ROW.finditer(text)
    ]
    problems = list(_problems(text))
    devices = dict.fromkeys(row.device for row in rows)
    if rows and (missing := [device for device in expected_devices if device not in devices]):
        problems.append(f"no row for {', '.join(missing)}: it was not found, or not attached")
    total = _TOTAL.search(text)
    if not rows and not problems:
        problems.append("spdk_nvme_perf printed no row: it was killed, or did not run")
    elif rows and not total:
        problems.append("the table has no total: it is cut off")
    elif total and abs(float(total["rate"]) - sum(row.rate for row in rows)) > 0.01 * len(rows):
        problems.append("the rows do not add up to the total: the table is damaged")

    samples = [sample for device in devices for sample in _samples(device, rows)]
    if total:
        samples.append(Sample("total_bandwidth", float(total["bandwidth"]), "MiB/s"))
        samples.append(Sample("total_rate", float(total["rate"]), "IO/s"))
    problems += dict.fromkeys(filter(None, map(impossible, samples)))
    return Parsed(TOOL, tuple(samples), tuple(problems))


def _device(name: str, namespace: str) -> str:
    match = _PCIE.fullmatch(name.strip())
    return (match["address"] if match else name.strip()) + (
        f"/n{namespace}" if namespace != "1" else ""
    )


def _samples(device: str, rows: list[_Row]) -> Iterator[Sample]:
    own = [row for row in rows if row.device == device]
    labels = {"device": device, "cores": ",".join(row.core for row in own)}
    rate = sum(row.rate for row in own)
    yield Sample("bandwidth", sum(row.bandwidth for row in own), "MiB/s", labels)
    yield Sample("rate", rate, "IO/s", labels)
    latency = sum(row.rate * row.latency for row in own) / rate if rate else 0.0
    yield Sample("latency", latency, "us", labels)


def _problems(text: str) -> Iterator[str]:
    if usage := _USAGE.search(text):
        yield f"spdk_nvme_perf rejected its options: {usage[0]}"
    elif _NO_MEMORY.search(text):
        yield "spdk_nvme_perf got no huge pages: is nr_hugepages set, and does it run as root?"
    elif _NO_DEVICE.search(text):
        errors = [error for error in _ERROR.findall(text) if _HARMLESS not in error]
        yield (
            "spdk_nvme_perf found no device: is the engine stopped, is the device bound to a"
            " user-space driver, and is the address right?" + (f" ({errors[0]})" if errors else "")
        )
    failed, not_started = (len(each.findall(text)) for each in (_FAILED, _NOT_STARTED))
    if not_started and not failed and (queue := _SMALL_QUEUE.search(text)):
        yield (
            f"{not_started} I/Os could not start: more are in flight than the queue of {queue[1]}"
            " takes; use fewer (-q), or smaller ones (-o)"
        )
    elif lost := failed + not_started:
        yield f"{lost} I/Os failed: a device was lost during the run, or has errors"
    elif _ENDED_BADLY.search(text) and not (usage or _NO_MEMORY.search(text)):
        yield "spdk_nvme_perf ended with errors"
