"""How long a campaign is expected to take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from assay.checks import hours
from assay.checks.benchmarks import fio
from assay.checks.entry import IN_FLIGHT, Check, Run, run_of
from assay.checks.plan import CHECKS, requirements
from assay.cluster.description import Cluster
from clusters import described
from sites import site


def full(clients: int, servers: int) -> Cluster:
    document = site("md-on-ssd-shared", servers=servers, engines=2, clients=clients)
    tools = ("fio", "fi_pingpong", "ior", "mdtest", "io500", "fdb_hammer", "fdb_hammer_daos")
    document["benchmarks"] = {tool: f"/opt/{tool}" for tool in tools}
    document["benchmarks"] |= {"fio_dfs": "/opt/fio", "fdb_share": "/opt/share"}
    document["benchmarks"] |= {"shared_directory": "/shared", "ior_apis": ["DFS"]}
    more = {"pool": "tank", "container": "posix", "perf_pool": "perf", "mount": "/mnt/dfuse"}
    document["daos"] |= more | {"rank_pool_size": "1TiB"}
    return described(document)


@pytest.mark.parametrize("scale", hours.SCALES)
def test_every_check_of_the_plan_takes_a_time(scale: str) -> None:
    cluster = full(4, 3)
    takes = hours.of_checks(cluster, scale)
    assert set(takes) == {(each.check, each.partition) for each in requirements(cluster, scale)}
    assert all(seconds > hours.JOB_S for seconds in takes.values())


def runs(scale: str) -> Iterator[Run]:
    """A run of each check of a cluster that has everything."""
    cluster = full(4, 3)
    for name, partition in hours.of_checks(cluster, scale):
        yield run_of(cluster, CHECKS[name], partition, scale)


def changed(run: Run, **sizes: int) -> float:
    """The estimate with other values of variables."""
    return run.check.takes(replace(run, sizes={**run.sizes, **sizes}))


@pytest.mark.parametrize("scale", hours.SCALES)
def test_a_check_takes_at_least_the_timed_part_of_every_sample(scale: str) -> None:
    for run in runs(scale):
        timed = sum(value for name, value in run.sizes.items() if name.endswith("_s"))
        assert run.check.takes(run) >= run.repetitions * timed, run.check.name


@pytest.mark.parametrize("scale", hours.SCALES)
def test_more_samples_take_as_much_longer(scale: str) -> None:
    for run in runs(scale):
        once, twice, thrice = (changed(run, repetitions=count) for count in (1, 2, 3))
        assert twice > once, run.check.name
        assert thrice - twice == pytest.approx(twice - once), run.check.name


@pytest.mark.parametrize("scale", hours.SCALES)
def test_a_larger_size_takes_no_less_time(scale: str) -> None:
    """Only room that is set aside and operations in flight take none."""
    for run in runs(scale):
        for name, value in run.sizes.items():
            larger, usual = changed(run, **{name: 2 * value}), run.check.takes(run)
            if name.startswith(IN_FLIGHT) or name in ("pool_mib", "scratch_mib"):
                assert larger == usual, (run.check.name, name)
            else:
                assert larger > usual, (run.check.name, name)


@pytest.mark.parametrize("scale", hours.SCALES)
@pytest.mark.parametrize("check", [fio.DISK, fio.TMPFS, fio.POSIX, fio.DFS, fio.DFUSE])
def test_each_metric_of_fio_takes_its_time(check: Check, scale: str) -> None:
    for run in runs(scale):
        if run.check is check:
            *others, last = check.metrics
            without = replace(run, check=replace(check, metrics=tuple(others)))
            assert isinstance(last, fio.FioMetric)
            least_s = run.repetitions * (run.sizes[last.timed_by] if last.timed_by else 0)
            more_s = check.takes(run) - without.check.takes(without)
            assert more_s > 0.999 * least_s


def test_an_acceptance_takes_longer() -> None:
    cluster = full(4, 3)
    quick, acceptance = (hours.of_checks(cluster, scale) for scale in hours.SCALES)
    assert all(acceptance[each] > quick[each] for each in quick)
    assert {name for name, _ in acceptance.keys() - quick.keys()} == {
        name for name, check in CHECKS.items() if not check.has("quick")
    }


def test_no_check_of_a_trial_takes_hours() -> None:
    for (name, _), seconds in hours.of_checks(full(4, 3), "quick").items():
        assert seconds < 600, name


@pytest.mark.parametrize("scale", hours.SCALES)
def test_it_grows_with_hosts_and_not_with_their_product(scale: str) -> None:
    small, large = (sum(hours.of_checks(full(n, n), scale).values()) for n in (24, 96))
    assert large < 4 * small


def test_phases_are_those_of_the_campaign() -> None:
    cluster = full(4, 3)
    assert list(hours.by_phase(cluster, "quick")) == ["raw", "scm", "system"]
    whole = sum(hours.of_checks(cluster, "quick").values())
    assert sum(hours.by_phase(cluster, "quick").values()) == pytest.approx(whole)
    quick, _ = hours.sentences(cluster)
    assert re.search(r"\(raw \d+ \w+, scm \d+ \w+, system \d+ \w+\)$", quick)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(3, "10 s"), (42, "40 s"), (89, "90 s"), (90, "2 min"), (5399, "90 min"), (5400, "1.5 h")],
)
def test_a_time_as_people_say_it(seconds: float, words: str) -> None:
    assert hours.spelled(seconds) == words


def test_what_shares_cores_with_engines_takes_as_much_longer() -> None:
    document = site("file", servers=1, engines=2, clients=1)
    for host in document["hosts"].values():
        host["cores"] = 4
    for engine in document["hosts"]["s1"]["engines"]:
        engine |= {"targets": 2, "nr_xs_helpers": 0, "env_vars": ["DAOS_TARGET_OVERSUBSCRIBE=1"]}
    document["benchmarks"] = {"ior": "/opt/ior", "ior_apis": ["DFS"]}
    document["daos"] |= {"pool": "tank", "container": "posix"}
    apart = described(document)
    document["daos"]["agents"] = ["s1"]
    together = described(document | {"clients": ["s1"], "colocated": True})
    of_ior = [
        hours.of_checks(cluster, "quick")["IorEasy", "clients"] - hours.JOB_S
        for cluster in (apart, together)
    ]
    # 2 ranks, and each engine has 2 targets and a stream for metadata.
    assert of_ior[1] / of_ior[0] == pytest.approx((2 + 2 * 3) / 4)


def test_processes_that_share_cores_check_fields_in_turn() -> None:
    def of_fields(cores: int) -> float:
        document = site(servers=1, clients=1)
        document["hosts"]["c1"]["cores"] = cores
        document["benchmarks"] = {"fdb_hammer": "/opt/fdb", "fdb_share": "/opt/share"}
        return hours.of_checks(described(document), "quick")["FdbHammer", "clients"]

    # 64 fields of 1 MiB: 5 times at 125 and at 333 MiB/s. Four processes take turns on two cores.
    once = 5 * (64 / 125 + 64 / 333)
    assert of_fields(2) - of_fields(4) == pytest.approx(once)
    assert of_fields(1) - of_fields(4) == pytest.approx(3 * once)
    assert of_fields(8) == of_fields(4)


def test_a_plan_states_the_budget_for_further_rounds() -> None:
    cluster = full(2, 2)
    without = hours.sentences(cluster)
    assert hours.sentences(cluster, 1.5) == [
        *without,
        "further rounds of checks whose verdicts are open: at most 1.5 h, and 3 of each",
    ]
