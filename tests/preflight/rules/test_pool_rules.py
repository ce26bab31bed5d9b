"""Pools and containers that DAOS would not make."""

from __future__ import annotations

from typing import Any

import pytest

from sites import GONE, only, problems, put, site


def pools(servers: int = 3, **pool: Any) -> dict[str, Any]:
    named = [{"name": f"c{n}", **each} for n, each in enumerate(pool.pop("containers", ()))]
    whole = {"name": "tank", "size": "90%", **pool, "containers": named}
    document = put(site(servers=servers), {"daos/pools": [whole]})
    return put(document, {"daos/mgmt_svc_replicas": ["s1"]})


@pytest.mark.parametrize(
    ("scm_size", "size", "message"),
    [
        (4, "90%", "needs 704 MiB at the scale quick and 4288 MiB at the scale acceptance"),
        (16, "90%", "needs 4288 MiB at the scale acceptance: pools of 90% (daos_system_pools)"),
    ],
)
def test_a_pool_that_leaves_vos_perf_no_room(scm_size: int, size: str, message: str) -> None:
    document = put(pools(1, size=size), {"s1: engines/0/storage/0/scm_size": scm_size})
    problem = only(document)
    assert (problem.host, problem.key) == ("s1", "engines[0].storage[0].scm_size")
    assert message in problem.allowed
    assert problem.severity == "warning"


@pytest.mark.parametrize(("scm_size", "size"), [(42, "90%"), (4, "20GB"), (6, "30%")])
def test_a_pool_beside_which_vos_perf_has_room(scm_size: int, size: str) -> None:
    document = pools(1, size=size)
    assert problems(put(document, {"s1: engines/0/storage/0/scm_size": scm_size})) == []


POOL, CONTAINER = "daos.pools[0]", "daos.pools[0].containers[0]"


@pytest.mark.parametrize(
    ("pool", "key", "message"),
    [
        ({"size": "2 TBytes"}, f"{POOL}.size", "it should be a size such as 2TB"),
        ({"size": "101%"}, f"{POOL}.size", "it should be a size such as 2TB"),
        ({"sise": "2TB"}, f"{POOL}.sise", "did you mean size?"),
        ({"scm_size": "2TB"}, f"{POOL}.scm_size", "choose from: name, size"),
        ({"containers": [{"layout": "POSIX"}]}, f"{CONTAINER}.layout", "choose from: name, type"),
        ({"containers": [{"type": "lustre"}]}, f"{CONTAINER}.type", "should be one of POSIX"),
        ({"properties": {"rd_fak": 1}}, f"{POOL}.properties.rd_fak", "did you mean rd_fac?"),
        ({"properties": {"rd_fac": 5}}, f"{POOL}.properties.rd_fac", "0 to 4"),
        ({"properties": {"reclaim": "never"}}, f"{POOL}.properties.reclaim", "disabled, lazy"),
        ({"properties": {"space_rb": 101}}, f"{POOL}.properties.space_rb", "0 to 100"),
        ({"properties": {"ec_cell_sz": "3MiB"}}, f"{POOL}.properties.ec_cell_sz", "1KiB"),
        ({"properties": {"self_heal": "always"}}, f"{POOL}.properties.self_heal", "none, exclude"),
        ({"properties": ["rd_fac"]}, f"{POOL}.properties", "keys and values"),
        ({"containers": [{"oclass": "RP_9Q"}]}, f"{CONTAINER}.oclass", "an object class"),
        ({"containers": [{"file_oclass": "EC_4P2GX"}]}, f"{CONTAINER}.file_oclass", "at most 3"),
        ({"containers": [{"dir_oclass": "RP_4GX"}]}, f"{CONTAINER}.dir_oclass", "at most 3"),
        (
            {"containers": [{"properties": {"encryption": "on"}}]},
            f"{CONTAINER}.properties.encryption",
            "should be one of off, aes-xts128",
        ),
        (
            {"containers": [{"properties": {"cksum": "md5"}}]},
            f"{CONTAINER}.properties.cksum",
            "should be one of off",
        ),
        (
            {"containers": [{"properties": {"rd_fac": 3}}]},
            f"{CONTAINER}.properties.rd_fac",
            "should be at most 2",
        ),
    ],
)
def test_a_pool_that_daos_would_not_make(pool: dict[str, Any], key: str, message: str) -> None:
    problem = only(pools(**pool))
    assert (problem.host, problem.key, problem.severity) == (None, key, "error")
    assert message in problem.allowed


