"""self_test, DAOS's own test of the fabric: RPCs from a client, or from one engine, to engines.

Behaviour of 2.8, seen by running it and explained by its source:

- Exit status 0 means nothing. With a dead or missing rank, a master that did not start, or an
  endpoint that it did not understand, it prints rates and exits 0. Failed RPCs count in the
  bandwidth, the rate and the average; the median is over the RPCs that returned.
- With several sizes in one run, 2.7 and newer compute every rate with the duration of the last
  size: they printed 116,760 MB/s where runs of one size give 4,716. Here a run has one size.
- ``(0 b1048576)`` is a read from the engine's point of view (BULK_PUT to the client),
  ``(b1048576 0)`` is a write (BULK_GET). "MB/sec" is MiB/s: #Bytes/1024^2, as its help says.
- Tag 0 of an engine serves metadata, tag 1 is SWIM, tags from 2 are targets, followed by helpers.
- An engine runs one session at a time, so there is one master tag for each rank. A session that is
  cut off stays for a while (DER_BUSY).
- A rank that does not answer costs about 60 s for each batch, so self_test always runs under a time
  limit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, product

from assay.cluster.releases import ByRelease, Version
from assay.tools.contract import OF_DAOS, Contract
from assay.tools.daos.daos_log import logged_errors, meaning, reason, without_log
from assay.tools.output import Parsed, Sample, impossible
from assay.tools.text import sections

TOOL = "self_test"

KNOWS = Contract(TOOL, OF_DAOS, "its standard output and its log")

MEBIBYTE = 1024**2
EMPTY = ("0", "0")
GET = (f"b{MEBIBYTE}", "0")
"""The engine gets 1 MiB, as in a write."""
PUT = ("0", f"b{MEBIBYTE}")
"""The engine puts 1 MiB, as in a read."""
IOV = ("i2048", "0")
"""2 KiB within the request; up to 20 KiB, DAOS does that instead of a bulk transfer."""

CLIENT = "client"
"""The label `master` if self_test itself sends the RPCs."""

_SIZE = re.compile(r"0|[ib][1-9]\d{0,9}")
_HEADER = re.compile(r"^Self Test Parameters:", re.MULTILINE)
_ENDPOINTS = re.compile(r"^ +# endpoints: +(\d{1,9})$", re.MULTILINE)
_FALLBACK = re.compile(r"^Warning: No --endpoint specified", re.MULTILINE)
_FROM_CLIENT = re.compile(r"^Warning: No --master-endpoint specified", re.MULTILINE)
_RESULT = re.compile(
    r"^Results for message size \((?P<send>\d+-\w+) (?P<reply>\d+-\w+)\)"
    r" \(max_inflight_rpcs = (?P<inflight>\d+)\):$",
    re.MULTILINE,
)
_MASTER = re.compile(r"^Master Endpoint (\d+:\d+)$", re.MULTILINE)
_BANDWIDTH = re.compile(r"^\tRPC Bandwidth \((MB|Mbits)/sec\): (\d+\.\d\d)$", re.MULTILINE)
_RATE = re.compile(r"^\tRPC Throughput \(RPCs/sec\): (\d+)$", re.MULTILINE)
_MEDIAN = re.compile(r"^\t\tMedian : (\d+)$", re.MULTILINE)
_FAILED_RPCS = re.compile(r"^\tRPC Failures: (\d+)$", re.MULTILINE)
_ENDPOINT = re.compile(r"^\t\t(\d+:\d+) - (\d+|NA)$", re.MULTILINE)
_NOT_STARTED = re.compile(r"Failed to launch self-test 1:many session on (\d+:\d+); (ret = .*)")

_FIGURES = {"bandwidth": _BANDWIDTH, "throughput": _RATE, "median": _MEDIAN}
_UNITS = {"MB": "MiB/s", "Mbits": "Mbit/s"}


@dataclass(frozen=True, slots=True)
class SelfTest:
    """One run: RPCs of one size to every tag of every rank.

    Raises:
        ValueError: a size is not a single size in self_test's spelling, or there is no endpoint.
    """

    ranks: tuple[int, ...]
    tags: tuple[int, ...]
    sizes: tuple[str, str] = EMPTY
    """Size of request and reply: ``0``, ``i`` and bytes (IOV), or ``b`` and bytes (bulk)."""
    inflight: int = 16
    """RPCs in flight, over all endpoints."""
    repetitions: int = 10000
    """RPCs to each endpoint."""
    masters: tuple[int, ...] = ()
    """Ranks that send the RPCs, all at once; if empty, self_test itself sends them."""
    master_tag: int = 0
    """The tag that sends on each of `masters`; two tags on one rank end in DER_BUSY."""
    system: str = "daos_server"
    attach_info: str | None = None
    """Directory of ``<system>.attach_info_tmp``, for hosts without an agent."""

    def __post_init__(self) -> None:
        for size in self.sizes:
            if not _SIZE.fullmatch(size):
                raise ValueError(
                    f"self_test size {size!r}: give one size: 0, i2048 (IOV) or b1048576 (bulk)"
                )
        if not (self.ranks and self.tags):
            raise ValueError("self_test needs at least one rank and one tag")

    @property
    def endpoints(self) -> tuple[str, ...]:
        """The endpoints that the output must have, as ``rank:tag``."""
        return tuple(f"{rank}:{tag}" for rank, tag in product(self.ranks, self.tags))

    def command(self) -> list[str]:
        """Command line; its options are spelled alike in all releases."""
        masters = f"{ranges(self.masters)}:{self.master_tag}"
        return [
            TOOL,
            *(["--path", self.attach_info] if self.attach_info else ["--use-daos-agent-env"]),
            *("--group-name", self.system),
            *("--endpoint", f"{ranges(self.ranks)}:{ranges(self.tags)}"),
            *(["--master-endpoint", masters] if self.masters else []),
            *("--message-sizes", f"({' '.join(self.sizes)})"),
            *("--max-inflight-rpcs", str(self.inflight)),
            *("--repetitions-per-size", str(self.repetitions)),
        ]


_VARIABLES = ByRelease(
    {
        "2.4": ("CRT_PHY_ADDR_STR", "OFI_INTERFACE", "OFI_DOMAIN"),
        "2.6": ("D_PROVIDER", "D_INTERFACE", "D_DOMAIN"),
    }
)


def environment(version: Version, provider: str, interface: str, domain: str) -> Mapping[str, str]:
    """The environment that a run without an agent (`attach_info`) needs.

    In all versions, a missing variable ends in exit 21.
    """
    return dict(zip(_VARIABLES[version], (provider, interface, domain), strict=True))


def rail_variables(version: Version) -> tuple[str, str]:
    """The variables by which a client chooses its interface and its domain against the agent.

    Source: `get_attach_info` and `dc_mgmt_net_cfg` in src/mgmt/cli_mgmt.c of DAOS.
    """
    _, interface, domain = _VARIABLES[version]
    return interface, domain


def ranges(numbers: Iterable[int]) -> str:
    """Numbers as self_test takes them: ``0-3,7``."""
    runs = [
        [number for _, number in run]
        for _, run in groupby(enumerate(sorted(set(numbers))), lambda pair: pair[1] - pair[0])
    ]
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


@dataclass(frozen=True, slots=True)
class _MasterResult:
    """The result of one master for one size."""

    master: str
    sizes: tuple[str, str]
    inflight: int
    text: str

    @property
    def labels(self) -> dict[str, str]:
        send, reply = self.sizes
        return {
            "master": self.master,
            "send": send,
            "reply": reply,
            "inflight": str(self.inflight),
        }

    @property
    def endpoints(self) -> dict[str, str]:
        return dict(_ENDPOINT.findall(self.text))

    def samples(self, *, rates: bool) -> Iterator[Sample]:
        if rates and self.sizes != EMPTY:
            for unit, value in _BANDWIDTH.findall(self.text):
                yield Sample("bandwidth", float(value), _UNITS[unit], self.labels)
        if rates:
            for value in _RATE.findall(self.text):
                yield Sample("rate", float(value), "RPC/s", self.labels)
        for value in _MEDIAN.findall(self.text):
            yield Sample("latency", float(value), "us", self.labels)
        for endpoint, value in self.endpoints.items():
            if value != "NA":
                labels = self.labels | {"endpoint": endpoint}
                yield Sample("endpoint_latency", float(value), "us", labels)

    def problems(self, expected_endpoints: int | None) -> Iterator[str]:
        """The problems of the first kind that occurs, since later kinds may follow from it."""
        kinds = (self._failed_rpcs(), self._lost_endpoints(expected_endpoints), self._damage())
        for problem in next(filter(None, map(list, kinds)), []):
            yield f"master {self.master}: {problem}"

    def _failed_rpcs(self) -> Iterator[str]:
        failed = _FAILED_RPCS.search(self.text)
        silent = [endpoint for endpoint, value in self.endpoints.items() if value == "NA"]
        if "All RPCs for this message size failed" in self.text:
            yield "all RPCs failed"
        elif not failed:
            yield "the result is cut off: it does not count failed RPCs"
        elif int(failed[1]):
            yield (
                f"{failed[1]} RPCs failed"
                + (f", all those to {', '.join(silent)}" if silent else "")
                + "; they count in the rate: is the rank up, and does it have that tag?"
            )

    def _lost_endpoints(self, expected: int | None) -> Iterator[str]:
        if expected not in (None, len(self.endpoints)):
            yield f"{len(self.endpoints)} of {expected} endpoints are in the result"

    def _damage(self) -> Iterator[str]:
        # The rates of many clients are added up, so a lost or repeated one would go unnoticed.
        for name, figure in _FIGURES.items():
            if (times := len(figure.findall(self.text))) != 1:
                yield f"its {name} appears {times} times, not once: the output is damaged"


def parse(text: str, asked: SelfTest | None = None) -> Parsed:
    """Read the output of self_test.

    Each master gives `bandwidth` (MiB/s, unless the message is empty), `rate` (RPC/s) and `latency`
    (us, the median over all its endpoints). Each of its endpoints gives `endpoint_latency` (us, the
    median). Latencies are printed in whole microseconds. Rates are over all endpoints of the master
    together.

    Labels: `master` (``rank:tag``, or ``client``), `send`, `reply`, `inflight`, `endpoint`.

    Args:
        text: standard output, including the log lines of DAOS's libraries.
        asked: the run that gave the output; without it, missing masters and endpoints go unnoticed.
    """
    without_libraries = without_log(text)
    if not _HEADER.search(without_libraries):
        return Parsed(
            TOOL, (), (f"this is not output of {TOOL}: it does not report its parameters",)
        )
    results = list(_results(without_libraries))
    one_size = len({result.sizes for result in results}) == 1
    endpoints = _ENDPOINTS.search(without_libraries)
    expected = int(endpoints[1]) if endpoints else None
    samples = tuple(sample for result in results for sample in result.samples(rates=one_size))
    problems = [
        *_not_understood(without_libraries),
        *_not_started(text),
        *_no_result(results, text),
        *_several_sizes(results),
        *(problem for result in results for problem in result.problems(expected)),
        *_repeated(results),
        *(_differences(results, asked) if asked else ()),
    ] or filter(None, map(impossible, samples))
    return Parsed(TOOL, samples, tuple(dict.fromkeys(problems)))


def _not_understood(text: str) -> Iterator[str]:
    if _FALLBACK.search(text):
        yield "self_test did not understand --endpoint and used 0:2 instead"


def _not_started(text: str) -> Iterator[str]:
    for error in logged_errors(text):
        if match := _NOT_STARTED.search(error):
            master, code = match.groups()
            why = meaning(code)
            hint = (
                "; one session at a time on an engine, on which one that was stopped stays for a"
                " while, and one master tag per rank"
            )
            yield f"master {master} did not start: {why}{hint if why == 'busy' else ''}"


def _no_result(results: list[_MasterResult], text: str) -> Iterator[str]:
    if not results:
        why = reason(text) or "it was stopped while it waited for a rank, or was killed"
        yield f"self_test printed no result: {why}"


def _several_sizes(results: list[_MasterResult]) -> Iterator[str]:
    count = len({result.sizes for result in results})
    if count > 1:
        yield (
            f"{count} sizes in one run: 2.7 and newer compute each rate with the last size's"
            " duration; run one size at a time"
        )


def _repeated(results: list[_MasterResult]) -> Iterator[str]:
    for (master, _), times in Counter((each.master, each.sizes) for each in results).items():
        if times > 1:
            yield f"master {master} has {times} results of one size: pass one run at a time"


def _results(text: str) -> Iterator[_MasterResult]:
    """The results of each size and master, in order."""
    from_client = _FROM_CLIENT.search(text) is not None
    for head, masters in sections(_RESULT, text):
        for master, result in sections(_MASTER, masters):
            yield _MasterResult(
                CLIENT if from_client else master[1],
                (_spelled(head["send"]), _spelled(head["reply"])),
                int(head["inflight"]),
                result,
            )


def _spelled(size: str) -> str:
    """A size in the spelling of the command line: ``b1048576`` for ``1048576-BULK_GET``."""
    count, _, kind = size.partition("-")
    return "0" if kind == "EMPTY" else f"{kind[0].lower()}{count}"


def _differences(results: list[_MasterResult], asked: SelfTest) -> Iterator[str]:
    """Report results that are missing, or that do not belong to the run."""
    masters = [f"{rank}:{asked.master_tag}" for rank in asked.masters] or [CLIENT]
    printed = {result.master for result in results}
    if results and (missing := [master for master in masters if master not in printed]):
        yield f"there is no result from master {', '.join(missing)}"
    for result in results:
        if missing := [name for name in asked.endpoints if name not in result.endpoints]:
            yield f"master {result.master}: endpoint {', '.join(missing)} is missing"
        if strange := [name for name in result.endpoints if name not in asked.endpoints]:
            yield f"master {result.master}: endpoint {', '.join(strange)} was not requested"
        if result.sizes != asked.sizes:
            yield f"the size was {result.sizes} instead of {asked.sizes}"
        if result.inflight != asked.inflight:
            yield f"{result.inflight} RPCs were in flight instead of {asked.inflight}"
