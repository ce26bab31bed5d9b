"""How often verdicts are right on clusters of several sizes, with noises that real hosts have.

Each host has one interface, measured in a ring of pairs; four SSDs with three metrics each; one
engine; and a client with five figures. A cluster is made, measured with a noise, and judged as a
sign-off judges. Nothing here knows how verdicts are made. Thresholds are chosen with the seed
`TUNING`; the table is printed with `REPORTING`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.judge.fakes import fakes
from assay.judge.rating import Limits, Rating, rate
from assay.judge.stats import summarize_all
from assay.judge.verdict import Verdict

Array = NDArray[np.float64]
TUNING, REPORTING = 20_250, 7_919
SAMPLES = 7
SSDS = 4


@dataclass(frozen=True, slots=True)
class Kind:
    """One metric of a check, of so many subjects on each host."""

    check: str
    name: str
    each: int
    level: float
    floor: float | None
    """As a fraction of its bound; none: it has neither."""
    more: bool = True
    remote: bool = False
    """Whether it is of a pair with the next host of the ring."""


KINDS = (
    Kind("FiPingpong", "bandwidth", 1, 20_000.0, 0.4, remote=True),
    Kind("FiPingpong", "latency", 1, 21.0, None, more=False, remote=True),
    Kind("Nvme", "alone", SSDS, 6500.0, 0.92),
    Kind("Nvme", "together", SSDS, 6100.0, 0.85),
    Kind("Nvme", "rate", SSDS, 700_000.0, 0.7),
    Kind("VosPerf", "update", 1, 4000.0, None),
    Kind("VosPerf", "fetch", 1, 8000.0, None),
    Kind("SelfTest", "get", 1, 18_000.0, 0.6),
    Kind("SelfTest", "latency", 1, 7.4, None, more=False),
    Kind("Client", "write", 1, 9000.0, 0.3),
    Kind("Client", "read", 1, 11_000.0, 0.3),
    Kind("Client", "rate", 1, 300_000.0, None),
    Kind("Client", "latency", 1, 130.0, None, more=False),
)
FRACTION = {"alone": 0.97, "together": 0.95}
"""Of the bound that a sound figure is; 0.8 for others."""


class Cluster:
    """So many hosts, and what is measured of them: an array of rows."""

    def __init__(self, hosts: int) -> None:
        self.hosts = hosts
        rows = [
            (number, host, part)
            for number, kind in enumerate(KINDS)
            for host in range(hosts)
            for part in range(kind.each)
        ]
        self.kind, self.host, self.part = (np.array(column) for column in zip(*rows, strict=True))
        remote = np.array([kind.remote for kind in KINDS])[self.kind]
        self.peer = np.where(remote, (self.host + 1) % hosts, self.host)
        self.more = np.array([kind.more for kind in KINDS])[self.kind]
        self.level = np.array([kind.level for kind in KINDS])[self.kind]
        fraction = np.array([FRACTION.get(kind.name, 0.8) for kind in KINDS])[self.kind]
        floors = np.array([kind.floor or np.nan for kind in KINDS])[self.kind]
        self.best = np.where(np.isnan(floors), np.nan, self.level / fraction * 1.03)
        self.worst = floors * self.level / fraction
        checks = {kind.check: number for number, kind in enumerate(KINDS)}
        check = np.array([checks[kind.check] for kind in KINDS])[self.kind]
        self.subject = (check * hosts + self.host) * SSDS + self.part

    def of(self, check: str) -> NDArray[np.bool_]:
        """The rows of a check."""
        return np.array([kind.check == check for kind in KINDS])[self.kind]

    def judged(self, samples: Array) -> Rating:
        """As the sign-off judges."""
        limits = Limits(self.best, self.worst, self.more, self.kind, self.subject, self.host)
        fake = fakes(samples.tolist(), self.kind.tolist(), [""] * len(self.kind))
        flags = np.isin(np.arange(len(self.kind)), list(fake))
        return rate(summarize_all(samples), limits, flags)


Noise = Callable[[np.random.Generator, Cluster], Array]
"""Relative deviations of all samples of a sound campaign."""


def independent(spread: float) -> Noise:
    return lambda rng, cluster: rng.normal(0, spread, (len(cluster.kind), SAMPLES))


def student(rng: np.random.Generator, cluster: Cluster) -> Array:
    return 0.01 * rng.standard_t(3, (len(cluster.kind), SAMPLES))


def log_normal(rng: np.random.Generator, cluster: Cluster) -> Array:
    return np.exp(rng.normal(0, 0.03, (len(cluster.kind), SAMPLES))) - 1


def bimodal_samples(rng: np.random.Generator, cluster: Cluster) -> Array:
    shape = (len(cluster.kind), SAMPLES)
    return rng.normal(0, 0.01, shape) - 0.15 * (rng.random(shape) < 0.3)


def bimodal_hosts(rng: np.random.Generator, cluster: Cluster) -> Array:
    """Half of the hosts are 8 % slower, but for their SSDs, whose sheet leaves no room for that."""
    slow = np.zeros(cluster.hosts)
    slow[rng.permutation(cluster.hosts)[: cluster.hosts // 2]] = 0.08
    loss = np.where(cluster.of("Nvme"), 0.0, slow[cluster.host])
    return independent(0.01)(rng, cluster) - loss[:, None]


def in_turn(rng: np.random.Generator, cluster: Cluster) -> Array:
    """AR(1) with 0.7: each sample is like the last one."""
    noise = rng.normal(0, 0.01, (len(cluster.kind), SAMPLES))
    for number in range(1, SAMPLES):
        noise[:, number] = 0.7 * noise[:, number - 1] + 0.51**0.5 * noise[:, number]
    return noise


def time_of_day(rng: np.random.Generator, cluster: Cluster) -> Array:
    """Each check has an hour of its own, and is slower by up to 3 % for it."""
    hour = rng.uniform(0, 2 * np.pi, len(KINDS))[cluster.kind]
    wave = 0.015 * np.sin(hour[:, None] + np.arange(SAMPLES) / 10)
    return independent(0.01)(rng, cluster) + wave


def by_host(spread: float) -> Noise:
    """All figures of a host move together, but not beyond what a sheet leaves room for."""

    def noise(rng: np.random.Generator, cluster: Cluster) -> Array:
        own = np.clip(rng.normal(0, spread, cluster.hosts), -0.045, 0.045)[cluster.host][:, None]
        return own + rng.normal(0, 0.01, (len(cluster.kind), SAMPLES))

    return noise


def wild(rng: np.random.Generator, cluster: Cluster) -> Array:
    """One sample of 15 % of the rows is up to half as good."""
    noise = independent(0.01)(rng, cluster)
    rows = np.flatnonzero(rng.random(len(noise)) < 0.15)
    noise[rows, rng.integers(SAMPLES, size=len(rows))] -= rng.uniform(0.1, 0.5, len(rows))
    return noise


NOISES: Mapping[str, Noise] = {
    "independent, 1 %": independent(0.01),
    "independent, 5 %": independent(0.05),
    "Student's t, 3 degrees": student,
    "log-normal, 3 %": log_normal,
    "bimodal samples": bimodal_samples,
    "bimodal hosts": bimodal_hosts,
    "AR(1), 0.7": in_turn,
    "time of day": time_of_day,
    "of hosts, 1 %": by_host(0.01),
    "of hosts, 2 %": by_host(0.02),
    "a wild sample in 15 % of rows": wild,
    "whole microseconds": independent(0.01),
}


def measured(cluster: Cluster, noise: Array, *, whole: bool = False) -> Array:
    """The samples; times are printed in whole microseconds, or in ten digits."""
    relative = np.where(cluster.more[:, None], 1 + noise, 1 / (1 + noise))
    samples = cluster.level[:, None] * relative
    if whole:
        samples = np.where(cluster.more[:, None], samples, np.maximum(1, np.rint(samples)))
    return np.asarray(np.round(samples, 4))


# Faults: a loss for each row (negative: a gain), and which rows they are in.


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong, how it is to be called, and how often at 4, 16 and 128 hosts."""

    put: Callable[[np.random.Generator, Cluster, Array], tuple[Array, NDArray[np.bool_]]]
    right: str
    """`below` of some row, `implausible` of all, or `worse`: below, or of the worse population,
    and nothing else so."""
    asked: tuple[float | None, float | None, float | None]


