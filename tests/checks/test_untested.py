"""What a DAOS that the site runs requires, and what it leaves out."""

from __future__ import annotations

from assay.checks.expect import Measured, expectation
from assay.checks.plan import CHECKS, requirements
from assay.checks.untested import not_tested
from assay.cluster.description import Cluster
from clusters import described, find, system
from found import found_description


def required(cluster: Cluster) -> set[str]:
    return {each.check for each in requirements(cluster)}


def reasons(cluster: Cluster) -> dict[str, str]:
    """The reason of each check that is not tested."""
    named: dict[str, str] = {}
    for sentence in not_tested(cluster):
        names, why = sentence.removeprefix("not tested: ").split(": ", 1)
        named |= dict.fromkeys(names.split(", "), why)
    return named


def test_a_user_of_a_container_is_required_what_needs_no_more() -> None:
    cluster = described(found_description())
    subjects = {str(each.subject) for each in requirements(cluster) if each.check == "IorEasy"}
    assert subjects == {"clients/dfs"}
    assert {"IorHard", "MdtestEasy", "FioDfs", "SsdFio", "FiPingpong"} <= required(cluster)
    assert {each.partition for each in requirements(cluster)} == {"clients"}


def test_each_other_check_is_named_with_a_reason() -> None:
    cluster = described(found_description())
    named = reasons(cluster)
    assert named.keys() | required(cluster) | {"ScmFio"} == CHECKS.keys()
    assert not named.keys() & required(cluster)
    assert named["IorByRank"] == "it makes a pool on each rank, which only an administrator may"
    assert named["VosPerfRate"] == named["NvmeIops"]
    assert "only an administrator has" in named["NetTest"]
    assert named["FioDfuse"].endswith("daos.mount")
    assert named["Io500"].startswith("no share of the pool limits")


def test_a_deployed_system_leaves_out_nothing_for_such_a_reason() -> None:
    assert not_tested(system("shared")) == []


def test_a_mount_lets_programs_use_dfuse() -> None:
    assert "FioDfuse" in required(described(found_description(mount="/mnt/dfuse")))


def test_engines_on_the_clients_leave_out_what_needs_them_stopped() -> None:
    document = found_description() | {"colocated": True}
    cluster = described(document)
    assert required(cluster) == {
        "IorEasy",
        "IorHard",
        "MdtestEasy",
        "MdtestHard",
        "MdtestHard2",
        "FioDfs",
    }
    assert reasons(cluster)["SsdFio"].startswith(
        "it needs the engines of the clients' hosts stopped"
    )


def test_the_clients_interfaces_bound_a_figure_unless_engines_run_on_them() -> None:
    cluster = described(found_description())
    bound = expectation(
        cluster, find(cluster, "IorEasy.write on clients/dfs"), Measured({}, "quick")
    )
    assert bound.bound == 2 * 25e9 / 8 / 2**20
    cluster = described(found_description() | {"colocated": True})
    near = expectation(
        cluster, find(cluster, "IorEasy.write on clients/dfs"), Measured({}, "quick")
    )
    assert near.bound is None
    assert "engines run on the clients" in near.derivation


def test_the_object_class_of_the_files_is_part_of_the_bound() -> None:
    document = found_description(file_oclass="EC_4P1GX")
    cluster = described(document)
    bound = expectation(
        cluster, find(cluster, "IorEasy.write on clients/dfs"), Measured({}, "quick")
    )
    assert bound.bound == 2 * 25e9 / 8 / 2**20 / 1.25
