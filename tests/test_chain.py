"""The chain of layers, and the one that it names."""

from dataclasses import replace

from assay.chain import chains
from assay.cluster import Cluster
from assay.expect import Expectation
from assay.plan import Metric, Owed
from assay.verdict import Case, Judgement, Verdict, judge


def judged(check: str, metric: str, figures: dict[str, float], bound: float = 0) -> list[Judgement]:
    ground = "hardware" if bound else "nothing"
    limits = Expectation("MiB/s", ground, bound or None, None, None, "a datasheet")
    return list(
        judge(
            [
                Case(
                    Owed(check, "ssd", "servers", Metric(metric, "MiB/s"), on), [value] * 7, limits
                )
                for on, value in figures.items()
            ]
        ).judgements
    )


def test_the_link_that_loses_most_is_named_with_its_slowest_disk(cluster: Cluster) -> None:
    disks = judged("SsdFio", "read_1m", {"s1": 3000.0, "s2": 1000.0}, bound=4000)
    files = judged("PosixFio", "read_1m", {"s1": 2700.0, "s2": 900.0})
    (chain,) = chains(cluster, [*disks, *files])
    assert [(link.name, link.figure) for link in chain.links] == [
        ("datasheet", 8000.0),
        ("device", 4000.0),
        ("end to end", 3600.0),
    ]
    assert [link.ratio for link in chain.links] == [None, 0.5, 0.9]
    assert chain.sentence == (
        "device holds it back: 4,000 MiB/s, 50% of the 8,000 MiB/s that is left from below;"
        " the slowest there is s2 with 1,000 MiB/s"
    )


def test_only_hosts_with_both_figures_count(cluster: Cluster) -> None:
    disks = judged("SsdFio", "read_1m", {"s1": 3000.0, "s2": 1000.0})
    (chain,) = chains(cluster, [*disks, *judged("PosixFio", "read_1m", {"s1": 2700.0})])
    assert [link.figure for link in chain.links] == [3000.0, 2700.0]


def test_what_cannot_be_true_is_no_link(cluster: Cluster) -> None:
    disks = judged("SsdFio", "read_1m", {"s1": 3000.0})
    files = judged("PosixFio", "read_1m", {"s1": 2700.0})
    untrue = [replace(judgement, verdict=Verdict.IMPLAUSIBLE) for judgement in files]
    assert chains(cluster, [*disks, *untrue]) == []
