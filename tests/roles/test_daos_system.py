"""What the role daos_system reads from dmg and daos, on their recorded output."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

PLUGIN = Path(__file__).parents[2] / "roles/daos_system/filter_plugins/daos_system.py"
RECORDED = Path(__file__).parents[1] / "recorded" / "dmg"

CONTAINER_QUERY = {
    "type": "container_type",
    "file_oclass": "file_object_class",
    "chunk_size": "chunk_size",
}
CONTAINER = {"name": "posix", "type": "POSIX", "file_oclass": "SX", "chunk_size": "512KiB"}


@pytest.fixture(scope="module")
def role() -> Any:
    spec = importlib.util.spec_from_file_location("daos_system", PLUGIN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(name: str, item: Any = None) -> dict[str, Any]:
    """A recording, as `ansible.builtin.command` returns it."""
    lines = (RECORDED / f"{name}.txt").read_text().splitlines()
    return {
        "rc": int(lines[-1].removeprefix("# exit: ")),
        "stdout": "\n".join(lines[1:-1]),
        "item": item,
    }


def host(name: str = "s1", **told: Any) -> dict[str, Any]:
    """The variables and facts of a server with two engines."""
    return {
        "inventory_hostname": name,
        "ansible_facts": {
            "all_ipv4_addresses": ["192.0.2.1"],
            "all_ipv6_addresses": [],
            "nodename": "vm",
            "hostname": "vm",
        },
        "daos_server_engines": [
            {"fabric_iface_port": port, "storage": [{"class": "ram", "scm_mount": mount}]}
            for port, mount in ((31316, "/mnt/daos0"), (31416, "/mnt/daos1"))
        ],
        **told,
    }


def test_a_system_with_all_ranks_joined_gives_no_complaint(role: Any) -> None:
    servers = [role.server(host())]
    assert role.unjoined(run("system_query_joined"), servers) == []
    assert role.complaints(run("system_query_joined"), servers) == []


def test_a_killed_engine_is_named_with_host_rank_state_and_log(role: Any) -> None:
    servers = [role.server(host())]
    assert [
        server["name"] for server in role.unjoined(run("system_query_one_rank_dead"), servers)
    ] == ["s1"]
    assert role.complaints(run("system_query_one_rank_dead"), servers) == [
        "s1 rank 1 is errored (DAOS engine 1 exited unexpectedly: /usr/bin/daos_engine exited: "
        "signal: killed), see /var/log/daos/daos_server/daos_engine.1.log"
    ]


def test_an_engine_without_a_rank_is_named_by_its_log(role: Any) -> None:
    three = host()
    three["daos_server_engines"].append({"fabric_iface_port": 31516, "log_file": "/logs/third"})
    assert role.complaints(run("system_query_joined"), [role.server(three)]) == [
        "s1 has an engine without rank, see /logs/third"
    ]


def test_a_rank_is_known_by_the_address_of_its_host(role: Any) -> None:
    other = host(
        "other", ansible_facts=host()["ansible_facts"] | {"nodename": "x", "hostname": "x"}
    )
    assert (
        "belong to no host" in role.complaints(run("system_query_joined"), [role.server(other)])[-1]
    )
    other["ansible_facts"]["all_ipv4_addresses"] = ["127.0.0.1"]
    assert role.complaints(run("system_query_joined"), [role.server(other)]) == []


def test_ports_that_the_provider_does_not_tell_leave_all_logs_of_the_host(role: Any) -> None:
    server = role.server(host())
    for engine in server["engines"]:
        engine["port"] = None
    assert role.complaints(run("system_query_one_rank_dead"), [server])[0].endswith(
        "see /var/log/daos/daos_server/daos_engine.0.log"
        " and /var/log/daos/daos_server/daos_engine.1.log"
    )


@pytest.mark.parametrize(
    ("recording", "error"),
    [
        ("system_query_server_down", "refused the connection"),
        ("system_query_uninitialized", "storage format required?"),
        ("storage_scan_server_down", "127.0.0.1:10001: client: code = 506"),
        ("storage_format_running", "storage format invoked on a running system"),
        ("pool_create_exists", "already exists"),
        ("pool_query_hangs", "no answer in time"),
    ],
)
def test_what_went_wrong_is_said_in_daos_own_words(role: Any, recording: str, error: str) -> None:
    answer = role.answer(run(recording))
    assert error in answer["error"]
    assert answer["uninitialized"] == (recording == "system_query_uninitialized")
    assert role.failures([run(recording, {"name": "tank"})]) == [f"tank: {answer['error']}"]


def test_a_program_that_is_not_there_says_so(role: Any) -> None:
    said = "timeout: failed to run command '/usr/bin/dmg': No such file or directory"
    assert role.answer({"rc": 127, "stdout": "", "stderr": said})["error"] == said


def test_the_log_of_the_library_before_the_json_is_passed_over(role: Any) -> None:
    assert role.answer(run("daos_pool_query_with_log"))["response"]["label"] == "tank"


@pytest.mark.parametrize(
    ("told", "superblock", "persistent"),
    [
        ({}, "/mnt/daos0/superblock", False),
        (
            {"daos_server_control_metadata": {"path": "/var/daos"}},
            "/var/daos/daos_control/engine0/superblock",
            True,
        ),
        (
            {
                "daos_server_engines": [
                    {
                        "storage": [
                            {"class": "dcpm", "scm_mount": "/mnt/pmem"},
                            {"class": "nvme", "bdev_list": ["0000:81:00.0"]},
                        ]
                    }
                ]
            },
            "/mnt/pmem/superblock",
            True,
        ),
    ],
)
def test_the_superblock_is_where_the_layout_has_it(
    role: Any, told: dict[str, Any], superblock: str, persistent: bool
) -> None:
    engine = role.server(host(**told))["engines"][0]
    assert (engine["superblock"], engine["persistent"]) == (superblock, persistent)


def test_only_engines_without_superblock_are_unformatted(role: Any) -> None:
    found = {"s1": {"__daos_system_superblocks": {"stdout_lines": ["/mnt/daos0/superblock"]}}}
    assert role.unformatted([role.server(host())], found) == [
        {"host": "s1", "engine": "s1 engine 1 (/mnt/daos1/superblock)", "persistent": False}
    ]


def test_a_server_that_nobody_looked_at_is_not_taken_for_unformatted(role: Any) -> None:
    with pytest.raises(KeyError):
        role.unformatted([role.server(host())], {"s1": {}})


def differences(role: Any, **wanted: Any) -> list[str]:
    pool = {"name": "tank", "size": "2GB", **wanted}
    return role.pool_differences([run("pool_query", pool)], [run("pool_get_prop", pool)])


def test_a_pool_as_asked_for_has_no_difference(role: Any) -> None:
    properties = {"rd_fac": 0, "ec_cell_sz": "128KiB", "self_heal": "rebuild;exclude"}
    assert differences(role, properties=properties) == []
    assert differences(role, size="90%", properties={"space_rb": "5%", "reclaim": "lazy"}) == []


def test_a_pool_of_another_size_is_told(role: Any) -> None:
    assert differences(role, size="3GB") == [
        "tank: its size is 2000003072 bytes, and 3GB is asked for"
    ]


def test_a_pool_with_other_properties_is_told(role: Any) -> None:
    assert differences(role, properties={"rd_fac": 1, "nosuch": 1}) == [
        "tank: its property rd_fac is 0, and 1 is asked for",
        "tank: its property nosuch is unknown to DAOS, and 1 is asked for",
    ]


def test_a_pool_that_does_not_answer_is_told(role: Any) -> None:
    pool = {"name": "tank", "size": "2GB"}
    hanging = run("pool_query_hangs", pool)
    assert role.pool_differences([hanging], [hanging]) == ["tank: no answer in time"]


def test_metadata_on_ssd_has_its_size_in_the_same_place(role: Any) -> None:
    pool = {"name": "tank", "size": "1.5GiB"}
    query, known = run("pool_query_md_on_ssd", pool), run("pool_get_prop", pool)
    assert role.pool_differences([query], [known]) == []


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ({}, []),
        ({"properties": {"cksum": "crc32", "rd_fac": 0}}, []),
        ({"properties": {"rd_fac": "rd_fac0", "ec_cell_sz": "128KiB"}}, []),
        (
            {"file_oclass": "EC_2P1GX"},
            ["tank/posix: its file_oclass is SX, and EC_2P1GX is asked for"],
        ),
        (
            {"chunk_size": "1MiB"},
            ["tank/posix: its chunk_size is 524288, and 1MiB is asked for"],
        ),
        (
            {"properties": {"cksum": "off"}},
            ["tank/posix: its property cksum is crc32, and off is asked for"],
        ),
    ],
)
def test_a_container_is_compared_with_what_is_asked_for(
    role: Any, wanted: dict[str, Any], told: list[str]
) -> None:
    pair = ({"name": "tank"}, CONTAINER | wanted)
    assert (
        role.container_differences(
            [run("container_query", pair)], [run("container_get_prop", pair)], CONTAINER_QUERY
        )
        == told
    )


def test_containers_that_are_there_are_told_from_those_that_are_not(role: Any) -> None:
    tank = {"name": "tank"}
    pairs = [(tank, {"name": "posix"}), (tank, {"name": "other"})]
    assert role.containers_there(pairs, [run("container_list", tank)]) == pairs[:1]


def test_options_are_spelt_as_the_commands_take_them(role: Any) -> None:
    wanted = {"size": "2TB", "properties": {"rd_fac": 1, "ec_cell_sz": "64KiB"}, "other": 1}
    assert role.options(wanted, {"size": "size", "properties": "properties", "type": "type"}) == [
        "--size=2TB",
        "--properties=rd_fac:1,ec_cell_sz:64KiB",
    ]
    assert role.options({"size": "", "properties": {}}, {"size": "s", "properties": "p"}) == []


@pytest.mark.parametrize("size", ["2TB", "1.5TiB", "90%", "100%", "512MiB"])
def test_sizes_with_a_unit_are_taken(role: Any, size: str) -> None:
    assert role.pool_problems([{"name": "tank", "size": size}]) == []


@pytest.mark.parametrize("size", ["2", "0%", "101%", "2 lorries", "-1GB", ""])
def test_sizes_without_one_are_refused(role: Any, size: str) -> None:
    assert role.pool_problems([{"name": "tank", "size": size}]) == [
        f"size of tank is {size}; allowed are such as 2TB, 1.5TiB or 90%"
    ]


def test_labels_that_daos_does_not_take_are_refused(role: Any) -> None:
    twice = [{"name": "c"}, {"name": "c"}]
    pools = [{"name": "my pool", "size": "1GB"}, {"name": "b", "size": "1GB", "containers": twice}]
    assert role.pool_problems(pools) == [
        "daos_system_pools has the name my pool;"
        " allowed are letters, digits and . _ : -, up to 127 of them",
        "containers of b has the name c twice",
    ]
