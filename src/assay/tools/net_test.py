"""`daos health net-test`, the fabric test that comes with the client in DAOS 2.8.

It uses the code of self_test, but prints JSON with failed RPCs and percentiles. It can only send
and reply the same size. Without `--tags` it uses tag 0, which serves metadata.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from pydantic import BaseModel, Field, ValidationError

from assay.cluster.releases import Version, since
from assay.tools.contract import OF_DAOS, Contract
from assay.tools.json_output import json_objects
from assay.tools.output import Parsed, Sample, impossible
from assay.tools.self_test import ranges
from assay.tools.text import by_process, first_error

TOOL = "net_test"

KNOWS = Contract(TOOL, OF_DAOS, "the JSON answer of `daos -j health net-test`")

RELEASES = since("2.8")
"""The releases that have it."""


@dataclass(frozen=True, slots=True)
class NetTest:
    """One run from this client to every tag of the ranks."""

    tags: tuple[int, ...]
    inflight: int
    repetitions: int
    """RPCs to each endpoint."""
    ranks: tuple[int, ...] = ()
    """Ranks to test; all ranks of the system if empty."""
    size: int = 1024
    """Bytes of each request and of each reply."""

    def command(self, version: Version) -> list[str]:
        """Command line, whose standard output is JSON.

        Raises:
            ValueError: `daos` of this version has no net-test.
        """
        if version not in RELEASES:
            raise ValueError(f"daos health net-test is in DAOS {RELEASES}; {version} has self_test")
        return [
            *("daos", "-j", "health", "net-test"),
            *([f"--ranks={ranges(self.ranks)}"] if self.ranks else []),
            f"--tags={ranges(self.tags)}",
            f"--size={self.size}",
            f"--max-inflight={self.inflight}",
            f"--rep-count={self.repetitions}",
        ]


class _Percentile(BaseModel):
    label: str
    upper_bound: float


class _Latency(BaseModel):
    """Latencies of one kind, in nanoseconds."""

    percentiles: list[_Percentile | None]
    total_rpcs: int
    fail_count: int

    def percentile(self, label: str) -> float:
        """The percentile in microseconds; nan if it is missing."""
        for percentile in self.percentiles:
            if percentile and percentile.label == label:
                return percentile.upper_bound / 1000
        return float("nan")


class _Result(BaseModel):
    master: str = Field(alias="master_endpoint")
    endpoints: dict[str, _Latency] = Field(default_factory=dict, alias="target_latencies")
    latency: _Latency = Field(alias="master_latency")
    rate: float = Field(alias="rpc_count_per_second")
    bytes_per_second: float = Field(alias="rpc_bytes_per_second")
    send_size: int
    reply_size: int

    def samples(self) -> Iterator[Sample]:
        labels = {"send": str(self.send_size), "reply": str(self.reply_size)}
        yield Sample("bandwidth", self.bytes_per_second / 2**20, "MiB/s", labels)
        yield Sample("rate", self.rate, "RPC/s", labels)
        yield Sample("latency", self.latency.percentile("50"), "us", labels)
        yield Sample("latency_p95", self.latency.percentile("95"), "us", labels)
        yield Sample("latency_p99", self.latency.percentile("99"), "us", labels)
        for endpoint, latency in self.endpoints.items():
            named = labels | {"endpoint": endpoint}
            yield Sample("endpoint_latency", latency.percentile("50"), "us", named)

    def problems(self, asked: list[str], repetitions: int) -> Iterator[str]:
        if self.latency.fail_count and not self.endpoints:
            yield (
                f"all {self.latency.fail_count} RPCs failed: are the ranks up, and do they have"
                " those tags?"
            )
            return
        if missing := [name for name in asked if name not in self.endpoints]:
            yield f"endpoint {', '.join(missing)} is missing{self._elsewhere(repetitions)}"
            return
        for endpoint, latency in self.endpoints.items():
            if latency.fail_count:
                yield (
                    f"{latency.fail_count} of {latency.total_rpcs} RPCs to {endpoint} failed: is"
                    " the rank up, and does it have that tag?"
                )
            elif latency.total_rpcs != repetitions:
                yield f"{latency.total_rpcs} of {repetitions} RPCs went to {endpoint}"

    def _elsewhere(self, repetitions: int) -> str:
        """The endpoints that took the RPCs of missing tags, which DAOS gives to another tag."""
        took = [name for name, it in self.endpoints.items() if it.total_rpcs > repetitions]
        if not took:
            return ""
        return (
            f", and {', '.join(took)} took its RPCs: there is no such tag; does each engine have as"
            " many targets as described?"
        )


class _Configuration(BaseModel):
    ranks: list[int] = Field(alias="endpoint_ranks")
    tags: list[int] = Field(alias="endpoint_tags")
    repetitions: int

    @property
    def endpoints(self) -> list[str]:
        return [f"{rank}:{tag}" for rank, tag in product(self.ranks, self.tags)]


class _Response(BaseModel):
    configuration: _Configuration
    results: list[_Result] = Field(min_length=1)


class _Answer(BaseModel):
    error: str | None
    response: _Response | None


def parse_labelled(text: str, *, expected_ranks: int | None = None) -> Parsed:
    """Read the output of a single process under `srun --label`.

    Args:
        text: standard output; each line starts with the number of the process.
        expected_ranks: see `parse`.
    """
    outputs = by_process(text)
    if len(outputs) > 1:
        return Parsed(TOOL, (), (f"{len(outputs)} processes ran net-test instead of one",))
    return parse(next(iter(outputs.values()), ""), expected_ranks=expected_ranks)


def parse(text: str, *, expected_ranks: int | None = None) -> Parsed:
    """Read the JSON of `daos -j health net-test`, with or without log lines around it.

    `bandwidth` (MiB/s, both directions together), `rate` (RPC/s), `latency` (us, the median over
    all endpoints), `latency_p95`, `latency_p99`, and `endpoint_latency` for each endpoint.

    Labels: `send` and `reply` (bytes), `endpoint`.

    Args:
        text: standard output.
        expected_ranks: number of ranks of the system; net-test itself tests only those that answer.
    """
    objects, invalid = json_objects(text)
    if invalid or len(objects) != 1:
        return Parsed(TOOL, (), (f"no JSON from net-test: {invalid or 'of more than one run'}",))
    try:
        answer = _Answer.model_validate(objects[0])
    except ValidationError as error:
        return Parsed(TOOL, (), (f"no JSON from net-test: {first_error(error)}",))
    if answer.error or not answer.response:
        return Parsed(TOOL, (), (f"net-test failed: {answer.error or 'it gave no response'}",))

    asked, results = answer.response.configuration, answer.response.results
    problems = []
    if expected_ranks is not None and len(asked.ranks) != expected_ranks:
        problems.append(f"net-test asked {len(asked.ranks)} of {expected_ranks} ranks")
    if len(results) > 1:
        problems.append(f"{len(results)} results in one run: run one size at a time")
    for result in results:
        problems += result.problems(asked.endpoints, asked.repetitions)
    samples = tuple(sample for result in results for sample in result.samples())
    if not problems:
        problems += filter(None, map(impossible, samples))
    return Parsed(TOOL, samples, tuple(problems))