@pytest.mark.parametrize(
    "pool",
    [
        {"size": "1.5TiB"},
        {"properties": {"rd_fac": 2, "ec_cell_sz": "64KiB", "self_heal": "exclude;rebuild"}},
        {"properties": {"scrub": False, "svc_rf": 1}},
        {"containers": [{"file_oclass": "EC_2P1GX", "dir_oclass": "RP_3GX", "oclass": "SX"}]},
        {"containers": [{"properties": {"cksum": "crc32", "srv_cksum": True}}]},
    ],
)
def test_pools_that_daos_makes(pool: dict[str, Any]) -> None:
    assert problems(pools(**pool)) == []


def test_a_pool_that_is_larger_than_all_ssds() -> None:
    document = pools(servers=1, size="5TB")
    host = document["hosts"]["s1"]
    for number, address in enumerate(("65", "66", "67", "68")):
        host["nvme"][f"0000:{address}:00.0"]["namespaces"] = [f"/dev/nvme{number}n1"]
        host.setdefault("blocks", {})[f"/dev/nvme{number}n1"] = {"size_bytes": 10**12}
    assert "should be at most 4.00TB" in only(document).allowed
    document["daos"]["pools"][0]["size"] = "4TB"
    assert problems(put(document, {"s1: engines/0/storage/0/scm_size": GONE})) == []


@pytest.mark.parametrize(
    ("scm_size", "size", "fits"),
    [(16, "600GiB", True), (16, "1TiB", False), (34, "1TiB", True), (34, "2TiB", False)],
)
def test_a_pool_larger_than_its_tmpfs_can_index(scm_size: int, size: str, fits: bool) -> None:
    """Four pools that were tried with DAOS 2.8.0 on three ranks."""
    document = pools(servers=3, size=size)
    for name in ("s1", "s2", "s3"):
        put(document, {f"{name}: engines/0/storage/0/scm_size": scm_size})
    found = [p for p in problems(document) if p.key == "daos.pools[0].size"]
    assert [p.severity for p in found] == ["error"] * (not fits)
    assert all("DER_NOSPACE" in p.allowed for p in found)


def test_a_pool_without_ssds_needs_little() -> None:
    document = pools(size="900MB")
    for host in document["hosts"].values():
        for engine in host.get("engines", ()):
            del engine["storage"][1:]
    assert not [p for p in problems(document) if p.key == "daos.pools[0].size"]


@pytest.mark.parametrize(("size", "fits"), [("8GiB", True), ("9GiB", False), ("1TiB", False)])
def test_a_pool_without_ssds_is_no_larger_than_the_tmpfs(size: str, fits: bool) -> None:
    """Two ranks, the smaller of which has 4 GiB."""
    document = pools(servers=2, size=size)
    for name, scm_size in (("s1", 4), ("s2", 6)):
        del document["hosts"][name]["engines"][0]["storage"][1:]
        put(document, {f"{name}: engines/0/storage/0/scm_size": scm_size})
    found = [p for p in problems(document) if p.key == "daos.pools[0].size"]
    assert [p.severity for p in found] == ["error"] * (not fits)
    assert all(p.allowed.startswith("should be at most 8GiB, or DAOS") for p in found)


@pytest.mark.parametrize(("size_gib", "small"), [(39, True), (40, False)])
def test_a_share_of_files_that_is_too_small_for_their_targets(size_gib: int, small: bool) -> None:
    """16 targets have 40 % of the file that stands for an SSD."""
    tier = {"class": "file", "bdev_list": ["/var/daos/bdev0"], "bdev_size": size_gib}
    document = put(pools(1, size="40%"), {"s1: engines/0/storage/1": tier})
    found = [p for p in problems(document) if p.key == "daos.pools[0].size"]
    assert [p.severity for p in found] == ["error"] * small
    assert all("it gives 0.9" in p.allowed for p in found)


