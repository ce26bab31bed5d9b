"""A host that differs from its peers is named."""

from __future__ import annotations

from sites import only, problems, put, site

FIRMWARE = "fingerprint/traits/firmware of INTEL SSDPF2KX038TZ"
KEY = "fingerprint.firmware of INTEL SSDPF2KX038TZ"


def servers(*firmware: str) -> dict[str, object]:
    return {f"s{number + 1}: {FIRMWARE}": value for number, value in enumerate(firmware)}


def test_the_odd_one_out_is_named_with_what_the_others_have() -> None:
    document = put(site(servers=4), servers("1.4", "1.4", "1.2", "1.4"))
    problem = only(document)
    assert (problem.host, problem.key, problem.value) == ("s3", KEY, "1.2")
    assert problem.allowed.startswith("should be 1.4, as the other 3 servers have")
    assert problem.severity == "warning"


def test_peers_that_are_alike_are_not_mentioned_nor_clients_that_differ_from_servers() -> None:
    document = put(site(servers=2, clients=2), servers("1.4", "1.4"))
    assert problems(put(document, {f"c{n}: {FIRMWARE}": "1.2" for n in (1, 2)})) == []


def test_where_no_majority_agrees_the_kinds_are_listed_once() -> None:
    problem = only(put(site(servers=4), servers("1.4", "1.4", "1.2", "1.2")))
    assert (problem.host, problem.key, problem.value) == (None, KEY, "2 kinds")
    assert problem.allowed.startswith("should be alike on all servers: 1.4 on 2; 1.2 on 2. ")
    kinds = [str(number) for number in range(6)]
    assert "; and 2 more" in only(put(site(servers=6), servers(*kinds))).allowed


def test_what_a_host_does_not_show_is_not_judged() -> None:
    document = put(site(servers=3), servers("1.4", "1.4"))
    assert problems(put(document, {"s3: fingerprint/traits/kernel": "6.1"})) == []


def test_serial_numbers_and_wear_differ_by_nature() -> None:
    own = {
        f"s{number}: fingerprint/{kind}/x": str(number)
        for number in (1, 2)
        for kind in ("identities", "readings")
    }
    assert problems(put(site(servers=2), own)) == []
