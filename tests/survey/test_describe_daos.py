"""What `assay describe` asks a DAOS that the site runs, and what it writes of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from assay.cluster.slurm import Slurm
from assay.preflight.examine import examine
from assay.survey import guest
from assay.survey.foreign_slurm import Seen
from assay.survey.found_daos import FoundDaos, Wanted, find, has_metrics
from assay.survey.guest import Asked
from assay.tools.daos.daos_user import UnansweredError
from recordings import recorded

BIN = "/opt/daos/bin"
PROGRAMS = {name: f"{BIN}/{name}" for name in ("daos", "dmg")} | {
    name: f"/opt/{name}" for name in ("ior", "mdtest", "fio")
}
ANSWERS = {
    f"{BIN}/daos -j version": "found/version",
    f"{BIN}/daos -j system query": "found/system",
    f"{BIN}/daos -j pool query guests": "found/pool",
    f"{BIN}/daos -j container query guests mine": "found/container",
    f"{BIN}/daos -j container get-prop guests mine": "found/container_prop",
    f"{BIN}/dmg -j -o /etc/daos/daos_control.yml system query": "found/dmg_refused",
}


def seen(name: str, **more: Any) -> Seen:
    host = {
        "cores": 64,
        "numa_nodes": 2,
        "memory": {"total_mib": 262144},
        "interfaces": {"ib0": {"up": True, "address": "198.51.100.1", "speed_gbits": 200.0}},
    }
    answer = {
        "name": name,
        "host": host,
        "campaigns": {"inode": 7, "writable": True},
        "scratch": None,
        "programs": PROGRAMS,
        "dfs": ["ior", "mdtest", "fio"],
    }
    return Seen.model_validate(answer | more)


def found(
    wanted: Wanted,
    nodes: Sequence[Seen] = (seen("n1"), seen("n2")),
    answers: Mapping[str, str] = ANSWERS,
    metrics: Collection[str] = (),
) -> FoundDaos:
    def answer(command: Sequence[str]) -> str:
        tool, name = answers[" ".join(command)].split("/")
        return recorded(tool, f"{name}.txt")

    return find(wanted, seen("login"), nodes, answer, lambda server: server in metrics)


def described(wanted: Wanted, *nodes: Seen, **answers: str) -> dict[str, Any]:
    chosen = nodes or (seen("n1"), seen("n2"))
    slurm = Slurm.model_validate({"partitions": {"clients": "compute"}})
    asked = Asked("borealis", slurm, Path("/home/me/assay"), daos=wanted)
    document = guest.document(asked, seen("login"), chosen, found(wanted, chosen))
    cluster, problems = examine(document)
    assert cluster, list(map(str, problems))
    return document


def test_system_pool_and_container_are_described() -> None:
    document = described(Wanted("guests", "mine"))
    assert document["provider"] == "ofi+tcp"
    assert document["benchmarks"] == {
        **{name: f"/opt/{name}" for name in ("fio", "ior", "mdtest")},
        "ior_apis": ["DFS"],
        "fio_dfs": "/opt/fio",
    }
    assert document["daos"] == {
        "name": "daos_server",
        "version": "2.8",
        "servers": [],
        "mgmt_svc_replicas": [],
        "agents": ["n1", "n2"],
        "admin": "login",
        "prefix": "/opt/daos",
        "pool": "guests",
        "container": "mine",
        "file_oclass": "S2",
        "dir_oclass": "S1",
        "found": {
            "release": "2.8.0",
            "ranks": 2,
            "targets": 2,
            "free_mib": 4015,
            "own_container": False,
            "pool_properties": {},
            "container_properties": {
                "rd_fac": "0",
                "rd_lvl": "node",
                "cksum": "off",
                "compression": "off",
                "dedup": "off",
                "encryption": "off",
                "ec_cell_sz": "131072",
                "srv_cksum": "off",
                "acl": "A::OWNER@:rwdtTaAo, A:G:GROUP@:rwtT",
            },
        },
    }


def test_without_a_container_the_checks_make_one_that_has_the_name_of_the_user() -> None:
    document = described(Wanted("guests", share=0.2))
    assert document["daos"]["container"].startswith("assay.")
    assert document["daos"]["found"]["own_container"]
    assert document["daos"]["found"]["share"] == 0.2


def test_an_administrator_is_asked_for_more() -> None:
    answers = ANSWERS | {
        f"{BIN}/dmg -j -o /etc/daos/daos_control.yml system query": "dmg/system_query_joined",
        f"{BIN}/dmg -j -o /etc/daos/daos_control.yml pool get-prop guests": "dmg/pool_get_prop",
    }
    more = found(Wanted("guests", "mine"), answers=answers)
    assert more.refused_by_dmg == ""
    assert more.system["found"]["control"] == "/etc/daos/daos_control.yml"
    assert more.system["found"]["pool_properties"]["reclaim"] == "lazy"


def test_an_administrator_may_have_a_configuration_of_her_own() -> None:
    answers = ANSWERS | {
        f"{BIN}/dmg -j -o /home/me/control.yml system query": "dmg/system_query_joined",
        f"{BIN}/dmg -j -o /home/me/control.yml pool get-prop guests": "dmg/pool_get_prop",
    }
    more = found(Wanted("guests", "mine", control=Path("/home/me/control.yml")), answers=answers)
    assert more.system["found"]["control"] == "/home/me/control.yml"


def test_metrics_are_read_where_every_server_gives_them() -> None:
    there = ["127.0.0.1:9191"]
    assert found(Wanted("guests"), metrics=there).system["found"]["telemetry"] == there
    ranks = found(Wanted("guests"), metrics=there).system["found"]["servers_of_ranks"]
    assert set(ranks.values()) == {each.partition(":")[0] for each in there}
    assert "telemetry" not in found(Wanted("guests")).system["found"]


@pytest.mark.parametrize(("page", "gives"), [(b"engine_started_at{} 1\n", True), (b"<p>", False)])
def test_a_server_that_answers_with_something_else_gives_no_metrics(
    page: bytes, gives: bool
) -> None:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(page)

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        answering = Thread(target=server.handle_request)
        answering.start()
        assert has_metrics(f"127.0.0.1:{server.server_port}") is gives
        answering.join()
    assert not has_metrics(f"127.0.0.1:{server.server_port}")


def test_engines_on_a_client_are_seen_by_their_processes_and_by_their_addresses() -> None:
    wanted = Wanted("guests", "mine")
    assert not found(wanted).colocated
    assert found(wanted, [seen("n1", engines=2)]).colocated
    there = seen("n1")
    there.host["interfaces"]["lo"] = {"up": True, "address": "127.0.0.1"}
    assert found(wanted, [there]).colocated


@pytest.mark.parametrize(
    ("nodes", "why"),
    [
        (
            [seen("n1"), seen("n2", programs={})],
            "daos is /opt/daos/bin/daos on this host, but not on n2; load a module",
        ),
    ],
)
def test_clients_without_daos_are_refused(nodes: list[Seen], why: str) -> None:
    with pytest.raises(UnansweredError, match=why):
        found(Wanted("guests"), nodes)


def test_a_container_without_files_is_refused() -> None:
    answers = ANSWERS | {f"{BIN}/daos -j container query guests mine": "container/untyped"}
    with pytest.raises(
        UnansweredError, match="the container mine is of type unknown, but the checks"
    ):
        found(Wanted("guests", "mine"), answers=answers)


def test_a_pool_of_others_is_refused() -> None:
    answers = ANSWERS | {f"{BIN}/daos -j pool query guests": "found/pool_not_mine"}
    with pytest.raises(UnansweredError, match="the pool guests does not let you in"):
        found(Wanted("guests"), answers=answers)


def test_what_is_not_seen_is_listed_with_its_key() -> None:
    wanted = Wanted("guests", "mine")
    slurm = Slurm.model_validate({"partitions": {"clients": "compute"}})
    asked = Asked("borealis", slurm, Path("/home/me/assay"), daos=wanted)
    nodes = [seen("n1")]
    reasons = {each.key: each.why for each in guest.left_open(asked, nodes, found(wanted, nodes))}
    assert "permissions are incorrect" in reasons["daos.found.control"]
    assert {"daos.mount", "daos.servers", "daos.found.telemetry"} <= reasons.keys()
    assert not {"daos", "benchmarks.shared_directory", "benchmarks.ior"} & reasons.keys()
