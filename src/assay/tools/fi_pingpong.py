"""fi_pingpong, libfabric's own latency and bandwidth test between two processes.

Behaviour of 1.17 with the tcp provider, seen by running it and explained by libfabric's
util/pingpong.c:

- The server listens for its control connection on every address (0.0.0.0, port 47592 or `-B`)
  until its client connects; no option binds it elsewhere. Only a network namespace keeps it off
  the network: `unshare --net sh -c 'ip link set lo up; ...'` around server and client.
- The data endpoint takes the first address that is not loopback. `-d` has no effect with tcp;
  the environment variable ``FI_TCP_IFACE`` decides, on both sides.
- A server serves one client and exits. A second server on a taken port exits with 98, a client
  without a server with 111. A client whose server dies exits with 125 (msg) or **never** (rdm), so
  it always runs under a time limit. If the endpoint, size or iterations of both sides differ, they
  hang.
- Both sides poll: two pairs on two CPUs were more than ten times slower than one pair.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assay.tools.contract import Contract
from assay.tools.output import Parsed, Sample, impossible

TOOL = "fi_pingpong"

KNOWS = Contract(TOOL, "libfabric 1.x and 2.x", "the client's table")

PROVIDER = "tcp"
"""The provider of libfabric that every host has."""

_BYTES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_COUNT = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9}

_ROW = re.compile(
    r"(?P<size>\d{1,10}(?:\.\d)?)(?P<size_unit>[kmg]?) +(?P<sent>\d{1,10})(?P<sent_unit>[kmb]?)"
    r" +(?P<ack>[=+-])(?P<ack_count>\d+[kmb]?) +\S+ +\d+\.\d\ds"
    r" +(?P<bandwidth>\d+\.\d\d) +(?P<latency>\d+\.\d\d) +(?:\d+\.\d\d|inf)\s*"
)
_CUT_ROW = re.compile(r"\d+(?:\.\d?)?[kmg]?(?: .*)?")
_ERROR = re.compile(
    r"^\[error\]|^\w+\(\): .*ret=-|^Error (?:at|parsing)|^Unknown endpoint|timeout expired"
)


@dataclass(frozen=True, slots=True)
class PingPong:
    """One run: messages of one size between a server and a client.

    With `rdm` over tcp, stalls of 20 ms to 40 ms were seen, in the first exchange and occasionally
    later. One stall in 10000 iterations adds 1 us to 2 us to the latency.
    """

    size: int
    """Bytes of a message."""
    iterations: int
    """Round trips."""
    endpoint: Literal["msg", "rdm"] = "msg"
    provider: str = PROVIDER
    port: int = 27592
    """TCP port of the control connection, one for each pair on a host. The program's default of
    47592 is in Linux's range of ephemeral ports (32768 to 60999), and was seen to be taken."""

    def server(self) -> list[str]:
        """Command line of the server, which is started first."""
        return [*self._common(), "-B", str(self.port)]

    def client(self, address: str) -> list[str]:
        """Command line of the client, which measures.

        Args:
            address: the server's host name or IPv4 address.
        """
        return [*self._common(), "-P", str(self.port), address]

    def _common(self) -> list[str]:
        return [
            *(TOOL, "-p", self.provider, "-e", self.endpoint),
            *("-S", str(self.size), "-I", str(self.iterations)),
        ]


def parse(text: str) -> Parsed:
    """Read the table that the client printed, including standard error.

    The client starts and ends each round trip, so its clock counts; the server's table agrees
    within 0.1 %. Each row gives two samples of one measurement:

    - `latency` in us, "usec/xfer": elapsed time over twice the iterations, half a round trip;
    - `bandwidth` in MB/s, "MB/sec": bytes both ways over elapsed microseconds, so 10**6 bytes/s.
      It equals size over latency, since only one message is in flight. It is left out if two
      decimals cannot show it: 64 B in 13 ms.

    Both are taken as printed, with two decimals. Counts, totals and time have fewer digits, so
    nothing better can be computed from them. The labels `size` (bytes) and `iterations` come from
    the table, which rounds sizes above 1 KiB down to whole or tenth KiB and MiB, and iterations
    above 1000 down to whole thousands.
    """
    samples: list[Sample] = []
    problems: list[str] = []
    for line in text.splitlines():
        if row := _ROW.fullmatch(line):
            samples.extend(_samples(row))
            if row["ack"] != "=":
                problems.append(
                    f"{row['ack_count']} {'fewer' if row['ack'] == '+' else 'more'} messages were"
                    f" acknowledged than the {row['sent']}{row['sent_unit']} sent: {line.strip()}"
                )
        elif _CUT_ROW.fullmatch(line):
            problems.append(f"a row of the table is cut off: {line.strip()!r}")
        elif _ERROR.search(line):
            problems.append(f"fi_pingpong: {line.strip()}")
    sizes = Counter(sample.labels["size"] for sample in samples if sample.metric == "latency")
    problems += [
        f"size {size} appears {count} times; pass only the client's output"
        for size, count in sizes.items()
        if count > 1
    ]
    problems += filter(None, map(impossible, samples))
    if not sizes and not problems:
        problems.append(
            "fi_pingpong printed no row: it was killed, or server and client differ in"
            " provider, endpoint, size, iterations or port"
        )
    return Parsed(TOOL, tuple(samples), tuple(problems))


def _samples(row: re.Match[str]) -> Iterator[Sample]:
    size = int(float(row["size"]) * _BYTES[row["size_unit"]])
    labels = {
        "size": str(size),
        "iterations": str(int(row["sent"]) * _COUNT[row["sent_unit"]]),
    }
    bandwidth, latency = float(row["bandwidth"]), float(row["latency"])
    rounded_off = bandwidth == 0 and size < 0.005 * latency
    if size and not rounded_off:
        yield Sample("bandwidth", bandwidth, "MB/s", labels)
    yield Sample("latency", latency, "us", labels)
