"""The chain of layers, and the one that it names."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from assay.checks.benchmarks import fio
from assay.checks.bounds.path import data_ssds
from assay.checks.expect import Expectation
from assay.checks.figures import Unrated
from assay.checks.plan import Metric, Requirement
from assay.cluster.description import Cluster
from assay.judge.chain import Chain, chains
from assay.judge.judgement import Measurement, judge
from assay.judge.verdict import Verdict
from assay.subject import Subject
from clusters import system


def judged(
    check: str, metric: str, figures: Mapping[str, float], bound: float = 0
) -> list[Measurement]:
    ground = "hardware" if bound else "nothing"
    limits = Expectation("MiB/s", ground, bound or None, None, None, "a datasheet")
    return [
        Measurement(
            Requirement(
                check,
                "ssd",
                "servers",
                Metric(metric, "MiB/s", Unrated("a trial")),
                Subject.parse(on),
            ),
            [value] * 7,
            limits,
        )
        for on, value in figures.items()
    ]


def of(cluster: Cluster, *measured: list[Measurement]) -> list[Chain]:
    return chains(cluster, judge([case for cases in measured for case in cases]).judgements)


def figures(chain: Chain) -> list[tuple[str, float]]:
    return [(link.name, link.figure) for link in chain.links]


def test_the_link_that_loses_most_is_named_with_its_slowest_disk(cluster: Cluster) -> None:
    disks = judged("SsdFio", "read_1m", {"s1": 3000.0, "s2": 1000.0}, bound=4000)
    files = judged("PosixFio", "read_1m", {"s1": 2700.0, "s2": 900.0})
    (chain,) = of(cluster, disks, files)
    assert figures(chain) == [("datasheet", 8000.0), ("device", 4000.0), ("end to end", 3600.0)]
    assert [link.ratio for link in chain.links] == [None, 0.5, 0.9]
    assert chain.sentence == (
        "the layer device holds it back: 4,000 MiB/s (SsdFio.read_1m, sum of 2), 50% of the"
        " 8,000 MiB/s that the layers below allow; the slowest there is s2 with 1,000 MiB/s"
        " (SsdFio.read_1m)"
    )


def test_a_second_bandwidth_in_one_direction_changes_no_link(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    figures = [
        *judged("SsdFio", "read_1m", {"s1": 3000.0, "s2": 1000.0}, bound=4000),
        *judged("PosixFio", "read_1m", {"s1": 2700.0, "s2": 900.0}),
    ]
    before = of(cluster, figures)
    second = replace(fio.DISK.in_chain("read"), name="read_again", in_chain=False)
    both = replace(fio.DISK, metrics=(*fio.DISK.metrics, second))
    monkeypatch.setattr(fio, "DISK", both)
    assert of(cluster, figures, judged("SsdFio", "read_again", {"s1": 500.0, "s2": 9.0})) == before


def test_only_hosts_with_both_figures_count(cluster: Cluster) -> None:
    disks = judged("SsdFio", "read_1m", {"s1": 3000.0, "s2": 1000.0})
    (chain,) = of(cluster, disks, judged("PosixFio", "read_1m", {"s1": 2700.0}))
    assert figures(chain) == [("device", 3000.0), ("end to end", 2700.0)]


def test_what_cannot_be_true_is_not_a_link(cluster: Cluster) -> None:
    disks = judged("SsdFio", "read_1m", {"s1": 3000.0})
    files = judge([*disks, *judged("PosixFio", "read_1m", {"s1": 2700.0})]).judgements
    untrue = [
        replace(j, verdict=Verdict.IMPLAUSIBLE) if j.requirement.check == "PosixFio" else j
        for j in files
    ]
    assert chains(cluster, untrue) == []


# A D7-P5500 reads 7.0 GB/s and writes 3.5 GB/s by its datasheet; a NIC of 200 Gbit/s moves 25 GB/s.
SSDS = {f"s1/0000:{number:02x}:00.0": 6400.0 for number in range(4)}
PROMISED_READ, PROMISED_WRITE = 4 * 7.0e9 / 2**20, 4 * 3.5e9 / 2**20


def devices(**slow: float) -> list[Measurement]:
    return judged("NvmeBandwidth", "read_1m_together", SSDS | slow)


def network(metric: str, rate: float) -> list[Measurement]:
    return judged("SelfTestClientServer", metric, {"s1/engine0": rate})


def ior(metric: str, **ways: float) -> list[Measurement]:
    return judged("IorEasy", metric, {f"clients/{way}": rate for way, rate in ways.items()})


def test_a_system_goes_from_the_datasheets_to_the_best_way_of_ior() -> None:
    (chain,) = of(
        system(),
        devices(),
        network("put_1m", 22_000.0),
        judged("VosPerfBandwidth", "fetch_1m", {"s1/engine0": 5000.0}),
        ior("read", dfs=20_000.0, dfuse=9000.0, pil4dfs=19_000.0, posix=90_000.0),
    )
    assert chain.direction == "read"
    assert figures(chain) == [
        ("datasheet", pytest.approx(PROMISED_READ)),
        ("device", 25_600.0),
        ("network", 22_000.0),
        ("SCM", 5000.0),
        ("end to end", 20_000.0),
    ]
    assert chain.links[-1].made_of == "IorEasy.read by dfs, the best of 3"
    assert [link.left for link in chain.links[1:]] == [25_600.0, 22_000.0, 22_000.0, 20_000.0]
    assert "values of 1 MiB do not cross it" in chain.links[3].made_of
    assert chain.links[-1].ratio == 20_000 / 22_000


def test_ratios_are_to_the_layer_below() -> None:
    (chain,) = of(system(), devices(), network("put_1m", 22_000.0), ior("read", dfs=11_000.0))
    ratios = [link.ratio for link in chain.links]
    assert ratios == [None, pytest.approx(25_600 / PROMISED_READ), 22_000 / 25_600, 0.5]


def test_one_slow_ssd_is_named_with_its_host() -> None:
    slow = {"s1/0000:02:00.0": 600.0}
    (chain,) = of(system(), devices(**slow), ior("read", dfs=19_000.0))
    assert chain.sentence.startswith("the layer device holds it back: 19,800 MiB/s")
    assert "the slowest there is 0000:02:00.0 of s1 with 600 MiB/s" in chain.sentence
    assert chain.sentence.endswith("-90.6% against the median of its peers)")


def test_a_slow_network_is_named_with_its_interface() -> None:
    (chain,) = of(system(), network("get_1m", 2000.0), ior("write", dfs=1900.0))
    assert figures(chain)[0] == ("datasheet", pytest.approx(PROMISED_WRITE))
    assert chain.sentence.endswith("; it was measured on eth0 of s1 (engine0)")


def test_the_slowest_client_is_named() -> None:
    fio = judged("FioDfs", "write_1m", {"c1": 2500.0, "c2": 900.0})
    (chain,) = of(system(), fio, ior("write", dfs=3000.0, dfuse=2000.0))
    assert chain.links[-1].made_of == "FioDfs.write_1m, sum of 2, the best of 3"
    assert "the slowest there is c2 with 900 MiB/s (FioDfs.write_1m)" in chain.sentence


def test_engines_that_were_measured_one_by_one_share_the_clients_wires() -> None:
    described = system(clients=1, servers=3)
    engines = {f"s{number}/engine0": 22_000.0 for number in (1, 2, 3)}
    (chain,) = of(described, judged("SelfTestClientServer", "put_1m", engines))
    assert chain.links[-1].figure == pytest.approx(25e9 / 2**20)
    assert "less than SelfTestClientServer.put_1m, sum of 3" in chain.links[-1].made_of


def test_the_only_backend_is_not_the_best_of_several() -> None:
    (chain,) = of(system(), devices(), ior("read", dfs=9000.0))
    assert chain.links[-1].made_of == "IorEasy.read by dfs"


def test_of_two_layers_that_lose_as_much_the_lower_is_named(cluster: Cluster) -> None:
    disks = judged("SsdFio", "read_1m", {"s1": 2000.0}, bound=4000)
    files = judged("PosixFio", "read_1m", {"s1": 1000.0})
    (chain,) = of(cluster, disks, files)
    assert chain.sentence.startswith("the layer device holds it back")


def test_a_layer_that_the_result_surpasses_holds_nothing_back() -> None:
    """One process of vos_perf is not all of an engine's SCM."""
    (chain,) = of(
        system(ssds=0),
        network("put_1m", 22_000.0),
        judged("VosPerfBandwidth", "fetch_1m", {"s1/engine0": 5000.0}),
        ior("read", dfs=8000.0),
    )
    assert [link.left for link in chain.links[1:]] == [22_000.0, 8000.0, 8000.0]


