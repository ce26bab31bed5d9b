"""Campaigns that never ran, for the tests of the report alone."""

import random
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path

from assay.checks.expect import Expectation, Measured, expectation
from assay.checks.figures import Unrated
from assay.checks.plan import Metric, Requirement, requirements
from assay.cluster.description import Cluster
from assay.judge.judgement import Judgement, Measurement, judge
from assay.judge.signoff import Gate, SignOff
from assay.judge.verdict import Verdict
from assay.judge.waivers import Waiver, excuse
from assay.subject import Subject
from sites import site

WAIVER = Waiver(
    metric="SsdFio.* on waived",
    reason="the vendor replaces it in April",
    owner="storage group",
    expires=date(2026, 4, 30),
)
Samples = Callable[[Requirement], Sequence[float]]


def cluster(servers: int = 2, clients: int = 2, *, colocated: bool = False) -> Cluster:
    """Servers with an SSD of a known kind, and clients with a virtual disk; fabric of 25 Gbit/s.

    Colocated servers are clients too, so that files on their disks have a layer below.
    """
    names = {
        **{f"s{number}": True for number in range(1, servers + 1)},
        **{f"c{number}": False for number in range(1, clients + 1)},
    }
    return Cluster.model_validate(
        {
            "name": "synthetic",
            "controller": "c1",
            "clients": [name for name, serves in names.items() if colocated or not serves],
            "servers": [name for name, serves in names.items() if serves],
            "colocated": colocated,
            "provider": "ofi+tcp",
            "benchmarks": {
                "fio": "/usr/bin/fio",
                "fi_pingpong": "/usr/bin/fi_pingpong",
                "fdb_hammer": "/opt/assay/bin/fdb-hammer",
                "fdb_share": "/opt/assay/share",
                "mdtest": "/opt/assay/bin/mdtest",
                "shared_directory": "/scratch/shared",
            },
            "versions": {"fio": "3.33", "libfabric": "1.17.0", "Slurm": "22.05.8"},
            "hosts": {
                name: _host(number, serves) for number, (name, serves) in enumerate(names.items())
            },
        }
    )


def _host(number: int, serves: bool) -> dict[str, object]:
    disk = {"directory": "/scratch", "filesystem": "xfs", "device": "/dev/nvme0n1"}
    engine = {
        "targets": 8,
        "nr_xs_helpers": 2,
        "fabric_iface": "eth0",
        "storage": [{"class": "ram", "scm_mount": "/mnt/daos", "scm_size": 16}],
    }
    return {
        "address": f"192.0.2.{number % 250 + 1}",
        "cores": 16,
        "memory": {"total_mib": 65536},
        "numa_nodes": 1,
        "interface": "eth0",
        "interfaces": {"eth0": {"speed_gbits": 25}},
        "scratch": disk | ({"ssd": "Intel D7-P5500 3.84TB"} if serves else {}),
        "engines": [engine] if serves else [],
    }


_LEVEL = {
    "bandwidth_1m": 2300.0,
    "latency_64b": 21.4,
    "SsdFio.read_1m": 6200.0,
    "ScmFio.write_1m": 5800.0,
    "ScmFio.read_1m": 7400.0,
    "write_4k": 310_000.0,
    "read_4k": 402_000.0,
    "randwrite_4k": 110_000.0,
    "randread_4k": 720_000.0,
    "bound_processes": 16.0,
    "create": 8100.0,
    "stat": 64_000.0,
    "remove": 9400.0,
    "write_open": 0.7,
    "read_open": 0.7,
}
_NOISE = (0.0, 0.011, -0.008, 0.004, -0.013, 0.007, -0.003)


def quiet(metric: Requirement) -> list[float]:
    """Seven samples of a sound and quiet cluster."""
    name = metric.name
    level = _LEVEL.get(f"{metric.check}.{name}", _LEVEL.get(name, 3200.0))
    if name == "bound_processes":
        return [level] * 7
    # No two hosts give the same samples, nor such that differ by a factor.
    level *= 1 + zlib.crc32(str(metric.subject).encode()) % 97 * 1e-5
    own = (
        zlib.crc32(f"{metric.subject} {number}".encode()) % 97 * 1e-5 if noise else 0.0
        for number, noise in enumerate(_NOISE)
    )
    return [level * (1 + noise + more) for noise, more in zip(_NOISE, own, strict=True)]


def campaign(
    described: Cluster, gate: Gate = Gate.ACCEPTANCE, samples: Samples = quiet, problem: str = ""
) -> SignOff:
    """Every metric that the cluster owes, judged as a real campaign is."""
    plan = requirements(described)
    measured = Measured({metric: samples(metric) for metric in plan})
    return signed(
        described,
        gate,
        judge(
            [
                Measurement(
                    metric,
                    measured[metric],
                    expectation(described, metric, measured),
                    [problem] if problem else [],
                    raw_paths(metric),
                )
                for metric in plan
            ]
        ).judgements,
    )