def slower(loss: float, which: Callable[[np.random.Generator, Cluster], NDArray[np.bool_]]):  # type: ignore[no-untyped-def]
    def put(rng: np.random.Generator, cluster: Cluster, samples: Array):  # type: ignore[no-untyped-def]
        hit = which(rng, cluster)
        factor = np.where(cluster.more, 1 - loss, 1 / (1 - loss))
        return np.where(hit[:, None], samples * factor[:, None], samples), hit

    return put


def one_ssd(rng: np.random.Generator, cluster: Cluster) -> NDArray[np.bool_]:
    device = (rng.integers(cluster.hosts) == cluster.host) & (rng.integers(SSDS) == cluster.part)
    return np.asarray(cluster.of("Nvme") & device)


def one_nic(rng: np.random.Generator, cluster: Cluster) -> NDArray[np.bool_]:
    host = rng.integers(cluster.hosts)
    ends = (cluster.host == host) | (cluster.peer == host)
    return np.asarray(ends & (cluster.of("FiPingpong") | cluster.of("SelfTest")))


def one_client(rng: np.random.Generator, cluster: Cluster) -> NDArray[np.bool_]:
    return np.asarray(cluster.of("Client") & (rng.integers(cluster.hosts) == cluster.host))


def one_host(rng: np.random.Generator, cluster: Cluster) -> NDArray[np.bool_]:
    return np.asarray((rng.integers(cluster.hosts) == cluster.host) & ~cluster.of("FiPingpong"))


