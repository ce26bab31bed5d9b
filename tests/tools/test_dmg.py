"""dmg: whether the system and its pools are fit to be measured."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.tools.daos.dmg import (
    busy_pools,
    failure,
    labels,
    parse,
    pool_create,
    pool_destroy,
    pool_list,
    pool_query,
    pressed,
    remapped,
    restarted,
    system_query,
    uuid,
)
from recordings import recorded, values

TOOL = "dmg"
POOL = recorded(TOOL, "pool_query.txt")
POOLS = recorded(TOOL, "pool_list.txt")


def test_asks_for_json():
    assert system_query() == ["dmg", "-j", "system", "query"]
    assert " ".join(pool_query("tank", "/etc/daos/daos_control.yml")) == (
        "dmg -j -o /etc/daos/daos_control.yml pool query tank"
    )


@pytest.mark.parametrize(
    ("recording", "why"),
    [
        ("pool_create_rank", ""),
        ("pool_create_rank_no_room", "DER_NOSPACE(-1007): No space on storage target"),
        ("pool_destroy_unknown", 'unable to find pool service with label "assay-rank-9"'),
    ],
)
def test_what_dmg_did_not_do_has_a_reason(recording, why):
    failed = failure(recorded(TOOL, f"{recording}.txt"))
    assert why in failed
    assert bool(failed) is bool(why)


def test_silence_of_dmg_is_a_failure():
    assert failure("sudo: a password is required\n") == "sudo: a password is required"


def test_pools_have_labels():
    listed = recorded(TOOL, "pool_list_rank_pools.txt")
    assert labels(listed) == ["assay", "assay-rank-0", "assay-rank-1"]
    assert labels("dmg did not answer within 60 s") == []


def test_a_pool_on_a_rank_is_made_as_it_was_recorded():
    config = "/etc/daos/daos_control.yml"
    command, _, _ = recorded(TOOL, "pool_create_rank.txt").partition("\n")
    asked = pool_create("assay-rank-0", 0, "1200MiB", "assay", config)
    assert " ".join(asked) == f"dmg -j -o {config} pool create" + command.partition("create")[2]
    assert " ".join(pool_destroy("assay-rank-0", config)) == (
        f"dmg -j -o {config} pool destroy --recursive --force assay-rank-0"
    )


def test_a_system_whose_ranks_are_joined_has_no_problem():
    assert parse(recorded(TOOL, "system_query_joined.txt"), expected_ranks=2).problems == ()


def test_a_rank_that_never_came_is_missed():
    text = recorded(TOOL, "system_query_joined.txt")
    assert parse(text, expected_ranks=4).problems == ("2 of 4 ranks are joined",)


def test_a_pool_reports_its_free_bytes():
    parsed = parse(POOL)
    assert parsed.problems == ()
    # It has no NVMe tier.
    assert values(parsed) == [("free", 1898804200, "B")]
    assert parsed.samples[0].labels == {"media": "scm"}


def test_a_pool_has_a_uuid():
    assert uuid(POOL) == "188564d4-539c-44a5-9d73-d45530ddae1b"
    for none in (recorded(TOOL, "system_query_joined.txt"), "dmg did not answer within 60 s"):
        assert uuid(none) == ""


def test_a_pool_is_full_when_its_fullest_target_is_more_than_nine_tenths_full():
    def filled(least, tiers=1):
        tier = {"media_type": "nvme", "total": 1000, "free": 500, "min": least}
        pool = {"total_targets": 2, "active_targets": 2, "tier_stats": [tier] * tiers}
        return parse(json.dumps({"error": None, "response": pool}, indent=1)).problems

    assert filled(50) == ()
    (full,) = filled(49)
    assert full.startswith("the pool: its fullest nvme target is 90% full, all together 50%")
    (none,) = filled(50, tiers=0)
    assert none.startswith("the answer about the pool has an unexpected form: tier_stats: ")


def test_a_pool_of_md_on_ssd_is_read_alike():
    assert parse(recorded(TOOL, "pool_query_md_on_ssd.txt")).problems == ()


@pytest.mark.parametrize(
    ("name", "problems"),
    [
        (
            "system_query_one_rank_dead.txt",
            (
                "rank 1 at 127.0.0.1:10001 is errored: DAOS engine 1 exited unexpectedly:"
                " /usr/bin/daos_engine exited: signal: killed",
            ),
        ),
        (
            "system_query_server_down.txt",
            (
                "dmg failed: system query failed: client: code = 506 description ="
                ' "the server at 127.0.0.1:10001 refused the connection": unable to contact the'
                " DAOS Management Service",
            ),
        ),
        (
            "pool_query_rebuilding.txt",
            (
                "the pool: 1 of 2 targets are excluded",
                "the pool: its rebuild is busy; wait until it ends, or find out why it does not",
            ),
        ),
        (
            "system_query_rank_excluded.txt",
            ("rank 1 at 127.0.0.1:10001 is adminexcluded",),
        ),
        (
            "pool_query_rank_excluded.txt",
            (
                "the pool: 1 of 2 targets are excluded",
                "the pool: its rebuild is busy; wait until it ends, or find out why it does not",
            ),
        ),
        (
            "pool_query_full.txt",
            (
                "the pool: its fullest scm target is 93% full, all together 49%; above 90% figures"
                " suffer: remove what earlier runs left",
            ),
        ),
    ],
)
def test_says_why_there_is_nothing_to_measure(name, problems):
    assert parse(recorded(TOOL, name)).problems == problems


def test_what_hangs_and_is_stopped_reports_nothing():
    command, code = recorded(TOOL, "pool_query_hangs.txt").splitlines()
    assert (command[0], code) == ("$", "# exit: 124")
    assert parse("").problems == ("no answer from dmg: it contains no JSON",)


def test_two_answers_do_not_count():
    answer = recorded(TOOL, "system_query_joined.txt").partition("\n")[2].rpartition("# exit")[0]
    assert parse(answer).problems == ()
    assert parse(answer + answer).problems[0].startswith("no answer from dmg: ")


def test_what_is_said_in_place_of_an_answer_is_shown():
    problem = "dmg did not answer within 60 s"
    assert parse(f"{problem}\n").problems == (f"no answer from dmg: {problem}",)


@pytest.mark.parametrize(
    ("was", "becomes", "problem"),
    [
        ('"status": 0,\n      "state"', '"status": -1007,\n      "state"', "failed with -1007"),
        ('"degraded": false', '"degraded": true', "it is degraded"),
        ('"state": "Ready"', '"state": "Destroying"', "its state is Destroying"),
        ('"derived_state": "idle"', '"derived_state": "failed"', "its rebuild is failed"),
    ],
)
def test_each_sign_of_a_sick_pool_counts(was, becomes, problem):
    assert was in POOL
    (reported,) = parse(POOL.replace(was, becomes)).problems
    assert problem in reported


def test_2_4_reports_less_of_a_pool():
    old = POOL.replace('"derived_state": "idle",', "").replace('"degraded": false', '"x": 0')
    assert parse(old) == parse(POOL)


@pytest.mark.parametrize(
    "text",
    [
        '{\n"error": null, "response": {"members": []}\n}',
        '{\n"error": null, "response": null\n}',
        '{\n"error": null, "response": {"pools": []}\n}',
    ],
)
def test_an_answer_without_members_is_a_problem(text):
    assert parse(text).problems


@given(st.text())
def test_never_raises(text):
    assert parse(text).problems


@given(st.integers(min_value=0, max_value=POOL.rindex("}")))
def test_a_truncated_answer_does_not_count(length):
    assert parse(POOL[:length]).problems


def test_a_rank_that_came_back_is_another_process():
    before = recorded(TOOL, "system_query_joined.txt")
    after = before.replace("2972442190168457216", "2972449990168457216")
    assert restarted(before, before) == []
    assert restarted(before, after) == ["rank 1 at 127.0.0.1:10001 restarted meanwhile"]


def test_pools_at_rest_disturb_nobody():
    assert pool_list() == ["dmg", "-j", "pool", "list"]
    assert busy_pools(POOLS) == []
    assert busy_pools('{\n"response": {"status": 0, "pools": null}, "error": null\n}') == []


@pytest.mark.parametrize("state", ["busy", "stopping", "failing"])
def test_a_pool_of_others_that_rebuilds_is_named(state):
    rebuilding = POOLS.replace('"derived_state": "idle"', f'"derived_state": "{state}"')
    assert busy_pools(rebuilding) == [
        "the pool tank, which shares the engines, rebuilds or reclaims space: it is"
        f" {state}; wait until it ends"
    ]
    assert busy_pools(rebuilding, "tank") == []


@pytest.mark.parametrize("state", ["done", "failed", "stopped"])
def test_a_rebuild_that_ended_disturbs_nobody(state):
    assert busy_pools(POOLS.replace('"derived_state": "idle"', f'"derived_state": "{state}"')) == []


def test_pools_that_are_not_known_may_disturb():
    (problem,) = busy_pools("dmg did not answer within 60 s")
    assert problem == "the other pools are unknown: dmg did not answer within 60 s"
    (problem,) = busy_pools('{\n"response": {"pools": [{}]}, "error": null\n}')
    assert problem.startswith("the other pools are unknown: ")


def pool(**changes: object) -> str:
    """The answer of a real DAOS about a pool, changed."""
    text = recorded("dmg", "quick/pool.txt")
    document = json.loads(text[text.index("{") : text.rindex("}") + 1])
    document["response"] |= changes
    return json.dumps(document)


def test_a_rank_that_was_excluded_and_reintegrated_meanwhile_is_reported() -> None:
    assert remapped(pool(), pool()) == []
    assert remapped(pool(version=4), pool(version=6)) == [
        "the pool's targets changed meanwhile (excluded, reintegrated or added): its map had the"
        " version 4, and now has 6"
    ]


def test_another_pool_of_the_same_name_is_reported() -> None:
    (problem,) = remapped(pool(), pool(uuid="11111111-2222-4333-8444-555555555555"))
    assert problem == "the pool is not the same as before: something recreated it"


@pytest.mark.parametrize("text", ["", "no answer", '{"response": null, "error": "x"}'])
def test_a_pool_that_was_not_asked_about_cannot_be_compared(text: str) -> None:
    assert remapped(text, pool()) == []
    assert remapped(pool(), text) == []


@pytest.mark.parametrize(
    ("used", "said"), [(0.59, ""), (0.61, "61% full"), (0.85, "85% full"), (0.89, "89% full")]
)
def test_a_pool_whose_targets_hold_writes_back_is_named(used: float, said: str) -> None:
    text = recorded("dmg", "pool_query_little_room.txt")
    free = round(1000005632 / 2 * (1 - used))
    reason = pressed(text.replace('"min": 150000000', f'"min": {free}', 1))
    assert said in reason
    assert bool(reason) is bool(said)
    if said:
        assert reason.startswith("its fullest scm target is ")
    assert parse(text.replace('"min": 150000000', f'"min": {free}', 1)).problems == ()


@pytest.mark.parametrize("text", ["", "{}", '{"response": null, "error": "no", "status": -1}'])
def test_a_pool_that_is_not_known_holds_nothing_back(text: str) -> None:
    assert pressed(text) == ""


def test_an_answer_of_another_command_is_named_with_its_errors():
    other = recorded("dmg", "posted/dmg_28_format_errors.json")
    assert parse(other).problems == (
        "this is the answer of another command, or of a release that is not known (host_errors,"
        " host_storage_map); pass that of dmg -j system query or dmg -j pool query",
        "10.0.0.[1-2]: storage format failed: instance 0: already formatted",
    )
    (problem,) = parse(recorded("dmg", "posted/dmg_22_pool_list_verbose.json")).problems
    assert problem.startswith("this is the answer of another command")
    assert parse(other).unread


def test_an_answer_that_lacks_a_key_is_not_known_and_not_unanswered():
    tier = {"media_type": "nvme", "total": 1000, "free": 500}
    pool = {"total_targets": 2, "active_targets": 2, "tier_stats": [tier]}
    parsed = parse(json.dumps({"response": pool, "error": None}))
    assert parsed.unread
    assert parsed.problems == (
        "the answer about the pool has an unexpected form: tier_stats.0.min: field required",
    )
