"""What holds for all sites: order does not matter, no mistake is missed, and nothing falls over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from assay.preflight.examine import examine
from sites import GONE, LAYOUTS, problems, put, site

# Each breaks any layout with one or two engines a server, whichever server it is done to.
MISTAKES: list[dict[str, object]] = [
    {"engines/0/targets": 0},
    {"engines/0/targets": 31},
    {"engines/0/targets": 15},
    {"engines/0/nr_xs_helpers": 33},
    {"engines/0/pinned_numa_node": 2},
    {"engines/0/first_core": 1},
    {"engines/0/fabric_iface": "ib9"},
    {"engines/0/fabric_iface_port": -1},
    {"engines/0/env_vars": ["A"]},
    {"engines/0/log_mask": "LOUD"},
    {"engines/0/storage": []},
    {"engines/0/storage/0/scm_mount": GONE},
    {"engines/0/storage/0/class": "nvme"},
    {"engines/0/storage/0/bdev_size": 1},
    {"engines/0/storage/1/bdev_list": []},
    {"engines/0/storage/1/bdev_list": ["0000:ff:00.0"]},
    {"engines/0/storage/1/bdev_roles": ["wal", "data"]},
    {"engines/0/storage/1/scm_list": ["/dev/pmem0"]},
    {"engines/0/storage/1/bdev_lst": []},
    {"engines": []},
    {"interfaces/ib0/up": False},
    {"server/system_ram_reserved": 0},
    {"server/log_mask": "WARN"},
    {"server/disable_hugepages": True, "server/nr_hugepages": 1},
    {"agent": {"include_fabric_ifaces": ["ib0"], "exclude_fabric_ifaces": ["ib1"]}},
    {"memory/total_mib": 8192},
]

layouts = st.sampled_from(LAYOUTS)


def damaged(document: dict[str, Any], host: str, mistake: dict[str, object]) -> dict[str, Any]:
    return put(document, {f"{host}: {path}": value for path, value in mistake.items()})


@given(layout=layouts, mistake=st.sampled_from(MISTAKES), server=st.integers(1, 3))
def test_no_mistake_is_missed(layout: str, mistake: dict[str, object], server: int) -> None:
    document = site(layout, servers=3, engines=2)
    assert any(
        problem.host == f"s{server}"
        for problem in problems(damaged(document, f"s{server}", mistake))
    )


@given(data=st.data(), layout=layouts)
def test_the_order_of_hosts_does_not_matter(data: st.DataObject, layout: str) -> None:
    document = site(layout, servers=3, engines=2, clients=2)
    for server in ("s1", "s3"):
        damaged(document, server, data.draw(st.sampled_from(MISTAKES)))
    before = {str(problem) for problem in problems(document)}
    hosts = data.draw(st.permutations(list(document["hosts"].items())))
    document["hosts"] = dict(hosts)
    assert {str(problem) for problem in problems(document)} == before


def leaves(part: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a document, as the container and the key."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        yield part, key
        if isinstance(value, dict | list):
            yield from leaves(value)


json_values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 100),
    st.text(max_size=4),
    st.lists(st.integers(0, 3), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(0, 3), max_size=2),
)


@settings(max_examples=300)
@given(data=st.data(), layout=layouts, value=json_values)
def test_no_value_anywhere_makes_the_judgement_fall_over(
    data: st.DataObject, layout: str, value: object
) -> None:
    document = site(layout, engines=2)
    container, key = data.draw(st.sampled_from(list(leaves(document))))
    container[key] = value
    cluster, refused = examine(document)
    assert (cluster is None) == any(problem.severity == "error" for problem in refused)