def with_ssds_of(terabytes: int, size: str, rank_pool: str) -> dict[str, Any]:
    """A server with one engine of four SSDs, a pool, and a pool on its rank."""
    document = put(pools(1, size=size), {"daos/rank_pool_size": rank_pool})
    put(document, {"s1: engines/0/storage/0/scm_size": GONE})
    host = document["hosts"]["s1"]
    for number, address in enumerate(("65", "66", "67", "68")):
        host["nvme"][f"0000:{address}:00.0"]["namespaces"] = [f"/dev/nvme{number}n1"]
        blocks = host.setdefault("blocks", {})
        blocks[f"/dev/nvme{number}n1"] = {"size_bytes": terabytes * 10**12}
    return document


@pytest.mark.parametrize(
    ("size", "rank_pool", "left"),
    [("90%", "500GB", "400GB"), ("3.5TB", "600GB", "500GB")],
)
def test_a_rank_without_room_for_a_pool_of_its_own(size: str, rank_pool: str, left: str) -> None:
    problem = only(with_ssds_of(1, size, rank_pool))
    assert (problem.host, problem.key, problem.value) == ("s1", "engines[0].storage", "4000GB")
    assert f"a pool of {rank_pool} on each rank" in problem.allowed
    assert f"daos_system_pools leave {left}. Use smaller pools" in problem.allowed


@pytest.mark.parametrize(
    ("size", "rank_pool"), [("90%", "400GB"), ("3.5TB", "500GB"), ("1TB", "2.5TiB")]
)
def test_a_rank_with_room_for_a_pool_of_its_own(size: str, rank_pool: str) -> None:
    assert problems(with_ssds_of(1, size, rank_pool)) == []


def test_without_the_sizes_of_ssds_dmg_will_report_what_does_not_fit() -> None:
    assert problems(put(pools(1), {"daos/rank_pool_size": "900TB"})) == []


@pytest.mark.parametrize(("size", "accepted"), [("17.9GiB", False), ("18GiB", True)])
def test_a_rank_needs_some_space_for_each_of_its_targets(size: str, accepted: bool) -> None:
    """DAOS 2.8: requested NVMe capacity too small (min 1.0 GiB per target)."""
    document = put(pools(1), {"daos/rank_pool_size": size})
    if accepted:
        assert problems(document) == []
        return
    assert (
        "should be at least 18GiB: 1 GiB of SSD for each target of a rank, and 6% of SCM"
        in only(document).allowed
    )


@pytest.mark.parametrize("size", ["10%", "1TiB, ALL", "much"])
def test_the_pool_on_a_rank_has_a_size(size: str) -> None:
    problem = only(put(pools(1), {"daos/rank_pool_size": size}))
    assert (problem.key, problem.value) == ("daos.rank_pool_size", size)
    assert problem.allowed == "should be a size such as 1TiB, and not a percentage"


def test_a_pool_s_redundancy_is_what_its_containers_inherit() -> None:
    problem = only(pools(properties={"rd_fac": 3}))
    assert (problem.severity, problem.key) == ("warning", f"{POOL}.properties.rd_fac")
    assert "should be at most 2" in problem.allowed


def test_parts_that_one_server_would_take_with_it() -> None:
    document = put(site(engines=2), {"daos/pools": [{"name": "t", "size": "9%"}]})
    put(document, {"daos/pools/0/containers": [{"name": "c", "oclass": "RP_2GX"}]})
    problem = only(document)
    assert (problem.key, problem.severity) == (f"{CONTAINER}.oclass", "warning")


@pytest.mark.parametrize("layout", ["POSIX", "posix", "FDB", "RNTuple", "meteo"])
def test_a_layout_of_daos_is_taken_in_any_case(layout: str) -> None:
    container = {"name": "c", "type": layout}
    pools = [{"name": "tank", "size": "2TB", "containers": [container]}]
    assert problems(put(site(), {"daos/pools": pools})) == []


@pytest.mark.parametrize("name", ["SX", "RP_3GX", "EC_16P2G1"])
def test_object_classes_of_daos(name: str) -> None:
    assert problems(put(site(servers=18), {"daos/file_oclass": name})) == []


