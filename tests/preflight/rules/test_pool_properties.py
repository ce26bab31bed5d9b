"""Properties of pools and containers, as DAOS's own unit tests and its releases take them.

Source: pool_property_test.go and container_property_test.go in src/control/lib/daos of DAOS 2.8.0,
and pool_property.go at tags v2.4.0 to v2.8.0.
"""

from __future__ import annotations

import pytest

from sites import problems, put, site

TAKEN = {
    "reclaim": ["disabled", "time", "lazy"],
    "ec_cell_sz": ["1MiB", "1024", "65536"],
    "rd_fac": ["0"],
    "space_rb": ["25", "25%", 25],
    "self_heal": ["exclude", "rebuild", "delay_rebuild", "rebuild;exclude", "none"],
    "ec_pda": ["1"],
    "rp_pda": ["2"],
    "data_thresh": ["8KiB"],
    "perf_domain": ["group"],
    "reintegration": ["data_sync", "incremental"],
    "svc_ops_enabled": ["0", 1],
    "svc_ops_entry_age": ["60", "175", "600"],
}
REFUSED = {
    "label": ["valid"],  # can't set label property with label argument, which the role gives
    "reclaim": ["wat"],
    "ec_cell_sz": ["wat", "10"],
    "rd_fac": ["100"],
    "space_rb": ["wat", "101"],
    "self_heal": ["wat", "rebuild;delay_rebuild"],
    "ec_pda": ["-1", "0"],
    "rp_pda": ["-1"],
    "data_thresh": ["-2"],
    "perf_domain": ["bad domain"],
    "reintegration": ["bad mode"],
    "svc_ops_enabled": ["-1", "2"],
    "svc_ops_entry_age": ["-1", "59", "601"],
    "svc_list": ["1"],
}


def messages(
    key: str, value: object, version: str = "2.8", *, container: bool = False
) -> list[str]:
    """What is wrong with a property of a pool, or of a container."""
    pool: dict[str, object] = {"name": "tank", "size": "9%"}
    if container:
        pool["containers"] = [{"name": "c", "properties": {key: value}}]
    else:
        pool["properties"] = {key: value}
    document = put(site(servers=3), {"daos/version": version, "daos/pools": [pool]})
    return [str(problem) for problem in problems(document) if problem.severity == "error"]


@pytest.mark.parametrize(("key", "value"), [(k, v) for k, vs in TAKEN.items() for v in vs])
def test_what_daos_takes_passes(key: str, value: object) -> None:
    assert messages(key, value) == []


@pytest.mark.parametrize(("key", "value"), [(k, v) for k, vs in REFUSED.items() for v in vs])
def test_what_daos_refuses_is_refused(key: str, value: object) -> None:
    assert len(messages(key, value)) == 1


@pytest.mark.parametrize(
    ("key", "value", "versions"),
    [
        ("svc_ops_enabled", 1, ["2.6", "2.8"]),
        ("data_thresh", "8KiB", ["2.6", "2.8"]),
        ("scrub_freq", 60, ["2.6", "2.8"]),
        ("scrub-freq", 60, ["2.4"]),
        ("policy", "type=io_size", ["2.4"]),
        ("self_heal", "none", ["2.6", "2.8"]),
        ("self_heal", "exclude;rebuild", ["2.6", "2.8"]),
        ("perf_domain", "rank", ["2.4"]),
        ("reintegration", "no_data_sync", ["2.4", "2.6", "2.8"]),
        ("reintegration", "incremental", ["2.8"]),
    ],
)
def test_each_release_has_its_own(key: str, value: object, versions: list[str]) -> None:
    assert [v for v in ("2.4", "2.6", "2.8") if not messages(key, value, v)] == versions


def test_a_property_of_another_release_says_which() -> None:
    (problem,) = messages("policy", "type=io_size")
    assert "is a property of DAOS 2.4, but 2.8 is deployed" in problem


@pytest.mark.parametrize(
    ("key", "good", "bad"),
    [
        ("cksum_size", "4 KiB", "32X"),
        ("dedup_threshold", "123456", "much"),
        ("rd_lvl", "node", "whoops"),
        ("status", "healthy", "whoops"),
        ("ec_cell_sz", "64KiB", "10"),
        ("ec_pda", "1", "0"),
        ("perf_domain", "root", "whoops"),
    ],
)
def test_properties_of_a_container(key: str, good: object, bad: object) -> None:
    assert messages(key, good, container=True) == []
    assert len(messages(key, bad, container=True)) == 1


@pytest.mark.parametrize(
    ("oclass", "versions"),
    [
        ("EC_2P1G1", ["2.4", "2.6", "2.8"]),
        ("EC_4P3GX", ["2.8"]),
        ("S3", []),
        ("RP_7GX", []),
        ("EC_3P1G1", []),
        ("RP_2", []),
    ],
)
def test_object_classes_of_releases(oclass: str, versions: list[str]) -> None:
    def refused(version: str) -> bool:
        container = {"name": "c", "oclass": oclass}
        pools = [{"name": "tank", "size": "9%", "containers": [container]}]
        document = put(site(servers=7), {"daos/version": version, "daos/pools": pools})
        return any(problem.severity == "error" for problem in problems(document))

    assert [v for v in ("2.4", "2.6", "2.8") if not refused(v)] == versions


@pytest.mark.parametrize(
    ("oclass", "properties", "inherited", "passes"),
    [
        ("SX", {"rd_fac": 1}, {}, False),
        ("SX", {}, {"rd_fac": 1}, False),
        ("SX", {"rd_fac": 0}, {"rd_fac": 1}, True),
        ("RP_2GX", {"rd_fac": 1}, {}, True),
        ("EC_2P1GX", {"rd_fac": 1}, {}, True),
        ("EC_2P1GX", {"rd_fac": 2}, {}, False),
    ],
)
def test_a_class_that_survives_fewer_failures_than_its_container(
    oclass: str, properties: dict[str, int], inherited: dict[str, int], *, passes: bool
) -> None:
    container = {"name": "c", "file_oclass": oclass, "properties": properties}
    pool = {"name": "tank", "size": "9%", "properties": inherited, "containers": [container]}
    refused = problems(put(site(servers=5), {"daos/pools": [pool]}))
    assert [p.key for p in refused] == (
        [] if passes else ["daos.pools[0].containers[0].file_oclass"]
    )
