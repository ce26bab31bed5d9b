"""The ranks of a system, held against the servers of the inventory."""

from typing import Any

from assay.cluster.servers import ServerHost, Unformatted
from assay.tools.daos.daos_answer import Answer, read_answer
from assay.tools.daos.ranks import problems, unjoined
from recordings import recorded

LOGS = "/var/log/daos/daos_server/daos_engine"


def query(name: str) -> Answer:
    """A recorded `dmg -j system query`."""
    return read_answer(recorded("dmg", f"system_query_{name}.txt"))


def server(**changes: Any) -> ServerHost:
    """The server of the recordings, which has two engines."""
    engines = [
        {"port": port, "log": f"{LOGS}.{index}.log", "superblock": "", "persistent": False}
        for index, port in enumerate((31316, 31416))
    ]
    server = {"name": "s1", "addresses": ["192.0.2.1"], "names": ["vm"], "engines": engines}
    return ServerHost(**{**server, **changes})


def test_a_system_with_all_ranks_joined_has_no_problem() -> None:
    assert unjoined(query("joined"), [server()]) == []
    assert problems(query("joined"), [server()]) == []


def test_a_killed_engine_is_named_with_host_rank_state_and_log() -> None:
    assert unjoined(query("one_rank_dead"), [server()]) == [server()]
    assert problems(query("one_rank_dead"), [server()]) == [
        "s1 rank 1 is errored (DAOS engine 1 exited unexpectedly: /usr/bin/daos_engine exited: "
        f"signal: killed), see {LOGS}.1.log"
    ]


def test_an_engine_without_a_rank_is_named_by_its_log() -> None:
    third = {"port": 31516, "log": "/logs/third", "superblock": "", "persistent": False}
    three = server(engines=[*server()["engines"], third])
    assert problems(query("joined"), [three]) == [
        "s1 has an engine without a rank, see /logs/third"
    ]


def test_a_rank_is_known_by_the_address_of_its_host() -> None:
    elsewhere = server(names=["x"])
    assert problems(query("joined"), [elsewhere])[-1] == (
        "ranks at 127.0.0.1:10001 belong to no host of the group daos_server"
    )
    assert problems(query("joined"), [server(names=["x"], addresses=["127.0.0.1"])]) == []


def test_ports_that_the_provider_does_not_report_leave_all_logs_of_the_host() -> None:
    portless = [{**engine, "port": None} for engine in server()["engines"]]
    reported = problems(query("one_rank_dead"), [server(engines=portless)])
    assert reported[0].endswith(f"see {LOGS}.0.log and {LOGS}.1.log")


def test_a_full_server_lacks_no_rank_though_its_ports_are_not_known() -> None:
    portless = [{**engine, "port": None} for engine in server()["engines"]]
    assert problems(query("joined"), [server(engines=portless)]) == []


def test_a_system_that_does_not_answer_is_the_only_problem() -> None:
    reported = problems(query("server_down"), [server()])
    assert len(reported) == 1
    assert "refused the connection" in reported[0]
    assert unjoined(query("server_down"), [server()]) == [server()]


def test_an_engine_that_waits_for_a_format_is_named_as_that() -> None:
    waiting = [
        Unformatted(host=name, engine=f"{name} engine 1 (/mnt/daos1/superblock)", persistent=False)
        for name in ("s1", "s9")
    ]
    _, second = problems(query("one_rank_dead"), [server()], waiting)
    assert second.startswith("s1 engine 1 (/mnt/daos1/superblock) waits for a format (")
    assert problems(query("joined"), [server()], waiting) == []