def test_a_chain_without_an_application_says_that_it_is_incomplete() -> None:
    (chain,) = of(system(), devices(**dict.fromkeys(SSDS, 7000.0)), network("put_1m", 90_000.0))
    assert chain.sentence == (
        "the chain is incomplete, nothing was measured end to end; no layer that was measured"
        " holds the next one back"
    )
    (chain,) = of(system(), devices(), network("put_1m", 2000.0))
    assert chain.sentence.startswith(
        "the chain is incomplete, nothing was measured end to end; the layer network holds it back"
    )


def test_a_whole_chain_without_loss_names_no_layer() -> None:
    (chain,) = of(system(), devices(**dict.fromkeys(SSDS, 7000.0)), ior("read", dfs=27_900.0))
    assert chain.sentence == "no layer that was measured holds the next one back"


def test_only_ssds_with_data_are_its_devices() -> None:
    log, data = "s1/0000:00:00.0", dict.fromkeys(map(str, data_ssds(system("wal"))), 6400.0)
    assert log not in data
    read = judged("NvmeBandwidth", "read_1m_together", data | {log: 6400.0})
    (chain,) = of(system("wal"), read, ior("read", dfs=15_000.0))
    assert ("device", 3 * 6400.0) in figures(chain)


def test_replicas_take_their_share_of_every_layer_but_the_clients_wires() -> None:
    described = system(servers=1, clients=4)
    assert described.daos is not None
    daos = described.daos.model_copy(update={"file_oclass": "RP_2GX"})
    twice = described.model_copy(update={"daos": daos})
    (chain,) = of(twice, network("get_1m", 20_000.0), ior("write", dfs=6000.0))
    assert figures(chain) == [
        ("datasheet", pytest.approx(PROMISED_WRITE / 2)),
        ("network", 10_000.0),
        ("end to end", 6000.0),
    ]
    assert chain.links[1].made_of.endswith("get_1m / 2 (RP_2GX)")
    (chain,) = of(twice, network("put_1m", 20_000.0), ior("read", dfs=6000.0))
    assert figures(chain)[1] == ("network", 20_000.0)