def daos_system(servers: int = 12, clients: int = 6) -> SignOff:
    """A DAOS system with two engines a server; one SSD, one link and one client are slow."""
    document = site("md-on-ssd-wal", servers=servers, engines=2, clients=clients)
    document["provider"] = "ofi+tcp"
    document["benchmarks"] = {
        "ior": "/opt/assay/bin/ior",
        "ior_apis": ["POSIX", "DFS", "MPIIO"],
        "fio": "/usr/bin/fio",
        "fio_dfs": "/opt/assay/bin/fio",
    }
    document["daos"] |= {"pool": "assay", "container": "assay", "mount": "/mnt/dfuse"}
    for host in document["servers"]:
        document["hosts"][host]["datasheets"] = {"ssd": "Intel D7-P5500 3.84TB"}
    described = Cluster.model_validate(document)
    rng = random.Random(servers)

    def samples(metric: Requirement) -> list[float]:
        bound = expectation(described, metric, {}).bound or 1000.0
        level = bound * (0.93 if metric.metric.better == "higher" else 1.1)
        if metric.check == "IorEasy":
            level *= 0.7 if metric.subject.backend in ("dfs", "mpiio") else 0.4
        match metric.check, str(metric.subject):
            case (("NvmeBandwidth" | "NvmeIops"), "s3/0000:67:00.0"):
                level *= 0.8 if metric.metric.better == "higher" else 1.25
            case "SelfTestCrossServer", "s2/engine0>s5/engine1":
                level *= 0.6 if metric.metric.better == "higher" else 1.7
            case "FioDfs", "c4":
                level *= 0.5 if metric.metric.better == "higher" else 2.0
            case (("ClientPlacement" | "ClientInterfaces"), _):
                return [bound] * 7
        return [level * rng.gauss(1, 0.008) for _ in range(7)]

    return campaign(described, samples=samples)


def signed(described: Cluster, gate: Gate, judgements: Sequence[Judgement]) -> SignOff:
    return SignOff(
        cluster=described,
        gate=gate,
        scale="quick",
        judgements=tuple(judgements),
        comparisons=len(judgements),
        reports=(Path("/var/lib/assay/reports/run-report-1.json"),),
        measured_from=datetime(2026, 3, 2, 9, 14, tzinfo=UTC),
        measured_to=datetime(2026, 3, 2, 9, 41, tzinfo=UTC),
        made_at=datetime(2026, 3, 2, 9, 42, tzinfo=UTC),
        versions={"daos-assay": "0.1.0", "ReFrame": "4.10.4", **described.versions},
    )


def raw_paths(metric: Requirement) -> list[str]:
    place = f"raw/{metric.partition}/{metric.check}/raw/{str(metric.subject).replace('>', '-to-')}"
    return [f"{place}/{number}/{metric.name}.json" for number in (1, 2, 3)]


def judgement(
    samples: Sequence[float] = (100.0, 101.0, 99.0, 100.5, 99.5, 100.2, 99.8),
    floor: float | None = None,
    ceiling: float | None = None,
    *,
    subject: str = "n1",
    problems: Sequence[str] = (),
    derivation: str = "a sentence that says where this came from",
) -> Judgement:
    """One judged metric whose limits are given, rather than worked out."""
    metric = Requirement(
        "SsdFio", "ssd", "servers", Metric("read_1m", "MiB/s", Unrated("a trial")), Subject(subject)
    )
    limits = Expectation("MiB/s", "hardware", ceiling, floor, ceiling, derivation)
    case = Measurement(metric, samples, limits, problems, raw_paths(metric))
    return judge([case]).judgements[0]


def every_verdict(gate: Gate = Gate.ACCEPTANCE) -> SignOff:
    """One metric of each verdict: ``SsdFio.read_1m`` on a host that is called after it."""
    wide = (60.0, 80.0, 100.0, 120.0, 140.0)
    judgements = [
        judgement(problems=["fio was killed after 600 s"], subject="missing"),
        judgement(floor=10.0, ceiling=50.0, subject="implausible"),
        judgement(floor=120.0, ceiling=200.0, subject="below"),
        judgement(wide, floor=90.0, ceiling=200.0, subject="unsteady"),
        judgement(floor=130.0, ceiling=200.0, subject="waived"),
        judgement(subject="unrated"),
        judgement(floor=80.0, ceiling=200.0, subject="pass"),
    ]
    judged, excused = excuse(judgements, [WAIVER], date(2026, 3, 2))
    assert [j.verdict for j in judged] == list(Verdict)
    return replace(
        signed(cluster(), gate, judged), excused=excused, approver="Ada Byron", waivers=(WAIVER,)
    )


def mixed(gate: Gate = Gate.ACCEPTANCE) -> SignOff:
    """A campaign of two servers and two clients in which several things went wrong."""

    def samples(metric: Requirement) -> list[float]:
        figures = quiet(metric)
        match metric.check, metric.name, str(metric.subject):
            case "SsdFio", "write_1m", "s2":
                return [figure * 0.52 for figure in figures]
            case "SsdFio", "read_1m", "s1":
                return [
                    figure * 0.86 * (1 + 8 * noise)
                    for figure, noise in zip(figures, _NOISE, strict=True)
                ]
            case "PosixFio", "read_1m", "s1":
                return [figure * 5.2 for figure in figures]
            case "ScmFio", "read_4k", "s1/engine0":
                return figures[:1]
        return figures

    made = campaign(cluster(colocated=True), gate, samples)
    reason = "fdb-hammer failed in its sanity phase: c2: exit code 1\n" + "\n".join(
        f"  line {n} of what it printed: <unexpected> & \x1b[31mred\x1b[0m" for n in range(1, 5)
    )
    judgements = [
        replace(j, samples=(), summary=None, verdict=Verdict.MISSING, reason=reason)
        if (j.requirement.check, str(j.requirement.subject)) == ("FdbHammer", "c2")
        else j
        for j in made.judgements
    ]
    return replace(made, judgements=tuple(judgements))