def share_of_hosts(share: float) -> Callable[[np.random.Generator, Cluster], NDArray[np.bool_]]:
    def hosts(rng: np.random.Generator, cluster: Cluster) -> NDArray[np.bool_]:
        chosen = rng.permutation(cluster.hosts)[: max(2, round(share * cluster.hosts))]
        return np.asarray(np.isin(cluster.host, chosen) & ~cluster.of("FiPingpong"))

    return hosts


def one_switch(_: np.random.Generator, cluster: Cluster) -> NDArray[np.bool_]:
    """The pairs between both halves of the ring."""
    half = cluster.hosts // 2
    return np.asarray((cluster.host < half) != (cluster.peer < half))


def all_ssds(_: np.random.Generator, cluster: Cluster) -> NDArray[np.bool_]:
    return cluster.of("Nvme")


def constant(rng: np.random.Generator, cluster: Cluster, samples: Array):  # type: ignore[no-untyped-def]
    hit = np.arange(len(samples)) == rng.integers(len(samples))
    return np.where(hit[:, None], samples[:, :1] + 0.0123, samples), hit


def copied(rng: np.random.Generator, cluster: Cluster, samples: Array):  # type: ignore[no-untyped-def]
    host = rng.integers(cluster.hosts)
    other = (host + 1) % cluster.hosts
    made = samples.copy()
    one, two = cluster.host == host, cluster.host == other
    made[two] = made[one]
    return made, one | two


def cached(rng: np.random.Generator, cluster: Cluster, samples: Array):  # type: ignore[no-untyped-def]
    kinds = [number for number, kind in enumerate(KINDS) if kind.floor and kind.more]
    hit = (cluster.kind == rng.choice(kinds)) & (rng.integers(cluster.hosts) == cluster.host)
    return np.where(hit[:, None], samples * rng.uniform(3, 20), samples), hit