def test_clients_send_parity_and_engines_store_it() -> None:
    described = system(servers=1, clients=1)
    assert described.daos is not None
    daos = described.daos.model_copy(update={"file_oclass": "EC_4P2GX"})
    coded = described.model_copy(update={"daos": daos})
    engine = {"s1/engine0": 90_000.0}
    (chain,) = of(coded, judged("SelfTestClientServer", "get_1m", engine))
    assert figures(chain) == [
        ("datasheet", pytest.approx(PROMISED_WRITE / 1.5)),
        ("network", pytest.approx(25e9 / 2**20 / 1.5)),
    ]
    (chain,) = of(coded, judged("SelfTestClientServer", "put_1m", engine))
    assert figures(chain)[1] == ("network", pytest.approx(25e9 / 2**20))


def test_a_whole_chain_explains_no_figure_that_is_below(cluster: Cluster) -> None:
    """It said that no layer holds the next one back, beside a figure below its floor."""
    disks = judged("SsdFio", "read_1m", {"s1": 3000.0}, bound=3000)
    files = judged("PosixFio", "read_1m", {"s1": 3000.0})
    judgements = judge([*disks, *files]).judgements
    whole = "no layer that was measured holds the next one back"
    assert [chain.sentence for chain in chains(cluster, judgements)] == [whole]
    slow = [replace(j, verdict=Verdict.BELOW) if j.expectation.bound else j for j in judgements]
    (chain,) = chains(cluster, slow)
    assert chain.sentence.endswith("the figures that are below their limits: SsdFio.read_1m on s1")
    assert "holds" not in chain.sentence