def test_a_word_that_is_not_an_object_class() -> None:
    problem = only(put(site(), {"daos/file_oclass": "EC_2"}))
    assert (problem.key, problem.value) == ("daos.file_oclass", "EC_2")
    assert problem.allowed.startswith("should be an object class of DAOS 2.8, such as SX")


def test_an_object_class_that_is_wider_than_the_system() -> None:
    problem = only(put(site(servers=3), {"daos/file_oclass": "EC_16P2GX"}))
    assert (problem.key, problem.severity) == ("daos.file_oclass", "error")
    assert problem.allowed.startswith("should be of at most 3 parts")
    document = pools(containers=[{"file_oclass": "EC_16P2GX"}])
    assert only(put(document, {"daos/file_oclass": "EC_16P2GX"})).key.endswith("file_oclass")


@pytest.mark.parametrize(
    ("pool", "key", "severity", "message"),
    [
        ({"properties": {"space_rb": "100%"}}, "space_rb", "error", "nothing can be written"),
        (
            {"properties": {"scrub": "timed", "scrub_freq": 0}},
            "scrub_freq",
            "warning",
            "does not scrub",
        ),
        ({"size": "54GB"}, "size", "error", "should be at least 55GB"),
        (
            {"containers": [{"properties": {"rf": 1, "rd_fac": 1}}]},
            "rf",
            "error",
            "left out beside rd_fac",
        ),
        ({"containers": [{"properties": {"label": "c"}}]}, "label", "error", "name is the label"),
        (
            {"containers": [{"properties": {"compression": "lz4"}}]},
            "compression",
            "warning",
            "does not implement it",
        ),
        ({"properties": {"svc_rf": 2}}, "svc_rf", "warning", "should be at most 1"),
        (
            {"containers": [{"properties": {"cksum": False, "srv_cksum": True}}]},
            "srv_cksum",
            "warning",
            "nothing to verify",
        ),
        ({"containers": [{"chunk_size": "one"}]}, "chunk_size", "error", "such as 1MiB"),
        ({"containers": [{"chunk_size": 0}]}, "chunk_size", "error", "such as 1MiB"),
        ({"containers": [{"chunk_size": 1000}]}, "chunk_size", "warning", "multiple of 4096"),
        (
            {"containers": [{"properties": {"dedup_threshold": 100}}]},
            "dedup_threshold",
            "error",
            "of at least 4096 bytes",
        ),
    ],
)
def test_values_that_daos_takes_and_nobody_wants(
    pool: dict[str, Any], key: str, severity: str, message: str
) -> None:
    problem = only(pools(**pool))
    assert problem.key.endswith(f".{key}")
    assert (problem.severity, message in problem.allowed) == (severity, True)


@pytest.mark.parametrize(
    "pool",
    [
        {"size": "55GB"},
        {"properties": {"checkpoint": "disabled", "scrub_freq": 0}},
        {"containers": [{"properties": {"rf": 1, "compression": "off", "encryption": False}}]},
        {"properties": {"space_rb": 10, "checkpoint": "lazy", "scrub_freq": 3600}},
        {"containers": [{"chunk_size": "1MiB"}, {"chunk_size": "4KiB"}]},
        {"containers": [{"properties": {"dedup_threshold": "4KiB"}}]},
    ],
)
def test_values_beside_those(pool: dict[str, Any]) -> None:
    assert problems(pools(**pool)) == []


def test_metadata_on_ssds_needs_checkpoints() -> None:
    pool = {"name": "tank", "size": "9%", "properties": {"checkpoint": "disabled"}}
    problem = only(put(site("md-on-ssd-shared"), {"daos/pools": [pool]}))
    assert (problem.key, problem.severity) == (f"{POOL}.properties.checkpoint", "warning")
    assert "fills up" in problem.allowed


@pytest.mark.parametrize(("seconds", "warned"), [(0, 1), (1, 0), (2**20, 0), (2**20 + 1, 1)])
def test_checkpoints_come_at_least_every_second(seconds: int, warned: int) -> None:
    pool = {"name": "tank", "size": "9%", "properties": {"checkpoint_freq": seconds}}
    raised = problems(put(site(), {"daos/pools": [pool]}))
    assert [problem.severity for problem in raised] == ["warning"] * warned
