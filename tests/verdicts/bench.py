"""How often verdicts are right: sound campaigns with noises of real hosts, and known faults.

    python tests/verdicts/bench.py [--hosts 4 16] [--campaigns N] [--seed N] [--only PART ...]

A cluster is made, measured with a noise, and judged as a sign-off judges. Thresholds are chosen
with the seed `TUNING`; the tables of docs/derivations.md are printed with `REPORTING`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np
from faults import FAULTS, FEW_PEERS, SLIPPING, SLIPS, Fault, slipped
from noises import DECLARED, NOISES, WHOLE, independent
from sessions import LEVELS, regressions, slips_named
from simulated import KINDS, Cluster
from tables import Parts, share, show

from assay.judge.verdict import Verdict

TUNING, REPORTING = 20_250, 104_729
SIZES = (4, 16, 128)
"""Numbers of hosts, for which it is said how often each fault has to be found."""
FEW = (2, 3)
"""Numbers of hosts whose figures have too few peers for an outlier."""
ACCUSING = (Verdict.BELOW, Verdict.IMPLAUSIBLE)


def false_alarms(noise: str, hosts: int, campaigns: int, seed: int) -> tuple[int, int]:
    """How many sound campaigns are accused, and how many are left open."""
    rng = np.random.default_rng([seed, hosts, list(NOISES).index(noise)])
    cluster = Cluster(hosts, declared=DECLARED.get(noise, 0.0))
    accused = left = 0
    for _ in range(campaigns):
        made = cluster.measured(NOISES[noise](rng, cluster), whole=noise == WHOLE)
        verdict = cluster.judged(made).verdict
        accused += bool(np.isin(verdict, ACCUSING).any())
        left += bool((verdict == Verdict.UNSTEADY).any())
    return accused, left


def recall(fault: str, hosts: int, campaigns: int, seed: int) -> int:
    """How often a fault is called what it is."""
    rng = np.random.default_rng([seed, hosts, 100 + list(FAULTS).index(fault)])
    return _recall(FAULTS[fault], hosts, campaigns, rng)


def recall_of_few(fault: str, hosts: int, campaigns: int, seed: int) -> int:
    """How often a fault is stopped where there are two or three peers."""
    rng = np.random.default_rng([seed, hosts, 200 + list(FEW_PEERS).index(fault)])
    return _recall(FEW_PEERS[fault], hosts, campaigns, rng)


def _recall(fault: Fault, hosts: int, campaigns: int, rng: np.random.Generator) -> int:
    cluster = Cluster(hosts)
    recognized = 0
    for _ in range(campaigns):
        sound = cluster.measured(fault.noise(rng, cluster))
        samples, hit = fault.put(rng, cluster, sound)
        recognized += fault.is_recognized(cluster.judged(samples), hit)
    return recognized


def slips_stopped(check: str, slip: str, hosts: int, campaigns: int, seed: int) -> float:
    """How often figures in a wrong unit are stopped, without a baseline."""
    number = [seed, hosts, 300 + SLIPPING.index(check), list(SLIPS).index(slip)]
    fault = Fault(slipped(check, SLIPS[slip]), "stopped", (None, None, None))
    return _recall(fault, hosts, campaigns, np.random.default_rng(number)) / campaigns


def seconds(hosts: int, seed: int) -> float:
    """CPU time to judge one campaign."""
    rng, cluster = np.random.default_rng(seed), Cluster(hosts)
    made = cluster.measured(independent(0.01)(rng, cluster))
    started = time.process_time()
    cluster.judged(made)
    return time.process_time() - started


def _sound(options: argparse.Namespace) -> Iterator[str]:
    yield f"{'sound: accused | left open':33}{_heads(options)}   asked: accused 0.01 at most"
    for noise in NOISES:
        cells = ""
        for hosts in options.hosts:
            of = _campaigns(options, hosts)
            accused, left = false_alarms(noise, hosts, of, options.seed)
            cells += f"{share(accused, of):>23} | {left / of:.2f}"
        yield f"{noise:33}{cells}"


def _faults(options: argparse.Namespace) -> Iterator[str]:
    yield f"{'faults, 1 %: recognized (asked)':36}{_heads(options)}"
    for name, fault in FAULTS.items():
        cells = ""
        for hosts in options.hosts:
            asked = dict(zip(SIZES, fault.asked, strict=True)).get(hosts)
            of = _campaigns(options, hosts)
            found = share(recall(name, hosts, of, options.seed), of)
            cells += f"{found:>23}{f' ({asked:g})' if asked else '':7}"
        yield f"{name:36}{cells}"


def _few(options: argparse.Namespace) -> Iterator[str]:
    """Two and three hosts, whatever sizes are asked for."""
    of = options.campaigns
    yield f"{'few peers, 1 %: stopped':36}" + "".join(f"{f'{n} + {n}':>23}" for n in FEW)
    for noise in ("independent, 1 %", "independent, 2 %", "of hosts, 1 %"):
        alarms = [false_alarms(noise, hosts, of, options.seed) for hosts in FEW]
        for what, counts in zip(("accused", "left open"), zip(*alarms, strict=True), strict=True):
            cells = "".join(f"{share(count, of):>23}" for count in counts)
            yield f"{f'sound, {noise}: {what}':36}{cells}"
    for name in FEW_PEERS:
        found = (share(recall_of_few(name, hosts, of, options.seed), of) for hosts in FEW)
        yield f"{name:36}" + "".join(f"{cell:>23}" for cell in found)


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
    heads = "".join(f"{f'{level} differ':>23}" for level in LEVELS)
    yield f"{f'REGRESSION, {hosts} hosts, n = {times}':44}{heads}"
    for between in (0.01, 0.02):
        for count in (1, 3):
            for loss in (0.0, 0.03):
                lost = f"{loss:.0%} lost" if loss else "sound"
                name = f"{between:.0%}, {count} on either side, {lost}"
                shown = (
                    regressions(hosts, level, count, loss, times, options.seed, between)
                    for level in LEVELS
                )
                cells = "".join(f"{share(found, times):>23}" for found in shown)
                yield f"{name:44}{cells}{'' if loss else '   asked: 0.02 at most'}"


def _time(options: argparse.Namespace) -> Iterator[str]:
    for hosts in (*options.hosts, 1024):
        rows = len(Cluster(hosts).kind)
        yield f"{hosts:5} hosts, {rows:6} metrics: {seconds(hosts, options.seed):6.2f} s of CPU"


PARTS: Parts = {
    "sound": _sound,
    "faults": _faults,
    "few": _few,
    "units": _units,
    "named": _named,
    "sessions": _sessions,
    "time": _time,
}


def _campaigns(options: argparse.Namespace, hosts: int) -> int:
    """Fewer of large clusters, which take longer."""
    return max(20, options.campaigns * 16 // max(hosts, 16))


def _heads(options: argparse.Namespace) -> str:
    return "".join(
        f"{f'{hosts} hosts, n = {_campaigns(options, hosts)}':>30}" for hosts in options.hosts
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=400, help="of each kind")
    parser.add_argument("--seed", type=int, default=REPORTING)
    parser.add_argument("--hosts", type=int, nargs="+", default=[4, 16])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    options = parser.parse_args()
    counts = dict(sorted({kind.check: kind.samples for kind in KINDS}.items()))
    samples = ", ".join(f"{check} {count}" for check, count in counts.items())
    head = f"{options.campaigns} campaigns of each kind, seed {options.seed}; samples: {samples}"
    show(head, PARTS, options)


if __name__ == "__main__":
    main()
