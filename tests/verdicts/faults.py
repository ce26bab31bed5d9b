"""The faults of the bench: each changes the samples of a sound campaign, and says which."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from noises import Noise, by_host, independent
from simulated import KINDS, SSDS, Array, Cluster, Flags

from assay.judge.fakes import FEWEST
from assay.judge.rating import Rating
from assay.judge.verdict import Verdict

Random = np.random.Generator
Which = Callable[[Random, Cluster], Flags]
QUIET = independent(0.01)
Put = Callable[[Random, Cluster, Array], tuple[Array, Flags]]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, how it is to be called, and how often at 4, 16 and 128 hosts."""

    put: Put
    right: str
    """`below` of some of it and of nothing else; `worse`: that, or of the worse of two populations;
    `implausible`, `missing` or `unsteady` of more than half of it; `stopped`: of some of it, any of
    these."""
    asked: tuple[float | None, float | None, float | None]
    noise: Noise = QUIET

    def is_recognized(self, rating: Rating, hit: Flags) -> bool:
        """Whether it is called what it is, where it is."""
        below = rating.verdict == Verdict.BELOW
        match self.right:
            case "below":
                return bool(below[hit].any() and not below[~hit].any())
            case "worse":
                worse = below | ~np.isnan(rating.figures.apart)
                return bool(worse[hit].any() and worse[hit].sum() > 9 * worse[~hit].sum())
            case "stopped":
                passing = np.isin(rating.verdict, (Verdict.PASS, Verdict.UNRATED))
                return not passing[hit].all()
            case "unsteady":
                stopped = np.isin(rating.verdict[hit], (Verdict.UNSTEADY, Verdict.BELOW))
                return bool(stopped.mean() > 0.5)
        return bool(np.mean(rating.verdict[hit] == self.right) > 0.5)