FAULTS: Mapping[str, Fault] = {
    "one SSD, 10 %": Fault(slower(0.1, one_ssd), "below", (0.8, 0.95, 0.95)),
    "one SSD, 20 %": Fault(slower(0.2, one_ssd), "below", (0.99, 0.99, 0.99)),
    "one NIC, 10 %": Fault(slower(0.1, one_nic), "worse", (0.8, 0.95, 0.95)),
    "one NIC, 20 %": Fault(slower(0.2, one_nic), "worse", (0.99, 0.99, 0.99)),
    "one client, 10 %": Fault(slower(0.1, one_client), "below", (0.8, 0.95, 0.95)),
    "one client, 20 %": Fault(slower(0.2, one_client), "below", (0.99, 0.99, 0.99)),
    "one host, 10 %": Fault(slower(0.1, one_host), "below", (0.8, 0.95, 0.95)),
    "one host, 20 %": Fault(slower(0.2, one_host), "below", (0.99, 0.99, 0.99)),
    "a rack of a quarter, 10 %": Fault(
        slower(0.1, share_of_hosts(0.25)), "worse", (None, 0.95, 0.95)
    ),
    "half of the hosts, 10 %": Fault(slower(0.1, share_of_hosts(0.5)), "worse", (0.95, 0.95, 0.95)),
    "six of eight hosts, 20 %": Fault(
        slower(0.2, share_of_hosts(0.75)), "worse", (None, 0.95, 0.95)
    ),
    "a switch, 10 %": Fault(slower(0.1, one_switch), "worse", (0.9, 0.9, 0.9)),
    "all SSDs, 10 %": Fault(slower(0.1, all_ssds), "below", (0.99, 0.99, 0.99)),
    "all samples alike": Fault(constant, "implausible", (1.0, 1.0, 1.0)),
    "a host copies another": Fault(copied, "implausible", (1.0, 1.0, 1.0)),
    "a cache or a hole": Fault(cached, "implausible", (0.99, 0.99, 0.99)),
}


def recognized(fault: Fault, rating: Rating, hit: NDArray[np.bool_]) -> bool:
    """Whether a fault is called what it is, where it is."""
    below = rating.verdict == Verdict.BELOW
    if fault.right == "implausible":
        return bool(np.mean(rating.verdict[hit] == Verdict.IMPLAUSIBLE) > 0.5)
    if fault.right == "below":
        return bool(below[hit].any() and not below[~hit].any())
    worse = below | ~np.isnan(rating.apart)
    return bool(worse[hit].any() and worse[hit].sum() > 9 * worse[~hit].sum())


def false_alarms(noise: str, hosts: int, campaigns: int, seed: int) -> tuple[float, float]:
    """The shares of sound campaigns that are accused, and that are left open."""
    rng = np.random.default_rng([seed, hosts, list(NOISES).index(noise)])
    cluster = Cluster(hosts)
    accused = left = 0
    for _ in range(campaigns):
        made = measured(cluster, NOISES[noise](rng, cluster), whole=noise == "whole microseconds")
        verdict = cluster.judged(made).verdict
        accused += bool(np.isin(verdict, (Verdict.BELOW, Verdict.IMPLAUSIBLE)).any())
        left += bool((verdict == Verdict.UNSTEADY).any())
    return accused / campaigns, left / campaigns


def recall(fault: str, hosts: int, campaigns: int, seed: int) -> float:
    """How often a fault is called what it is, at a spread of 1 %."""
    rng = np.random.default_rng([seed, hosts, 100 + list(FAULTS).index(fault)])
    cluster = Cluster(hosts)
    found = 0
    for _ in range(campaigns):
        sound = measured(cluster, independent(0.01)(rng, cluster))
        samples, hit = FAULTS[fault].put(rng, cluster, sound)
        found += recognized(FAULTS[fault], cluster.judged(samples), hit)
    return found / campaigns


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=400, help="of each kind")
    parser.add_argument("--seed", type=int, default=REPORTING)
    parser.add_argument("--hosts", type=int, nargs="+", default=[4, 16, 128])
    told = parser.parse_args()
    started = time.monotonic()
    print(f"{told.campaigns} campaigns of each kind, seed {told.seed}, {SAMPLES} samples\n")
    heads = "".join(f"{hosts:>9} hosts" for hosts in told.hosts)
    print(f"{'sound: accused / left open':32}{heads}   asked: accused 0.01 at most")
    for noise in NOISES:
        shown = [false_alarms(noise, hosts, told.campaigns, told.seed) for hosts in told.hosts]
        cells = "".join(f"{a:8.3f}/{b:<6.2f}" for a, b in shown)
        print(f"{noise:32}{cells}", flush=True)
    print(f"\n{'faults, 1 %: recognized (asked)':32}{heads}")
    for fault, what in FAULTS.items():
        cells = ""
        for hosts in told.hosts:
            asked = dict(zip((4, 16, 128), what.asked, strict=True)).get(hosts)
            share = recall(fault, hosts, told.campaigns, told.seed)
            cells += f"{share:8.3f}{f' ({asked:g})' if asked else '':7}"
        print(f"{fault:32}{cells}", flush=True)
    print(f"\n{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
