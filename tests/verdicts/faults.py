"""The faults of the bench: each changes a sound campaign and marks what it changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from campaigns import CLIENTS, ENGINES, KIND, MORE, SSDS, SUBJECT, Campaign, of, with_unit
from numpy.typing import NDArray

Fault = Callable[[Campaign, np.random.Generator], None]


def _slow(campaign: Campaign, hit: NDArray[np.bool_], loss: float) -> None:
    factor = np.where(MORE, 1 - loss, 1 / (1 - loss))
    campaign.samples[hit] *= factor[hit, None]
    campaign.affected |= hit


def everywhere(loss: float) -> Fault:
    return lambda campaign, rng: _slow(campaign, np.ones(len(KIND), dtype=bool), loss)


def ssd(loss: float) -> Fault:
    """One SSD of 8, in all that is measured of it."""
    return lambda campaign, rng: _slow(campaign, of("Nvme") & (rng.integers(SSDS) == SUBJECT), loss)


def nic(loss: float) -> Fault:
    """One NIC of 32: both pairs of the ring that it is in, and the files of its client."""

    def put(campaign: Campaign, rng: np.random.Generator) -> None:
        host = rng.integers(CLIENTS)
        pairs = (host == SUBJECT) | ((host - 1) % CLIENTS == SUBJECT)
        files = (of("PosixFio") | of("FdbHammer")) & (host == SUBJECT)
        _slow(campaign, (of("FiPingpong", "bandwidth_1m") & pairs) | files, loss)

    return put


def wrong_numa_node(loss: float) -> Fault:
    """One client whose processes are far from its NIC: it answers later, and moves less."""

    def put(campaign: Campaign, rng: np.random.Generator) -> None:
        host = rng.integers(CLIENTS)
        late = of("FiPingpong", "latency_64b") & (host == SUBJECT)
        files = (of("PosixFio") | of("FdbHammer")) & (host == SUBJECT)
        _slow(campaign, late | files, loss)

    return put


def _faster(campaign: Campaign, hit: NDArray[np.bool_], factor: float) -> None:
    campaign.samples[hit] *= factor
    campaign.affected |= hit


def cached_reads(campaign: Campaign, rng: np.random.Generator) -> None:
    """All clients read from the page cache."""
    _faster(campaign, of("PosixFio", "read_1m"), rng.uniform(4, 20))


def cached_reads_of_one(campaign: Campaign, rng: np.random.Generator) -> None:
    """One client reads from the page cache."""
    one = of("PosixFio", "read_1m") & (rng.integers(CLIENTS) == SUBJECT)
    _faster(campaign, one, rng.uniform(4, 20))


def hole_reads(campaign: Campaign, rng: np.random.Generator) -> None:
    """Files that were never written are read: no data crosses the network."""
    _faster(campaign, of("Ior", "easy_read", "hard_read"), rng.uniform(3, 10))


def unit_slip(factor: float) -> Fault:
    """The bandwidths of one check are in another unit."""

    def put(campaign: Campaign, rng: np.random.Generator) -> None:
        check = rng.choice(["FiPingpong", "SelfTest", "Nvme", "VosPerf", "PosixFio", "FdbHammer"])
        _faster(campaign, of(str(check)) & with_unit("MiB/s"), factor)

    return put


def warm_up(loss: float) -> Fault:
    """All of a check starts slow and comes to its speed within the run."""

    def put(campaign: Campaign, rng: np.random.Generator) -> None:
        hit = of(str(rng.choice(["Nvme", "PosixFio", "FdbHammer"])))
        time = np.arange(campaign.samples.shape[1])
        shape = 1 - loss * np.exp(-time / 2)
        campaign.samples[hit] *= np.where(MORE[hit, None], shape, 1 / shape)
        campaign.affected |= hit

    return put


def drift(loss: float) -> Fault:
    """All of a check gets slower from the first sample to the last."""

    def put(campaign: Campaign, rng: np.random.Generator) -> None:
        hit = of(str(rng.choice(["Nvme", "PosixFio", "FdbHammer"])))
        shape = np.linspace(1, 1 - loss, campaign.samples.shape[1])
        campaign.samples[hit] *= np.where(MORE[hit, None], shape, 1 / shape)
        campaign.affected |= hit

    return put


def missing_metric(campaign: Campaign, rng: np.random.Generator) -> None:
    row = rng.integers(len(KIND))
    campaign.samples[row] = np.nan
    campaign.affected[row] = True


def failed_phase(campaign: Campaign, rng: np.random.Generator) -> None:
    """The phase of an engine failed and printed figures all the same: sanity refuses them."""
    hit = of("VosPerf") & (rng.integers(ENGINES) == SUBJECT)
    campaign.samples[hit] = np.nan
    campaign.affected |= hit


@dataclass(frozen=True, slots=True)
class Named:
    """A fault, what verdict is the right one, and how often it has to be found."""

    put: Fault
    right: str
    """`regression` of the campaign, or the verdict of what it was put into."""
    required: float | None = None
    """At a spread of 2 %."""


FAULTS: Mapping[str, Named] = {
    "5 % lost everywhere": Named(everywhere(0.05), "regression", 0.9),
    "10 % lost everywhere": Named(everywhere(0.10), "regression", 0.99),
    "20 % lost everywhere": Named(everywhere(0.20), "regression", 0.99),
    # Of 8 at this spread, that peers differ by nature cannot be told apart from it (0.3 are found).
    "one SSD of 8, 10 %": Named(ssd(0.10), "below"),
    "one SSD of 8, 20 %": Named(ssd(0.20), "below", 0.99),
    "one NIC of 32, 10 %": Named(nic(0.10), "below", 0.95),
    "one NIC of 32, 20 %": Named(nic(0.20), "below", 0.99),
    "one client's NUMA node, 10 %": Named(wrong_numa_node(0.10), "below", 0.95),
    "one client's NUMA node, 20 %": Named(wrong_numa_node(0.20), "below", 0.99),
    "cached reads": Named(cached_reads, "implausible", 1.0),
    "cached reads of one client": Named(cached_reads_of_one, "implausible", 1.0),
    "reads of holes": Named(hole_reads, "implausible", 1.0),
    "bits for bytes": Named(unit_slip(8.0), "unit", 1.0),
    "bytes for bits": Named(unit_slip(1 / 8), "unit", 1.0),
    "GiB for GB": Named(unit_slip(1.073741824), "unit", 1.0),
    "GB for GiB": Named(unit_slip(1 / 1.073741824), "unit", 1.0),
    "warm-up, 30 %": Named(warm_up(0.30), "unsteady"),
    "drift, 10 %": Named(drift(0.10), "unsteady"),
    "drift, 20 %": Named(drift(0.20), "unsteady"),
    "a missing metric": Named(missing_metric, "missing", 1.0),
    "a failed phase with figures": Named(failed_phase, "missing", 1.0),
}