def slower(loss: float, which: Which) -> Put:
    def put(rng: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
        hit = which(rng, cluster)
        factor = np.where(cluster.more, 1 - loss, 1 / (1 - loss))
        return np.where(hit[:, None], samples * factor[:, None], samples), hit

    return put


def one_ssd(rng: Random, cluster: Cluster) -> Flags:
    device = (rng.integers(cluster.hosts) == cluster.host) & (rng.integers(SSDS) == cluster.part)
    return np.asarray(cluster.of("Nvme") & device)


def one_nic(rng: Random, cluster: Cluster) -> Flags:
    own = cluster.with_host(rng.integers(cluster.hosts))
    return np.asarray(own & (cluster.paired | cluster.of("SelfTest")))


def one_cable(rng: Random, cluster: Cluster) -> Flags:
    """What one pair of neighbours shows, in all that is measured of it."""
    host = rng.integers(cluster.hosts - 1)
    return np.asarray(cluster.paired & (cluster.host == host) & (cluster.peer == host + 1))


def one_client(rng: Random, cluster: Cluster) -> Flags:
    return np.asarray(cluster.of("Client") & cluster.with_host(rng.integers(cluster.hosts)))


def one_host(rng: Random, cluster: Cluster) -> Flags:
    return np.asarray(cluster.with_host(rng.integers(cluster.hosts)) & ~cluster.paired)


def share_of_hosts(share: float) -> Which:
    def hosts(rng: Random, cluster: Cluster) -> Flags:
        chosen = rng.permutation(cluster.hosts)[: max(2, round(share * cluster.hosts))]
        return np.asarray(cluster.with_host(chosen) & ~cluster.paired)

    return hosts


def one_switch(_: Random, cluster: Cluster) -> Flags:
    """The pairs between both halves of the hosts."""
    half = cluster.hosts // 2
    return np.asarray((cluster.host < half) != (cluster.peer < half))


def of_check(name: str) -> Which:
    return lambda _, cluster: cluster.of(name)


def constant(rng: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
    hit = np.arange(len(samples)) == rng.choice(np.flatnonzero(cluster.count >= FEWEST))
    alike = np.where(np.isnan(samples), np.nan, samples[:, :1] + 0.0123)
    return np.where(hit[:, None], alike, samples), hit


def copied(rng: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
    host = rng.integers(cluster.hosts)
    own = ~cluster.paired
    one = own & (cluster.host == host)
    two = own & (cluster.host == (host + 1) % cluster.hosts)
    made = samples.copy()
    made[two] = made[one]
    return made, one | two


def cached(rng: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
    kinds = [number for number, kind in enumerate(KINDS) if kind.floor and kind.more and kind.each]
    host = cluster.with_host(rng.integers(cluster.hosts))
    hit = (cluster.kind == rng.choice(kinds)) & host
    return np.where(hit[:, None], samples * rng.uniform(3, 20), samples), hit


def hole(rng: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
    """Files that were never written are read, by all clients."""
    names = [kind.name for kind in KINDS]
    hit = cluster.of("Client") & (cluster.kind == names.index("read"))
    return np.where(hit[:, None], samples * rng.uniform(3, 10), samples), hit


def drifting(loss: float, which: Which) -> Put:
    """Slower and slower from the first sample to the last."""

    def put(rng: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
        hit = which(rng, cluster)
        shape = 1 - loss * cluster.within / (cluster.count[:, None] - 1)
        factor = np.where(cluster.more[:, None], shape, 1 / shape)
        return np.where(hit[:, None], samples * factor, samples), hit

    return put


def warming(loss: float, which: Which) -> Put:
    """Slow at first, and at its speed within the run."""

    def put(rng: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
        hit = which(rng, cluster)
        shape = 1 - loss * np.exp(-cluster.within / 2)
        factor = np.where(cluster.more[:, None], shape, 1 / shape)
        return np.where(hit[:, None], samples * factor, samples), hit

    return put


def intermittent(loss: float, share: float, which: Which) -> Put:
    """Slow in a share of the samples."""

    def put(rng: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
        hit = which(rng, cluster)
        factor = np.where(cluster.more, 1 - loss, 1 / (1 - loss))[:, None]
        slow = hit[:, None] & (rng.random(samples.shape) < share)
        return np.where(slow, samples * factor, samples), hit

    return put


def from_the_middle(loss: float, which: Which) -> Put:
    """Slow in the second half of the samples."""

    def put(rng: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
        hit = which(rng, cluster)
        factor = np.where(cluster.more, 1 - loss, 1 / (1 - loss))[:, None]
        slow = hit[:, None] & (cluster.within >= cluster.count[:, None] // 2)
        return np.where(slow, samples * factor, samples), hit

    return put


def one_engine(rng: Random, cluster: Cluster) -> Flags:
    return np.asarray(cluster.of("VosPerf") & cluster.with_host(rng.integers(cluster.hosts)))


def hot_ssds(rng: Random, cluster: Cluster) -> Flags:
    """All SSDs of one host."""
    return np.asarray(cluster.of("Nvme") & cluster.with_host(rng.integers(cluster.hosts)))


def missing(rng: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
    hit = np.arange(len(samples)) == rng.integers(len(samples))
    return np.where(hit[:, None], np.nan, samples), hit


ONE_10, ONE_20 = (0.8, 0.95, 0.95), (0.99, 0.99, 0.99)

FAULTS: Mapping[str, Fault] = {
    "one SSD, 10 %": Fault(slower(0.1, one_ssd), "below", ONE_10),
    "one SSD, 20 %": Fault(slower(0.2, one_ssd), "below", ONE_20),
    "one SSD, 10 %; hosts differ by 2 %": Fault(
        slower(0.1, one_ssd), "below", (0.8, 0.95, 0.95), by_host(0.02)
    ),
    "one NIC, 10 %": Fault(slower(0.1, one_nic), "worse", ONE_10),
    "one NIC, 20 %": Fault(slower(0.2, one_nic), "worse", ONE_20),
    "one cable, 10 %": Fault(slower(0.1, one_cable), "worse", ONE_10),
    "one cable, 20 %": Fault(slower(0.2, one_cable), "worse", ONE_20),
    "one client, 10 %": Fault(slower(0.1, one_client), "below", ONE_10),
    "one client, 20 %": Fault(slower(0.2, one_client), "below", ONE_20),
    "one host, 10 %": Fault(slower(0.1, one_host), "below", ONE_10),
    "one host, 20 %": Fault(slower(0.2, one_host), "below", ONE_20),
    "a rack of a quarter, 10 %": Fault(
        slower(0.1, share_of_hosts(0.25)), "worse", (None, 0.95, 0.95)
    ),
    "half of the hosts, 10 %": Fault(slower(0.1, share_of_hosts(0.5)), "worse", (0.95, 0.95, 0.95)),
    "six of eight hosts, 20 %": Fault(
        slower(0.2, share_of_hosts(0.75)), "worse", (None, 0.95, 0.95)
    ),
    "a switch, 10 %": Fault(slower(0.1, one_switch), "worse", (0.9, 0.9, 0.9)),
    "all SSDs, 10 %": Fault(slower(0.1, of_check("Nvme")), "below", (0.99, 0.99, 0.99)),
    "all SSDs, 5 %": Fault(slower(0.05, of_check("Nvme")), "below", (0.9, 0.9, 0.9)),
    "end to end, half of it": Fault(slower(0.5, of_check("Client")), "below", (0.99, 0.99, 0.99)),
    "end to end, 1 % of it": Fault(slower(0.99, of_check("Client")), "below", (1.0, 1.0, 1.0)),
    "all SSDs of a host get hot, 20 %": Fault(
        drifting(0.2, hot_ssds), "unsteady", (0.95, 0.95, 0.95)
    ),
    "a check drifts, 20 %": Fault(
        drifting(0.2, of_check("Client")), "unsteady", (0.95, 0.95, 0.95)
    ),
    "a check warms up, 30 %": Fault(
        warming(0.3, of_check("Client")), "unsteady", (0.95, 0.95, 0.95)
    ),
    "one SSD, 20 % in 30 % of samples": Fault(
        intermittent(0.2, 0.3, one_ssd), "stopped", (0.95, 0.95, 0.95)
    ),
    "one SSD, 50 % in 30 % of samples": Fault(
        intermittent(0.5, 0.3, one_ssd), "stopped", (0.95, 0.95, 0.95)
    ),
    "one client, 20 % in 30 % of samples": Fault(
        intermittent(0.2, 0.3, one_client), "stopped", (None, None, None)
    ),
    "one client, 20 % from the middle on": Fault(
        from_the_middle(0.2, one_client), "stopped", (0.95, 0.95, 0.95)
    ),
    "one host 1.5 times its peers": Fault(slower(-0.5, one_client), "stopped", (0.99, 0.99, 0.99)),
    "one host 1.9 times its peers": Fault(slower(-0.9, one_client), "stopped", (0.99, 0.99, 0.99)),
    "all samples alike": Fault(constant, "implausible", (1.0, 1.0, 1.0)),
    "a host copies another": Fault(copied, "implausible", (1.0, 1.0, 1.0)),
    "a cache": Fault(cached, "implausible", (0.99, 0.99, 0.99)),
    "reads of holes": Fault(hole, "implausible", (0.99, 0.99, 0.99)),
    "a missing metric": Fault(missing, "missing", (1.0, 1.0, 1.0)),
}

FEW_PEERS: Mapping[str, Fault] = {
    "one SSD, 20 %": FAULTS["one SSD, 20 %"],
    "one NIC, 20 %": Fault(slower(0.2, one_nic), "stopped", (None, None, None)),
    "one client, 20 %": Fault(slower(0.2, one_client), "stopped", (None, None, None)),
    "one engine, 20 %": Fault(slower(0.2, one_engine), "stopped", (None, None, None)),
    "one cable, 20 %": Fault(slower(0.2, one_cable), "stopped", (None, None, None)),
}
"""What has to be found with two or three hosts."""

SLIPS: Mapping[str, float] = {
    "bits for bytes": 8.0,
    "bytes for bits": 1 / 8,
    "GiB for GB": 2**30 / 10**9,
    "GB for GiB": 10**9 / 2**30,
    "MiB for MB": 2**20 / 10**6,
    "MB for MiB": 10**6 / 2**20,
}
"""Factors by which figures are wrong whose unit was mistaken."""
SLIPPING = ("FiPingpong", "CrossServer", "Nvme", "VosPerf", "SelfTest", "Client")
"""The checks with bandwidths."""


def slipped(check: str, factor: float) -> Put:
    """The bandwidths of a check are in another unit."""

    def put(_: Random, cluster: Cluster, samples: Array) -> tuple[Array, Flags]:
        hit = cluster.of(check) & cluster.of_kinds(lambda kind: kind.unit == "MiB/s")
        return np.where(hit[:, None], samples * factor, samples), hit

    return put
