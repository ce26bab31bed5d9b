"""One benchmark, one module: nothing else knows its checks by name, and every rule is reached."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.checks import benchmarks
from assay.checks.benchmarks import self_test
from assay.checks.benchmarks.fdb_hammer import daos_processes
from assay.checks.entry import Check
from assay.checks.expect import Expectation, Measured, expectation
from assay.checks.figures import Unrated
from assay.checks.plan import CHECKS, requirements
from assay.cluster.description import Cluster
from clusters import PMEM, SSD, described, description
from sites import site

SOURCE = Path(assay.__file__).parent
MODULES = {
    info.name: importlib.import_module(f"assay.checks.benchmarks.{info.name}")
    for info in pkgutil.iter_modules(benchmarks.__path__)
}
DEFINED = {
    name: {value.name for value in vars(module).values() if isinstance(value, Check)}
    for name, module in MODULES.items()
}


def test_every_check_of_a_module_is_in_the_catalogue_and_of_one_module() -> None:
    names = [name for defined in DEFINED.values() for name in defined]
    assert sorted(names) == sorted(CHECKS)


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that are no docstrings, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
        ):
            yield node.lineno, node.value


def test_a_check_is_named_in_its_module_alone() -> None:
    places = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in SOURCE.rglob("*.py")
        for line, text in strings(path)
        if not (path.parent.name == "benchmarks" and text in DEFINED.get(path.stem, ()))
        and any(name == text or text.startswith(f"{name}.") for name in CHECKS)
    ]
    assert places == []


def test_no_name_of_a_check_or_metric_is_taken_apart() -> None:
    """Neither how it begins nor how it ends says anything that the metric does not say itself."""
    apart = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "split"}
    places = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in apart
        and ast.unparse(node.func.value).endswith(
            ("metric.name", "requirement.name", ".check", ".subject", "entry.name")
        )
    ]
    assert places == []


def _without_daos() -> Cluster:
    document = description()
    for host in document["hosts"].values():
        host["scratch"]["ssd"] = SSD
        host["datasheets"] = {"memory": "DDR4-3200"}
    return described(document)


def _with_daos() -> Cluster:
    document = site("pmem", servers=2, engines=2, clients=2, rails=2)
    document["daos"]["failure"] = True
    document["benchmarks"] = {
        **{name: f"/opt/{name}" for name in ("fio", "fio_dfs", "ior", "mdtest", "io500")},
        "ior_apis": ["DFS", "MPIIO", "HDF5"],
        "fdb_hammer_daos": "/opt/fdb/bin/fdb-hammer",
        "fdb_share": "/opt/fdb/share",
        "shared_directory": "/share",
    }
    document["daos"] |= {
        "pool": "tank",
        "container": "posix",
        "mount": "/mnt/dfuse",
        "perf_pool": "perf",
        "rank_pool_size": "1TiB",
    }
    for name in document["servers"]:
        document["hosts"][name]["server"]["eadr"] = True
        document["hosts"][name]["datasheets"] = {"ssd": "Intel D7-P5510 3.84TB", "pmem": PMEM}
    return described(document)


@cache
def _expected() -> Mapping[str, list[Expectation]]:
    """What is expected of each figure on clusters that have everything, all of it measured."""
    expected: dict[str, list[Expectation]] = {}
    for cluster in (_without_daos(), _with_daos()):
        required = requirements(cluster)
        measured = Measured({each: [20.0, 21.0, 22.0] for each in required}, "quick")
        for each in required:
            expected.setdefault(each.figure, []).append(expectation(cluster, each, measured))
    return expected


@pytest.mark.parametrize("check", CHECKS.values(), ids=list(CHECKS))
def test_the_rule_of_every_metric_is_reached(check: Check) -> None:
    for metric in check.metrics:
        expected = _expected()[f"{check.name}.{metric.name}"]
        grounds = {each.ground for each in expected}
        never = NEVER_BOUND.get(f"{check.name}.{metric.name}")
        if isinstance(metric.rule, Unrated):
            assert grounds == {"nothing"}
        elif never:
            assert grounds <= {"nothing", "reference"}
            assert any(never in each.derivation for each in expected)
        else:
            assert grounds - {"nothing"}, (metric.name, expected[0].derivation)


NEVER_BOUND = {
    **dict.fromkeys(
        (f"SelfTest{which}.latency_empty" for which in ("ClientServer", "CrossServer")),
        "an empty RPC takes no time on a wire",
    ),
    "Io500Program.metadata_score": "find has no bound",
    "Io500Program.score": "metadata_score has no bound",
}
"""Metrics whose rule ends in a sentence wherever they are measured."""


def test_a_bandwidth_or_rate_of_storage_says_what_it_moves_and_which_way() -> None:
    incomplete: list[Any] = [
        f"{check.name}.{metric.name}"
        for check in CHECKS.values()
        for metric in check.metrics
        if metric.unit in ("MiB/s", "GiB/s", "IO/s")
        and check.layer != "network"
        and "score" not in metric.name
        and check.phase != "failure"  # which reads and writes at once
        and not (metric.direction and metric.transfer)
    ]
    assert incomplete == []


def test_self_test_says_of_each_metric_how_many_rpcs_are_in_flight() -> None:
    in_flight = {
        metric.unit: metric.in_flight
        for check in (self_test.CLIENT_SERVER, self_test.CROSS_SERVER)
        for metric in check.metrics
    }
    assert in_flight == {"MiB/s": 16, "RPC/s": 16, "us": 1}


def test_self_test_says_of_each_metric_how_much_an_rpc_carries() -> None:
    carried = {metric.name: str(metric.transfer) for metric in self_test.CLIENT_SERVER.metrics}
    assert carried == {
        **dict.fromkeys(("get_1m", "put_1m", "latency_get_1m", "latency_put_1m"), "1.00 MiB"),
        **dict.fromkeys(("iov_2k", "latency_iov_2k"), "2.00 KiB"),
        **dict.fromkeys(("empty", "latency_empty"), "None"),
    }


@pytest.mark.parametrize(
    ("clients", "scale", "containers", "processes"),
    [
        (2, "quick", 1, 8),
        (8, "quick", 1, 10),
        (2, "acceptance", 1, 8),
        (100, "acceptance", 1, 200),
        (100, "acceptance", 100, 200),
        # As many as have equally many containers, two of them.
        (100, "acceptance", 300, 150),
        (2, "quick", 10, 5),
        (2, "quick", 16, 8),
        (2, "quick", 307, 1),
    ],
)
def test_processes_of_fdb_hammer_are_dealt_evenly(
    clients: int, scale: str, containers: int, processes: int
) -> None:
    cluster = described(description(clients=clients))
    assert daos_processes(cluster, containers, scale) == processes
