"""daos, as a user asks it who administers nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools.daos import daos_user
from assay.tools.daos.container import Container
from assay.tools.daos.daos_user import UnansweredError, read
from recordings import recorded


def found(name: str) -> str:
    return recorded("found", f"{name}.txt")


def test_reads_what_an_agent_gives_to_clients() -> None:
    system = read(daos_user.AttachedSystem, found("system"), "the system")
    assert (system.name, system.provider) == ("daos_server", "ofi+tcp")
    assert [rank.address for rank in system.ranks] == ["127.0.0.1", "127.0.0.1"]
    assert read(daos_user.Version, found("version"), "the release").version == "2.8.0"


@pytest.mark.parametrize(
    ("uri", "address"),
    [("ofi+tcp;ofi_rxm://192.0.2.7:31316", "192.0.2.7"), ("ofi+cxi://0x1f", ""), ("", "")],
)
def test_an_address_is_the_hosts_part_of_a_uri(uri: str, address: str) -> None:
    assert daos_user.Rank(rank=0, uri=uri).address == address


def test_the_room_of_a_pool_is_that_of_its_largest_tier() -> None:
    pool = read(daos_user.Pool, found("pool"), "the pool guests")
    assert (pool.targets, pool.free) == (2, 4211073024)


def test_reads_the_layout_of_a_container() -> None:
    container = read(Container, found("container"), "the container mine")
    assert (container.layout, container.file_oclass) == ("POSIX", "S2")
    assert container.dir_oclass == "S1"
    created = read(Container, found("container_created"), "it")
    assert created == container


@pytest.mark.parametrize(
    ("name", "what", "sentence"),
    [
        (
            "pool_not_mine",
            "the pool assay",
            "the pool assay does not let you in (failed to connect to pool assay: failed to connect"
            " to pool: DER_NO_PERM(-1001): Operation not permitted): ask its owner for an entry in"
            " its ACL that allows rw",
        ),
        (
            "container_not_mine",
            "the container theirs",
            'the container theirs does not let you in (failed to open container "theirs":'
            " DER_NO_PERM(-1001): Operation not permitted): ask its owner for an entry in its ACL"
            " that allows rw",
        ),
    ],
)
def test_a_refusal_is_one_sentence_on_which_a_user_can_act(
    name: str, what: str, sentence: str
) -> None:
    with pytest.raises(UnansweredError) as refused:
        read(Container, found(name), what)
    assert str(refused.value) == sentence


def test_a_pool_or_an_agent_that_is_not_there_is_named() -> None:
    with pytest.raises(UnansweredError, match=r"^the pool x does not exist \("):
        read(daos_user.Pool, recorded("container", "unknown_pool.txt"), "the pool x")
    with pytest.raises(UnansweredError, match="does daos_agent run on this host"):
        read(daos_user.Pool, recorded("container", "no_agent.txt"), "the pool x")


@given(st.text())
def test_text_that_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(UnansweredError):
        read(daos_user.Pool, text, "the pool x")
