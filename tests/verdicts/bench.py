"""How often verdicts are right: sound campaigns with noises of real hosts, and known faults.

    python tests/verdicts/bench.py [--hosts 4 16] [--campaigns N] [--seed N] [--only PART ...]

A cluster is made, measured with a noise, and judged as a sign-off judges. Thresholds are chosen
with the seed `TUNING`; the tables of docs/derivations.md are printed with `REPORTING`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence

import numpy as np
from faults import FAULTS, SLIPPING, SLIPS, Fault, slipped
from noises import NOISES, WHOLE, independent
from sessions import LEVELS, regressions, slips_named
from simulated import SAMPLES, Cluster
from tables import Parts, show

from assay.judge.verdict import Verdict

TUNING, REPORTING = 20_250, 104_729
SIZES = (4, 16, 128)
"""Numbers of hosts, for which it is said how often each fault has to be found."""
ACCUSING = (Verdict.BELOW, Verdict.IMPLAUSIBLE)


def false_alarms(noise: str, hosts: int, campaigns: int, seed: int) -> tuple[float, float]:
    """The shares of sound campaigns that are accused, and that are left open."""
    rng = np.random.default_rng([seed, hosts, list(NOISES).index(noise)])
    cluster = Cluster(hosts)
    accused = left = 0
    for _ in range(campaigns):
        made = cluster.measured(NOISES[noise](rng, cluster), whole=noise == WHOLE)
        verdict = cluster.judged(made).verdict
        accused += bool(np.isin(verdict, ACCUSING).any())
        left += bool((verdict == Verdict.UNSTEADY).any())
    return accused / campaigns, left / campaigns


def recall(fault: str, hosts: int, campaigns: int, seed: int) -> float:
    """How often a fault is called what it is."""
    rng = np.random.default_rng([seed, hosts, 100 + list(FAULTS).index(fault)])
    return _recall(FAULTS[fault], hosts, campaigns, rng)


def _recall(fault: Fault, hosts: int, campaigns: int, rng: np.random.Generator) -> float:
    cluster = Cluster(hosts)
    recognized = 0
    for _ in range(campaigns):
        sound = cluster.measured(fault.noise(rng, cluster))
        samples, hit = fault.put(rng, cluster, sound)
        recognized += fault.is_recognized(cluster.judged(samples), hit)
    return recognized / campaigns


def slips_stopped(check: str, slip: str, hosts: int, campaigns: int, seed: int) -> float:
    """How often figures in a wrong unit are stopped, without a baseline."""
    number = [seed, hosts, 300 + SLIPPING.index(check), list(SLIPS).index(slip)]
    fault = Fault(slipped(check, SLIPS[slip]), "stopped", (None, None, None))
    return _recall(fault, hosts, campaigns, np.random.default_rng(number))


def seconds(hosts: int, seed: int) -> float:
    """CPU time to judge one campaign."""
    rng, cluster = np.random.default_rng(seed), Cluster(hosts)
    made = cluster.measured(independent(0.01)(rng, cluster))
    started = time.process_time()
    cluster.judged(made)
    return time.process_time() - started


def _sound(options: argparse.Namespace) -> Iterator[str]:
    yield f"{'sound: accused / left open':36}{_heads(options.hosts)}   asked: accused 0.01 at most"
    for noise in NOISES:
        shown = (
            false_alarms(noise, hosts, options.campaigns, options.seed) for hosts in options.hosts
        )
        yield f"{noise:36}" + "".join(f"{a:8.3f}/{b:<6.2f}" for a, b in shown)


def _faults(options: argparse.Namespace) -> Iterator[str]:
    yield f"{'faults, 1 %: recognized (asked)':36}{_heads(options.hosts)}"
    for name, fault in FAULTS.items():
        cells = ""
        for hosts in options.hosts:
            asked = dict(zip(SIZES, fault.asked, strict=True)).get(hosts)
            share = recall(name, hosts, options.campaigns, options.seed)
            cells += f"{share:8.3f}{f' ({asked:g})' if asked else '':7}"
        yield f"{name:36}{cells}"


def _units(options: argparse.Namespace) -> Iterator[str]:
    hosts, campaigns = min(options.hosts), max(1, options.campaigns // 10)
    yield f"{f'wrong units: stopped, {hosts} hosts':36}" + "".join(f"{c:>12}" for c in SLIPPING)
    for slip in SLIPS:
        shown = (slips_stopped(check, slip, hosts, campaigns, options.seed) for check in SLIPPING)
        yield f"{slip:36}" + "".join(f"{share:12.2f}" for share in shown)


def _named(options: argparse.Namespace) -> Iterator[str]:
    hosts, times = min(options.hosts), max(1, options.campaigns // 10)
    yield f"{'the same, named with 3 sessions each':36}" + "".join(f"{c:>12}" for c in SLIPPING)
    for slip, factor in SLIPS.items():
        shown = (slips_named(check, factor, hosts, times, options.seed) for check in SLIPPING)
        yield f"{slip:36}" + "".join(f"{share:12.2f}" for share in shown)


def _sessions(options: argparse.Namespace) -> Iterator[str]:
    hosts, times = min(options.hosts), max(1, options.campaigns // 2)
    yield (
        f"{f'REGRESSION, {hosts} hosts; sessions differ':44}"
        + "".join(f"{f'by {level}, 1 %':>16}" for level in LEVELS)
    )
    for count in (1, 3):
        for loss, asked in ((0.0, "0.02 at most"), (0.03, "" if count == 1 else "found")):
            name = f"{count} on either side, {f'{loss:.0%} lost' if loss else 'sound'}"
            shown = (
                regressions(hosts, level, count, loss, times, options.seed) for level in LEVELS
            )
            yield f"{name:44}" + "".join(f"{share:16.3f}" for share in shown) + f"   {asked}"


def _time(options: argparse.Namespace) -> Iterator[str]:
    for hosts in (*options.hosts, 1024):
        rows = len(Cluster(hosts).kind)
        yield f"{hosts:5} hosts, {rows:6} metrics: {seconds(hosts, options.seed):6.2f} s of CPU"


PARTS: Parts = {
    "sound": _sound,
    "faults": _faults,
    "units": _units,
    "named": _named,
    "sessions": _sessions,
    "time": _time,
}


def _heads(sizes: Sequence[int]) -> str:
    return "".join(f"{hosts:>9} hosts" for hosts in sizes)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=400, help="of each kind")
    parser.add_argument("--seed", type=int, default=REPORTING)
    parser.add_argument("--hosts", type=int, nargs="+", default=[4, 16])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    head = f"{options.campaigns} campaigns of each kind, seed {options.seed}, {SAMPLES} samples"
    show(head, PARTS, options)


if __name__ == "__main__":
    main()
